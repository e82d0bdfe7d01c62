"""The jobs of a server, in memory; each runs in its own process."""

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
"""Time for a job to stop; then its process group is killed."""
LINE_BYTES = 2**20
# -P: do not import modules from the repository in which the server runs.
COMMAND = (sys.executable, "-P", "-m", "gate.web.jobs.worker")


class JobProcess:
    """The process of a job. Its order is sent on standard input: never as an argument, a variable or a file name.

    Args:
        folder: a private folder for the run.
        command: starts the process; the folder is appended.
    """

    def __init__(self, order: JobRequest, directory: Path, folder: Path, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(  # noqa: S603 the command is a constant
            [*command, str(folder)],
            cwd=directory,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._order = written(ORDERS, order) + b"\n"

    @property
    def pid(self) -> int:
        """Also the id of the process group."""
        return self._process.pid

    def events(self) -> Iterator[Event]:
        """Events until the process ends; invalid ones are ignored."""
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101
        with suppress(OSError, ValueError):
            self._process.stdin.write(self._order)
            self._process.stdin.flush()
        while line := self._process.stdout.readline(LINE_BYTES):
            with suppress(ValueError):
                yield EVENTS.validate_python(parsed(line))

    def wait(self) -> int:
        """Wait for the end; returns the exit code."""
        # Kill processes that it left behind. Its id cannot be reused before it is waited for.
        os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        self._kill()
        code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        return code

    def end(self) -> None:
        """Ask the process to stop, and kill it after a while."""
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
"""Limit of waiting jobs."""
KEPT = 50
"""Limit of finished jobs that are listed."""
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
    """Runs jobs one after the other. Thread-safe.

    Args:
        at_once: runs at the same time, and the same number of trials.
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
                raise GateError("Too many jobs are waiting.", "Wait until some are finished, or cancel one.")
            job = Job(secrets.token_hex(8), order, self.now())
            self._held[job.id] = _Held(job)
            self._go_on()
            return self._held[job.id].job

    def find(self, id: str) -> Job | None:
        """A job; None if there is none or it was dropped."""
        with self._lock:
            held = self._held.get(id)
            return None if held is None else held.job

    def all(self) -> list[Job]:
        """All jobs, newest first."""
        with self._lock:
            return [held.job for held in reversed(self._held.values())]

    def place(self, job: Job) -> int:
        """Place in the queue, from 1; 0 if the job is not waiting."""
        with self._lock:
            waiting = [held.job.id for held in self._held.values() if _waits(held.job, job)]
            return waiting.index(job.id) + 1 if job.id in waiting else 0

    def cancel(self, id: str) -> None:
        """Cancel a job; does nothing if it has finished."""
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
        """Cancel all jobs and wait for them."""
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
        held.job = replace(held.job, phase=phase, changes=held.job.changes + 1, **more)  # pyrefly: ignore[bad-argument-type]

    def _go_on(self) -> None:
        """Start waiting jobs if there is room, and drop the oldest finished ones."""
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
            # The run is stored, whatever happened afterwards.
            phase = "done"
        elif held.job.phase == "ending":
            phase = "cancelled"
        elif outcome is None:
            said = f"The process of this job ended without a result (exit code {code})"
            held.job = replace(held.job, outcome=JobFailure(((said, "see the server's log"),)))
        self._become(held, phase, ended=self.now())


def _tried(folder: Path) -> TriedCase | JobFailure:
    file = folder / SAMPLES_FILE
    try:
        if file.stat().st_size > SAMPLES_BYTES:
            raise GateError("The answers are too long to show.")
        samples = tuple(parse_sample(line.data) for line in sample_lines(file))
        return TriedCase(load_run(folder / "run.json"), samples)
    except (GateError, BadSample) as error:
        return JobFailure(((str(error), ""),))


def _one_lane(one: Job, other: Job) -> bool:
    """Do two jobs share a queue? Trials have their own."""
    return (one.order.kind == "try") == (other.order.kind == "try")


def _waits(one: Job, other: Job) -> bool:
    return one.phase == "waiting" and _one_lane(one, other)
