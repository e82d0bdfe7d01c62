"""Agents that are a program or an HTTP service, and the JSON protocol spoken with them."""

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import aiohttp

from gate.agents.interface import AgentFailed, Answer, Question
from gate.agents.masks import Masks
from gate.agents.processes import ProgramPlace, SupervisedProgram
from gate.agents.usage import UnusableUsage, usage_of
from gate.calls.thinking import ThoughtfulText, split_thinking
from gate.calls.untrusted import MAX_TEXT, token_count
from gate.cases.case import Case, NotBuilt, render
from gate.config.documents import BadJson, parse_json
from gate.messages import Message
from gate.record.transcript import CUT_OFF, Cost, Dollars, ToolUse, Unpriced, Usage, recorded
from gate.suite import Arm
from gate.values import JsonValue, more_than

VERSION = 1
MOST_BYTES = 8 * 2**20
"""Of one reply."""
MOST_TOOLS = 1_000
"""Tool calls in one answer."""
MOST_VALUES = 100_000
"""Texts, numbers, lists and objects in one answer's report of its tools."""
_REASON_CHARS = 300
_NAME_CHARS = 200
_LONGEST_S = 1e6
_MOST_USD = 1e6
_REPLIES = frozenset({"ok", "answer", "error"})
_TOLD = ("arguments", "result", "error", "latency_s")

AgentReply: TypeAlias = Mapping[str, JsonValue]
"""Unchanged: secrets and control characters are removed from each part when it is used."""


@dataclass(frozen=True, slots=True)
class ProtocolSession:
    """Speaks the protocol in one conversation.

    Args:
        who: the agent, for reasons.
    """

    question: Question
    cleaner: Masks
    who: str

    def opening(self, kind: str, session: str, **more: JsonValue) -> bytes:
        """The `start` or `reopen` message, with everything that makes the agent this arm's.

        Raises:
            AgentFailed: the prompt has no text for the case.
        """
        arm, case = self.question.arm, self.question.case
        return _line(
            {
                "type": kind,
                "version": VERSION,
                "session": session,
                "prompt": _prompt(arm, case),
                "model": str(arm.model),
                "params": arm.params.changed(),
                "case": {"id": case.id, "slices": dict(case.slices), "vars": dict(case.vars)},
                **more,
            }
        )

    def opened(self, reply: AgentReply | None) -> int | None:
        """The number of messages that a new or reopened session knows; None where the agent does not say.

        Raises:
            AgentFailed: the reply is not `ok`.
        """
        found = self._read(reply)
        if found.get("type") != "ok":
            raise AgentFailed(f"{self.who} did not open the session with ok: it sent an answer before any message")
        return token_count(found.get("turns"))

    def offered(self, reply: AgentReply) -> tuple[str, ...]:
        """The names of the agent's tools in the reply that opens a session; empty where it does not say.

        Raises:
            AgentFailed: they are not a list of names.
        """
        names = reply.get("tool_names")
        if names is None:
            return ()
        if not isinstance(names, list) or len(names) > MOST_TOOLS or not all(isinstance(one, str) for one in names):
            raise AgentFailed(f"{self.who} has tool_names that are not a list of at most {MOST_TOOLS:,} names")
        return tuple(filter(None, (self.cleaner.line(name, _NAME_CHARS) for name in names)))

    def answer(self, reply: AgentReply | None, seconds: float, number: int | None = None) -> Answer:
        """The answer in a reply.

        Args:
            number: of the message, which an answer may repeat as its `id`.

        Raises:
            AgentFailed: it is not an answer.
        """
        found = self._read(reply)
        text = found.get("text")
        if found.get("type") != "answer" or not isinstance(text, str):
            raise AgentFailed(f"{self.who} replied with an answer that has no text")
        named = token_count(found.get("id"))
        if number is not None and named is not None and named != number:
            raise AgentFailed(f"{self.who} answered message {named} instead of message {number}")
        if len(text) > MAX_TEXT:
            said = f"the answer has {len(text):,} characters; the limit is {MAX_TEXT:,}"
            raise AgentFailed(f"{self.who}: {said}")
        steps = token_count(found.get("steps"))
        told = _seconds(found.get("latency_s"))
        parts = ThoughtfulText("", text) if self.question.arm.params.keep_thinking else split_thinking(text)
        stop_reason = self.cleaner.line(found.get("stop_reason"), 64)
        return Answer(
            text=self.cleaner.text(parts.answer),
            thinking=self.cleaner.text(parts.thinking),
            tools=self._tools(found.get("tools")),
            steps=1 if steps is None else min(steps, 10_000),
            usage=self._usage(found.get("usage")),
            cost=_cost(found.get("cost_usd")),
            latency_s=seconds if told is None else told,
            model_id=self.cleaner.line(found.get("model"), _NAME_CHARS),
            stop_reason=stop_reason if parts.finished or stop_reason in CUT_OFF else CUT_OFF[0],
            tools_told=found.get("tools") is not None,
        )

    def _read(self, reply: AgentReply | None) -> AgentReply:
        if reply is None:
            raise AgentFailed(f"{self.who} did not reply with a JSON object whose type is ok, answer or error")
        if reply.get("type") == "error":
            said = self.cleaner.line(reply.get("error") or reply.get("message"), _REASON_CHARS)
            raise AgentFailed(f"{self.who} failed: {said or 'it gave no reason'}")
        return reply

    def _usage(self, value: JsonValue) -> Usage:
        try:
            return usage_of(value)
        except UnusableUsage as error:
            raise AgentFailed(f"{self.who} replied with {self.cleaner.line(str(error))}") from None

    def _tools(self, value: JsonValue) -> tuple[ToolUse, ...]:
        if value is None:
            return ()
        if not isinstance(value, list) or len(value) > MOST_TOOLS:
            raise AgentFailed(f"{self.who} replied with tools that are not a list of at most {MOST_TOOLS:,} calls")
        if more_than(MOST_VALUES, value):
            raise AgentFailed(f"{self.who} replied with tool calls of more than {MOST_VALUES:,} values")
        return tuple(self._tool(one) for one in value)

    def _tool(self, value: JsonValue) -> ToolUse:
        name = value.get("name") if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(name, str) or not name.strip():
            raise AgentFailed(f"{self.who} replied with a tool call that has no name")
        value = {key: self.cleaner.value(value[key]) for key in _TOLD if key in value}
        error = value.get("error")
        given, result = value.get("arguments", {}), value.get("result", error if isinstance(error, str) else "")
        arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        said = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
        called = self.cleaner.line(name, _NAME_CHARS)
        if not called:
            raise AgentFailed(f"{self.who} replied with a tool call whose name has no visible character")
        # A secret may be a number, which only now is text.
        masked = self.cleaner.masked
        return recorded(ToolUse(called, masked(arguments), masked(said), bool(error), _seconds(value.get("latency_s"))))


def protocol_message(kind: str, **more: JsonValue) -> bytes:
    """A `send` or `close` message."""
    return _line({"type": kind, **more})


def parse_reply(data: bytes) -> AgentReply | None:
    """A reply; None for other lines, such as output for people or for a log."""
    try:
        found = parse_json(data.decode("utf-8", "replace"))
    except BadJson:
        return None
    if not isinstance(found, dict):
        return None
    kind = found.get("type")
    return found if isinstance(kind, str) and kind in _REPLIES else None


def lost_context(sent: int, known: int) -> AgentFailed:
    """The failure of a reopened session that does not know all earlier messages."""
    return AgentFailed(f"the agent lost the context: {sent} messages were sent, and it knows {known}", attempts=0)


def _prompt(arm: Arm, case: Case) -> JsonValue:
    """The arm's prompt for this case, with the turns of the case except the last, which is sent."""
    asked = Message("user", "{input}")
    earlier = replace(case, input=asked.content, messages=(*case.messages[:-1], asked) if case.messages else ())
    try:
        placed = render(arm.version.prompt, earlier)
    except NotBuilt as error:
        raise AgentFailed(error.failed.reason, error.failed.attempts) from None
    messages: list[JsonValue] = [{"role": turn.role, "content": turn.content} for turn in placed if turn != asked]
    system = "\n\n".join(turn.content for turn in placed if turn.role == "system")
    return {"text": system, "messages": messages, "path": arm.version.path, "digest": arm.version.prompt.digest}


def _line(value: dict[str, JsonValue]) -> bytes:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def _cost(value: JsonValue) -> Cost:
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST_USD
    return Dollars(float(value)) if known and isinstance(value, int | float) else Unpriced("unknown")


def _seconds(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LONGEST_S:
        return None
    return float(value)


STARTING_S = 60.0
"""For a program to open a session, its imports included."""
STRAY_BYTES = 2**20
"""Of lines that are no replies, before a reply."""
READ_BYTES = 2**16
"""Per read."""


@dataclass(frozen=True, slots=True)
class Program:
    """The program that is started for each session.

    Args:
        named: variables, in addition to those that each program has.
        timeout_s: seconds for one answer.
        room: limits simultaneous processes.
        told: `reopen` includes the conversation so far, for functions, which have no other memory.
    """

    command: Sequence[str]
    place: ProgramPlace
    named: Mapping[str, str] = field(repr=False)
    timeout_s: float
    room: asyncio.Semaphore
    told: bool = False


@dataclass(slots=True)
class ProgramAgent:
    """One conversation; see `gate.agents.interface.Agent`."""

    protocol: ProtocolSession
    program: Program
    _process: SupervisedProgram | None = field(default=None, init=False)
    _sent: int = field(default=0, init=False)
    _heard: bytes = field(default=b"", init=False)
    _stray: bytes = field(default=b"", init=False)
    _history: list[JsonValue] = field(default_factory=list, init=False)
    _offered: tuple[str, ...] = field(default=(), init=False)

    async def start(self, session: str) -> None:
        reply = await self._open("start", session)
        self.protocol.opened(reply)
        self._offered = self.protocol.offered(reply)

    async def reopen(self, session: str) -> None:
        found = self.protocol.opened(await self._open("reopen", session))
        if found is not None and found < self._sent:
            raise lost_context(self._sent, found)

    async def send(self, text: str) -> Answer:
        begun = time.monotonic()
        number = self._sent + 1
        reply = await self._said(protocol_message("send", id=number, text=text), self.program.timeout_s)
        answer = replace(self.protocol.answer(reply, time.monotonic() - begun, number), offered=self._offered)
        self._sent += 1
        self._history += [{"role": "user", "content": text}, {"role": "assistant", "content": answer.text}]
        return answer

    async def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        try:
            with suppress(OSError):
                process.stdin.write(protocol_message("close"))
            await process.end()
        finally:
            self.program.room.release()

    async def _open(self, kind: str, session: str) -> AgentReply:
        await self.program.room.acquire()
        self._heard = b""
        try:
            self._process = await SupervisedProgram.start(self.program.command, self.program.place, self.program.named)
        except OSError as error:
            self.program.room.release()
            raise AgentFailed(f"{self.protocol.who} cannot be started: {error.strerror}", attempts=0) from None
        except BaseException:
            self.program.room.release()
            raise
        more: dict[str, JsonValue] = {"history": self._history} if self.program.told and self._history else {}
        return await self._said(self.protocol.opening(kind, session, **more), STARTING_S)

    async def _said(self, line: bytes, seconds: float) -> AgentReply:
        """The reply to a line. Raises AgentFailed: there is none in time."""
        process = self._process
        if process is None:
            raise AgentFailed(f"{self.protocol.who} is not running", attempts=0)
        try:
            async with asyncio.timeout(seconds):
                await self._check_quiet(process)
                process.stdin.write(line)
                await process.stdin.drain()
                reply = await self._reply(process)
                await self._check_quiet(process)
        except TimeoutError:
            stray = f"; it printed a line that is not a reply: {self._shown(self._stray)}" if self._stray else ""
            raise AgentFailed(f"{self.protocol.who} did not answer within {seconds:g} s{stray}") from None
        except (OSError, asyncio.IncompleteReadError):
            raise AgentFailed(await self._fate(process)) from None
        return reply

    async def _reply(self, process: SupervisedProgram) -> AgentReply:
        stray = start = 0
        self._stray = b""
        while True:
            end = self._heard.find(b"\n", start)
            if end < 0:
                self._heard, start = self._heard[start:], 0
                if len(self._heard) > MOST_BYTES:
                    raise AgentFailed(f"{self.protocol.who} replied with more than {MOST_BYTES // 2**20} MiB")
                # Reading bytes that have already arrived does not yield to the event loop.
                await asyncio.sleep(0)
                data = await process.stdout.read(READ_BYTES)
                if not data:
                    raise AgentFailed(await self._fate(process))
                self._heard += data
                continue
            line, start = self._heard[start:end], end + 1
            if line and (reply := parse_reply(line)) is not None:
                self._heard = self._heard[start:]
                return reply
            stray, self._stray = stray + len(line) + 1, line
            if stray > STRAY_BYTES:
                raise AgentFailed(f"{self.protocol.who} printed a line that is not a reply: {self._shown(line)}")

    def _shown(self, line: bytes) -> str:
        return self.protocol.cleaner.line(line.decode(errors="replace"), 200)

    async def _check_quiet(self, process: SupervisedProgram) -> None:
        """Raises AgentFailed for an unrequested reply: each later one would be counted for the message before."""
        # Bytes in the pipe are only available after the loop has polled and run its callbacks.
        for _ in range(2):
            await asyncio.sleep(0)
        with suppress(TimeoutError):
            async with asyncio.timeout(0):
                while data := await process.stdout.read(READ_BYTES):
                    self._heard += data
        *lines, self._heard = self._heard.split(b"\n")
        if any(parse_reply(line) is not None for line in lines):
            raise AgentFailed(f"{self.protocol.who} sent two replies to one message")

    async def _fate(self, process: SupervisedProgram) -> str:
        fate, words = await process.fate(), process.last_words()
        told = f": {self.protocol.cleaner.line(words)}" if words else ""
        return f"{self.protocol.who} {fate}{told}"


CLOSING_S = 10.0
POST_TRIES = 4
"""Did the service refuse to accept a message (429, 503)?"""
_BUSY = frozenset({429, 503})
_LONGEST_WAIT_S = 30.0


@dataclass(frozen=True, slots=True)
class Service:
    """The service behind an agent."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    timeout_s: float
    client: aiohttp.ClientSession


@dataclass(slots=True)
class ServiceAgent:
    """One conversation; see `gate.agents.interface.Agent`."""

    protocol: ProtocolSession
    service: Service
    _session: str = field(default="", init=False)
    _sent: int = field(default=0, init=False)
    _open: bool = field(default=False, init=False)
    _took: float = field(default=0.0, init=False)
    _offered: tuple[str, ...] = field(default=(), init=False)

    async def start(self, session: str) -> None:
        self._session = session
        reply = parse_reply(await self._posted(self.protocol.opening("start", session), self.service.timeout_s))
        self.protocol.opened(reply)
        self._offered = self.protocol.offered(reply or {})
        self._open = True

    async def reopen(self, session: str) -> None:
        reply = await self._posted(self.protocol.opening("reopen", session), self.service.timeout_s)
        known = self.protocol.opened(parse_reply(reply))
        if known is not None and known < self._sent:
            raise lost_context(self._sent, known)
        self._open = True

    async def send(self, text: str) -> Answer:
        data = await self._posted(protocol_message("send", session=self._session, text=text), self.service.timeout_s)
        answer = replace(self.protocol.answer(parse_reply(data), self._took), offered=self._offered)
        self._sent += 1
        return answer

    async def close(self) -> None:
        if not self._open:
            return
        self._open = False
        with suppress(AgentFailed):
            await self._posted(protocol_message("close", session=self._session), CLOSING_S)

    async def _posted(self, line: bytes, seconds: float) -> bytes:
        """The reply to a message, which is sent again only where the service has not accepted it."""
        try:
            async with asyncio.timeout(seconds):
                for attempt in range(POST_TRIES):
                    begun = time.monotonic()
                    status, data, wait = await self._once(line)
                    self._took = time.monotonic() - begun
                    if status not in _BUSY or attempt == POST_TRIES - 1:
                        break
                    await asyncio.sleep(min(wait, _LONGEST_WAIT_S))
        except TimeoutError:
            raise AgentFailed(f"{self.protocol.who} did not answer within {seconds:g} s") from None
        except (aiohttp.ClientError, OSError) as error:
            said = self.protocol.cleaner.line(str(error)) or type(error).__name__
            raise AgentFailed(f"{self.protocol.who} cannot be reached: {said}") from None
        if len(data) > MOST_BYTES:
            raise AgentFailed(f"{self.protocol.who} replied with more than {MOST_BYTES // 2**20} MiB")
        if status != 200:
            said = self.protocol.cleaner.line(data[:2_000].decode(errors="replace"), 200)
            raise AgentFailed(f"{self.protocol.who} replied with HTTP {status}{f': {said}' if said else ''}")
        return data

    async def _once(self, line: bytes) -> tuple[int, bytes, float]:
        headers = {**self.service.headers, "Content-Type": "application/json", "Accept": "application/json"}
        posted = self.service.client.post(self.service.url, data=line, headers=headers, allow_redirects=False)
        async with posted as reply:
            data = b""
            async for chunk in reply.content.iter_chunked(1 << 16):
                data += chunk
                if len(data) > MOST_BYTES:
                    break
            return reply.status, data, _wait(reply.headers.get("Retry-After"))


def _wait(header: str | None) -> float:
    try:
        return max(0.0, float(header or "1"))
    except ValueError:
        return 1.0
