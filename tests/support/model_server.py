"""A model server on loopback with three interfaces, answers of known quality, and a ledger.

It answers by the words of `gate.calls.providers.fake`: `answer=WORD slice=S` in the user message, `quality=0.9
quality[S]=0.45` in the system prompt. A request with a JSON Schema counts as a judge's and gets a judgement.

    with ModelServer(Behaviour(latency_s=0.1)) as server: ... server.url, server.ledger
    python -m tests.support.model_server --port 0 --latency-ms 100
"""

import argparse
import asyncio
import hashlib
import json
import signal
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from aiohttp import web

from gate.calls.providers.fake import count_tokens, judge_reply, oracle_answer
from tests.support.agent_wire import Calls, Talk, talk_of, with_calls
from tests.support.chaos import Chaos
from tests.support.faults import FAULTS, faulty
from tests.support.model_wire import (
    Asked,
    Entry,
    anthropic_reply,
    openai_reply,
    read_anthropic,
    read_openai,
    read_responses,
    responses_reply,
)

MEETING_S = 10.0
"""Seconds that a judge's request waits for the others."""
CACHE_STEP = 128
"""OpenAI's cached tokens come in steps of so many."""


@dataclass(frozen=True, slots=True)
class Raw:
    """A reply sent as it is, whatever was asked."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How the server answers; replace `server.behaviour` to change it.

    Args:
        latency_s: seconds before each good reply, or until the behaviour is replaced.
        faults: what the first attempts of every request meet, in order; see `tests.support.faults`.
        retry_after: the header that comes with a 429 or 529.
        fresh_token_s: further seconds for each input token that no cache had.
        cache_min_tokens: shortest prefix of a system prompt that the cache takes.
        raw: sent instead of an answer.
        model_id: the model that replies name; empty for the one that was asked.
        worse: share of the answers that would be right and are wrong all the same.
        slowdown_s: further seconds for each request that came before.
        chaos: faults by the dice, where `faults` are used up.
        capacity: requests at once, above which the answer is 429; None takes all.
        headers: sent with each good reply.
        answer: what a model says to a system prompt and a user message; None for that of `gate.calls.providers.fake`.
        talk: what a model that may call tools says to a conversation: a text, or calls; None where it has no script.
        judgement: what a judge says to a system prompt and a user message; None for an honest judge.
        refuses: requests that a content filter refuses, every time.
        refusal: what a server says to a request that it does not take; None where it takes it.
        shape: the form of a server's replies, from that of the interface.
        judges_at_once: requests of judges that have to be there before any of them is answered; one that waits in vain
            is refused.
    """

    latency_s: float = 0.0
    faults: tuple[str, ...] = ()
    retry_after: str = "0.01"
    fresh_token_s: float = 0.0
    cache_min_tokens: int = 1024
    raw: Raw | None = None
    model_id: str = ""
    slowdown_s: float = 0.0
    worse: float = 0.0
    chaos: Chaos | None = None
    capacity: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    answer: Callable[[str, str], str] | None = None
    judgement: Callable[[str, str], str] | None = None
    refuses: Callable[[Asked], bool] | None = None
    judges_at_once: int = 1
    talk: Callable[[Talk], str | Calls] | None = None
    refusal: Callable[[dict[str, Any]], Raw | None] | None = None
    shape: Callable[[dict[str, Any]], dict[str, Any]] | None = None


class ModelServer:
    """The server on a thread and an event loop of its own.

    Args:
        behaviour: how it answers.
        port: 0 for a free one.
    """

    def __init__(self, behaviour: Behaviour | None = None, port: int = 0) -> None:
        self.behaviour = behaviour or Behaviour()
        self.ledger: list[Entry] = []
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.requests = 0
        self.in_flight = self.most_in_flight = 0
        self._port = port
        self._attempts: dict[bytes, int] = {}
        self._answered: dict[tuple[str, str], int] = {}
        self._warm: set[tuple[str, str, str]] = set()
        self._meeting: asyncio.Barrier | None = None
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="model-server", daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> Self:
        self._thread.start()
        if not self._ready.wait(10):
            raise RuntimeError("the server did not start")
        return self

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def forget(self) -> None:
        """Start anew: empty ledger, cold cache, default behaviour."""
        self.behaviour = Behaviour()
        self.requests = self.most_in_flight = 0
        self._meeting = None
        for store in (self.ledger, self.bodies, self.headers, self._attempts, self._answered, self._warm):
            store.clear()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        # A client that gives up frees its place here, too.
        runner = web.AppRunner(self._app(), access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
        self._loop.run_until_complete(runner.setup())
        site = web.TCPSite(runner, "127.0.0.1", self._port, backlog=4096)
        self._loop.run_until_complete(site.start())
        self._port = runner.addresses[0][1]
        self._ready.set()
        self._loop.run_forever()
        hanging = asyncio.all_tasks(self._loop)
        for task in hanging:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*hanging, return_exceptions=True))
        self._loop.run_until_complete(runner.cleanup())
        self._loop.close()

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/chat/completions", self._openai)
        app.router.add_post("/openai/deployments/{model}/chat/completions", self._openai)
        app.router.add_post("/v1/responses", self._responses)
        app.router.add_post("/v1/messages", self._anthropic)
        app.router.add_get("/ledger", self._show)
        return app

    async def _show(self, _: web.Request) -> web.Response:
        return web.json_response([asdict(entry) for entry in self.ledger])

    async def _openai(self, request: web.Request) -> web.StreamResponse:
        return await self._handle(request, read_openai, openai_reply)

    async def _responses(self, request: web.Request) -> web.StreamResponse:
        return await self._handle(request, read_responses, responses_reply)

    async def _anthropic(self, request: web.Request) -> web.StreamResponse:
        return await self._handle(request, read_anthropic, anthropic_reply)

    async def _handle(
        self,
        request: web.Request,
        read: Callable[[dict[str, Any]], Asked],
        reply: Callable[[Entry], dict[str, Any]],
    ) -> web.StreamResponse:
        body = await request.read()
        self.requests += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            if fault := self._next_fault(body):
                return await faulty(fault, request, self.behaviour.retry_after)
            data = json.loads(body)
            self.bodies.append(data)
            self.headers.append(dict(request.headers))
            if wait := self.behaviour.latency_s + self.behaviour.slowdown_s * self.requests:
                await self._wait(wait)
            if raw := self.behaviour.raw:
                return web.Response(status=raw.status, body=raw.body, headers=raw.headers)
            if self.behaviour.refusal and (raw := self.behaviour.refusal(data)):
                return web.Response(status=raw.status, body=raw.body, headers=raw.headers)
            asked = read(data)
            if self.behaviour.refuses and self.behaviour.refuses(asked):
                return await faulty("refused", request, self.behaviour.retry_after)
            if asked.judging and not await self._met():
                return await faulty("alone", request, self.behaviour.retry_after)
            said = self.behaviour.talk(talk_of(data)) if self.behaviour.talk and not asked.judging else None
            entry = self._answer(asked, said if isinstance(said, str) else None if said is None else "")
            if wait := self.behaviour.fresh_token_s * entry.input_tokens:
                await asyncio.sleep(wait)
            calls = said if isinstance(said, list) else []
            wire = with_calls(reply(entry), calls, self.requests)
            text, headers = (
                json.dumps(self.behaviour.shape(wire) if self.behaviour.shape else wire),
                self.behaviour.headers,
            )
            return web.Response(body=text.encode(), content_type="application/json", headers=headers)
        finally:
            self.in_flight -= 1

    async def _met(self) -> bool:
        """Did so many judges ask at once?"""
        if self._meeting is None:
            self._meeting = asyncio.Barrier(self.behaviour.judges_at_once)
        try:
            async with asyncio.timeout(MEETING_S):
                await self._meeting.wait()
        except TimeoutError:
            return False
        return True

    async def _wait(self, seconds: float) -> None:
        behaviour, ends = self.behaviour, time.monotonic() + seconds
        while self.behaviour is behaviour and (left := ends - time.monotonic()) > 0:  # noqa: ASYNC110 tests replace it from another thread
            await asyncio.sleep(min(left, 0.2))

    def _next_fault(self, body: bytes) -> str | None:
        faults, chaos, capacity = self.behaviour.faults, self.behaviour.chaos, self.behaviour.capacity
        if capacity is not None and self.in_flight > capacity:
            return "429"
        if not faults and chaos is None:
            return None
        key = hashlib.sha256(body).digest()
        attempt = self._attempts.get(key, 0)
        self._attempts[key] = attempt + 1
        if attempt < len(faults):
            return faults[attempt]
        return chaos.fault(body, attempt) if chaos else None

    def _answer(self, asked: Asked, said: str | None = None) -> Entry:
        key = (asked.system, asked.user)
        index = self._answered.get(key, 0) if asked.seed is None else asked.seed
        self._answered[key] = self._answered.get(key, 0) + 1
        if said is not None:
            text = said
        elif asked.judging:
            text = self._judgement(asked)
        elif self.behaviour.answer is not None:
            text = self.behaviour.answer(asked.system, asked.user)
        else:
            text = oracle_answer(asked.system, asked.user, index)
        dice = hashlib.sha256(f"{asked.user} {index}".encode()).digest()
        if not asked.judging and dice[0] < 256 * self.behaviour.worse:
            text = "wrong"
        prefix, rest = count_tokens(asked.system), count_tokens(asked.user)
        read, write = self._cached(asked, prefix)
        entry = Entry(
            path=asked.path,
            model=self.behaviour.model_id or asked.model,
            system=asked.system,
            user=asked.user,
            text=text,
            index=index,
            right=None if asked.judging else text != "wrong",
            input_tokens=prefix + rest - read - write,
            cache_read_tokens=read,
            cache_write_tokens=write,
            output_tokens=count_tokens(text),
        )
        self.ledger.append(entry)
        return entry

    def _judgement(self, asked: Asked) -> str:
        if self.behaviour.judgement is not None:
            return self.behaviour.judgement(asked.system, asked.user)
        return judge_reply(asked.schema, asked.system, asked.user)

    def _cached(self, asked: Asked, prefix: int) -> tuple[int, int]:
        """Tokens read from and written to the cache: whole marked prompts, or the longest start in OpenAI's steps."""
        if not asked.cached or prefix < self.behaviour.cache_min_tokens:
            return 0, 0
        if asked.path != "/v1/chat/completions":
            place = (asked.path, asked.model, asked.system)
            found = place in self._warm
            self._warm.add(place)
            return (prefix, 0) if found else (0, prefix)
        starts = [
            (asked.path, asked.model, asked.system[: 4 * end]) for end in range(CACHE_STEP, prefix + 1, CACHE_STEP)
        ]
        warm = sum(start in self._warm for start in starts) * CACHE_STEP
        self._warm.update(starts)
        return (warm, 0) if warm >= self.behaviour.cache_min_tokens else (0, 0)


def main() -> None:
    """Serve until interrupted; the first line printed is the address."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency-ms", type=float, default=0.0)
    parser.add_argument("--faults", default="", help=f"comma-separated, of {', '.join(FAULTS)}")
    options = parser.parse_args()
    faults = tuple(fault for fault in options.faults.split(",") if fault)
    if set(faults) - set(FAULTS):
        parser.error(f"--faults knows {', '.join(FAULTS)}")
    with ModelServer(Behaviour(latency_s=options.latency_ms / 1000.0, faults=faults), options.port) as server:
        print(server.url, flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    main()
