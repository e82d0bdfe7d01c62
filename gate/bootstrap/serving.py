"""What a web interface is made of, on this machine and in this repository."""

import getpass
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gate.bootstrap.person import git_name
from gate.bootstrap.storing import open_database
from gate.errors import GateError
from gate.git.repo import Repo
from gate.settings.storage import database_url

if TYPE_CHECKING:
    from gate.store.sql.engine import Database


@dataclass(frozen=True, slots=True)
class Here:
    """A store and who works on it.

    Args:
        database: the store.
        person: who that is, for the history.
        now: the time.
        root: of the repository, or the folder itself.
    """

    database: "Database"
    person: str
    now: Callable[[], datetime]
    root: Path


def site_here(directory: Path, person: str) -> Here:
    """The store of the repository that a folder is in, or of the folder itself.

    Args:
        directory: somewhere in a repository, or anywhere.
        person: who works on it; empty for the name that git knows, or that of the account.
    """
    repo = _repo(directory)
    root = repo.root if repo is not None else directory.resolve()
    named = person.strip() or (repo and git_name(repo)) or _account()
    database = open_database(root, database_url())
    return Here(database, named, lambda: datetime.now(UTC), root)


def _repo(directory: Path) -> Repo | None:
    try:
        return Repo.open(directory)
    except GateError:
        return None


def _account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "somebody"
