"""The options of a run, and where its answers and reports are stored."""

import hashlib
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gate.calls.answer_file import CacheOptions, UnusableFile, files_of
from gate.calls.cache import AnswerStore
from gate.calls.interface import Progress
from gate.config.models import ModelRef
from gate.environment.settings import Settings
from gate.errors import CannotEvaluate, GateError
from gate.files import CACHE_FOLDER, make_gate_folder
from gate.git.places import own_folder, refuse_tracked
from gate.git.repository import UntrustedRepository
from gate.prompts.files import FileSource
from gate.record.findings.notes import CacheUnused
from gate.record.run import RunRecord
from gate.record.transcript import ArmName
from gate.resolve.resolved import Resolved
from gate.store.run_folder import RunFolder

if TYPE_CHECKING:
    from gate.engine.samples import SampleTable


@dataclass(frozen=True, slots=True)
class RunOrder:
    """One evaluation to carry out.

    Args:
        seed: of the statistics; None derives it from base commit and exam.
        out: folder for `run.json`, `samples.jsonl` and the reports.
        apart: the arms are the same prompt, and their samples must be separate; see `Tools`.
        cache: use answers of earlier runs; without it a run writes a journal, so that it can be resumed after being
            killed.
        cache_folder: None for the repository's.
        refresh: ignore cached answers and replace them.
        refreshed_in: folder that remembers when a refresh of several runs began; None for `out`, of one run.
        beside: if a baseline is cached and its candidate is not, sample some of it again with the candidate, for cost,
            latency and drift; otherwise only quality is compared there.
        say: prints a message to the user.
    """

    resolved: Resolved
    concurrency: int
    seed: int | None
    out: Path
    progress: Progress
    apart: bool = False
    cache: bool = True
    cache_folder: Path | None = None
    refresh: bool = False
    refreshed_in: Path | None = None
    beside: bool = True
    batch: bool = False
    say: Callable[[str], None] = lambda text: None  # noqa: E731

    @property
    def place(self) -> Path:
        """The folder of the cache."""
        return own_folder() / CACHE_FOLDER.name if self.cache_folder is None else self.cache_folder


_DAY_S = 86_400.0

REFRESHING = "refreshing"
"""Exists while answers are refreshed, and contains the start time."""

_LONGEST_MARK = 64

_CACHED, _JOURNAL = "answers.sqlite", "journal.sqlite"


@contextmanager
def open_answers(
    order: RunOrder, secret: bytes, address_of: Callable[[ModelRef], str]
) -> Iterator[tuple[AnswerStore, tuple[CacheUnused, ...]]]:
    """The answers that one run knows and keeps, in the cache, or in a journal in the run's folder; and notes on that.

    Raises:
        CannotEvaluate: answers cannot be saved anywhere, so none could count.
    """
    policy = order.resolved.cache
    not_before = refreshed_since(order.refreshed_in or order.out) if order.cache and order.refresh else 0.0
    options = CacheOptions(policy.max_age_days * _DAY_S, policy.max_mb * 2**20, not_before, secret)
    answers, notes = _open(order, options, address_of)
    try:
        yield answers, notes
    finally:
        answers.close()


def remove_leftovers(order: RunOrder, answers: AnswerStore) -> None:
    """Remove what only an incomplete run needs; the answers are closed."""
    journal = files_of(answers.path) if answers.path.name == _JOURNAL else ()
    for path in (*journal, *([order.out / REFRESHING] if order.refresh else [])):
        path.unlink(missing_ok=True)


def answer_secret(settings: Settings) -> bytes:
    """The key that seals answers, so that a forgery needs the services' keys. Empty without keys."""
    keys = [key or "" for key in (*settings.secrets, settings.cache_secret)]
    if not any(keys):
        return b""
    return hashlib.sha256("\0".join(["answers", *keys]).encode("utf-8", "surrogatepass")).digest()


def refreshed_since(out: Path) -> float:
    """The start of a refresh with its mark in a folder: now, or earlier if it was killed."""
    mark, now = out / REFRESHING, time.time()
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


def _open(
    order: RunOrder, options: CacheOptions, address_of: Callable[[ModelRef], str]
) -> tuple[AnswerStore, tuple[CacheUnused, ...]]:
    sitting = uuid.uuid4().hex[:12]
    notes: list[CacheUnused] = []
    cached = (order.place / _CACHED,) if order.cache else ()
    sides = order.resolved.sides
    if order.cache:
        _refuse_tracked_cache(order.place, sides)
    for path in (*cached, order.out / _JOURNAL):
        own = path.name == _JOURNAL
        try:
            refuse_tracked(*files_of(path), sides=sides)
            make_gate_folder(path.parent)
            return AnswerStore(path, address_of, sitting, options), tuple(notes)
        except (UnusableFile, GateError) as error:
            reason = error.reason if isinstance(error, UnusableFile) else error.message
            if own and isinstance(error, GateError):
                raise
            if own:
                raise CannotEvaluate(f"cannot save answers in {path}: {reason}", "set a folder with --out") from None
            notes.append(CacheUnused(path=str(path), reason=reason))
    raise AssertionError("one of the two is always tried")


def _refuse_tracked_cache(folder: Path, sides: Sequence[FileSource]) -> None:
    """A change that adds files here could forge answers, or do without those of its last verdict.

    Raises:
        GateError: git tracks the folder, or something in it.
    """
    try:
        refuse_tracked(folder, sides=sides)
    except (CannotEvaluate, UntrustedRepository):
        return  # the cache is not used, with a note


SARIF = "report.sarif"
"""Written by the action, which knows the changed lines of both sides."""


def run_folder(path: Path) -> RunFolder:
    """A folder for `run.json`, `samples.jsonl`, `report.md`, `report.html` and `junit.xml`."""
    # What these load is not needed before the end.
    reports = {
        "report.md": _markdown,
        "report.html": lambda run: page(run, folder.saved),
        "junit.xml": lambda run: junit(run, folder.saved),
    }
    folder: RunFolder = RunFolder(path, reports, beside=(SARIF,))
    return folder


def _markdown(run: RunRecord) -> str:
    from gate.report.markdown.report import render_report

    return render_report(run)


def prepare_reports() -> None:
    """Load what the reports need at the end, and compile their templates."""
    from gate.report.markdown import report
    from gate.report.page import document

    for environment in (document.environment(), report.environment()):
        for name in environment.list_templates():
            environment.get_template(name)


def page(run: RunRecord, saved: "Callable[[], SampleTable | None]") -> str:
    """The report for a browser.

    Args:
        saved: the run's samples.
    """
    from gate.report.page.document import render_page

    if not run.evaluated or (samples := saved()) is None:
        return render_page(run)
    # What takes samples apart takes as long to load as the whole of a run that evaluates nothing.
    from gate.report.page.samples import gather_samples

    return render_page(run, gather_samples(run, samples))


def junit(run: RunRecord, saved: "Callable[[], SampleTable | None]") -> str:
    """The report for CI servers, with the times of the run's samples."""
    from gate.report.exports.junit import render

    if not run.evaluated or (samples := saved()) is None:
        return render(run)
    return render(run, samples.seconds(ArmName.CANDIDATE))
