"""The content of a store, and its backup."""

import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gate.cases.stored import CaseWrite, Page
from gate.errors import GateError
from gate.record.history import Context, RunFilter
from gate.store.run_folder import sample_line
from gate.store.sql.database import Database
from gate.store.sql.maintenance import backup
from gate.store.sql.runs import KeptSample, Runs
from gate.store.sql.suites import Authorship, Suites
from tests.support import stores
from tests.support.run_records import CREATED, finished
from tests.support.runs import suite, take

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
SUITE = suite([{"tier": "free"}, {"tier": "paid"}], samples=2)


def half(case: object, arm: object, index: int) -> float | None:
    return None if index else 0.5


def fill(database: Database) -> None:
    Suites(database).change(
        "support", [CaseWrite("a", {"id": "a", "input": "Where?"}, {}, "Where?")], Authorship("Ann", NOW)
    )
    samples = (KeptSample(one, sample_line(one)) for one in take(SUITE, half))
    Runs(database).add(finished([SUITE], half, CREATED), samples, Context(), NOW)


@pytest.mark.threat("web-backup")
def test_a_backup_is_readable_only_by_its_owner_and_not_for_postgres(database: Database, tmp_path: Path) -> None:
    fill(database)
    (tmp_path / "copy" / ".gate").mkdir(parents=True)
    path = tmp_path / "copy" / ".gate" / "gate.db"
    if database.file is None:
        with pytest.raises(GateError, match="is a Postgres database") as refused:
            backup(database, path)
        assert "pg_dump" in refused.value.hint and not path.exists()
        return
    with database.engine.connect() as open_elsewhere, open_elsewhere.begin():
        open_elsewhere.exec_driver_sql("SELECT count(*) FROM runs")
        backup(database, path)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    with stores.on_sqlite(tmp_path / "copy") as copy:
        assert len(Runs(copy).rows(RunFilter(), Page())) == 1
    with pytest.raises(GateError, match="nothing was overwritten"):
        backup(database, path)
