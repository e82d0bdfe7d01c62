"""A sign of life while nothing else is told: a small model may write at one reply for minutes."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from gate.flows.ports import Steps

T = TypeVar("T")
EVERY_S = 20.0


@dataclass(slots=True)
class Patience:
    """Steps of some work, and a line now and then while none is taken.

    Args:
        steps: told of each step.
        say: tells a line.
        sleep: waits, in seconds.
    """

    steps: Steps
    say: Callable[[str], None]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _quiet_s: float = field(default=0.0, init=False)

    def start(self, total: int) -> None:
        self.steps.start(total)

    def step(self, spent_usd: float | None, *, failed: bool = False) -> None:
        self._quiet_s = -EVERY_S  # the wait that is under way began before
        self.steps.step(spent_usd, failed=failed)

    def finish(self) -> None:
        self.steps.finish()

    async def during(self, work: Awaitable[T]) -> T:
        """The result of some work, with signs of life meanwhile."""
        watching = asyncio.ensure_future(self._watch())
        try:
            return await work
        finally:
            watching.cancel()

    async def _watch(self) -> None:
        while True:
            await self.sleep(EVERY_S)
            self._quiet_s += EVERY_S
            if self._quiet_s > 0:
                self.say(f"still waiting for an answer: {self._quiet_s:.0f} s")
