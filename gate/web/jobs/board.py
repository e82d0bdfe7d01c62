"""The jobs of one server, each in a process of its own: queued, running and finished ones; all in memory."""

import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Self

from gate.errors import GateError
from gate.store.run_folder import SAMPLES_FILE, BadSample, load_run, parse_sample, sample_lines
from gate.values import parsed, written
from gate.web.jobs.job import EVENTS, ORDERS, Event, Job, JobFailure, JobRequest, Phase, StoredJobRun, TriedCase

PATIENCE_S = 15.0
"""Time for a job to end by itself; then its process group is killed."""
LINE_BYTES = 2**20
# -P: the repository that the server runs in is not where modules of the gate come from.
COMMAND = (sys.executable, "-P", "-m", "gate.web.jobs.worker")


class JobProcess:
    """The process of a job; nothing of its order becomes an argument, a variable or a file name.

    Args:
        folder: of its own, for the record of a run.
        command: starts the process; the folder is its last argument.
    """

    def __init__(self, order: JobRequest, directory: Path, folder: Path, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(  # noqa: S603 the command is ours alone
            [*command, str(folder)],
            cwd=directory,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._order = written(ORDERS, order) + b"\n"

    @property
    def pid(self) -> int:
        """Of the process, and of its process group."""
        return self._process.pid

    def events(self) -> Iterator[Event]:
        """Its events, until it ends; invalid ones are ignored."""
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101
        with suppress(OSError, ValueError):
            self._process.stdin.write(self._order)
            self._process.stdin.flush()
        while line := self._process.stdout.readline(LINE_BYTES):
            with suppress(ValueError):
                yield EVENTS.validate_python(parsed(line))

    def wait(self) -> int:
        """The exit code, once it has ended."""
        # Whatever it began and left behind has nothing to do any more. Until it is waited for, nobody else has its
        # number.
        os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        self._kill()
        code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        return code

    def end(self) -> None:
        """Ask it to stop; it is killed when it does not."""
        if self._process.stdin is not None:
            with suppress(OSError, ValueError):
                self._process.stdin.close()
        killer = threading.Timer(PATIENCE_S, self._late)
        killer.daemon = True
        killer.start()

    def _late(self) -> None:
        if self._process.poll() is None:
            self._kill()

    def _kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)


WAITING = 20
"""Jobs that may wait; more are refused."""
KEPT = 50
"""Finished jobs that are still shown."""
SAMPLES_BYTES = 32 * 2**20
"""Limit of the answers to a tried case."""
CLOSING_S = 8.0


@dataclass(slots=True)
class _Held:
    """A job with its process."""

    job: Job
    child: JobProcess | None = None
    thread: threading.Thread | None = None


@dataclass(slots=True)
class Jobs:
    """Runs jobs one after the other. All methods may be called from any thread.

    Args:
        at_once: evaluations at the same time, and as many trials beside them.
        command: see `JobProcess`.
    """

    directory: Path
    now: Callable[[], datetime]
    at_once: int = 1
    command: Sequence[str] = COMMAND
    _held: dict[str, _Held] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _closed: bool = False

    def begin(self, order: JobRequest) -> Job:
        """Put a job into the queue."""
        with self._lock:
            if sum(held.job.phase == "waiting" for held in self._held.values()) >= WAITING or self._closed:
                raise GateError("Too many jobs wait already.", "Wait until some are over, or cancel one of them.")
            job = Job(secrets.token_hex(8), order, self.now())
            self._held[job.id] = _Held(job)
            self._go_on()
            return self._held[job.id].job

    def find(self, id: str) -> Job | None:
        """A job; None where there is none, or it is too old."""
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

    def cancel(self, id: str) -> None:
        """End a job; a finished one stays as it is."""
        with self._lock:
            held = self._held.get(id)
            if held is None:
                return
            if held.job.phase == "waiting":
                self._become(held, "cancelled", ended=self.now())
            elif held.job.phase == "running":
                self._become(held, "ending")
                if held.child is not None:
                    held.child.end()

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
        """Start jobs that may start, and drop the oldest finished ones."""
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
                child = JobProcess(held.job.order, self.directory, Path(name), self.command)
                with self._lock:
                    held.child = child
                    if held.job.phase == "ending":
                        child.end()
                for event in child.events():
                    with self._lock:
                        held.job = held.job.after(event)
                code = child.wait()
                if code == 0 and held.job.order.kind == "try" and held.job.outcome is None:
                    outcome = _tried(Path(name))
                    with self._lock:
                        held.job = replace(held.job, outcome=outcome)
        except OSError as error:
            with self._lock:
                held.job = replace(held.job, outcome=JobFailure(((f"The job cannot run: {error.strerror}", ""),)))
        finally:
            with self._lock:
                self._over(held, code)
                held.thread = held.child = None
                self._go_on()

    def _over(self, held: _Held, code: int) -> None:
        outcome = held.job.outcome
        phase: Phase = "failed"
        if isinstance(outcome, StoredJobRun) or (code == 0 and not isinstance(outcome, JobFailure)):
            # What is in the store is there, whatever happened then.
            phase = "done"
        elif held.job.phase == "ending":
            phase = "cancelled"
        elif outcome is None:
            said = f"The process of this job ended without a word (exit code {code})"
            held.job = replace(held.job, outcome=JobFailure(((said, "the log of the server may say why"),)))
        self._become(held, phase, ended=self.now())


def _tried(folder: Path) -> TriedCase | JobFailure:
    file = folder / SAMPLES_FILE
    try:
        if file.stat().st_size > SAMPLES_BYTES:
            raise GateError("The answers are too long to be shown.")
        samples = tuple(parse_sample(line.data) for line in sample_lines(file))
        return TriedCase(load_run(folder / "run.json"), samples)
    except (GateError, BadSample) as error:
        return JobFailure(((str(error), ""),))


def _one_lane(one: Job, other: Job) -> bool:
    """Do two jobs share a limit? Trials do not wait for evaluations."""
    return (one.order.kind == "try") == (other.order.kind == "try")


def _waits(one: Job, other: Job) -> bool:
    return one.phase == "waiting" and _one_lane(one, other)
