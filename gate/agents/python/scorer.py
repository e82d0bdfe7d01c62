"""Scores answers with a function of the repository, in a process that stays for the run."""

import asyncio
import json
import os
import secrets
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from gate.agents.python import system
from gate.agents.python.functions import (
    COMMAND,
    ENDING_S,
    GRACE_S,
    FunctionLimits,
    FunctionWorktree,
    environment,
    one_line,
)
from gate.cases.case import Case
from gate.config.naming import FunctionName
from gate.config.scorer import ScorerSpec
from gate.errors import CannotEvaluate
from gate.prompts.functions import CannotLoad
from gate.record.sample import Score
from gate.record.transcript import Unscored
from gate.scoring.interface import Subject
from gate.scoring.validators.interface import Finding
from gate.scoring.validators.registry import REASON_CHARS, as_score

SCORING = FunctionLimits(import_s=30.0, call_s=10.0, all_s=7 * 86_400.0, losses=10, chars=REASON_CHARS)
"""Limits for a scoring function; `chars` are those of its reason."""
LONGEST_LINE = 64 * REASON_CHARS + 8192
"""Bytes of one answer."""
LOST = "its process was lost; signal 9 often means too little memory"


@dataclass(slots=True)
class ScoringProcess:
    """One function, in processes apart; see `gate.agents.python.worker`. It belongs to the event loop that started it.

    Answers are scored one after the other, however many are waited for at once.

    Args:
        tampered: gives why its files may have changed, called after each answer; None where nothing else runs.
    """

    entry: FunctionName
    worktree: FunctionWorktree
    limits: FunctionLimits = SCORING
    tampered: Callable[[], str] | None = None
    _process: Process | None = field(default=None, init=False)
    _listening: "asyncio.Task[None] | None" = field(default=None, init=False)
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    _waiting: "dict[str, asyncio.Future[Finding]]" = field(default_factory=dict, init=False)
    _over: str = field(default="", init=False)
    _heard_at: float = field(default=0.0, init=False)

    async def start(self) -> None:
        """Import the module.

        Raises:
            CannotLoad: it cannot be imported, or has no such function.
            CannotEvaluate: no process can be started, or it is lost.
        """
        system.conceal()
        try:
            self._process = await asyncio.create_subprocess_exec(
                *COMMAND,
                cwd=self.worktree.scratch,
                env=environment(self.worktree.scratch, self.worktree.path),
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                start_new_session=True,
                limit=LONGEST_LINE,
            )
        except OSError as error:
            raise CannotEvaluate(f"no process for a Python scorer can be started: {error.strerror}") from None
        told = {**asdict(self.entry), **asdict(self.limits), **self.worktree.told()}
        await self._write({**told, "job": "score", "sessions": None})
        heard = None
        with suppress(TimeoutError, ValueError):
            async with asyncio.timeout(self.limits.import_s + GRACE_S):
                heard = await self._read(self._process)
        match heard:
            case ["ready"]:
                self._listening = asyncio.create_task(self._listen(self._process))
            case ["lost", str(reason)]:
                raise CannotLoad(f"{self.entry} cannot be used: {one_line(reason)}")
            case _:
                raise CannotEvaluate(f"the process that calls {self.entry} was lost")

    async def score(self, subject: Subject) -> Finding:
        """The function's score for an answer; whatever prevents one is `Unscored`."""
        if self._over:
            return self._unscored(self._over)
        # A secret key: without it nobody can answer for another question, or twice for the same.
        key = secrets.token_hex(8)
        future: asyncio.Future[Finding] = asyncio.get_running_loop().create_future()
        self._waiting[key] = future
        if len(self._waiting) == 1:
            self._heard_at = asyncio.get_running_loop().time()
        try:
            await self._write([key, json.dumps([subject.text, _plain(subject.case)])])
            found = await future
        finally:
            self._waiting.pop(key, None)
        reason = "" if self.tampered is None else await asyncio.to_thread(self.tampered)
        return self._unscored(reason) if reason else found

    async def close(self) -> None:
        """End it and its child processes."""
        self._end(self._over or "the run is over")
        process = self._process
        if process is None or process.stdin is None:
            return
        # It ends by itself once its input is closed, even where nobody waits for that.
        process.stdin.close()
        try:
            for _ in range(2):
                with suppress(TimeoutError):
                    async with asyncio.timeout(ENDING_S):
                        await process.wait()
                _kill(process)
        finally:
            if self._listening is not None:
                self._listening.cancel()

    async def _write(self, what: object) -> None:
        assert self._process and self._process.stdin  # noqa: S101 it is a pipe
        # What does not answer is lost: the listener notices that.
        with suppress(ConnectionError):
            async with self._writing:
                self._process.stdin.write(json.dumps(what).encode("ascii") + b"\n")
                await self._process.stdin.drain()

    async def _read(self, process: Process) -> Any:
        """One line; None at the end."""
        assert process.stdout  # noqa: S101 it is a pipe
        line = await process.stdout.readline()
        self._heard_at = asyncio.get_running_loop().time()
        return json.loads(line) if line else None

    async def _listen(self, process: Process) -> None:
        """Pass each answer to its question, until there are no more."""
        most = self.limits.import_s + self.limits.call_s + GRACE_S
        while True:
            try:
                heard = await asyncio.wait_for(self._read(process), most)
            except TimeoutError:
                late = asyncio.get_running_loop().time() - self._heard_at > most
                if not (self._waiting and late):
                    continue
                heard = None
            except ValueError:
                heard = None
            match heard:
                case ["over", str(reason)]:
                    return self._end(f"{one_line(reason)}, and no other process is started")
                case ["answer" | "failed", str(key), found]:
                    self._answer(key, self._finding(heard[0], found))
                case _:
                    _kill(process)
                    return self._end(LOST)

    def _finding(self, kind: str, found: object) -> Finding:
        name = f"{self.entry.module}:{self.entry.function}"
        match found:
            case str() if kind == "failed":
                return self._unscored(one_line(found))
            case [float(score), str(reason)] if kind == "answer" and 0.0 <= score <= 1.0:
                return score, reason if reason.strip() else f"{name} says {score:g}"
        return self._unscored("what it answers is no answer")

    def _unscored(self, reason: str) -> Finding:
        return Unscored(f"{self.entry.module}:{self.entry.function} gave no score: {reason}"), ""

    def _answer(self, key: str, finding: Finding) -> None:
        future = self._waiting.pop(key, None)
        if future is not None and not future.done():
            future.set_result(finding)

    def _end(self, reason: str) -> None:
        self._over = reason
        for key in list(self._waiting):
            self._answer(key, self._unscored(reason))


@dataclass(frozen=True, slots=True)
class FunctionScorer:
    """A scorer that is a function (`gate.scoring.interface.CodeScorer`)."""

    spec: ScorerSpec
    process: ScoringProcess

    async def score(self, subject: Subject, index: int) -> Score:
        return as_score(self.spec, await self.process.score(subject))


def _plain(case: Case) -> dict[str, object]:
    """A case for the function."""
    messages = [{"role": message.role, "content": message.content} for message in case.messages]
    known = {"id": case.id, "input": case.input, "messages": messages, "expected": case.expected}
    return {**known, "slices": dict(case.slices), "vars": dict(case.vars)}


def _kill(process: Process) -> None:
    if process.returncode is not None:
        return
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
