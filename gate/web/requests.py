"""Checks of every request: host, size and headers; and submitted forms."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import Depends, Request
from python_multipart.multipart import parse_options_header
from starlette.datastructures import Headers, MutableHeaders, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gate.web.login import TrustedProxy

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names of this machine."""
FORM_BYTES = 2 * 2**20
"""Largest request to a page."""
RUN_BYTES = 512 * 2**20
"""Largest upload of a run."""
FILE_BYTES = 64 * 2**20
"""Largest upload of a case file."""
_MOST: Mapping[str, int] = MappingProxyType({"/api/v1/runs": RUN_BYTES, "/suite/import": FILE_BYTES})
PROBES = frozenset({"/healthz", "/readyz"})
"""Health probes: any host is allowed, because the answer holds no data."""
_CHARSETS = frozenset({b"utf-8", b"utf8"})
_THROWN_AWAY = 64 * 2**20
"""Bytes read and discarded of a request that is too large: browsers show an answer only after they sent it."""

HEADERS: Mapping[str, str] = MappingProxyType(
    {
        # No foreign content, no inline scripts, no framing.
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
    """The request is larger than `most` bytes."""

    def __init__(self, most: int) -> None:
        message = f"The request is larger than {most // 2**20} MiB. Nothing was saved. Go back and send less at once."
        super().__init__(413, message)


@dataclass(frozen=True, slots=True)
class RequestChecks:
    """Checks requests before the application; `proxy` is the only allowed sender, None allows all."""

    app: ASGIApp
    hosts: Collection[str]
    proxy: TrustedProxy | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, or the server's lifespan."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["path"] not in PROBES:
            if self.proxy is not None and not self.proxy.sent(scope):
                message = "This server accepts requests only from its proxy (GATE_PROXY_ADDRESSES).\n"
                await PlainTextResponse(message, 403, dict(HEADERS))(scope, receive, send)
                return
            if reason := self._refused(scope):
                await PlainTextResponse(f"{reason}\n", 400, dict(HEADERS))(scope, receive, send)
                return
        most = _MOST.get(scope["path"], FORM_BYTES) if scope["method"] == "POST" else FORM_BYTES
        await self.app(scope, _counted(receive, most), _with_headers(send))

    def _refused(self, scope: Scope) -> str:
        """Why a request is refused. The host is checked against DNS rebinding."""
        headers = Headers(scope=scope)
        host = host_of(headers)
        if host not in self.hosts:
            return f"This server does not accept the host name {json.dumps(host[:100])}. Use the address from --url."
        if _charset(headers) not in _CHARSETS:
            return "This server accepts UTF-8 only."
        return ""


def host_of(headers: Headers) -> str:
    """The host name in the request, without the port."""
    name = headers.get("host", "").lower()
    host, colon, port = name.rpartition(":")
    return (host if colon and port.isdecimal() else name).strip("[]")


def _charset(headers: Headers) -> bytes:
    """The encoding in which the parser would read a multipart form.

    The request chooses it, and some of Python's encodings take minutes for a form or do not decode to text.
    """
    _, options = parse_options_header(headers.get("content-type"))
    return options.get(b"charset", b"utf-8").lower()


def _counted(receive: Receive, most: int) -> Receive:
    """Ends a request that is longer than allowed, before it fills the memory."""
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


FIELDS = 20_000
"""Limit of fields of one form."""
_PART_BYTES = FILE_BYTES


@dataclass(frozen=True, slots=True)
class SentForm:
    """A submitted form; `fields` have all their values in order, with Unix line ends."""

    fields: Mapping[str, tuple[str, ...]]
    files: Mapping[str, tuple[str, bytes]]

    def one(self, name: str, default: str = "") -> str:
        """The last value of a field."""
        return self.fields.get(name, (default,))[-1]

    def every(self, name: str) -> tuple[str, ...]:
        """All values of a field."""
        return self.fields.get(name, ())

    def number(self, name: str) -> int:
        """A whole number from 0; anything else is 0."""
        typed = self.one(name)
        return int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 10 else 0


URLENCODED, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"


def media_type(request: Request) -> str:
    """The media type of a body, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def _sent(request: Request) -> SentForm:
    """The form of a request."""
    kind = media_type(request)
    try:
        if kind == MULTIPART:
            return await _multipart(request)
        body = await request.body()
    except ClientDisconnect:
        raise _cut_off() from None
    if body and kind != URLENCODED:
        raise HTTPException(415, "This page accepts forms only.")
    return SentForm(_collected(_pairs(body)), {})


Form = Annotated[SentForm, Depends(_sent)]


def _pairs(body: bytes) -> list[tuple[str, str]]:
    try:
        return parse_qsl(
            body.decode("ascii"), keep_blank_values=True, encoding="utf-8", errors="strict", max_num_fields=FIELDS
        )
    except UnicodeDecodeError:
        raise _not_text() from None
    except ValueError:
        raise HTTPException(413, f"The form has more than {FIELDS:,} fields.") from None


class WholeForm(MultiPartParser):
    """Records whether the last boundary arrived: otherwise the form was cut off."""

    ended = False

    def on_end(self) -> None:
        self.ended = True


async def _multipart(request: Request) -> SentForm:
    # The parser would guess an encoding for bytes that are not UTF-8. As Latin-1 it keeps them all.
    headers = Headers({"content-type": f"{request.headers['content-type']}; charset=latin-1"})
    parser = WholeForm(headers, request.stream(), max_files=1, max_fields=FIELDS, max_part_size=_PART_BYTES)
    try:
        form = await parser.parse()
    except MultiPartException as bad:
        raise HTTPException(400, f"The form cannot be read: {bad.message} Nothing was saved.") from None
    try:
        if not parser.ended:
            raise _cut_off()
        pairs = [(_utf8(name), _utf8(value)) for name, value in form.multi_items() if isinstance(value, str)]
        files = {
            _utf8(name): (_utf8(value.filename or ""), await value.read())
            for name, value in form.multi_items()
            if isinstance(value, UploadFile)
        }
    finally:
        await form.close()
    return SentForm(_collected(pairs), files)


def _utf8(text: str) -> str:
    """A text whose bytes were read as Latin-1."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        raise _not_text() from None


def _collected(pairs: list[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value.replace("\r\n", "\n").replace("\r", "\n"))
    return {name: tuple(values) for name, values in found.items()}


def _cut_off() -> HTTPException:
    return HTTPException(400, "The form was cut off. Nothing was saved. Go back and send it again.")


def _not_text() -> HTTPException:
    return HTTPException(400, "The form is not UTF-8 text. Nothing was saved. Go back and send it again.")
