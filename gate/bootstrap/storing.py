"""Opens the store: the database that the environment names, or the file in the repository's own folder."""

from pathlib import Path
from typing import TYPE_CHECKING

from gate.bootstrap.memory import refuse_tracked
from gate.calls.answer_file import files_of
from gate.errors import GateError, with_extra
from gate.store.own_folder import NAME

if TYPE_CHECKING:
    from gate.store.sql.engine import Database

FILE = Path(NAME) / "gate.db"


def open_database(root: Path, url: str | None) -> "Database":
    """The store's database, with the tables of this version.

    Args:
        root: of the repository.
        url: of the database; None for the file.

    Raises:
        GateError: a package is missing, the address is none, a newer version wrote it, or git tracks the file, which
            a change could then have brought.
        CannotEvaluate: it does not answer.
    """
    database = reach_database(root, url)
    from gate.store.sql.migrating import upgrade

    upgrade(database)
    return database


def reach_database(root: Path, url: str | None) -> "Database":
    """The store's database, whatever tables it has; see `open_database`."""
    try:
        from gate.store.sql import migrating  # noqa: F401  # what every use of the store needs is there
        from gate.store.sql.engine import Database
    except ImportError as error:
        raise GateError(f"a store needs the package {error.name}", with_extra("web")) from None
    database = Database.of_file(root / FILE) if url is None else Database(url)
    if database.file is not None:
        refuse_tracked(*files_of(database.file))
    return database
