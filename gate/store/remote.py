"""Client of a Prompt Gate server, and the upload of a run."""

import ipaddress
import json
import os
import ssl
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

import httpx2

from gate.config.documents import printable, quoted
from gate.errors import GateError

SILENCE_S = 300.0
"""Longest wait for a server: a large run takes a while to be written."""
_CONNECT_S = 30.0
_LARGEST_ANSWER = 2**20
_SAID_CHARS = 500


class Unreachable(Exception):
    """No answer came, so a retry may help; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Reply of a server; the body is a JSON object, or empty."""

    status: int
    headers: Mapping[str, str]
    body: Mapping[str, object]

    @property
    def message(self) -> str:
        """The error message of the server."""
        words = [text for name in ("detail", "hint") if isinstance(text := self.body.get(name), str) and text]
        return printable(" ".join(words))[:_SAID_CHARS]


@dataclass(frozen=True, slots=True)
class RunUpload:
    """A run to send.

    Args:
        samples: `samples.jsonl`; None without samples.
        origin: JSON of the run's context.
        shown: called with the bytes sent so far and the total.
    """

    run: Path
    samples: Path | None
    origin: str
    shown: Callable[[int, int], None]

    @property
    def files(self) -> dict[str, Path]:
        """Files by the names of their parts in the request."""
        return {"run": self.run} | ({} if self.samples is None else {"samples": self.samples})

    @property
    def size(self) -> int:
        """Total bytes of the files."""
        try:
            return sum(path.stat().st_size for path in self.files.values())
        except OSError as error:
            raise _unreadable(error) from None

    def parts(self, stack: ExitStack) -> dict[str, Any]:
        """Files as httpx2 takes them; the stack closes them."""
        sent, files = _Sent(self.shown, self.size), {}
        try:
            for name, path in self.files.items():
                files[name] = (name, _Counted(path, stack.enter_context(path.open("rb")), sent, path.stat().st_size))
        except OSError as error:
            raise _unreadable(error) from None
        return {"data": {"origin": self.origin}, "files": files}


@dataclass(slots=True)
class _Sent:
    shown: Callable[[int, int], None]
    whole: int
    done: int = 0


@dataclass(slots=True)
class _Counted:
    """A file that counts the bytes read, and raises if its size differs from the announced one."""

    path: Path
    file: BinaryIO
    sent: _Sent
    size: int

    def fileno(self) -> int:
        return self.file.fileno()

    def read(self, size: int = -1) -> bytes:
        block = self.file.read(size)
        if os.fstat(self.fileno()).st_size != self.size:
            raise GateError(f"{self.path} changed while it was sent", "push again when the run is finished")
        self.sent.done += len(block)
        self.sent.shown(self.sent.done, self.sent.whole)
        return block


def _unreadable(error: OSError) -> GateError:
    return GateError(f"cannot read {error.filename}: {error.strerror}")


@dataclass(frozen=True, slots=True)
class Server:
    url: str
    token: str = field(default="", repr=False)

    @classmethod
    def at(cls, url: str, token: str = "", *, insecure: bool = False) -> "Server":
        """The server at an address; `insecure` allows a token over an unencrypted network.

        Raises:
            GateError: the address is invalid or holds a password, or the token would be readable on the network.
        """
        wrong = GateError(
            f"{quoted(url)} is not the address of a server", "give its full address, such as https://gate.example.org"
        )
        try:
            parts = urlsplit(url)
            parts.port  # noqa: B018  # raises if it is invalid
        except ValueError:
            raise wrong from None
        if parts.username or parts.password:
            raise GateError("the server's address contains a user name or password", "put the token into GATE_TOKEN")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise wrong
        if not url.isascii() or not url.isprintable() or " " in url:
            raise wrong
        plain = url.rstrip("/")
        if token and parts.scheme == "http" and not insecure and not _on_this_machine(parts.hostname):
            message = f"{plain} is not encrypted, so others could read the token"
            raise GateError(message, "use https, or --insecure if you trust the network")
        return cls(plain, token)

    def ask(self, method: str, path: str, upload: RunUpload | None = None) -> Reply:
        """Send one request to a path below the address, and wait for the answer; no redirect is followed.

        Raises:
            Unreachable: no answer came.
            GateError: the server's certificate is not trusted, or a file changed while it was sent.
        """
        headers = {"accept": "application/json", "accept-encoding": "identity", "user-agent": "prompt-gate"}
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        try:
            with ExitStack() as stack:
                body = {} if upload is None else upload.parts(stack)
                client = stack.enter_context(self._client())
                return _reply(stack.enter_context(client.stream(method, f"{self.url}{path}", headers=headers, **body)))
        except httpx2.TimeoutException:
            raise Unreachable("it does not answer in time") from None
        except httpx2.TransportError as error:
            raise self._converted_error(error) from None

    def _client(self) -> httpx2.Client:
        timeout = httpx2.Timeout(SILENCE_S, connect=_CONNECT_S)
        # To read all trusted certificates takes longer than a request on the own machine.
        plain = urlsplit(self.url).scheme == "http"
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else ssl.create_default_context()
        # The proxy of the environment is used only for https: over http it could read the token.
        return httpx2.Client(verify=tls, trust_env=False, timeout=timeout, proxy=self._proxy())

    def _proxy(self) -> str | None:
        parts = urlsplit(self.url)
        found = urllib.request.getproxies().get("https", "")
        if parts.scheme == "http" or not found or urllib.request.proxy_bypass(str(parts.hostname)):
            return None
        return found if "//" in found else f"http://{found}"

    def _converted_error(self, error: Exception) -> Exception:
        """Our error for an error of the client, by its causes."""
        cause = next((one for one in _causes(error) if isinstance(one, OSError)), None)
        if isinstance(cause, ssl.SSLCertVerificationError):
            hint = "set SSL_CERT_FILE to the certificate of its issuer"
            return GateError(f"the certificate of {self.url} is not trusted: {cause.verify_message}", hint)
        if isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError | ssl.SSLZeroReturnError):
            return GateError(f"{self.url} does not speak TLS: {cause.reason or 'no handshake'}", "try http")
        why = (cause and cause.strerror) or str(error) or "it closed the connection"
        return Unreachable(
            printable(f"the proxy reported {why}" if isinstance(error, httpx2.ProxyError) else why)[:200]
        )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _on_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _reply(answer: httpx2.Response) -> Reply:
    data = next(answer.iter_raw(_LARGEST_ANSWER + 1), b"")
    try:
        body = json.loads(data) if len(data) <= _LARGEST_ANSWER else None
    except (ValueError, RecursionError):
        body = None
    return Reply(answer.status_code, answer.headers, body if isinstance(body, dict) else {})
