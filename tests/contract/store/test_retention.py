"""Old runs lose their texts, and very old runs are deleted; figures stay until then."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select

from gate.cases.stored import Page
from gate.record.history import Context, RunFilter
from gate.store.run_folder import sample_line
from gate.store.sql import tables
from gate.store.sql.database import Database
from gate.store.sql.retention import Pruned, RetentionLimits, last_removal, prune
from gate.store.sql.runs import KeptSample, Runs
from tests.support.run_records import CREATED, dated, finished
from tests.support.runs import suite, take

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
SUITE = suite([{"tier": "free"}, {"tier": "paid"}], samples=2)
BETWEEN = CREATED + timedelta(minutes=5)


def half(case: object, arm: object, index: int) -> float | None:
    return None if index else 0.5


RUN = finished([SUITE], half)


def add(runs: Runs, minutes: int) -> int:
    samples = (KeptSample(one, sample_line(one)) for one in take(SUITE, half))
    return runs.add(dated(RUN, CREATED + timedelta(minutes=minutes)), samples, Context(), NOW).id


def kept_texts(database: Database) -> int:
    bodies = select(func.count()).select_from(tables.samples).where(tables.samples.c.body.is_not(None))
    return database.read(lambda db: db.execute(bodies).scalar_one())


def test_texts_of_old_runs_are_deleted_and_figures_stay(database: Database) -> None:
    runs = Runs(database)
    old, new = add(runs, 0), add(runs, 10)
    limits = RetentionLimits(outputs=BETWEEN)
    figures = runs.trend("support", "quality", "overall", 9)
    assert prune(database, limits, NOW, dry=True) == Pruned(0, 1)
    assert kept_texts(database) == 16
    assert prune(database, limits, NOW) == Pruned(0, 1)
    assert prune(database, limits, NOW + timedelta(1)) == Pruned(0, 0)
    assert kept_texts(database) == 8
    assert runs.samples(old, "support", "c000") == ()
    assert len(runs.samples(new, "support", "c000")) == 4
    assert runs.trend("support", "quality", "overall", 9) == figures
    rows = {row.id: row for row in runs.rows(RunFilter(), Page())}
    assert (rows[old].forgotten, rows[old].samples, rows[new].forgotten) == (NOW, 8, None)
    record = runs.record(old)
    assert record is not None
    assert not [case for one in record.suites for case in one.cases if case.baseline_outputs or case.candidate_outputs]
    assert record.verdict == runs.rows(RunFilter(), Page())[0].verdict


def test_very_old_runs_are_deleted_and_reported(database: Database) -> None:
    runs = Runs(database)
    assert last_removal(database) is None
    old, new = add(runs, 0), add(runs, 10)
    limits = RetentionLimits(outputs=BETWEEN + timedelta(1), runs=BETWEEN)
    assert prune(database, limits, NOW, dry=True) == prune(database, limits, NOW) == Pruned(1, 1)
    assert (runs.row(old), runs.record(old)) == (None, None)
    assert [row.id for row in runs.rows(RunFilter(), Page())] == [new]
    removal = last_removal(database)
    assert removal is not None
    assert (removal.at, removal.before, removal.runs) == (NOW, BETWEEN, 1)
    # The same run may come again, as when its push was slow.
    assert runs.add(RUN, (), Context(), NOW).new


def test_a_run_dated_in_the_future_ages_from_its_upload(database: Database) -> None:
    runs = Runs(database)
    runs.add(dated(RUN, CREATED + timedelta(36_500)), (), Context(), NOW)
    assert prune(database, RetentionLimits(outputs=NOW), NOW) == Pruned(0, 0)
    assert prune(database, RetentionLimits(outputs=NOW + timedelta(1)), NOW) == Pruned(0, 1)
    assert prune(database, RetentionLimits(runs=NOW + timedelta(1)), NOW) == Pruned(1, 0)
