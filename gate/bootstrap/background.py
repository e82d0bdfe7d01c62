"""A check in a thread with an event loop of its own, for callers that ask case by case and have a loop already."""

import asyncio
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path

from gate.bootstrap.plan import Plan
from gate.bootstrap.running import Running, carry_out
from gate.domain.checked import CaseResult
from gate.domain.sample import Sample
from gate.errors import CannotEvaluate, GateError
from gate.flows.check import Examiner, Shown
from gate.flows.ports import Progress
from gate.settings.services import Settings

PATIENCE_S = 20.0
"""Seconds that the end of the thread is waited for; it is a daemon, and keeps no process alive."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one case.

    Args:
        suite, case: which.
        result: whether it passes.
        samples: with their texts.
    """

    suite: str
    case: str
    result: CaseResult
    samples: tuple[Sample, ...]


@dataclass(slots=True)
class _Silent:
    def start(self, total: int) -> None:
        return

    def advance(self, sample: Sample, spent_usd: float | None) -> None:
        return

    def finish(self) -> None:
        return


@dataclass(slots=True)
class _Open:
    """What is there while the loop runs."""

    loop: asyncio.AbstractEventLoop
    running: Running
    examiner: Examiner
    over: asyncio.Event
    tasks: set["asyncio.Task[None]"] = field(default_factory=set)


class Background:
    """Asks for cases while the caller does something else. All methods are for one and the same thread.

    Args:
        plan: what is checked, and where to.
        settings: keys and addresses.
    """

    def __init__(self, plan: Plan, settings: Settings) -> None:
        self.notes: list[str] = []
        self.record: Path | None = None
        self._plan = replace(
            plan, resolved=replace(plan.resolved, policy=plan.resolved.policy.model_copy(update={"early_stop": False}))
        )
        self._settings = settings
        self._open: _Open | None = None
        self._ready = threading.Event()
        self._error: GateError | None = None
        self._shown: Shown | None = None
        self._keep = False
        self._waiting: set[Future[Answer]] = set()
        self._thread = threading.Thread(target=self._run, name="prompt-gate", daemon=True)

    @staticmethod
    def silent() -> Progress:
        """Tells nothing: whoever asks case by case sees how far it is."""
        return _Silent()

    def start(self) -> None:
        """Open everything.

        Raises:
            GateError: what cannot work, such as a key that is absent.
        """
        self._thread.start()
        self._ready.wait()
        if self._error is not None:
            raise self._error

    def ask(self, suite: str, case: str) -> "Future[Answer]":
        """Ask for one case of the plan.

        Args:
            suite, case: by name and id.

        Returns:
            The answer to come; a GateError where there can be none.
        """
        future: Future[Answer] = Future()
        self._waiting.add(future)
        future.add_done_callback(self._waiting.discard)
        opened = self._open
        if opened is None or not self._thread.is_alive():
            future.set_exception(self._error or CannotEvaluate("the evaluation is over"))
            return future
        opened.loop.call_soon_threadsafe(self._begin, opened, (suite, case), future)
        return future

    def finish(self, shown: Shown, *, keep: bool) -> None:
        """Give up what is under way, and end.

        Args:
            shown: what the user saw.
            keep: write the record of that.
        """
        self._shown, self._keep = shown, keep
        opened = self._open
        if opened is not None and self._thread.is_alive():
            opened.loop.call_soon_threadsafe(_end, opened, shown.why)
        if self._thread.ident is not None:
            self._thread.join(PATIENCE_S)
        for future in list(self._waiting):
            future.cancel()

    def _run(self) -> None:
        try:
            carry_out(self._plan, self._settings, self._serve, background=True)
        except GateError as error:
            self._error = error
        except Exception as error:  # a defect of ours ends no thread in silence
            self._error = CannotEvaluate(f"Prompt Gate itself failed ({type(error).__name__}: {error})")
        finally:
            self._ready.set()
            for future in list(self._waiting):
                if not future.done():
                    future.set_exception(self._error or CannotEvaluate("the evaluation is over"))

    async def _serve(self, running: Running) -> None:
        examiner = Examiner(running.resolved, running.tools, running.seed, running.stop)
        opened = _Open(asyncio.get_running_loop(), running, examiner, asyncio.Event())
        self._open = opened
        self._ready.set()
        await opened.over.wait()
        if opened.tasks:
            await asyncio.wait(opened.tasks)
        whole = running.stop.reason is None
        self.notes += running.tools.notes.all(whole=whole)
        if self._shown is not None and examiner.taken:
            gone = examiner.withdraw(self._shown)
            self.notes += [gone.told] if gone.calls else []
            if self._keep and self._shown.cases:
                examiner.finish()
                self.record = self._plan.out / "run.json"

    def _begin(self, opened: _Open, key: tuple[str, str], future: "Future[Answer]") -> None:
        task = opened.loop.create_task(self._one(opened, key, future))
        opened.tasks.add(task)
        task.add_done_callback(opened.tasks.discard)

    async def _one(self, opened: _Open, key: tuple[str, str], future: "Future[Answer]") -> None:
        try:
            suite = next(suite for suite in opened.running.resolved.suites if suite.name == key[0])
            case = next(case for case in suite.exam.cases if case.id == key[1])
            found = Answer(suite.name, case.id, *await opened.examiner.one(suite, case))
        except GateError as error:
            _settle(future, error)
        except asyncio.CancelledError:
            future.cancel()
        except Exception as error:  # the caller waits, whatever it is
            _settle(future, CannotEvaluate(f"Prompt Gate itself failed ({type(error).__name__}: {error})"))
        else:
            if not future.done():
                future.set_result(found)


def _settle(future: "Future[Answer]", error: GateError) -> None:
    if not future.done():
        future.set_exception(error)


def _end(opened: _Open, why: str) -> None:
    """In the loop: nothing more is asked, and what is under way is given up."""
    if why:
        opened.running.stop.drain(why)
    for task in opened.tasks:
        task.cancel()
    opened.over.set()
