"""The tables of the store, for SQLite and Postgres alike."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)


class Label(TypeDecorator[str]):
    """A text to look things up by; what Postgres cannot hold is replaced, and so it is found all the same."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Without NUL and halves of surrogate pairs."""
        return None if value is None else as_label(value)


def as_label(text: str) -> str:
    """The text as a `Label` holds it."""
    return text.replace("\0", "\ufffd").encode(errors="replace").decode()


class Moment(TypeDecorator[datetime]):
    """A moment in UTC; SQLite keeps no zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """As UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """With its zone."""
        if value is None:
            return None
        assert isinstance(value, datetime)  # noqa: S101
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


Key = BigInteger().with_variant(Integer, "sqlite")
"""SQLite counts up integers alone."""

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
"""`newest` is the number of the newest version; whoever makes one locks this row."""

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
    # Every list of a suite's cases, and the newest place in it.
    Index(None, "suite_id", "last", "place"),
    # The case that had a name before.
    Index(None, "suite_id", "name"),
)
"""`name` is that of the case when the version was made. A version stands in the versions `first` to `last` of its
suite, `last` empty while it does. `entry` is JSON, empty where the case was archived; `words` is what people search in;
`place` orders the cases of a suite."""

case_slices = Table(
    "case_slices",
    metadata,
    Column("version_id", Key, ForeignKey(case_versions.c.id, ondelete="CASCADE"), primary_key=True),
    Column("dimension", Label, primary_key=True),
    Column("value", Label, nullable=False),
    # Cases by slice, and the values that a dimension has.
    Index(None, "dimension", "value", "version_id"),
)
