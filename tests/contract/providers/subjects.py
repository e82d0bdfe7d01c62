"""What the contract is tried on: a model, how it is made, and a question that it answers well."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from gate.domain.model import ModelRef, Params
from gate.domain.prompt import Message
from gate.providers.base import Completion, Provider, Request
from gate.providers.elsewhere.processes import ProcessExecutor
from gate.providers.elsewhere.worker import Setup
from gate.providers.endpoints import Keys
from gate.providers.factory import Factory
from gate.providers.prices import PriceList

Result = TypeVar("Result")

OPENAI_KEY = "sk-loopback-0123456789-openai"
ANTHROPIC_KEY = "sk-ant-loopback-0123456789"
SYSTEM = "You know colours. quality=1.0"
RECORDED = "\n".join(
    json.dumps(
        {
            "input": f"answer=blue number={number}",
            "output": "blue",
            "model": "recorded-1",
            "latency_s": 0.2,
            "usage": {"input_tokens": 9, "output_tokens": 1},
        }
    )
    for number in range(40)
)


class Workers:
    """An event loop with worker processes that outlive a test: one process for each server."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()
        self._made: dict[str, ProcessExecutor] = {}

    def executor(self, url: str) -> "Kept":
        keys = Keys(OPENAI_KEY, ANTHROPIC_KEY, f"{url}/v1", url)
        return Kept(self._made.setdefault(url, ProcessExecutor(1, Setup(keys, 8))))

    def close(self) -> None:
        for executor in self._made.values():
            self.runner.run(executor.close())
        self.runner.close()


@dataclass(frozen=True)
class Kept:
    """An executor that is not closed with its factory."""

    inner: ProcessExecutor
    keys_elsewhere = False

    async def complete(self, request: Request) -> Completion:
        return await self.inner.complete(request)

    async def close(self) -> None:
        pass


@dataclass(frozen=True)
class Subject:
    """One model under contract.

    Args:
        model: its reference.
        url: base URL of a loopback server, for models that are reached by HTTP.
        system: the system prompt of the questions.
        params: parameters of each question.
        workers: send the requests; None for this process.
    """

    model: ModelRef
    url: str = ""
    system: str = SYSTEM
    params: Params = field(default_factory=Params)
    workers: Workers | None = None

    def request(self, user: str = "answer=blue number=0", index: int = 0) -> Request:
        return Request((Message("system", self.system), Message("user", user)), self.model, self.params, index)

    def factory(self, cache_dir: Path = Path("no-such-folder")) -> Factory:
        keys = Keys(OPENAI_KEY, ANTHROPIC_KEY, f"{self.url}/v1", self.url) if self.url else Keys()
        executor = self.workers.executor(self.url) if self.workers else None
        return Factory(keys, cache_dir, 8, lambda _: RECORDED, PriceList(by_name=True), executor)

    def use(self, work: Callable[[Provider], Awaitable[Result]]) -> Result:
        """Make the provider, work with it, close it."""
        return self.use_factory(lambda factory: work(factory.provider(self.model, self.params)))

    def use_factory(self, work: Callable[[Factory], Awaitable[Result]]) -> Result:
        """Make a factory, work with it, close it."""

        async def main() -> Result:
            factory = self.factory()
            try:
                return await work(factory)
            finally:
                await factory.close()

        return self.workers.runner.run(main()) if self.workers else asyncio.run(main())


MODELS = {
    "openai": ModelRef("openai", "gpt-4o-mini"),
    "anthropic": ModelRef("anthropic", "claude-sonnet-5-5"),
    "fake": ModelRef("fake", "oracle"),
    "replay": ModelRef("replay", "recorded.jsonl"),
}
