"""Looks after the store of this repository: a copy, upgrades, and what is deleted after a time."""

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from gate.bootstrap.places import root_of
from gate.bootstrap.storing import FILE, reach_database
from gate.domain.people import Event
from gate.errors import GateError
from gate.settings.keeping import OUTPUTS_DAYS, RUNS_DAYS, Retention, retention
from gate.settings.storage import DATABASE, database_url

if TYPE_CHECKING:
    from gate.store.sql.engine import Database
    from gate.store.sql.info import Info
    from gate.store.sql.retention import Pruned

Result = TypeVar("Result")


def back_up(path: Path, directory: Path = Path()) -> None:
    """See `gate.store.sql.backup.backup`.

    Args:
        path: of the new file.
        directory: somewhere in the repository, or anywhere.
    """

    def work(database: "Database") -> None:
        from gate.store.sql.backup import backup

        backup(database, path)

    _with(directory, work)


def info(directory: Path = Path()) -> "Info":
    """What the store holds, whatever its version."""

    def work(database: "Database") -> "Info":
        from gate.store.sql.info import info

        return info(database)

    return _with(directory, work)


def bring_up_to_date(directory: Path = Path()) -> tuple[str, str]:
    """The revision of the tables before, empty without tables, and the one that they have now."""

    def work(database: "Database") -> tuple[str, str]:
        from gate.store.sql import migrating

        before = migrating.current(database)
        migrating.upgrade(database)
        return before or "", migrating.newest()

    return _with(directory, work, new=True)


def prune(*, dry: bool, directory: Path = Path()) -> "Pruned":
    """Forget what is too old, as the environment says; see `gate.store.sql.retention.prune`.

    Args:
        dry: only count.
        directory: somewhere in the repository, or anywhere.

    Raises:
        GateError: the environment says nothing, or no number of days.
    """
    wanted = retention()
    if wanted == Retention():
        hint = f"set {OUTPUTS_DAYS} or {RUNS_DAYS}"
        raise GateError("nothing says for how long the store keeps what", hint)

    def work(database: "Database") -> "Pruned":
        from gate.store.sql.migrating import upgrade

        upgrade(database)
        return _pruned(database, wanted, dry=dry)

    return _with(directory, work)


def forgetting(database: "Database") -> Callable[[], None] | None:
    """What a server does each day; None where the environment says that the store keeps all.

    Args:
        database: with the tables of this version.

    Raises:
        GateError: the environment says no number of days.
    """
    wanted = retention()
    if wanted == Retention():
        return None

    def forget() -> None:
        _pruned(database, wanted, dry=False)

    return forget


def _pruned(database: "Database", wanted: Retention, *, dry: bool) -> "Pruned":
    from gate.store.sql import retention
    from gate.store.sql.audit import Audit

    now = datetime.now(UTC)
    ages = (None if days is None else now - timedelta(days) for days in (wanted.outputs_days, wanted.runs_days))
    done = retention.prune(database, retention.Limits(*ages), now, dry=dry)
    if not dry and (done.runs or done.texts):
        told = f"{done.runs} runs removed, answers of {done.texts} forgotten"
        Audit(database).add(Event(now, "retention", "retention", told))
    return done


def _with(directory: Path, work: "Callable[[Database], Result]", *, new: bool = False) -> Result:
    url, root = database_url(), root_of(directory)
    if url is None and not new and not (root / FILE).exists():
        hint = f"go to its repository, or set {DATABASE}"
        raise GateError(f"there is no store: {root / FILE} is not there", hint)
    with closing(reach_database(root, url)) as database:
        return work(database)
