"""Client of a Prompt Gate server, and the upload of a run."""

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
"""Longest wait for a server: a large run takes a while to be written."""
_CONNECT_S = 30.0
_LARGEST_ANSWER = 2**20
_SAID_CHARS = 500


class Unreachable(Exception):
    """No answer came, so that another attempt may help; the text says why."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Reply of a server.

    Args:
        status: of HTTP.
        headers: with lower-case names.
        body: a JSON object; else empty.
    """

    status: int
    headers: Mapping[str, str]
    body: Json

    @property
    def said(self) -> str:
        """The server's own message about an error."""
        words = [text for name in ("detail", "hint") if isinstance(text := self.body.get(name), str) and text]
        return printable(" ".join(words))[:_SAID_CHARS]


@dataclass(frozen=True, slots=True)
class Upload:
    """The body of a request.

    Args:
        kind: media type.
        size: bytes.
        parts: bytes, made anew each time that it is sent.
    """

    kind: str
    size: int
    parts: Iterable[bytes]


@dataclass(frozen=True, slots=True)
class Server:
    """Address of a server.

    Args:
        host: without brackets.
        port: None for the default.
        prefix: path below which everything is; without a slash at its end.
        token: empty for none.
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
            token: empty for none.
            insecure: allow a token over an unencrypted network.

        Raises:
            GateError: the address is invalid or holds a password, or the token would be readable on the network.
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
        """Is it on this machine?"""
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
        """Send one request to a path below the prefix, and wait for the answer.

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
        """The environment's proxy for encrypted connections."""
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
    """The upload of a run; read anew each time that it is iterated over.

    Args:
        head: the text in front of each file, and that file with its size.
        tail: the end of the body.
        edge: between the parts.
        shown: is called with the bytes read so far, and their total.
    """

    head: tuple[tuple[bytes, _File], ...]
    tail: bytes
    edge: str
    shown: Callable[[int, int], None]

    @classmethod
    def of(cls, run: Path, samples: Path | None, origin: str, shown: Callable[[int, int], None]) -> "RunParcel":
        """A run and its samples.

        Args:
            run: `run.json`.
            samples: `samples.jsonl`; None without them.
            origin: of the run, in JSON.
            shown: is called with the bytes read so far, and their total.
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
    """Exactly so many bytes of a file, whose length was announced."""
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
