"""A server with batch interfaces, and a run whose answers are prepared there."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from gate.calls.batches.jobs import BatchTools, batch_service
from gate.calls.batches.ledger import BatchLedger
from gate.calls.batches.prefetch import BatchOutcome, collect_or_submit
from gate.calls.interface import Request
from gate.calls.providers.factory import Factory
from gate.config.models import ModelRef, Params
from gate.messages import Message
from tests.contract.providers.subjects import ANTHROPIC_KEY, MODELS, OPENAI_KEY
from tests.support.answers import Answers
from tests.support.batch_server import BatchServer
from tests.support.keys import service_keys


@pytest.fixture(scope="session")
def running_batches() -> Iterator[BatchServer]:
    with BatchServer() as server:
        yield server


@pytest.fixture
def server(running_batches: BatchServer) -> BatchServer:
    running_batches.forget()
    return running_batches


@dataclass
class Gate:
    """The same command, run again and again; each call is a new process as far as memory goes."""

    server: BatchServer
    model: ModelRef
    folder: Path
    answers: Answers = field(default_factory=Answers)
    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    def requests(self, count: int = 4, candidate: str = "new", model: ModelRef | None = None) -> list[Request]:
        """Both arms of so many cases, pair by pair."""
        params = Params(max_output_tokens=50)
        return [
            Request(
                (Message("system", f"{arm} prompt. quality=1.0"), Message("user", f"answer=blue case={case}")),
                (model or self.model) if arm == candidate else self.model,
                params,
            )
            for case in range(count)
            for arm in ("old", candidate)
        ]

    def run(self, requests: list[Request] | None = None, max_calls: int | None = None) -> BatchOutcome:
        async def main() -> BatchOutcome:
            url = self.server.url
            keys = service_keys(OPENAI_KEY, ANTHROPIC_KEY, f"{url}/v1", url)
            factory = Factory(keys, Path("no-such-folder"), 8, lambda _: "")
            tools = BatchTools(
                partial(batch_service, factory),
                self.answers,
                BatchLedger(self.folder),
                partial(factory.price, batch=True),
                sleep=self._sleep,
            )
            try:
                wanted = self.requests() if requests is None else requests
                return await collect_or_submit(wanted, tools, max_calls)
            finally:
                await factory.close()

        return asyncio.run(main())

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@pytest.fixture(params=["openai", "anthropic"])
def gate(request: pytest.FixtureRequest, server: BatchServer, tmp_path: Path) -> Gate:
    return Gate(server, MODELS[request.param], tmp_path / "batches")
