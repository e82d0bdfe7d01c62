"""The built-in agent: a model called again and again with the results of its tools, until it answers."""

import itertools
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from math import fsum
from pathlib import Path

from pydantic import TypeAdapter

from gate.agents.interface import AgentFailed, Answer, Question, Sessions, Toolbox, sample_name
from gate.calls.interface import Calls, Request, together
from gate.cases.case import NotBuilt, render
from gate.errors import GateError
from gate.files import make_gate_folder, write_whole
from gate.messages import Message, Tool, ToolCall
from gate.record.transcript import (
    CUT_OFF,
    STEP_LIMIT,
    Cost,
    Failed,
    Reply,
    ToolUse,
    Unpriced,
    Usage,
    added,
    effort_of_all,
    recorded,
)
from gate.values import parsed, written


@dataclass(frozen=True, slots=True)
class LoopResources:
    """Shared by all conversations of the loop."""

    calls: Calls
    sessions: Sessions
    clock: Callable[[], float] = time.monotonic


@dataclass(slots=True)
class LoopAgent:
    """One conversation; see `gate.agents.interface.Agent`."""

    question: Question
    resources: LoopResources
    toolbox: Toolbox | None = None
    max_steps: int = 1
    fresh: bool = False
    parallel: bool = True
    _session: str = field(default="", init=False)
    _messages: tuple[Message, ...] = field(default=(), init=False)
    _tools: tuple[Tool, ...] = field(default=(), init=False)

    async def start(self, session: str) -> None:
        self._session = session
        self._tools = await self.toolbox.tools() if self.toolbox else ()

    async def send(self, text: str) -> Answer:
        self._messages = self._with(text)
        replies: list[Reply] = []
        used: list[ToolUse] = []
        try:
            seconds = await self._work(replies, used)
            self._messages += (_said(replies[-1]),)
            self._save()
        except AgentFailed as failure:
            failure.effort += effort_of_all(replies)
            failure.tools = tuple(map(recorded, used))
            raise
        answer = replace(
            _answer(replies, used, seconds),
            offered=tuple(tool.name for tool in self._tools),
            notes=self.toolbox.notes if self.toolbox else (),
        )
        limited = self.toolbox is not None and replies[-1].tool_calls and replies[-1].stop_reason not in CUT_OFF
        return replace(answer, stop_reason=STEP_LIMIT) if limited else answer

    async def _work(self, replies: list[Reply], used: list[ToolUse]) -> float:
        """Call the model and its tools until it calls no more, or the steps are used up."""
        seconds = 0.0
        while True:
            reply = await self._step()
            replies.append(reply)
            # Of a reply that was cut off, the arguments may be half of what the model meant.
            if not reply.tool_calls or self.toolbox is None or reply.stop_reason in CUT_OFF:
                return seconds
            # The results of the last step's calls would not be read.
            if len(replies) == self.max_steps:
                return seconds
            begun = self.resources.clock()
            calls = _with_ids(reply.tool_calls, self._messages)
            results = await self._used(self.toolbox, calls)
            seconds += self.resources.clock() - begun
            used += results
            told = zip(calls, results, strict=True)
            self._messages += (
                Message("assistant", reply.text, calls, original=reply.original),
                *(_result(call, use) for call, use in told),
            )

    async def close(self) -> None:
        self._messages = ()
        if self.toolbox is not None:
            await self.toolbox.close()

    async def reopen(self, session: str) -> None:
        known = self.resources.sessions.load(session)
        if known is None:
            raise AgentFailed(f"the session {session} no longer exists, so its context is lost", attempts=0)
        await self.start(session)
        self._messages = known

    def _with(self, text: str) -> tuple[Message, ...]:
        if self._messages:
            return (*self._messages, Message("user", text))
        case = self.question.case
        asked = case if case.messages else replace(case, input=text)
        try:
            return render(self.question.arm.version.prompt, asked)
        except NotBuilt as error:
            raise AgentFailed(error.failed.reason, error.failed.attempts) from None

    async def _step(self) -> Reply:
        arm = self.question.arm
        request = Request(
            self._messages,
            arm.model,
            arm.params,
            self.question.index,
            about=sample_name(self.question),
            tools=self._tools,
        )
        reply = await self.resources.calls.call(request, fresh=self.fresh)
        if isinstance(reply, Failed):
            raise AgentFailed(reply.reason, reply.attempts)
        return reply

    async def _used(self, toolbox: Toolbox, calls: tuple[ToolCall, ...]) -> list[ToolUse]:
        if self.parallel:
            return await together(toolbox.call(call.name, call.arguments, self._session) for call in calls)
        return [await toolbox.call(call.name, call.arguments, self._session) for call in calls]

    def _save(self) -> None:
        if not self.question.case.revival:
            return
        try:
            self.resources.sessions.save(self._session, self._messages)
        except OSError as error:
            raise AgentFailed(f"the session cannot be saved: {error.strerror}") from None


def _said(reply: Reply) -> Message:
    """An answer as a turn; APIs refuse an empty one, but an agent may answer with nothing."""
    return Message("assistant", reply.text if reply.text.strip() else "…", original=reply.original)


def _result(call: ToolCall, use: ToolUse) -> Message:
    parts = (use.result, *use.images) if use.images else ()
    return Message("tool", use.result, answers=call.id, failed=use.failed, parts=parts)


def _with_ids(calls: Sequence[ToolCall], before: Sequence[Message]) -> tuple[ToolCall, ...]:
    """Calls whose ids are unique in their conversation; a server may send none, or the same again."""
    earlier = [call.id for message in before for call in message.tool_calls]
    made: list[ToolCall] = []
    for call in calls:
        taken = {"", *earlier, *(one.id for one in made)}
        number = len(earlier) + len(made) + 1
        # Nine letters and digits are what the strictest server takes.
        free = (f"call{count:05}" for count in itertools.count(number))
        made.append(call if call.id not in taken else replace(call, id=next(one for one in free if one not in taken)))
    return tuple(made)


def _answer(replies: list[Reply], used: list[ToolUse], seconds: float) -> Answer:
    """The answer from all steps."""
    last = replies[-1]
    times = [reply.latency_s for reply in replies if reply.latency_s is not None]
    cost: Cost | None = reduce(added, [reply.cost for reply in replies], None)
    return Answer(
        text=last.text,
        tools=tuple(map(recorded, used)),
        steps=len(replies),
        usage=reduce(Usage.__add__, [reply.usage for reply in replies]),
        cost=cost or Unpriced("unknown"),
        latency_s=fsum([*times, seconds]) if len(times) == len(replies) else None,
        model_id=last.model_id,
        stop_reason=last.stop_reason,
        effort=effort_of_all(replies),
        thinking=last.thinking,
    )


_MESSAGES: TypeAdapter[tuple[Message, ...]] = TypeAdapter(tuple[Message, ...])

_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")


@dataclass(frozen=True, slots=True)
class SessionFiles:
    """See `gate.agents.interface.Sessions`."""

    folder: Path

    def save(self, session: str, messages: Sequence[Message]) -> None:
        try:
            make_gate_folder(self.folder)
        except GateError as error:
            raise OSError(0, error.message) from None
        write_whole(self._path(session), written(_MESSAGES, tuple(messages)).decode())

    def load(self, session: str) -> tuple[Message, ...] | None:
        try:
            return _MESSAGES.validate_python(parsed(self._path(session).read_bytes()))
        except (OSError, ValueError):
            return None

    def _path(self, session: str) -> Path:
        if not _ID.fullmatch(session):
            raise ValueError(f"{session!r} is not a session id")
        return self.folder / f"{session}.json"
