"""Many questions through one executor, as a run asks them."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from gate.calls.caller import Caller, CallPolicy
from gate.calls.endpoints import Keys
from gate.calls.interface import Executor, Request
from gate.calls.limits import RetryPolicy
from gate.calls.providers.factory import Factory
from gate.config.models import ModelRef, Params
from gate.messages import Message
from gate.record.transcript import Failed, Reply
from tests.support.keys import service_keys
from tests.support.model_server import ModelServer

Result = TypeVar("Result")

QUICK = RetryPolicy(base_s=0.001, longest_retry_after_s=0.001)
OPENAI = ModelRef("openai", "gpt-4o-mini")
ANTHROPIC = ModelRef("anthropic", "claude-sonnet-5-5")
SECRET = "sk-executor-0123456789"


def keys_for(server: ModelServer) -> Keys:
    return service_keys(SECRET, SECRET, f"{server.url}/v1", server.url)


def question(number: int, params: Params | None = None) -> Request:
    """One of many, half of them for either service, each with an answer of its own."""
    messages = (Message("system", "quality=1.0"), Message("user", f"answer=word{number}"))
    return Request(messages, ANTHROPIC if number % 2 else OPENAI, params or Params())


@dataclass
class Asking:
    """A factory over an executor, and the caller above it."""

    keys: Keys
    executor: Executor | None
    concurrency: int = 16
    factory: Factory = field(init=False)
    caller: Caller = field(init=False)

    def __post_init__(self) -> None:
        self.factory = Factory(self.keys, Path("no-such-folder"), 16, lambda _: "", None, self.executor)
        policy = CallPolicy(self.concurrency, QUICK)
        self.caller = Caller(self.factory.provider, policy, random.Random(1), self.factory.price)

    async def all(self, count: int) -> list[Reply | Failed]:
        return list(await asyncio.gather(*(self.caller.call(question(number)) for number in range(count))))


def use(
    keys: Keys, make: Callable[[], Executor | None], work: Callable[[Asking], Awaitable[Result]], concurrency: int = 16
) -> Result:
    """Work with an executor, and close it."""

    async def main() -> Result:
        asking = Asking(keys, make(), concurrency)
        try:
            return await work(asking)
        finally:
            await asking.factory.close()

    return asyncio.run(main())


def essence(replies: list[Reply | Failed]) -> list[object]:
    """What must be the same wherever a question is asked from: all but time and further attempts."""
    return [
        (reply.text, reply.model_id, reply.usage, reply.cost, reply.stop_reason) if isinstance(reply, Reply) else reply
        for reply in replies
    ]


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something to become true; the test's own end is the limit."""
    async with asyncio.timeout(120):
        while not condition():  # noqa: ASYNC110 what is waited for is another process
            await asyncio.sleep(0.005)
