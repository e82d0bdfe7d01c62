"""An agent that is a program: one process for each session, JSON lines on its standard input and output."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from gate.domain.jsonvalue import JsonValue
from gate.targets.external.protocol import MOST_BYTES, Reply, Tongue, lost_context, message, parsed
from gate.targets.port import AgentFailed, Answer
from gate.targets.tools.process import Kept, Place

STARTING_S = 60.0
"""For a program to open a session, its imports among that."""
STRAY_BYTES = 2**20
"""Of lines that are no replies, before one."""
READ_BYTES = 2**16
"""At once."""


@dataclass(frozen=True, slots=True)
class Program:
    """What is started for each session.

    Args:
        command: the program and its arguments.
        place: where it runs.
        named: its variables, besides those that each program has.
        timeout_s: seconds for one answer.
        room: processes at once.
        told: what was said until then is a part of `reopen`, for functions, which have no other memory.
    """

    command: Sequence[str]
    place: Place
    named: Mapping[str, str] = field(repr=False)
    timeout_s: float
    room: asyncio.Semaphore
    told: bool = False


@dataclass(slots=True)
class ProgramAgent:
    """One conversation; see `gate.targets.port.Agent`.

    Args:
        tongue: speaks the protocol.
        program: what is started.
    """

    tongue: Tongue
    program: Program
    _process: Kept | None = field(default=None, init=False)
    _sent: int = field(default=0, init=False)
    _heard: bytes = field(default=b"", init=False)
    _stray: bytes = field(default=b"", init=False)
    _history: list[JsonValue] = field(default_factory=list, init=False)

    async def start(self, session: str) -> None:
        self.tongue.opened(await self._open("start", session))

    async def reopen(self, session: str) -> None:
        found = self.tongue.opened(await self._open("reopen", session))
        if found is not None and found < self._sent:
            raise lost_context(self._sent, found)

    async def send(self, text: str) -> Answer:
        begun = time.monotonic()
        number = self._sent + 1
        reply = await self._said(message("send", id=number, text=text), self.program.timeout_s)
        answer = self.tongue.answer(reply, time.monotonic() - begun, number)
        self._sent += 1
        self._history += [{"role": "user", "content": text}, {"role": "assistant", "content": answer.text}]
        return answer

    async def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        try:
            with suppress(OSError):
                process.stdin.write(message("close"))
            await process.end()
        finally:
            self.program.room.release()

    async def _open(self, kind: str, session: str) -> Reply:
        await self.program.room.acquire()
        self._heard = b""
        try:
            self._process = await Kept.start(self.program.command, self.program.place, self.program.named)
        except OSError as error:
            self.program.room.release()
            raise AgentFailed(f"{self.tongue.who} cannot be started: {error.strerror}", attempts=0) from None
        except BaseException:
            self.program.room.release()
            raise
        more: dict[str, JsonValue] = {"history": self._history} if self.program.told and self._history else {}
        return await self._said(self.tongue.opening(kind, session, **more), STARTING_S)

    async def _said(self, line: bytes, seconds: float) -> Reply:
        """What comes back for a line.

        Raises:
            AgentFailed: nothing does, in time.
        """
        process = self._process
        if process is None:
            raise AgentFailed(f"{self.tongue.who} is not running", attempts=0)
        try:
            async with asyncio.timeout(seconds):
                await self._check_quiet(process)
                process.stdin.write(line)
                await process.stdin.drain()
                reply = await self._reply(process)
                await self._check_quiet(process)
        except TimeoutError:
            stray = f"; what it printed is no reply: {self._shown(self._stray)}" if self._stray else ""
            raise AgentFailed(f"{self.tongue.who} did not answer within {seconds:g} s{stray}") from None
        except (OSError, asyncio.IncompleteReadError):
            raise AgentFailed(await self._fate(process)) from None
        return reply

    async def _reply(self, process: Kept) -> Reply:
        stray = start = 0
        self._stray = b""
        while True:
            end = self._heard.find(b"\n", start)
            if end < 0:
                self._heard, start = self._heard[start:], 0
                if len(self._heard) > MOST_BYTES:
                    raise AgentFailed(f"{self.tongue.who} answered with more than {MOST_BYTES // 2**20} MiB")
                # Reading from what is there already lets nobody else have a turn.
                await asyncio.sleep(0)
                data = await process.stdout.read(READ_BYTES)
                if not data:
                    raise AgentFailed(await self._fate(process))
                self._heard += data
                continue
            line, start = self._heard[start:end], end + 1
            if line and (reply := parsed(line)) is not None:
                self._heard = self._heard[start:]
                return reply
            stray, self._stray = stray + len(line) + 1, line
            if stray > STRAY_BYTES:
                raise AgentFailed(f"{self.tongue.who} prints what is no reply: {self._shown(line)}")

    def _shown(self, line: bytes) -> str:
        return self.tongue.cleaner.line(line.decode(errors="replace"), 200)

    async def _check_quiet(self, process: Kept) -> None:
        """Raises AgentFailed for a reply that nobody asked for: each later one would count for the message before."""
        # What lies in the pipe is there once the loop has looked, and been heard.
        for _ in range(2):
            await asyncio.sleep(0)
        with suppress(TimeoutError):
            async with asyncio.timeout(0):
                while data := await process.stdout.read(READ_BYTES):
                    self._heard += data
        *lines, self._heard = self._heard.split(b"\n")
        if any(parsed(line) is not None for line in lines):
            raise AgentFailed(f"{self.tongue.who} answered twice: a message has one reply")

    async def _fate(self, process: Kept) -> str:
        fate, words = await process.fate(), process.last_words()
        told = f": {self.tongue.cleaner.line(words)}" if words else ""
        return f"{self.tongue.who} {fate}{told}"
