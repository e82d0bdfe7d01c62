"""A store that was tampered with, or lost something, is told."""

from sqlalchemy import text

from gate.store.sql import checking
from gate.store.sql.engine import Database
from tests.contract.store.test_backup import fill
from tests.support.finished import CREATED

SPOILT = {
    "UPDATE samples SET body = CAST('x' AS {blob}) WHERE number = 1 AND arm = 'baseline'": "sample 2 cannot be read",
    "DELETE FROM samples WHERE number = 0": "samples, and should have",
    "UPDATE runs SET record = CAST('x' AS {blob}) WHERE id = 1": "the record of run 1 cannot be read",
    "UPDATE case_versions SET entry = '{{}}' WHERE last IS NULL": "holds other cases than its version 2 had",
}


def test_what_it_holds_is_counted_and_what_is_wrong_with_it_told(database: Database) -> None:
    fill(database)
    info = checking.info(database)
    assert dict(info.counts) == {"suites": 1, "cases": 1, "runs": 5, "samples": 8, "texts of samples": 8}
    assert (info.revision, info.oldest, info.youngest) == (info.newest, CREATED, CREATED)
    assert info.size_bytes
    assert checking.faults(database) == ()
    blob = "BLOB" if database.file is not None else "BYTEA"
    for spoil in SPOILT:
        database.write(lambda db, spoil=spoil: db.execute(text(spoil.format(blob=blob))))  # type: ignore[misc]
    found = "\n".join(checking.faults(database))
    for said in SPOILT.values():
        assert said in found
