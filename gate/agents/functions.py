"""Calls a repository's own functions, to build prompts and to score answers, each in its own process."""

import asyncio
import json
import os
import secrets
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gate.agents import runner, supervisor
from gate.agents.processes import MARK, ProgramPlace, SupervisedProgram
from gate.cases.case import Case
from gate.config.documents import printable, text_complaint
from gate.config.scorer import ScorerSpec
from gate.config.values import FunctionName
from gate.errors import CannotEvaluate, GateError
from gate.limits import PROMPT_CHARS
from gate.prompts.files import CannotLoad
from gate.record.transcript import Failed, Score, Unscored
from gate.scoring.interface import Finding, Subject
from gate.scoring.panel import SHORT_REASON_CHARS, as_score
from gate.values import JsonValue, clipped

COMMAND = (sys.executable, "-P", "-s", "-B", runner.__file__)
SHOWN_CHARS = 200
"""Of a reason."""


@dataclass(frozen=True, slots=True)
class FunctionLimits:
    """Limits for one function.

    Args:
        import_s: seconds for each import of the module.
        call_s: seconds for one call.
        all_s: seconds for all calls that build prompts.
        losses: lost processes before no other is started.
        memory: bytes of address space.
        chars: of one text, or of a score's reason.
        all_chars: of all texts.
    """

    import_s: float = 30.0
    call_s: float = 10.0
    all_s: float = 120.0
    losses: int = 1_000_000
    memory: int = 4 * 2**30
    chars: int = PROMPT_CHARS
    all_chars: int = 128 * 2**20


SCORING = FunctionLimits(losses=10, chars=SHORT_REASON_CHARS)


@dataclass(frozen=True, slots=True)
class FunctionWorktree:
    """The code of one side."""

    root: Path
    checkout: Path
    scratch: Path
    path: str

    @property
    def place(self) -> ProgramPlace:
        return ProgramPlace(self.root, self.scratch, self.path)

    def hidden(self) -> list[JsonValue]:
        """Texts that an exception must not reveal, each with its replacement, the longest first."""
        found = {value: f"${name}" for name, value in self.place.environment({}).items() if os.sep in value}
        for folder, instead in ((self.scratch, f"…{os.sep}"), (self.root, "")):
            found |= {os.path.join(one, ""): instead for one in (folder, folder.resolve())}
        return [[value, found[value]] for value in sorted(found, key=len, reverse=True)]


class ProcessLost(Exception):
    """The process gives no answer; the message continues after `it`."""


@dataclass(slots=True)
class FunctionProcess:
    """One function, in a process that is restarted if a call hangs or ends it.

    It belongs to the event loop that started it. Calls are made one after the other.
    """

    entry: FunctionName
    worktree: FunctionWorktree
    limits: FunctionLimits = FunctionLimits()
    job: str = "prompt"
    _program: SupervisedProgram | None = field(default=None, init=False)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    _calls: "set[asyncio.Task[tuple[str, Any]]]" = field(default_factory=set, init=False)
    _losses: int = field(default=0, init=False)
    _over: str = field(default="", init=False)

    async def start(self) -> None:
        """Import the module.

        Raises:
            CannotLoad: it cannot be imported, or has no such function.
            CannotEvaluate: no process can be started.
        """
        # An answer has at most 12 bytes for a character, and a little around it.
        longest = 12 * self.limits.chars + 4096
        asked = {
            **asdict(self.entry),
            "job": self.job,
            "checkout": os.fspath(self.worktree.checkout),
            "hidden": self.worktree.hidden(),
            "memory": self.limits.memory,
            "chars": self.limits.chars,
            "mark": MARK,
        }
        try:
            command = (*COMMAND, "function")
            named = {"PYTHONHASHSEED": "0"}
            self._program = await SupervisedProgram.start(command, self.worktree.place, named, longest, owned=True)
        except OSError as error:
            raise CannotEvaluate(f"cannot start a process for {self.entry}: {error.strerror}") from None
        try:
            reason = _loaded(await self._exchange(asked, self.limits.import_s))
        except ProcessLost as lost:
            reason = str(lost)
        if reason:
            await self._end()
            raise CannotLoad(f"{self.entry} cannot be used: {one_line(reason)}")

    async def call(self, text: str) -> tuple[str, Any]:
        """`answer` and what the function returned, or `failed` and the reason."""
        task = asyncio.create_task(self._call(text))
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)
        # A caller that stops waiting leaves an answer, which must be read before the next call.
        return await asyncio.shield(task)

    async def close(self) -> None:
        """End it and its child processes."""
        self._over = self._over or "the run is over"
        await self._end()
        if self._calls:
            await asyncio.wait(self._calls)

    async def _call(self, text: str) -> tuple[str, Any]:
        async with self._lock:
            if self._over:
                return "failed", self._over
            # A secret key: output from before the call cannot be an answer to it.
            key = secrets.token_hex(8)
            try:
                if self._program is None:
                    await self.start()
                match await self._exchange([key, text], self.limits.call_s):
                    case ["answer" | "failed" as kind, str(found), value] if found == key:
                        return kind, one_line(str(value)) if kind == "failed" else value
                raise ProcessLost("its reply is not valid")
            except (ProcessLost, GateError) as error:
                reason, given_up = one_line(str(error)), isinstance(error, GateError)
                await self._end()
            self._losses += 1
            if given_up or self._losses >= self.limits.losses:
                self._over = f"{reason}, and no new process is started"
            return "failed", reason

    async def _exchange(self, asked: object, seconds: float) -> Any:
        """The next line, after one that is sent. Raises ProcessLost: there is none."""
        program = self._program
        if program is None:
            raise ProcessLost("it does not exist")
        try:
            async with asyncio.timeout(seconds):
                with suppress(ConnectionError):
                    program.stdin.write(json.dumps(asked).encode("ascii") + b"\n")
                    await program.stdin.drain()
                line = await program.stdout.readline()
        except TimeoutError:
            raise ProcessLost(f"it took longer than {seconds:g} s") from None
        except ValueError:
            raise ProcessLost("its reply does not end") from None
        if not line.endswith(b"\n"):
            raise ProcessLost(f"it {await program.fate()}")
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise ProcessLost("its reply is not valid") from None

    async def _end(self) -> None:
        program, self._program = self._program, None
        if program is not None:
            await program.end(at_once=True)


def _loaded(heard: object) -> str:
    """Why a function cannot be had; empty where it is there."""
    match heard:
        case ["ready"]:
            return ""
        case ["lost", str(reason)]:
            return reason
    return "its reply is not valid"


def one_line(reason: str) -> str:
    return clipped(printable(reason), SHOWN_CHARS)


async def prompt_texts(
    entry: FunctionName, sessions: Sequence[dict[str, JsonValue]], worktree: FunctionWorktree, limits: FunctionLimits
) -> tuple[str | Failed, ...]:
    """The text for each session, or why there is none.

    Args:
        sessions: arguments of the calls, one after the other, each a copy.

    Raises:
        CannotLoad: the module cannot be imported, or has no such function.
        CannotEvaluate: no process can be started.
    """
    process = FunctionProcess(entry, worktree, limits)
    found: list[str | Failed] = []
    left = limits.all_chars
    before = set(supervisor.children())
    supervisor.prctl(supervisor.SUBREAPER, 1)
    try:
        await process.start()
        with suppress(TimeoutError):
            async with asyncio.timeout(limits.all_s):
                for session in sessions:
                    found.append(_text(*await process.call(json.dumps(session)), left))
                    left -= len(found[-1]) if isinstance(found[-1], str) else 0
    finally:
        await process.close()
        _end_orphans(before)
    late = _failed(f"all cases of one side together took longer than {limits.all_s:g} s")
    return (*found, *[late] * (len(sessions) - len(found)))


def _end_orphans(before: set[int]) -> None:
    """End what a process has left that has killed its keeper: orphans came here meanwhile (Linux)."""
    for _ in range(supervisor.ROUNDS):
        left = set(supervisor.children()) - before
        if not left:
            break
        for pid in left:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            with suppress(OSError):
                os.waitpid(pid, 0)
    supervisor.prctl(supervisor.SUBREAPER, 0)


def _text(kind: str, said: str, left: int) -> str | Failed:
    if kind == "failed":
        return _failed(said)
    if len(said) > left:
        return _failed("the texts of all cases together are too long")
    if not said.strip():
        return _failed("it returned an empty text")
    return _failed(f"its text {reason}") if (reason := text_complaint(said)) else said


def _failed(reason: str) -> Failed:
    return Failed(f"the prompt could not be built: {reason}", attempts=0)


@dataclass(slots=True)
class ScoringProcess(FunctionProcess):
    """A function that scores, for as long as a run lasts.

    Args:
        tampered: gives why its files may have changed, called after each answer; None where nothing else runs.
    """

    limits: FunctionLimits = SCORING
    job: str = "score"
    tampered: Callable[[], str] | None = None

    async def score(self, subject: Subject, options: Mapping[str, JsonValue] | None = None) -> Finding:
        """The function's score for an answer; whatever prevents one is `Unscored`."""
        foreign = options is not None and options.get("interface") == "promptfoo"
        given = _context(subject.case, options or {}) if foreign else _plain(subject.case)
        kind, found = await self.call(json.dumps([subject.text, given]))
        name = f"{self.entry.module}:{self.entry.function}"
        changed = "" if self.tampered is None else await asyncio.to_thread(self.tampered)
        match found:
            case str() if kind == "failed":
                reason = changed or found
            case [float(score), str(why)] if not changed and 0.0 <= score <= 1.0:
                return score, why if why.strip() else f"{name} returned {score:g}"
            case _:
                reason = changed or "its reply is not valid"
        return Unscored(f"{name} gave no score: {reason}"), ""


@dataclass(frozen=True, slots=True)
class FunctionScorer:
    """A scorer that is a function (`gate.scoring.interface.CodeScorer`)."""

    spec: ScorerSpec
    process: ScoringProcess

    async def score(self, subject: Subject, index: int) -> Score:
        return as_score(self.spec, await self.process.score(subject, self.spec.options))


def _plain(case: Case) -> dict[str, object]:
    """A case for the function."""
    messages = [{"role": message.role, "content": message.content} for message in case.messages]
    known = {"id": case.id, "input": case.input, "messages": messages, "expected": case.expected}
    return {**known, "slices": dict(case.slices), "vars": dict(case.vars)}


def _context(case: Case, options: Mapping[str, JsonValue]) -> dict[str, object]:
    """A case as a Python assertion of promptfoo is given it."""
    # A prompt that is a function has its own copy of the variables.
    given = {name: value for name, value in case.vars.items() if name != "session"}
    given |= {"input": case.input} if case.input else {}
    given |= {} if case.expected is None else {"expected": case.expected}
    test = {"vars": given, "description": case.description, "metadata": dict(case.slices)}
    return {"vars": given, "prompt": case.question, "test": test, "config": options.get("config") or {}}
