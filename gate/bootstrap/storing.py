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
    try:
        from gate.store.sql.engine import Database
        from gate.store.sql.migrating import upgrade
    except ImportError as error:
        raise GateError(f"a store needs the package {error.name}", with_extra("web")) from None
    database = Database.of_file(root / FILE) if url is None else Database(url)
    if database.file is not None:
        refuse_tracked(*files_of(database.file))
    upgrade(database)
    return database
