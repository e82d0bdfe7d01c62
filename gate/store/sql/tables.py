"""Tables of the store, for SQLite and Postgres: suites with their cases, and runs with indexed figures."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)


class Label(TypeDecorator[str]):
    """A text for look-ups; replaces characters that Postgres cannot store, also in queries."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Replace NUL and lone surrogates."""
        return None if value is None else as_label(value)


def as_label(text: str) -> str:
    """The text as a `Label` stores it."""
    return text.replace("\0", "\ufffd").encode(errors="replace").decode()


class Moment(TypeDecorator[datetime]):
    """A moment in UTC; SQLite stores no time zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert to UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Add the time zone."""
        if value is None:
            return None
        assert isinstance(value, datetime)  # noqa: S101
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


Key = BigInteger().with_variant(Integer, "sqlite")
"""SQLite counts up integers only."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

suites = Table(
    "suites",
    metadata,
    Column("id", Key, primary_key=True),
    Column("name", Label, nullable=False, unique=True),
    Column("newest", Integer, nullable=False),
)
"""`newest` is the number of the newest version; a writer locks this row."""

suite_versions = Table(
    "suite_versions",
    metadata,
    Column("suite_id", Key, ForeignKey(suites.c.id, ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("digest", Label, nullable=False),
    Column("cases", Integer, nullable=False),
    Column("author", Label, nullable=False),
    Column("made", Moment, nullable=False),
    Column("what", Label, nullable=False),
)

cases = Table(
    "cases",
    metadata,
    Column("id", Key, primary_key=True),
    Column("suite_id", Key, ForeignKey(suites.c.id, ondelete="CASCADE"), nullable=False),
    Column("name", Label, nullable=False),
    UniqueConstraint("suite_id", "name"),
)

case_versions = Table(
    "case_versions",
    metadata,
    Column("id", Key, primary_key=True),
    Column("suite_id", Key, ForeignKey(suites.c.id, ondelete="CASCADE"), nullable=False),
    Column("case_id", Key, ForeignKey(cases.c.id, ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("name", Label, nullable=False, server_default=""),
    Column("first", Integer, nullable=False),
    Column("last", Integer),
    Column("place", Integer, nullable=False),
    Column("entry", Text),
    Column("words", Label, nullable=False),
    Column("author", Label, nullable=False),
    Column("made", Moment, nullable=False),
    UniqueConstraint("case_id", "number"),
    # Lists of a suite's cases, and the last place in them.
    Index(None, "suite_id", "last", "place"),
    # A case by an earlier name.
    Index(None, "suite_id", "name"),
)
"""`name` is that of the case when the version was made. A version belongs to the versions `first` to `last` of its
suite, with `last` empty for the current one. `entry` is JSON, empty where the case was archived; `words` is the text to
search in; `place` orders the cases of a suite.
"""

case_slices = Table(
    "case_slices",
    metadata,
    Column("version_id", Key, ForeignKey(case_versions.c.id, ondelete="CASCADE"), primary_key=True),
    Column("dimension", Label, primary_key=True),
    Column("value", Label, nullable=False),
    # Cases by slice, and the values of a dimension.
    Index(None, "dimension", "value", "version_id"),
)


runs = Table(
    "runs",
    metadata,
    Column("id", Key, primary_key=True),
    Column("digest", Label, nullable=False, unique=True),
    Column("created", Moment, nullable=False),
    Column("stored", Moment, nullable=False),
    Column("repository", Label, nullable=False),
    Column("branch", Label, nullable=False),
    Column("event", Label, nullable=False),
    Column("pull_request", Integer),
    Column("pushed_by", Label, nullable=False),
    Column("commit", Label, nullable=False),
    Column("verdict", Label, nullable=False),
    Column("exit_code", Integer, nullable=False),
    Column("waived", Label, nullable=False),
    Column("kind", Label, nullable=False),
    Column("samples", Integer, nullable=False),
    Column("spent_usd", Float),
    Column("record", LargeBinary, nullable=False),
    # The list of runs, newest first, of all and of one pull request.
    Index(None, "created", "id"),
    Index(None, "repository", "pull_request", "created"),
)
"""`record` is `run.json`, compressed."""

run_suites = Table(
    "run_suites",
    metadata,
    Column("id", Key, primary_key=True),
    Column("run_id", Key, ForeignKey(runs.c.id, ondelete="CASCADE"), nullable=False),
    Column("name", Label, nullable=False),
    Column("created", Moment, nullable=False),
    Column("store", Label, nullable=False, server_default=""),
    Index(None, "run_id"),
    # The newest runs of a suite (trend, cases), and runs that used a suite of the store.
    Index(None, "name", "created"),
    Index(None, "store", "created"),
)
"""`created` is that of the run, so that one index finds a suite's newest runs. `store` is the suite of the store with
its cases; empty for cases of a file.
"""

figures = Table(
    "figures",
    metadata,
    Column("suite_id", Key, ForeignKey(run_suites.c.id, ondelete="CASCADE"), primary_key=True),
    Column("axis", Label, primary_key=True),
    Column("slice", Label, primary_key=True),
    Column("n", Integer, nullable=False),
    Column("units", Integer, nullable=False),
    Column("baseline", Float),
    Column("candidate", Float),
    Column("error", Float),
    Column("change", Float),
    Column("lower", Float),
    Column("upper", Float),
    Column("state", Label, nullable=False),
    Column("undetected", Float),
)

case_results = Table(
    "case_results",
    metadata,
    Column("suite_id", Key, ForeignKey(run_suites.c.id, ondelete="CASCADE"), primary_key=True),
    Column("case", Label, primary_key=True),
    Column("arm", Label, primary_key=True),
    Column("n", Integer, nullable=False),
    Column("missing", Integer, nullable=False),
    Column("mean", Float),
    Column("variance", Float),
    sqlite_with_rowid=False,
)

samples = Table(
    "samples",
    metadata,
    Column("suite_id", Key, ForeignKey(run_suites.c.id, ondelete="CASCADE"), primary_key=True),
    Column("case", Label, primary_key=True),
    Column("arm", Label, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("score", Float),
    Column("failed", Boolean, nullable=False),
    Column("cost_usd", Float),
    Column("latency_s", Float),
    Column("body", LargeBinary),
    sqlite_with_rowid=False,
)
"""`body` is the line of `samples.jsonl`, compressed; empty once it was removed."""

agreements = Table(
    "agreements",
    metadata,
    Column("suite_id", Key, ForeignKey(run_suites.c.id, ondelete="CASCADE"), primary_key=True),
    Column("scorer", Label, primary_key=True),
    Column("kind", Label, primary_key=True),
    Column("answers", Integer, nullable=False),
    Column("value", Float),
    Column("lower", Float),
    Column("upper", Float),
    Column("why_not", Label, nullable=False),
)
"""Agreement of judges with each other (`jury`) and with people (`people`)."""

overrides = Table(
    "overrides",
    metadata,
    Column("run_id", Key, ForeignKey(runs.c.id, ondelete="CASCADE"), primary_key=True),
    Column("label", Label, nullable=False),
    Column("set_by", Label),
    Column("set_at", Label),
    Column("commit", Label, nullable=False),
    Column("role", Label, nullable=False),
    Column("reason", Label, nullable=False),
    Column("counted", Boolean, nullable=False),
    Column("why_not", Label, nullable=False),
)

forgotten = Table(
    "forgotten",
    metadata,
    Column("run_id", Key, ForeignKey(runs.c.id, ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("at", Moment, nullable=False),
)
"""Runs without answers and reasons now, and the time of removal."""

removals = Table(
    "removals",
    metadata,
    Column("id", Key, primary_key=True),
    Column("at", Moment, nullable=False),
    Column("before", Moment, nullable=False),
    Column("runs", Integer, nullable=False),
)
"""Complete removals of runs: all those made `before`."""
