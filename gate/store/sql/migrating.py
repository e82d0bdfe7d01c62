"""Brings the tables of a store to the version that this program knows."""

from functools import lru_cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, text

from gate.errors import GateError
from gate.store.sql.engine import SQLITE, Database

_SCRIPTS = Path(__file__).parent / "migrations"
_LOCK = 0x70726F67
"""Of Postgres: of several servers that start at once, one makes the tables."""


def newest() -> str:
    """The revision that this program knows."""
    found = _scripts().get_current_head()
    assert found is not None  # noqa: S101
    return found


def current(database: Database) -> str | None:
    """The revision of the database; None where it has no tables yet."""
    return database.read(revision_of)


def upgrade(database: Database) -> None:
    """Bring the tables up to date; all of it or nothing.

    Raises:
        GateError: a newer program made them.
    """
    database.write(lambda db: _upgrade(db, database.label))


def _upgrade(db: Connection, label: str) -> None:
    if db.dialect.name != SQLITE:
        db.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    revision = revision_of(db)
    if revision is not None and revision not in {script.revision for script in _scripts().walk_revisions()}:
        hint = "use the version of Prompt Gate that wrote it, or a newer one"
        raise GateError(f"the store {label} was written by a newer version of Prompt Gate", hint)
    try:
        command.upgrade(_config(db), "head")
    except CommandError as error:
        raise GateError(f"the store {label} cannot be brought up to date: {error}", "restore a backup") from None


def revision_of(db: Connection) -> str | None:
    """See `current`; in the transaction of the caller."""
    return MigrationContext.configure(db).get_current_revision()


@lru_cache(maxsize=1)
def _scripts() -> ScriptDirectory:
    return ScriptDirectory(str(_SCRIPTS))


def _config(db: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = db
    return config
