"""Puts spans around what a run works with: calls of models, and tools."""

import time
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass

from gate.calls.port import Asking, Talking, Worth, always
from gate.domain.absence import Failed
from gate.domain.sample import Reply
from gate.domain.tools import Tool
from gate.domain.transcript import ToolUse
from gate.providers.base import Request
from gate.targets.port import Toolbox
from gate.telemetry import attributes
from gate.telemetry.spans import Address, Trace


@dataclass(frozen=True, slots=True)
class TracedCalls:
    """Calls that are told of; see `gate.calls.port.Asking`.

    Args:
        calls: makes them.
        trace: is told.
        role: `answer`, `aside`, `judge` or `other`.
        address: where a model is asked.
    """

    calls: Asking
    trace: Trace
    role: str
    address: Address

    async def call(self, request: Request, *, fresh: bool = False, worth: Worth = always) -> Reply | Failed:
        begun = time.time_ns()
        try:
            reply = await self.calls.call(request, fresh=fresh, worth=worth)
        except BaseException as error:
            self._told(request, error, begun)
            raise
        self._told(request, reply, begun)
        return reply

    def outside(self, messages: int) -> AbstractAsyncContextManager[Talking]:
        return self.calls.outside(messages)

    def _told(self, request: Request, reply: Reply | Failed | BaseException, begun: int) -> None:
        with suppress(Exception):  # whoever looks must not be in the way
            about = attributes.asked(request, self.address(request.model))
            self.trace.called(request, reply, begun, {**about, "prompt_gate.role": self.role})


@dataclass(frozen=True, slots=True)
class TracedToolbox:
    """Tools that are told of; see `gate.targets.port.Toolbox`.

    Args:
        box: the tools.
        trace: is told.
    """

    box: Toolbox
    trace: Trace

    async def tools(self) -> tuple[Tool, ...]:
        return await self.box.tools()

    async def call(self, name: str, arguments: str, session: str) -> ToolUse:
        begun = time.time_ns()
        use = await self.box.call(name, arguments, session)
        with suppress(Exception):
            self.trace.used(use, begun)
        return use

    async def close(self) -> None:
        await self.box.close()
