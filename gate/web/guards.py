"""What every request has to pass: the name that it calls us by, its size, and the headers that every answer gets."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from python_multipart.multipart import parse_options_header
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gate.web.login import TrustedProxy

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names of this machine for itself."""
FORM_BYTES = 2 * 2**20
"""Of a request to a page."""
RUN_BYTES = 512 * 2**20
"""Of a run that is pushed."""
FILE_BYTES = 64 * 2**20
"""Of a case file that is uploaded."""
_MOST: Mapping[str, int] = MappingProxyType({"/api/v1/runs": RUN_BYTES, "/suite/import": FILE_BYTES})
PROBES = frozenset({"/healthz", "/readyz"})
"""Who looks after machines calls them by their addresses; nothing of a store is in the answer."""
_CHARSETS = frozenset({b"utf-8", b"utf8"})
_THROWN_AWAY = 64 * 2**20
"""Of a request that is too long: a browser shows no answer before it has sent that much."""

HEADERS: Mapping[str, str] = MappingProxyType(
    {
        # Nothing loads from elsewhere, nothing runs that is not a file of ours, nobody frames us.
        "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
    }
)


class TooLarge(HTTPException):
    """The request is longer than it may be.

    Args:
        most: bytes.
    """

    def __init__(self, most: int) -> None:
        told = f"The request is larger than {most // 2**20} MiB. Nothing was saved: go back, and send less at once."
        super().__init__(413, told)


@dataclass(frozen=True, slots=True)
class Guards:
    """Wraps the application.

    Args:
        app: what answers a request that passed.
        hosts: names that a browser may call us by, without ports.
        proxy: that alone may send requests, and names the person; None lets everybody.
    """

    app: ASGIApp
    hosts: Collection[str]
    proxy: TrustedProxy | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one life of the server."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["path"] not in PROBES:
            if self.proxy is not None and not self.proxy.sent(scope):
                told = "This server takes requests only from its proxy (GATE_PROXY_ADDRESSES).\n"
                await PlainTextResponse(told, 403, dict(HEADERS))(scope, receive, send)
                return
            if reason := self._refused(scope):
                await PlainTextResponse(f"{reason}\n", 400, dict(HEADERS))(scope, receive, send)
                return
        most = _MOST.get(scope["path"], FORM_BYTES) if scope["method"] == "POST" else FORM_BYTES
        await self.app(scope, _counted(receive, most), _with_headers(send))

    def _refused(self, scope: Scope) -> str:
        """A page elsewhere may have its name point to this machine, and would then be told everything."""
        headers = Headers(scope=scope)
        host = host_of(headers)
        if host not in self.hosts:
            return f"This server does not answer to the name {json.dumps(host[:100])}; its address is that of --url."
        if _charset(headers) not in _CHARSETS:
            return "This server reads text in UTF-8 alone."
        return ""


def host_of(headers: Headers) -> str:
    """The name that a browser calls us by, without the port."""
    name = headers.get("host", "").lower()
    host, colon, port = name.rpartition(":")
    return (host if colon and port.isdecimal() else name).strip("[]")


def _charset(headers: Headers) -> bytes:
    """The encoding that a form of several parts would be read in, as its parser finds it.

    A stranger names it, and some that Python knows take minutes for a form, or give what is no text.
    """
    _, options = parse_options_header(headers.get("content-type"))
    return options.get(b"charset", b"utf-8").lower()


def _counted(receive: Receive, most: int) -> Receive:
    """Ends a request that is longer than it said, before it fills the memory."""
    counted = 0

    async def heard() -> Message:
        nonlocal counted
        message = await receive()
        counted += len(message.get("body", b""))
        while counted > most and message.get("more_body") and counted < most + _THROWN_AWAY:
            message = await receive()
            counted += len(message.get("body", b""))
        if counted > most:
            raise TooLarge(most)
        return message

    return heard


def _with_headers(send: Send) -> Send:
    async def said(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = MutableHeaders(raw=message["headers"])
            for name, value in HEADERS.items():
                given.setdefault(name, value)
            given.setdefault("cache-control", "no-store")
        await send(message)

    return said
