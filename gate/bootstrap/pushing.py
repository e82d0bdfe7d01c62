"""Puts finished runs into the store, with their samples."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gate.bootstrap.contexts import context_here
from gate.bootstrap.deadline import in_time
from gate.bootstrap.places import root_of
from gate.bootstrap.redacting import cleaner
from gate.bootstrap.storing import open_database
from gate.domain.history import Context
from gate.errors import GateError
from gate.settings.storage import database_url
from gate.store.load import load_run

if TYPE_CHECKING:
    from gate.store.sql.run_writer import KeptSample

RECORD, SAMPLES = "run.json", "samples.jsonl"
MINUTES = 10.0
"""For one run; a store that falls silent keeps nobody waiting for longer."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A run that is in the store.

    Args:
        store: its address for readers, without a password.
        id: of the run there.
        new: it was not there before.
    """

    store: str
    id: int
    new: bool


def keep_run(path: Path, root: Path, context: Context, minutes: float = MINUTES) -> Kept:
    """Put a run into the store; one that is there already stays as it is.

    Args:
        path: a `run.json`, or the folder that holds one; `samples.jsonl` beside it goes along.
        root: of the repository, in which the store is unless the environment names another.
        context: where the run comes from.
        minutes: that it may take at most; in the main thread alone.

    Raises:
        GateError: it is no run, its samples are those of another one, or the store cannot be opened.
        CannotEvaluate: the store does not answer.
    """
    told = f"the store took longer than {minutes:g} minutes", "see that the database runs, then repeat"
    return in_time(minutes, lambda: _keep(path, root, context), lambda: told)


def _keep(path: Path, root: Path, context: Context) -> Kept:
    file = path / RECORD if path.is_dir() else path
    run, clean = load_run(file), cleaner()
    with closing(open_database(root, database_url())) as database:
        from gate.store.sql.runs import Runs

        samples = file.parent / SAMPLES
        # Without an evaluation no sample counts, and those that are there are of a run that was broken off.
        beside = file.name == RECORD and run.evaluated and samples.is_file()
        found = _samples(samples) if beside else iter(())
        added = Runs(database, clean).add(run, found, context, datetime.now(UTC))
        return Kept(database.label, added.id, added.new)


def keep_here(path: Path, directory: Path = Path()) -> Kept:
    """Put a run of this repository into its store; see `keep_run`.

    Args:
        path: a `run.json`, or the folder that holds one.
        directory: somewhere in the repository, or anywhere.
    """
    return keep_run(path, root_of(directory), context_here(directory))


def _samples(path: Path) -> "Iterator[KeptSample]":
    """Each with its line, one in memory at a time."""
    from gate.store.sql.kept_samples import kept_samples

    try:
        with path.open("rb") as file:
            yield from kept_samples(file, str(path))
    except OSError as error:
        raise GateError(f"cannot read {path}: {error.strerror}") from None
