"""Looks a whole store through, and says what it holds."""

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select, text

from gate.store.sql import migrating, run_tables, tables
from gate.store.sql.engine import SQLITE, Database
from gate.store.sql.suite_rows import digest_of

MOST = 100
"""Faults that are told."""
_RUN = run_tables.runs.c
_FETCHED = 100


@dataclass(frozen=True, slots=True)
class Info:
    """What a store holds.

    Args:
        label: its address, without a password.
        revision: of its tables; None without tables.
        newest: the revision that this program knows.
        counts: of suites, cases, runs, samples and their kept texts; empty where the tables are of another version.
        oldest, youngest: runs; None without any.
        size_bytes: of the database; None where nobody says.
    """

    label: str
    revision: str | None
    newest: str
    counts: tuple[tuple[str, int], ...] = ()
    oldest: datetime | None = None
    youngest: datetime | None = None
    size_bytes: int | None = None


def info(database: Database) -> Info:
    """What a store holds.

    Raises:
        CannotEvaluate: it does not answer.
    """
    return database.read(lambda db: _info(db, database.label))


@dataclass(frozen=True, slots=True)
class Counted:
    """How many runs and samples a store holds."""

    runs: int
    samples: int


def counted(database: Database) -> Counted:
    """How much a store holds, as fast as that can be told.

    Raises:
        CannotEvaluate: it does not answer.
    """
    found = select(func.count(), func.coalesce(func.sum(_RUN.samples), 0)).select_from(run_tables.runs)
    return Counted(*database.read(lambda db: map(int, db.execute(found).one())))


def faults(database: Database) -> tuple[str, ...]:
    """What is wrong with a store whose tables are of this version, `MOST` faults at most; empty where all is well.

    Raises:
        CannotEvaluate: it does not answer.
    """

    def work(db: Connection) -> tuple[str, ...]:
        found = (*_of_the_file(db),)
        if found:
            return found[:MOST]
        return tuple(told for told, _ in zip(_of_the_rows(db), range(MOST), strict=False))

    return database.read(work)


def _info(db: Connection, label: str) -> Info:
    revision, newest = migrating.revision_of(db), migrating.newest()
    if revision != newest:
        return Info(label, revision, newest)
    kept = run_tables.samples.c
    counts = {
        "suites": select(func.count()).select_from(tables.suites),
        "cases": select(func.count()).select_from(tables.cases),
        "runs": select(func.count()).select_from(run_tables.runs),
        "samples": select(func.coalesce(func.sum(_RUN.samples), 0)),
        "texts of samples": select(func.count()).select_from(run_tables.samples).where(kept.body.is_not(None)),
    }
    if db.dialect.name == SQLITE:
        size = text("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
    else:
        size = text("SELECT pg_database_size(current_database())")
    return Info(
        label=label,
        revision=revision,
        newest=newest,
        counts=tuple((name, int(db.execute(count).scalar_one())) for name, count in counts.items()),
        oldest=db.execute(select(func.min(_RUN.created))).scalar(),
        youngest=db.execute(select(func.max(_RUN.created))).scalar(),
        size_bytes=db.execute(size).scalar(),
    )


def _of_the_file(db: Connection) -> Iterator[str]:
    """Of SQLite; a server of Postgres looks after its own files."""
    if db.dialect.name != SQLITE:
        return
    for told in db.execute(text(f"PRAGMA integrity_check({MOST})")).scalars():
        if told != "ok":
            yield f"the file is damaged: {told}"
    for row in db.execute(text("PRAGMA foreign_key_check")):
        yield f"a row of {row[0]} belongs to none of {row[2]}"


def _of_the_rows(db: Connection) -> Iterator[str]:
    yield from _of_the_runs(db)
    yield from _of_the_samples(db)
    yield from _of_the_suites(db)


def _of_the_runs(db: Connection) -> Iterator[str]:
    counted = (
        select(run_tables.run_suites.c.run_id, func.count().label("n"))
        .join(run_tables.samples, run_tables.samples.c.suite_id == run_tables.run_suites.c.id)
        .group_by(run_tables.run_suites.c.run_id)
        .subquery()
    )
    found = select(_RUN.id, _RUN.samples, _RUN.record, func.coalesce(counted.c.n, 0).label("n"))
    rows = found.outerjoin(counted, counted.c.run_id == _RUN.id).execution_options(yield_per=_FETCHED)
    for row in db.execute(rows):
        if row.n != row.samples:
            yield f"run {row.id} has {row.n:,} samples, and should have {row.samples:,}"
        if not _readable(row.record):
            yield f"the record of run {row.id} cannot be read"


def _of_the_samples(db: Connection) -> Iterator[str]:
    kept = run_tables.samples.c
    found = (
        select(run_tables.run_suites.c.run_id, kept.case, kept.arm, kept.number, kept.body)
        .join(run_tables.run_suites, run_tables.run_suites.c.id == kept.suite_id)
        .where(kept.body.is_not(None))
        .execution_options(yield_per=_FETCHED)
    )
    for row in db.execute(found):
        if not _readable(row.body):
            yield f"run {row.run_id}, case {row.case!r}, {row.arm}, sample {row.number + 1} cannot be read"


def _of_the_suites(db: Connection) -> Iterator[str]:
    made = tables.suite_versions.c
    found = select(tables.suites.c.name, made.number, made.digest).join(
        tables.suites, (tables.suites.c.id == made.suite_id) & (tables.suites.c.newest == made.number)
    )
    for row in db.execute(found).all():
        if digest_of(db, row.name, row.number) != row.digest:
            yield f"suite {row.name!r} holds other cases than its version {row.number} had"


def _readable(data: bytes) -> bool:
    try:
        return isinstance(json.loads(zlib.decompress(data)), dict)
    except (ValueError, RecursionError, zlib.error):
        return False
