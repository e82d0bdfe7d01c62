"""A provider that does what a script says, and a clock that only sleeping moves."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from gate.calls.interface import Completion, Request
from gate.config.models import ModelRef, Params
from gate.messages import Message
from gate.record.transcript import Cost, Dollars, Usage

Step = Completion | Exception


def completion(text: str = "hi", latency_s: float | None = 0.25) -> Completion:
    return Completion(text, "model-2026", Usage(10, 0, 0, 2), latency_s, "stop")


def request(name: str = "m", index: int = 0) -> Request:
    return Request((Message("user", "hello"),), ModelRef("fake", name), Params(), index)


def cent(model: ModelRef, params: Params, model_id: str, usage: Usage) -> Cost:
    return Dollars(0.01)


@dataclass
class Scripted:
    """Takes the next step at each request; the last one stays."""

    steps: Sequence[Step]
    max_in_flight: int | None = None
    priced: bool = True
    lane: str = "scripted"
    seen: int = 0
    in_flight: int = 0
    most: int = 0
    gate: asyncio.Event | None = None

    def check(self, params: Params) -> None:
        return

    async def complete(self, request: Request) -> Completion:
        step = self.steps[min(self.seen, len(self.steps) - 1)]
        self.seen += 1
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        try:
            await (self.gate.wait() if self.gate else asyncio.sleep(0))
        finally:
            self.in_flight -= 1
        if isinstance(step, Exception):
            raise step
        return step

    async def close(self) -> None:
        return


@dataclass
class VirtualTime:
    """Seconds that pass only by sleeping."""

    now: float = 0.0
    sleeps: list[float] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)
