"""Errors as pages or API problems; every request gets an id and is logged."""

import secrets
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from anyio.to_thread import run_sync
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gate.errors import CannotEvaluate, GateError
from gate.store.access import STRANGER
from gate.web import addresses
from gate.web.api.http import ApiError, api_error_of
from gate.web.logs import AnsweredRequest, Log
from gate.web.rendering import bare_page, page, redirect
from gate.web.requests import HEADERS
from gate.web.site import Moved, Refused, site_of

ID = "x-request-id"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_STATIC = "/static"
_CLOSED = 499
"""The browser disconnected before the answer."""


@dataclass(slots=True)
class _Seen:
    """State of one answer."""

    id: str
    status: int = _CLOSED
    error: str = ""
    traceback: str = ""
    started: float = field(default_factory=time.perf_counter)


@dataclass(frozen=True, slots=True)
class WatchedApp:
    """Logs requests of the application."""

    app: ASGIApp
    now: Callable[[], datetime]
    watchers: Sequence[Log]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, or the server's lifespan."""
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
                await fault_page(scope)(scope, receive, _noted(send, seen))
        finally:
            self._tell(scope, seen)

    def _tell(self, scope: Scope, seen: _Seen) -> None:
        state: dict[str, Any] = scope["state"]
        event = AnsweredRequest(
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
    """The route's template; an address holds names and has no limited set of values."""
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


def fault_page(scope: Scope) -> Response:
    """Error page without details; the log has them under the request id."""
    id = request_id(scope)
    headers = {**HEADERS, "cache-control": "no-store"}
    if scope["path"].startswith("/api/"):
        hint = "the server's log has the cause under this request id"
        return ApiError(500, "Server error.", hint, headers).answer(id)
    return HTMLResponse(bare_page("failed.html.j2", id=id), 500, headers)


def request_id(scope: Scope) -> str:
    """The id of a request; empty without a log."""
    return str(scope.get("state", {}).get("request_id", ""))


API_PREFIX = "/api/"
EXPECTED = (ApiError, Moved, Refused, HTTPException, RequestValidationError, GateError)
"""All other exceptions are bugs."""
_TITLES = {
    401: "Please log in",
    403: "Not allowed",
    404: "Page not found",
    405: "Page not found",
    413: "Too large",
    503: "The store is not available",
}


async def error_response(request: Request, error: Exception) -> Response:
    """The answer to a request that met an expected error."""
    if isinstance(error, Moved):
        return redirect(error.address)
    if isinstance(error, CannotEvaluate):
        request.state.trouble = error.message
        if site_of(request).login is not None:
            if not hasattr(request.state, "person"):
                # The store did not answer whose session it is.
                request.state.person = STRANGER
            # The page is public: details go to the log only.
            error = CannotEvaluate("The store is not available.", "Try again in a moment.")
    if request.url.path.startswith(API_PREFIX) or isinstance(error, ApiError):
        return api_error_of(error).answer(request_id(request.scope))
    if isinstance(error, Refused) and error.first and request.method in ("GET", "HEAD"):
        return RedirectResponse(addresses.after(error.first, request.url.path, request.url.query), 303)
    status, message, hint = _explained(error)
    shown = {"message": message, "hint": hint, "logged_out": status == 401, "request_id": request_id(request.scope)}
    shown["resent"] = request.method == "POST" and status in (401, 503)
    return await run_sync(partial(page, request, "error.html.j2", status, title=_TITLES.get(status, "Error"), **shown))


async def fault_response(request: Request, error: Exception) -> Response:
    """The answer to a request that met a fault of the program; the exception itself reaches the log."""
    return fault_page(request.scope)


def _explained(error: Exception) -> tuple[int, str, str]:
    match error:
        case Refused(status=401):
            return 401, "You are not logged in.", "Log in in another tab, then reload this page."
        case Refused():
            return error.status, error.message, ""
        case HTTPException(status_code=404 | 405):
            return (
                error.status_code,
                "This page does not exist. It may have been deleted or renamed.",
                "Go back and reload the list.",
            )
        case HTTPException():
            return error.status_code, str(error.detail), ""
        case RequestValidationError():
            return 422, "The address has an invalid parameter.", "Go back and try again."
        case CannotEvaluate():
            return 503, error.message, error.hint
        case GateError():
            return 422, error.message, error.hint
    raise error
