"""A Prompt Gate server as a client sees it, and a run as the upload that it takes."""

import http.client
import ipaddress
import json
import os
import secrets
import ssl
import urllib.request
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias
from urllib.parse import SplitResult, unquote, urlsplit

from gate.config.documents import printable, quoted
from gate.errors import GateError

Json: TypeAlias = Mapping[str, object]
SILENCE_S = 300.0
"""Of a server, at most: a large run takes a while to be written."""
_CONNECT_S = 30.0
_LARGEST_ANSWER = 2**20
_SAID_CHARS = 500


class Unreachable(Exception):
    """No answer came; asking again may help. The text says why."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server said.

    Args:
        status: of HTTP.
        headers: with small letters.
        body: what it holds, where it is a JSON object; else empty.
    """

    status: int
    headers: Mapping[str, str]
    body: Json

    @property
    def said(self) -> str:
        """What went wrong, in the server's words."""
        words = [text for name in ("detail", "hint") if isinstance(text := self.body.get(name), str) and text]
        return printable(" ".join(words))[:_SAID_CHARS]


@dataclass(frozen=True, slots=True)
class Upload:
    """The body of a request.

    Args:
        kind: its media type.
        size: bytes.
        parts: bytes, anew each time that it is sent.
    """

    kind: str
    size: int
    parts: Iterable[bytes]


@dataclass(frozen=True, slots=True)
class Server:
    """Where a server is.

    Args:
        scheme: `http` or `https`.
        host: without brackets.
        port: None for the usual one.
        prefix: path that everything is below; without a slash at its end.
        token: that is sent; empty for none.
    """

    scheme: str
    host: str
    port: int | None
    prefix: str
    token: str = field(default="", repr=False)

    @classmethod
    def at(cls, url: str, token: str = "", *, insecure: bool = False) -> "Server":
        """The server at an address.

        Args:
            url: as somebody wrote it.
            token: that is sent; empty for none.
            insecure: send a token over a network that can read it.

        Raises:
            GateError: it is no address, holds a password, or would show the token to a network.
        """
        hint = "write https://gate.example.org"
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise GateError(f"{quoted(url)} is no address of a server", hint) from None
        if parts.username or parts.password:
            raise GateError("the server's address holds a name or a password", "put a token into GATE_TOKEN instead")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise GateError(f"{quoted(url)} is no address of a server", hint)
        if not url.isascii() or not url.isprintable() or " " in url:
            raise GateError(f"{quoted(url)} is no address of a server", hint)
        found = cls(parts.scheme, parts.hostname, port, parts.path.rstrip("/"), token)
        if token and parts.scheme == "http" and not insecure and not found.here:
            told = f"{found.url} is not encrypted: the token could be read on its way"
            raise GateError(told, "use https; or --insecure, where you trust every network between")
        return found

    @property
    def here(self) -> bool:
        """It is on this machine."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def url(self) -> str:
        """For readers."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}{'' if self.port is None else f':{self.port}'}{self.prefix}"

    def ask(self, method: str, path: str, upload: Upload | None = None) -> Reply:
        """Send one request, and wait for the answer.

        Args:
            method: of HTTP.
            path: below the prefix.
            upload: what is sent.

        Raises:
            Unreachable: no answer came.
            GateError: the server's certificate is not trusted.
        """
        headers = {"accept": "application/json", "user-agent": "prompt-gate"}
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        if upload is not None:
            headers |= {"content-type": upload.kind, "content-length": str(upload.size)}
        try:
            with closing(self._connected()) as connection:
                # A server that refuses may not read to the end; what it said is there all the same.
                with suppress(BrokenPipeError, ConnectionResetError):
                    body = None if upload is None else iter(upload.parts)
                    connection.request(method, f"{self.prefix}{path}", body, headers)
                return _reply(connection.getresponse())
        except ssl.SSLCertVerificationError as error:
            hint = "let SSL_CERT_FILE name the certificate of whoever signed it"
            raise GateError(f"the certificate of {self.url} is not trusted: {error.verify_message}", hint) from None
        except (ssl.SSLEOFError, ssl.SSLZeroReturnError):
            raise Unreachable("it closed the connection") from None
        except ssl.SSLError as error:
            raise GateError(f"{self.url} does not speak TLS: {error.reason or 'no handshake'}", "is it http?") from None
        except TimeoutError:
            raise Unreachable("it does not answer in time") from None
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(_why(error)) from None

    def _connected(self) -> http.client.HTTPConnection:
        if self.scheme == "http":
            return self._patient(http.client.HTTPConnection(self.host, self.port, timeout=_CONNECT_S))
        context, proxy = ssl.create_default_context(), self._proxy()
        if proxy is None:
            return self._patient(http.client.HTTPSConnection(self.host, self.port, timeout=_CONNECT_S, context=context))
        through = http.client.HTTPSConnection(
            str(proxy.hostname), proxy.port or 3128, timeout=_CONNECT_S, context=context
        )
        known = f"{unquote(proxy.username or '')}:{unquote(proxy.password or '')}"
        shown = {"proxy-authorization": f"Basic {b64encode(known.encode()).decode()}"} if known != ":" else {}
        through.set_tunnel(self.host, self.port or 443, shown)
        return self._patient(through)

    def _patient(self, connection: http.client.HTTPConnection) -> http.client.HTTPConnection:
        connection.connect()
        connection.sock.settimeout(SILENCE_S)
        return connection

    def _proxy(self) -> SplitResult | None:
        """Through which the environment wants encrypted connections to go; it sees no more of them than their end."""
        given = urllib.request.getproxies().get("https", "")
        if not given or urllib.request.proxy_bypass(self.host):
            return None
        parts = urlsplit(given if "//" in given else f"//{given}")
        return parts if parts.hostname else None


def _reply(answer: http.client.HTTPResponse) -> Reply:
    headers = {name.lower(): value for name, value in answer.getheaders()}
    data = answer.read(_LARGEST_ANSWER + 1)
    try:
        body = json.loads(data) if len(data) <= _LARGEST_ANSWER else None
    except (ValueError, RecursionError):
        body = None
    return Reply(answer.status, headers, body if isinstance(body, dict) else {})


def _why(error: OSError | http.client.HTTPException) -> str:
    if isinstance(error, http.client.HTTPException):
        return "it broke off in the middle of its answer"
    return printable(error.strerror or str(error) or type(error).__name__)[:200]


_BLOCK = 2**18
_File: TypeAlias = tuple[Path, int]


@dataclass(frozen=True, slots=True)
class RunParcel:
    """What is sent; each time that it is iterated over, it is read anew.

    Args:
        head: what stands in front of each file, and that file with its size.
        tail: what stands at the end.
        edge: between the parts.
        shown: is told how many bytes of how many were read.
    """

    head: tuple[tuple[bytes, _File], ...]
    tail: bytes
    edge: str
    shown: Callable[[int, int], None]

    @classmethod
    def of(cls, run: Path, samples: Path | None, origin: str, shown: Callable[[int, int], None]) -> "RunParcel":
        """A run and what lies beside it.

        Args:
            run: `run.json`.
            samples: `samples.jsonl`; None without them.
            origin: where the run comes from, in JSON.
            shown: is told how many bytes of how many were read.
        """
        edge = secrets.token_hex(16)
        named = {"run": run} | ({} if samples is None else {"samples": samples})
        start = f'--{edge}\r\ncontent-disposition: form-data; name="origin"\r\n\r\n{origin}\r\n'
        head = []
        for name, path in named.items():
            kind = f'content-disposition: form-data; name="{name}"; filename="{name}"'
            head.append((f"{start}--{edge}\r\n{kind}\r\n\r\n".encode(), (path, _size(path))))
            start = "\r\n"
        return cls(tuple(head), f"\r\n--{edge}--\r\n".encode(), edge, shown)

    @property
    def kind(self) -> str:
        """The media type."""
        return f"multipart/form-data; boundary={self.edge}"

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(len(head) + size for head, (_, size) in self.head) + len(self.tail)

    def __iter__(self) -> Iterator[bytes]:
        done, whole = 0, self.size
        for head, file in self.head:
            yield head
            for block in _blocks(*file):
                yield block
                done += len(block)
                self.shown(done, whole)
        yield self.tail


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise GateError(f"cannot read {path}: {error.strerror}") from None


def _blocks(path: Path, size: int) -> Iterator[bytes]:
    """So many bytes of a file: it was said how long it is."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size != size:
                raise GateError(f"{path} changed while it was sent", "repeat when the run is finished")
            while block := file.read(min(_BLOCK, size)):
                size -= len(block)
                yield block
    except OSError as error:
        raise GateError(f"cannot read {path}: {error.strerror}") from None
    if size:
        raise GateError(f"{path} changed while it was sent", "repeat when the run is finished")
