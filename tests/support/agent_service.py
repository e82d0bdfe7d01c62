"""An HTTP agent on loopback with replies chosen by the test."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from typing import Any, Self

from aiohttp import web

Answering = Callable[[dict[str, Any], web.Request], Awaitable[web.StreamResponse]]


async def polite(asked: dict[str, Any], _: web.Request) -> web.StreamResponse:
    """The reply of a good agent."""
    text = f"you said {asked['text']}" if asked["type"] == "send" else ""
    return web.json_response({"type": "answer", "text": text} if text else {"type": "ok"})


class AgentService:
    """The service, on its own thread and event loop.

    Args:
        answering: makes the reply to each message.
    """

    def __init__(self, answering: Answering = polite) -> None:
        self.answering = answering
        self.heard: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self.url = ""

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(10):
            raise RuntimeError("the service did not start")
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    @property
    def kinds(self) -> list[str]:
        return [one["type"] for one in self.heard]

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        asked = json.loads(await request.read())
        self.heard.append(asked)
        self.headers.append(dict(request.headers))
        return await self.answering(asked, request)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/agent", self._handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
        self._loop.run_until_complete(runner.setup())
        self._loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", 0).start())
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/agent"
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())
        self._loop.close()
