"""The store of a repository: opening it, reading cases, maintenance and tokens."""

import difflib
import getpass
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from gate.calls.answer_file import files_of
from gate.config.documents import one_problem, quoted
from gate.config.values import StoreName
from gate.environment.settings import (
    DATABASE,
    OUTPUTS_DAYS,
    RUNS_DAYS,
    Retention,
    database_url,
    retention,
)
from gate.errors import GateError, with_extra
from gate.files import STORE_FILE
from gate.git.places import git_user_name, refuse_tracked, root_of
from gate.git.repository import Repo
from gate.prompts.files import FileSource
from gate.resolve.pairing import StoredCases

if TYPE_CHECKING:
    from gate.cases.stored import SuiteVersion
    from gate.store.access import ApiToken, IssuedToken
    from gate.store.sql.access import Tokens
    from gate.store.sql.database import Database
    from gate.store.sql.maintenance import StoreInfo
    from gate.store.sql.retention import Pruned
    from gate.store.sql.suites import Suites


def open_database(root: Path, url: str | None, sides: Sequence[FileSource] = ()) -> "Database":
    """Open the store's database, with the tables of this version.

    Args:
        sides: see `gate.git.places.refuse_tracked`.

    Raises:
        GateError: a package is missing, the address is invalid, a newer version wrote it, or git tracks the file.
        CannotEvaluate: the database does not answer.
    """
    database = reach_database(root, url, sides)
    from gate.store.sql.maintenance import upgrade

    upgrade(database)
    return database


def reach_database(root: Path, url: str | None, sides: Sequence[FileSource] = ()) -> "Database":
    """The store's database with tables of any version; see `open_database`."""
    try:
        from gate.store.sql import maintenance  # noqa: F401  # it imports everything that the store needs
        from gate.store.sql.database import Database
    except ImportError as error:
        raise GateError(f"the store needs the package {error.name}", with_extra("web")) from None
    database = Database.of_file(root / STORE_FILE) if url is None else Database(url)
    if database.file is not None:
        refuse_tracked(*files_of(database.file), sides=sides)
    return database


_NAMED = 5


def stored_cases(root: Path, url: str | None, name: StoreName, sides: Sequence[FileSource] = ()) -> StoredCases:
    """The cases of a suite of the store; see `StoreCaseReader`."""
    with closing(open_database(root, url, sides)) as database:
        from gate.store.sql.suites import Suites

        return _cases(Suites(database), name)


def _cases(suites: "Suites", name: StoreName) -> StoredCases:
    version = _version(suites, name)
    if not version.cases:
        hint = f"add one: gate cases add {StoreName(name.name).text}, or gate serve"
        raise one_problem(version.label, 0, "has no cases", hint)
    lines = (json.dumps(dict(entry)) + "\n" for entry in suites.entries(version))
    return StoredCases(version.label, version.digest, "".join(lines))


def _version(suites: "Suites", name: StoreName) -> "SuiteVersion":
    newest = suites.newest(name.name)
    if newest is None:
        known = [one.suite for one in suites.names()]
        close = difflib.get_close_matches(name.name, known, n=_NAMED)
        listed = ", ".join(map(quoted, close or known[:_NAMED])) + ", …" * (not close and len(known) > _NAMED)
        hint = f"did you mean {listed}?" if close else f"its suites: {listed}" if known else "it has none yet"
        raise one_problem(name.text, 0, "the store has no such suite", hint)
    if name.version is None:
        return newest
    if (found := suites.version(name.name, name.version)) is None:
        raise one_problem(name.text, 0, "the suite has no such version", f"the newest is {newest.label}")
    return found


@dataclass(frozen=True, slots=True)
class LocalStore:
    """A store and the person who uses it."""

    database: "Database"
    person: str
    now: Callable[[], datetime]
    root: Path


def local_store(directory: Path, person: str) -> LocalStore:
    """The store of the repository of a folder, or of the folder itself.

    Args:
        person: empty for the name from git, or of the account.
    """
    repo = _repo(directory)
    root = repo.root if repo is not None else directory.resolve()
    named = person.strip() or (repo and git_user_name(repo)) or _account()
    database = open_database(root, database_url())
    return LocalStore(database, named, lambda: datetime.now(UTC), root)


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


Result = TypeVar("Result")


def back_up_store(path: Path) -> None:
    """See `gate.store.sql.maintenance.backup`."""

    def work(database: "Database") -> None:
        from gate.store.sql.maintenance import backup

        backup(database, path)

    _with_database(Path(), work)


def store_info() -> "StoreInfo":
    """Content of the store; works for every version."""

    def work(database: "Database") -> "StoreInfo":
        from gate.store.sql.maintenance import store_info

        return store_info(database)

    return _with_database(Path(), work)


def upgrade_store() -> tuple[str, str]:
    """Migrate the store; returns the old revision of the tables (empty without tables) and the new one."""

    def work(database: "Database") -> tuple[str, str]:
        from gate.store.sql import maintenance

        before = maintenance.current_revision(database)
        maintenance.upgrade(database)
        return before or "", maintenance.newest_revision()

    return _with_database(Path(), work, new=True)


def prune_store(*, dry: bool) -> "Pruned":
    """Delete old data by the settings in the environment; see `gate.store.sql.retention.prune`.

    Raises:
        GateError: there is no setting, or it is not a number of days.
    """
    wanted = retention()
    if wanted == Retention():
        hint = f"set the environment variable {OUTPUTS_DAYS} or {RUNS_DAYS} to a number of days; older data is deleted"
        raise GateError("no retention time is set", hint)

    def work(database: "Database") -> "Pruned":
        from gate.store.sql.maintenance import upgrade

        upgrade(database)
        return _pruned(database, wanted, dry=dry)

    return _with_database(Path(), work)


def daily_pruning(database: "Database") -> Callable[[], None] | None:
    """The daily task of a server; None without settings.

    Raises:
        GateError: a setting is not a number of days.
    """
    wanted = retention()
    if wanted == Retention():
        return None

    def forget() -> None:
        _pruned(database, wanted, dry=False)

    return forget


def _pruned(database: "Database", wanted: Retention, *, dry: bool) -> "Pruned":
    from gate.store.access import Event
    from gate.store.sql import retention
    from gate.store.sql.access import Audit

    now = datetime.now(UTC)
    ages = (None if days is None else now - timedelta(days) for days in (wanted.outputs_days, wanted.runs_days))
    done = retention.prune(database, retention.RetentionLimits(*ages), now, dry=dry)
    if not dry and (done.runs or done.texts):
        deleted = f"{done.runs} runs deleted, answers of {done.texts} deleted"
        Audit(database).add(Event(now, "retention", "retention", deleted))
    return done


def _with_database(directory: Path, work: "Callable[[Database], Result]", *, new: bool = False) -> Result:
    url, root = database_url(), root_of(directory)
    if url is None and not new and not (root / STORE_FILE).exists():
        hint = f"change to its repository, or set {DATABASE}"
        raise GateError(f"there is no store {root / STORE_FILE}", hint)
    with closing(reach_database(root, url)) as database:
        return work(database)


@dataclass(frozen=True, slots=True)
class StoreTokens:
    """Creates and revokes API tokens.

    Args:
        store: address for users, without the password.
    """

    tokens: "Tokens"
    store: str
    person: str
    now: datetime

    def create(self, name: str, scopes: Iterable[str], days: int | None) -> "IssuedToken":
        """Make a token; see `gate.store.sql.access`."""
        from gate.store.sql.access import TokenRequest, scopes_of

        issued = self.tokens.create(TokenRequest(name, self.person, scopes_of(scopes), days), self.now)
        self._note("token-created", issued.token.description)
        return issued

    def revoke(self, number: int) -> "ApiToken":
        """Revoke a token.

        Raises:
            GateError: no valid token has this number.
        """
        found = {one.id: one for one in self.tokens.all()}
        if not self.tokens.revoke(number, self.now):
            raise GateError(f"there is no active token {number}", "list them with: gate tokens list")
        self._note("token-revoked", str(number))
        return found[number]

    def _note(self, what: str, about: str) -> None:
        from gate.store.access import Event
        from gate.store.sql.access import Audit

        Audit(self.tokens.database).add(Event(self.now, self.person, what, about))


@contextmanager
def store_tokens(owner: str = "") -> Iterator[StoreTokens]:
    """The tokens of the store of this repository.

    Args:
        owner: empty for git's user name.
    """
    here = local_store(Path(), owner)
    with closing(here.database):
        from gate.store.sql.access import Tokens

        yield StoreTokens(Tokens(here.database), here.database.label, here.person, here.now())
