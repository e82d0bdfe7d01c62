"""A check that answers case by case, in a thread next to pytest."""

import asyncio
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path

from gate.app.run_order import RunOrder
from gate.app.runs import RunContext, carry_out
from gate.engine.check import Examiner, ReportedCases
from gate.environment.settings import Settings
from gate.errors import CannotEvaluate, GateError
from gate.record.findings.unfinished import RunInterrupted
from gate.record.parts import CaseResult
from gate.record.transcript import Sample

PATIENCE_S = 20.0
"""Seconds to wait for the thread to end; it is a daemon, and does not keep the process alive."""


@dataclass(frozen=True, slots=True)
class CaseAnswer:
    """The result of one case, with the texts of its samples."""

    suite: str
    case: str
    result: CaseResult
    samples: tuple[Sample, ...]


@dataclass(slots=True)
class _Open:
    """The state of the loop while it runs."""

    loop: asyncio.AbstractEventLoop
    running: RunContext
    examiner: Examiner
    over: asyncio.Event = field(default_factory=asyncio.Event)
    tasks: "set[asyncio.Task[CaseAnswer]]" = field(default_factory=set)


class BackgroundCheck:
    """Runs cases while the caller does something else. Call all methods from one thread."""

    def __init__(self, plan: RunOrder, settings: Settings) -> None:
        self.notes: list[str] = []
        self.record: Path | None = None
        self._plan = replace(plan, resolved=plan.resolved.stopping_early(False))
        self._settings = settings
        self._open: _Open | None = None
        self._ready = threading.Event()
        self._error: GateError | None = None
        self._shown: ReportedCases | None = None
        self._keep = False
        self._thread = threading.Thread(target=self._run, name="prompt-gate", daemon=True)

    def start(self) -> None:
        """Open everything; raises GateError where something cannot work, such as an absent key."""
        self._thread.start()
        self._ready.wait()
        if self._error is not None:
            raise self._error

    def ask(self, suite: str, case: str) -> "Future[CaseAnswer]":
        """Run one case of the plan by name and id; the future fails with GateError if there is no answer.

        Raises:
            GateError: the thread has ended.
        """
        if self._open is None or not self._thread.is_alive():
            raise self._error or CannotEvaluate("the evaluation is over")
        return asyncio.run_coroutine_threadsafe(self._one(self._open, suite, case), self._open.loop)

    def finish(self, shown: ReportedCases, *, keep: bool) -> None:
        """Stop running work, and end.

        Args:
            shown: what the user saw.
        """
        self._shown, self._keep = shown, keep
        if self._open is not None and self._thread.is_alive():
            self._open.loop.call_soon_threadsafe(_end, self._open, shown.ended)
        if self._thread.ident is not None:
            self._thread.join(PATIENCE_S)

    def _run(self) -> None:
        try:
            carry_out(self._plan, self._settings, self._serve, background=True)
        except GateError as error:
            self._error = error
        except Exception as error:  # a bug of the gate must not end the thread silently
            self._error = _defect(error)
        finally:
            self._ready.set()

    async def _serve(self, running: RunContext) -> None:
        examiner = Examiner(running.resolved, running.tools, running.seed, running.stop)
        opened = self._open = _Open(asyncio.get_running_loop(), running, examiner)
        self._ready.set()
        await opened.over.wait()
        if opened.tasks:
            await asyncio.wait(opened.tasks)
        self.notes += [note.text for note in running.tools.notes.all(whole=running.stop.cause is None)]
        if self._shown is not None and examiner.taken:
            gone = examiner.withdraw(self._shown)
            self.notes += [gone.finding.text] if gone.calls else []
            if self._keep and self._shown.cases:
                self.notes += [finding.text for finding in examiner.idle_checks]
                examiner.finish()
                self.record = self._plan.out / "run.json"

    async def _one(self, opened: _Open, name: str, case_id: str) -> CaseAnswer:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 this is a coroutine
        opened.tasks.add(task)
        task.add_done_callback(opened.tasks.discard)
        try:
            suite = next(suite for suite in opened.running.resolved.suites if suite.name == name)
            case = next(case for case in suite.exam.cases if case.id == case_id)
            return CaseAnswer(name, case_id, *await opened.examiner.one(suite, case))
        except GateError:
            raise
        except Exception as error:  # the caller waits, whatever it is
            raise _defect(error) from None


def _defect(error: Exception) -> CannotEvaluate:
    return CannotEvaluate(f"Prompt Gate itself failed ({type(error).__name__}: {error})")


def _end(opened: _Open, ended: RunInterrupted | None) -> None:
    """In the loop: send no more requests, and stop running ones."""
    if ended is not None:
        opened.running.stop.drain(ended)
    for task in opened.tasks:
        task.cancel()
    opened.over.set()
