"""The jobs of one server: who waits, who runs, what came of those that are over; all of it in memory."""

import secrets
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Self

from gate.errors import GateError
from gate.store.load import load_run
from gate.store.samples import BadSample, lines, parse_sample
from gate.web.jobs.child import COMMAND, Child
from gate.web.jobs.order import Order
from gate.web.jobs.state import Failure, Job, Phase, Stored, Tried, told

WAITING = 20
"""Jobs that may wait; more are refused."""
KEPT = 50
"""Jobs that are over, and still shown."""
SAMPLES_BYTES = 32 * 2**20
"""Of what a case that was tried may have answered."""
CLOSING_S = 8.0


class Full(GateError):
    """Too many jobs wait already."""


@dataclass(slots=True)
class _Held:
    """A job with what runs it."""

    job: Job
    child: Child | None = None
    thread: threading.Thread | None = None


@dataclass(slots=True)
class Jobs:
    """Begins jobs one after the other. All methods may be called from any thread.

    Args:
        directory: root of the repository, where the jobs run.
        now: the time.
        at_once: evaluations under way at the same time, and as many tries beside them.
        command: see `Child`.
    """

    directory: Path
    now: Callable[[], datetime]
    at_once: int = 1
    command: Sequence[str] = COMMAND
    _held: dict[str, _Held] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _closed: bool = False

    def begin(self, order: Order) -> Job:
        """Put a job into the queue.

        Raises:
            Full: too many wait.
        """
        with self._lock:
            if sum(held.job.phase == "waiting" for held in self._held.values()) >= WAITING or self._closed:
                raise Full("Too many jobs wait already.", "Wait until some are over, or cancel one of them.")
            job = Job(secrets.token_hex(8), order, self.now())
            self._held[job.id] = _Held(job)
            self._go_on()
            return self._held[job.id].job

    def find(self, id: str) -> Job | None:
        """A job; None where there is none, or it is forgotten."""
        with self._lock:
            held = self._held.get(id)
            return None if held is None else held.job

    def all(self) -> list[Job]:
        """Every job, the newest first."""
        with self._lock:
            return [held.job for held in reversed(self._held.values())]

    def place(self, job: Job) -> int:
        """Its place in the queue, 1 for the next one; 0 where it does not wait."""
        with self._lock:
            waiting = [held.job.id for held in self._held.values() if _waits(held.job, job)]
            return waiting.index(job.id) + 1 if job.id in waiting else 0

    def cancel(self, id: str) -> Job | None:
        """End a job; one that is over stays as it is."""
        with self._lock:
            held = self._held.get(id)
            if held is None:
                return None
            if held.job.phase == "waiting":
                self._become(held, "cancelled", ended=self.now())
            elif held.job.phase == "running":
                self._become(held, "ending")
                if held.child is not None:
                    held.child.end()
            return held.job

    def close(self) -> None:
        """End all jobs, and wait for them; a job cannot outlive its server."""
        with self._lock:
            self._closed = True
            threads = [held.thread for held in self._held.values() if held.thread is not None]
            for id in list(self._held):
                self.cancel(id)
        for thread in threads:
            thread.join(CLOSING_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _become(self, held: _Held, phase: Phase, **more: datetime) -> None:
        held.job = replace(held.job, phase=phase, changes=held.job.changes + 1, **more)  # type: ignore[arg-type]

    def _go_on(self) -> None:
        """Begin what may begin, and forget the oldest that are over."""
        for held in list(self._held.values()):
            lane = [one for one in self._held.values() if one.thread is not None and _one_lane(one.job, held.job)]
            if held.job.phase == "waiting" and len(lane) < self.at_once and not self._closed:
                held.thread = threading.Thread(target=self._run, args=(held,), name=f"job {held.job.id}", daemon=True)
                self._become(held, "running", started=self.now())
                held.thread.start()
        over = [held.job.id for held in self._held.values() if held.job.over]
        for id in over[:-KEPT]:
            del self._held[id]

    def _run(self, held: _Held) -> None:
        code = 1
        try:
            with tempfile.TemporaryDirectory(prefix="prompt-gate-job-", ignore_cleanup_errors=True) as name:
                with self._process(held, Path(name)) as child:
                    for event in child.events():
                        with self._lock:
                            held.job = told(held.job, event)
                    code = child.wait()
                if code == 0 and held.job.order.kind == "try" and held.job.outcome is None:
                    self._tried(held, Path(name))
        except OSError as error:
            with self._lock:
                held.job = replace(held.job, outcome=Failure(((f"The job cannot run: {error.strerror}", ""),)))
        finally:
            with self._lock:
                self._over(held, code)
                held.thread = held.child = None
                self._go_on()

    @contextmanager
    def _process(self, held: _Held, folder: Path) -> Iterator[Child]:
        child = Child(held.job.order, self.directory, folder, self.command)
        with self._lock:
            held.child = child
            if held.job.phase == "ending":
                child.end()
        yield child

    def _tried(self, held: _Held, folder: Path) -> None:
        file = folder / "samples.jsonl"
        try:
            if file.stat().st_size > SAMPLES_BYTES:
                raise GateError("The answers are too long to be shown.")
            samples = tuple(parse_sample(line.data) for line in lines(file))
            outcome: Tried | Failure = Tried(load_run(folder / "run.json"), samples)
        except (GateError, BadSample) as error:
            outcome = Failure(((str(error), ""),))
        with self._lock:
            held.job = replace(held.job, outcome=outcome)

    def _over(self, held: _Held, code: int) -> None:
        outcome = held.job.outcome
        phase: Phase = "failed"
        if isinstance(outcome, Stored) or (code == 0 and not isinstance(outcome, Failure)):
            # What is in the store is there, whatever happened then.
            phase = "done"
        elif held.job.phase == "ending":
            phase = "cancelled"
        elif outcome is None:
            said = f"The process of this job ended without a word (exit code {code})"
            held.job = replace(held.job, outcome=Failure(((said, "the log of the server may say why"),)))
        self._become(held, phase, ended=self.now())


def _one_lane(one: Job, other: Job) -> bool:
    """Who tries a case does not wait for an evaluation."""
    return (one.order.kind == "try") == (other.order.kind == "try")


def _waits(one: Job, other: Job) -> bool:
    return one.phase == "waiting" and _one_lane(one, other)
