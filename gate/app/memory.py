"""One evaluation to be carried out, and what it remembers: the answer cache, or a journal of its own."""

import hashlib
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gate.app.environment.settings import Settings
from gate.app.repository import own_folder
from gate.calls.answer_file import CacheOptions, UnusableFile, files_of
from gate.calls.cache import AnswerStore
from gate.config.models import ModelRef
from gate.config.policy import CachePolicy
from gate.engine.run import Progress
from gate.errors import CannotEvaluate, GateError
from gate.git.repository import Repo, UntrustedOwner
from gate.resolve.resolved import Resolved
from gate.store.files import CACHE_FOLDER, make_gate_folder

_DAY_S = 86_400.0
_REFRESHING = "refreshing"
_LONGEST_MARK = 64
_CACHED, _JOURNAL = "answers.sqlite", "journal.sqlite"


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """What a run may reuse.

    Args:
        cache: answers of earlier runs; without it a run keeps a journal, so that it can be resumed after being killed.
        refresh: ask for everything again, and replace what is known.
        folder: of the cache; None for the repository's.
        beside: where a baseline is known and its candidate is not, ask some of it again beside the candidate, for cost,
            latency and drift; otherwise only quality is compared there.
    """

    cache: bool = True
    refresh: bool = False
    folder: Path | None = None
    beside: bool = True

    @property
    def place(self) -> Path:
        """The folder of the cache."""
        return own_folder() / CACHE_FOLDER.name if self.folder is None else self.folder


@dataclass(slots=True)
class RunMemory:
    """The open memory of a run.

    Args:
        done: set when the run is complete, so that nothing has to be resumed.
    """

    store: AnswerStore
    done: bool = False
    _notes: tuple[str, ...] = ()
    _leftovers: tuple[Path, ...] = ()

    def notes(self) -> tuple[str, ...]:
        """Notes for the reader so far."""
        return (*self._notes, *self.store.warnings)

    def close(self) -> None:
        """Write what is left, and remove what only an incomplete run needs."""
        self.store.close()
        if self.done:
            for path in self._leftovers:
                path.unlink(missing_ok=True)


@contextmanager
def open_memory(
    wanted: MemoryOptions,
    out: Path,
    policy: CachePolicy,
    secret: bytes,
    address_of: Callable[[ModelRef], str],
) -> Iterator[RunMemory]:
    """The memory of one run.

    Args:
        out: the run's folder, for a journal.

    Raises:
        CannotEvaluate: answers cannot be kept anywhere, so none could count.
    """
    opened = _open(wanted, out, _options(wanted, out, policy, secret), address_of)
    try:
        yield opened
    finally:
        opened.close()


def answer_secret(settings: Settings) -> bytes:
    """The key that seals answers: nobody without the services' keys can forge one. Empty without keys."""
    keys = [key or "" for key in (*settings.secrets, settings.cache_secret)]
    if not any(keys):
        return b""
    return hashlib.sha256("\0".join(["answers", *keys]).encode("utf-8", "surrogatepass")).digest()


def _options(wanted: MemoryOptions, out: Path, policy: CachePolicy, secret: bytes) -> CacheOptions:
    not_before = _refreshed_since(out) if wanted.cache and wanted.refresh else 0.0
    return CacheOptions(policy.max_age_days * _DAY_S, policy.max_mb * 2**20, not_before, secret)


def _refreshed_since(out: Path) -> float:
    """When the refresh began: now, or before the run was killed."""
    mark, now = out / _REFRESHING, time.time()
    refuse_tracked(mark)
    try:
        with mark.open("rb") as file:
            begun = float(file.read(_LONGEST_MARK))
        if mark.is_symlink() or not now - _DAY_S <= begun <= now:
            raise ValueError("no time of a refresh that may still be going on")
        return begun
    except (OSError, ValueError):
        make_gate_folder(out)
        mark.unlink(missing_ok=True)
        with mark.open("x") as file:
            file.write(repr(now))
        return now


def _open(wanted: MemoryOptions, out: Path, options: CacheOptions, address_of: Callable[[ModelRef], str]) -> RunMemory:
    sitting = uuid.uuid4().hex[:12]
    notes: list[str] = []
    cached = (wanted.place / _CACHED,) if wanted.cache else ()
    for path in (*cached, out / _JOURNAL):
        own = path.name == _JOURNAL
        try:
            refuse_tracked(*files_of(path))
            make_gate_folder(path.parent)
            store = AnswerStore(path, address_of, sitting, options)
        except (UnusableFile, GateError) as error:
            reason = error.reason if isinstance(error, UnusableFile) else error.message
            if own and isinstance(error, GateError):
                raise
            if own:
                raise CannotEvaluate(
                    f"answers cannot be kept in {path}: {reason}", "name a folder with --out"
                ) from None
            notes.append(f"The answer cache {path} was not used: {reason}.")
            continue
        leftovers = files_of(path) * own + (out / _REFRESHING,) * wanted.refresh
        return RunMemory(store, False, tuple(notes), leftovers)
    raise AssertionError("one of the two is always tried")


def refuse_tracked(*paths: Path) -> None:
    """Refuse files that a change could have brought.

    Raises:
        GateError: git tracks one of them, or does not trust the repository that they are in.
    """
    for path in (path for path in paths if path.exists() or path.is_symlink()):
        try:
            repo = Repo.open(path.parent)
        except UntrustedOwner:
            raise
        except GateError:
            continue
        if repo.is_tracked(path.absolute()):
            raise GateError(f"git tracks {path}, so a change could have brought it", "git rm --cached it")


@dataclass(frozen=True, slots=True)
class RunOrder:
    """One evaluation to carry out.

    Args:
        seed: of the statistics; None derives it from base commit and exam.
        out: folder for `run.json`, `samples.jsonl` and the reports.
        apart: the arms are the same prompt, and their samples are to differ; see `Tools`.
        batch: prepare the answers by the providers' batch interfaces.
        say: tells the user what to know before anything is spent.
    """

    resolved: Resolved
    concurrency: int
    seed: int | None
    out: Path
    progress: Progress
    apart: bool = False
    remember: MemoryOptions = MemoryOptions()
    batch: bool = False
    say: Callable[[str], None] = lambda text: None  # noqa: E731
