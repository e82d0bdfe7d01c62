"""A store that was tampered with, or lost something, is told."""

import pytest
from sqlalchemy import text

from gate.store.sql import checking
from gate.store.sql.engine import Database
from tests.contract.store.test_backup import fill
from tests.support.finished import CREATED


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        ("UPDATE samples SET body = CAST('x' AS {blob}) WHERE number = 0 AND arm = 'baseline'", "cannot be read"),
        ("DELETE FROM samples WHERE number = 0", "samples, and should have"),
        ("UPDATE runs SET record = CAST('x' AS {blob})", "the record of run 1 cannot be read"),
        ("UPDATE case_versions SET entry = '{{}}' WHERE last IS NULL", "holds other cases than its version 2 had"),
    ],
)
def test_what_is_wrong_is_told(database: Database, spoil: str, said: str) -> None:
    fill(database)
    assert checking.faults(database) == ()
    blob = "BLOB" if database.file is not None else "BYTEA"
    database.write(lambda db: db.execute(text(spoil.format(blob=blob))))
    found = checking.faults(database)
    assert said in "\n".join(found)


def test_what_it_holds_is_counted(database: Database) -> None:
    fill(database)
    info = checking.info(database)
    assert dict(info.counts) == {"suites": 1, "cases": 1, "runs": 9, "samples": 8, "texts of samples": 8}
    assert info.revision == info.newest
    assert (info.oldest, info.youngest) == (CREATED, CREATED)
    assert info.size_bytes
