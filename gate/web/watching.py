"""Outermost: every request gets an id, is told to whoever watches, and a fault of the program becomes a plain page."""

import secrets
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gate.web.api.problems import ApiError
from gate.web.guards import HEADERS
from gate.web.logs import Answered, Log
from gate.web.rendering import bare

ID = "x-request-id"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_STATIC = "/static"
_CLOSED = 499
"""The browser went away before the answer."""


@dataclass(slots=True)
class _Seen:
    """What is known of one answer so far."""

    id: str
    status: int = _CLOSED
    error: str = ""
    traceback: str = ""
    started: float = field(default_factory=time.perf_counter)


@dataclass(frozen=True, slots=True)
class Watched:
    """Wraps the application with its guards.

    Args:
        app: what answers.
        now: the time.
        watchers: each is told of every request once it is answered.
    """

    app: ASGIApp
    now: Callable[[], datetime]
    watchers: Sequence[Log]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one life of the server."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        seen = _Seen(secrets.token_hex(8))
        scope["state"] = {**scope.get("state", {}), "request_id": seen.id}
        try:
            await self.app(scope, receive, _noted(send, seen))
        except Exception as error:
            seen.error, seen.traceback = type(error).__name__, traceback.format_exc()
            if seen.status == _CLOSED:
                await failed(scope)(scope, receive, _noted(send, seen))
        finally:
            self._tell(scope, seen)

    def _tell(self, scope: Scope, seen: _Seen) -> None:
        state: dict[str, Any] = scope["state"]
        event = Answered(
            time=self.now(),
            request=seen.id,
            method=scope["method"] if scope["method"] in _METHODS else "other",
            route=_route(scope),
            status=seen.status,
            ms=(time.perf_counter() - seen.started) * 1000,
            person=getattr(state.get("person"), "name", ""),
            error=seen.error or str(state.get("trouble", "")),
            traceback=seen.traceback,
        )
        for watcher in self.watchers:
            watcher(event)


def _route(scope: Scope) -> str:
    """The template, never what was asked: addresses hold names, and there is no end to those that nobody serves."""
    template = getattr(scope.get("route"), "path", "")
    if not template and scope["path"].startswith(f"{_STATIC}/"):
        return _STATIC
    return str(template)


def _noted(send: Send, seen: _Seen) -> Send:
    async def said(message: Message) -> None:
        if message["type"] == "http.response.start":
            seen.status = message["status"]
            MutableHeaders(raw=message["headers"])[ID] = seen.id
        await send(message)

    return said


def failed(scope: Scope) -> Response:
    """Says nothing of what went wrong: that is in the log, under the id of the request.

    Args:
        scope: of the request.
    """
    id = request_id(scope)
    headers = {**HEADERS, "cache-control": "no-store"}
    if scope["path"].startswith("/api/"):
        hint = "its log says why, under the id of the request"
        return ApiError(500, "The server failed.", hint, headers).answer(id)
    return HTMLResponse(bare("failed.html.j2", id=id), 500, headers)


def request_id(scope: Scope) -> str:
    """The id of a request; empty where nobody watches."""
    return str(scope.get("state", {}).get("request_id", ""))
