"""What the contract is tried on: a model, how it is made, and a question that it answers well."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from gate.calls.endpoints import Keys
from gate.calls.interface import Provider, Request
from gate.calls.providers.factory import Factory
from gate.config.models import ModelRef, Params, ProviderServer
from gate.messages import Message
from tests.support.keys import service_keys

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


@dataclass(frozen=True)
class Subject:
    """One model under contract.

    Args:
        model: its reference.
        url: base URL of a loopback server, for models that are reached by HTTP.
        system: the system prompt of the questions.
        params: parameters of each question.
    """

    model: ModelRef
    url: str = ""
    system: str = SYSTEM
    params: Params = field(default_factory=Params)

    def request(self, user: str = "answer=blue number=0", index: int = 0) -> Request:
        return Request((Message("system", self.system), Message("user", user)), self.model, self.params, index)

    def factory(self, cache_dir: Path = Path("no-such-folder")) -> Factory:
        keys = service_keys(OPENAI_KEY, ANTHROPIC_KEY, f"{self.url}/v1", self.url) if self.url else Keys()
        if self.model.provider == "responses":
            server = ProviderServer(api="openai-responses", base_url=f"{self.url}/v1", api_key_env="OPENAI_API_KEY")
            keys = replace(keys, servers={"responses": server})
        return Factory(keys, cache_dir, 8, lambda _: RECORDED)

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

        return asyncio.run(main())


MODELS = {
    "openai": ModelRef("openai", "gpt-4o-mini"),
    "responses": ModelRef("responses", "gpt-4o-mini"),
    "anthropic": ModelRef("anthropic", "claude-sonnet-5-5"),
    "fake": ModelRef("fake", "oracle"),
    "replay": ModelRef("replay", "recorded.jsonl"),
}
