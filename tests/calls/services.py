"""Services that exist only in virtual time: each takes so many requests at once, so fast, with these troubles."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from gate.calls.caller import Caller, CallPolicy
from gate.calls.interface import Completion, Request, Transient
from gate.calls.limits import Timing
from gate.config.models import Params
from tests.calls.scripted import cent, completion

Trouble = Callable[[float], Exception | None]


@dataclass
class Service:
    """A provider in virtual time.

    Args:
        capacity: requests at once, above which it says 429; may be changed.
        latency_s: seconds of one reply; may be changed.
        trouble: what a request meets at this time, or None.
        lane: what it shares a rate limit with.
        retry_after_s: what comes with a 429.
    """

    capacity: int = 1000
    latency_s: float = 0.1
    trouble: Trouble = lambda now: None
    lane: str = "service"
    retry_after_s: float | None = None
    max_in_flight: int | None = None
    priced: bool = True
    in_flight: int = 0
    most: int = 0
    requests: int = 0
    refused: int = 0
    texts: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    begun: list[float] = field(default_factory=list)
    seed: int = 1
    spread: float = 0.1

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)

    def check(self, params: Params) -> None:
        return

    async def complete(self, request: Request) -> Completion:
        now = asyncio.get_running_loop().time()
        self.requests += 1
        self.begun.append(now)
        self.asked.append(request.messages[0].content)
        if (trouble := self.trouble(now)) is not None:
            await asyncio.sleep(0.001)
            raise trouble
        if self.in_flight >= self.capacity:
            self.refused += 1
            await asyncio.sleep(0.001)
            raise Transient("too many", self.retry_after_s, throttled=True)
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        wait = self.latency_s * self._rng.lognormvariate(0.0, self.spread)
        try:
            await asyncio.sleep(wait)
        finally:
            self.in_flight -= 1
        self.texts.append(request.messages[0].content)
        answer = completion(request.messages[0].content, wait)
        return Completion(answer.text, answer.model_id, answer.usage, wait, "stop")

    async def close(self) -> None:
        return


def caller_of(policy: CallPolicy, *services: Service) -> Caller:
    """A caller in virtual time; a model's name is the number of its service."""
    loop = asyncio.get_running_loop()
    timing = Timing(loop.time, asyncio.sleep, loop.time)
    return Caller(lambda model, params: services[int(model.name)], policy, random.Random(1), cent, timing)
