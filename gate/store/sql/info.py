"""What a store holds."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select, text

from gate.store.sql import migrating, run_tables, tables
from gate.store.sql.engine import SQLITE, Database

_RUN = run_tables.runs.c


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
