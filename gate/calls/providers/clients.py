"""The official SDKs' asynchronous clients, one imported when a model needs it, and the provider that uses one."""

import asyncio
import gc
import ssl
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from types import ModuleType
from typing import Any, ClassVar, TypeVar
from urllib.request import getproxies

import aiohttp
import httpx2

from gate.calls.endpoints import NO_KEY, Api, Endpoint
from gate.calls.interface import Completion, Misconfigured, RejectedRequest, Request, Transient
from gate.calls.providers.bounded_body import ENCODINGS, bound_body
from gate.calls.providers.dialect import Dialect, Slot, blamed_slot
from gate.calls.providers.failures import Service, classify_error, error_status, read_error
from gate.calls.untrusted import Cleaner, MalformedReply, UnusableReply, json_object
from gate.config.models import Params
from gate.errors import GateError, MissingKey, with_extra
from gate.values import JsonValue

T = TypeVar("T")

CONNECT_TIMEOUT_S = 15.0

_BEGUN = "gate.begun"
_PLAIN = (
    "host",
    "connection",
    "accept",
    "authorization",
    "content-",
    "user-agent",
    "x-stainless-",
    "anthropic-version",
)
"""How the headers begin that go to a server which gets no key."""
_CLOUD_PLATFORM = "https://www.googleapis.com/auth/cloud-platform"


class ConnectionBroken(Exception):
    """No reply; `answered` where one had begun, which may be charged for. The reason is in the library's words."""

    def __init__(self, reason: str, *, answered: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.answered = answered


@dataclass(frozen=True, slots=True)
class Client:
    """A client of an official SDK; `signing` are the exceptions raised where credentials cannot be had."""

    sdk: Any
    module: ModuleType
    signing: tuple[type[Exception], ...] = ()

    async def reply(self, call: Awaitable[httpx2.Response]) -> httpx2.Response:
        """The reply to a call of the client, whatever its status.

        Raises:
            ConnectionBroken, Misconfigured: there is none.
            UnusableReply: its body is too large.
        """
        try:
            return await whole_reply(call)
        except self.module.APIStatusError as error:
            response: httpx2.Response = error.response
            return response
        except self.module.APIConnectionError as error:
            if isinstance(cause := _innermost(error), UnusableReply):
                raise cause from None
            raise ConnectionBroken(_words(error), answered=_BEGUN in error.request.extensions) from None
        except self.signing as error:
            raise Misconfigured(f"there are no usable credentials: {_words(error)}", "log in again") from None

    async def close(self) -> None:
        """Close the connections."""
        await self.sdk.close()


async def whole_reply(reading: Awaitable[T]) -> T:
    """Await the reading of a reply. Raises `ConnectionBroken`."""
    try:
        return await reading
    except (httpx2.HTTPError, aiohttp.ClientError) as error:
        raise ConnectionBroken(_words(error)) from None


def make_client(endpoint: Endpoint) -> Client:
    """The client for an endpoint; nothing is sent to its models. Raises `MissingKey`, `Misconfigured`, `GateError`."""
    try:
        with _quick_import():
            return _MAKERS[endpoint.api](endpoint)
    except OSError as error:
        what = f"cannot read the certificates of SSL_CERT_FILE or SSL_CERT_DIR: {error.strerror or error}"
        raise Misconfigured(what, "set it to PEM certificates, or unset it") from None
    except (ValueError, httpx2.InvalidURL):
        # Without its value, which may hold a password.
        what = "a proxy variable of the environment is not a URL"
        raise Misconfigured(what, "set HTTPS_PROXY=http://host:port") from None


def _openai(endpoint: Endpoint) -> Client:
    import openai as sdk

    settings = _settings(endpoint, sdk)
    return Client(sdk.AsyncOpenAI(api_key=endpoint.api_key, base_url=endpoint.base_url, **settings), sdk)


def _azure(endpoint: Endpoint) -> Client:
    import openai as sdk

    key = {"azure_ad_token" if endpoint.token else "api_key": endpoint.api_key}
    settings = _settings(endpoint, sdk)
    client = sdk.AsyncAzureOpenAI(azure_endpoint=endpoint.base_url, api_version=endpoint.version, **key, **settings)
    return Client(client, sdk)


def _anthropic(endpoint: Endpoint) -> Client:
    import anthropic as sdk

    settings = {**_settings(endpoint, sdk), "open_telemetry": False}
    return Client(sdk.AsyncAnthropic(api_key=endpoint.api_key, base_url=endpoint.base_url, **settings), sdk)


def _bedrock(endpoint: Endpoint) -> Client:
    try:
        import boto3
        from botocore.exceptions import BotoCoreError
    except ImportError:
        raise GateError("bedrock: models need the package boto3", with_extra("bedrock")) from None
    import anthropic as sdk

    try:
        region = endpoint.region or boto3.Session().region_name
        found = bool(endpoint.api_key) or boto3.Session().get_credentials() is not None
    except BotoCoreError as error:
        raise Misconfigured(f"Amazon Bedrock: {error}", "check AWS_PROFILE and the files in ~/.aws") from None
    if not region:
        raise MissingKey("Amazon Bedrock needs a region, and AWS_REGION is not set", "export AWS_REGION=us-east-1")
    if not found:
        raise MissingKey(
            "Amazon Bedrock needs credentials, and none were found",
            "export AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK",
        )
    client = sdk.AsyncAnthropicBedrock(
        api_key=endpoint.api_key or None,
        aws_region=region,
        base_url=endpoint.base_url or None,
        open_telemetry=False,
        **_settings(endpoint, sdk),
    )
    return Client(client, sdk, (BotoCoreError,))


def _vertex(endpoint: Endpoint) -> Client:
    try:
        import google.auth
        from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError
    except ImportError:
        raise GateError("vertex: models need the package google-auth", with_extra("vertex")) from None
    import anthropic as sdk

    try:
        credentials, project = google.auth.default(scopes=[_CLOUD_PLATFORM])
    except DefaultCredentialsError:
        raise MissingKey(
            "Google Vertex needs credentials, and none were found",
            "run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS to a credentials file",
        ) from None
    if not (endpoint.project or project):
        raise MissingKey(
            "Google Vertex needs a project, and ANTHROPIC_VERTEX_PROJECT_ID is not set",
            "export ANTHROPIC_VERTEX_PROJECT_ID=…",
        )
    client = sdk.AsyncAnthropicVertex(
        region=endpoint.region,
        project_id=endpoint.project or project,
        credentials=credentials,
        base_url=endpoint.base_url or None,
        open_telemetry=False,
        **_settings(endpoint, sdk),
    )
    return Client(client, sdk, (GoogleAuthError,))


_MAKERS: Mapping[Api, Callable[[Endpoint], Client]] = {
    "openai": _openai,
    "openai-responses": _openai,
    "azure": _azure,
    "anthropic": _anthropic,
    "bedrock": _bedrock,
    "vertex": _vertex,
}


def _settings(endpoint: Endpoint, sdk: ModuleType) -> dict[str, Any]:
    """No retries, no time-out but that of connecting, and as many connections as requests, over aiohttp: that takes a
    third less CPU than the SDKs' default. Proxies and certificates are read from the environment there."""

    async def begun(response: httpx2.Response) -> None:
        if response.is_success:
            response.request.extensions[_BEGUN] = True

    async def plain(request: httpx2.Request) -> None:
        # The SDKs put the environment's custom headers and account names in, which may be secrets.
        for name in [name for name in request.headers if not name.lower().startswith(_PLAIN)]:
            del request.headers[name]

    connections = endpoint.connections
    http = sdk.DefaultAioHttpClient(
        verify=_tls(endpoint.base_url),
        limits=httpx2.Limits(max_connections=connections, max_keepalive_connections=connections),
        timeout=httpx2.Timeout(None, connect=CONNECT_TIMEOUT_S),
        follow_redirects=False,
        headers={"Accept-Encoding": ENCODINGS},
        event_hooks={"request": [plain] if endpoint.api_key == NO_KEY else [], "response": [begun, bound_body]},
    )
    return {"max_retries": 0, "http_client": http}


def _tls(base_url: str) -> ssl.SSLContext:
    """The trusted certificates; none without TLS, because reading all of them takes 20 ms of CPU.

    A proxy may use TLS for an http:// address too.
    """
    if base_url.startswith("http://") and not getproxies():
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return trusted_certificates()


@cache
def trusted_certificates() -> ssl.SSLContext:
    """The certificates of the system, or of SSL_CERT_FILE or SSL_CERT_DIR, read once in a process."""
    return httpx2.create_ssl_context()


def _words(error: BaseException) -> str:
    """The text of the innermost error: the SDK's own is only "Connection error."."""
    inner = _innermost(error)
    return str(inner) or type(inner).__name__


def _innermost(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


@contextmanager
def _quick_import() -> Iterator[None]:
    """Import a large SDK with the garbage collector off: it would check each of the new types for nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def connection_error(broken: ConnectionBroken, service: Service, cleaner: Cleaner) -> Transient:
    """The exception for a missing reply."""
    why = f"the connection to {service.name} failed: {cleaner.line(broken.reason, 200)}"
    return Transient(why, unheard=broken.answered)


class ServiceProvider(ABC):
    """One model at one address, called by requests to one path of its API."""

    max_in_flight: int | None = None
    priced = True
    path: ClassVar[str]

    def __init__(self, endpoint: Endpoint, model: str, usual: Dialect, missing: str = "") -> None:
        self.model = model
        self.lane = endpoint.lane
        self.service = Service(endpoint.name, endpoint.variable, model, missing)
        self.cleaner = Cleaner((endpoint.api_key,))
        self.client = make_client(endpoint)
        self.dialect = self._usual = usual
        self._proven: frozenset[Slot] = frozenset()

    @staticmethod
    @abstractmethod
    def reader(data: dict[str, JsonValue], latency_s: float | None, cleaner: Cleaner, asked: str) -> Completion:
        """Read a reply of the model `asked`; raises `MalformedReply` or `UnusableReply`."""

    @abstractmethod
    def check(self, params: Params) -> None:
        """Raise `Misconfigured` for a parameter that this model's interface does not take."""

    @abstractmethod
    def body(self, request: Request, dialect: Dialect) -> dict[str, JsonValue]:
        """The body of a request, for one call or a line of a batch."""

    async def complete(self, request: Request) -> Completion:
        """Send one request, in another dialect where the server refuses the usual one; what it answered is kept for
        later requests. Refusals are free, and no part of the latency."""
        self.check(request.params)
        learnt = dialect = self.dialect
        proven, refusal = self._proven, None
        while True:
            response, latency_s = await self._exchange(self.body(request, dialect), request.params.timeout_s)
            sent = dialect.sent(request)
            if response.is_success:
                self.dialect, self._proven = self.dialect.merged(dialect), self._proven | sent
                completion = self._read(response, latency_s)
                return replace(completion, notes=dialect.notes(request, self._usual, self.service.name))
            error = read_error(response.status_code, response.headers, response.content, self.cleaner, time.time())
            failure = classify_error(error, self.service)
            if refusal is None or isinstance(failure, Misconfigured):
                refusal = failure
            slot = blamed_slot(error, failure, sent, proven)
            if slot is not None and self.dialect not in (learnt, dialect):
                # Another request has learnt meanwhile.
                learnt = dialect = self.dialect
                proven = self._proven
            elif slot is not None and (after := dialect.without(slot)) is not None:
                dialect = after
            else:
                raise refusal

    async def close(self) -> None:
        """Close the connections."""
        await self.client.close()

    async def _exchange(self, body: dict[str, JsonValue], timeout_s: float) -> tuple[httpx2.Response, float]:
        """Send one request, once; returns the reply of any status, and its seconds. The time-out is for the whole
        exchange, connecting included."""
        call = self.client.sdk.post(self.path, body=body, cast_to=httpx2.Response)
        started = time.perf_counter()
        try:
            async with asyncio.timeout(timeout_s):
                response = await self.client.reply(call)
        except TimeoutError:
            raise Transient(f"{self.service.name} gave no answer within {timeout_s:g} s", unheard=True) from None
        except ConnectionBroken as broken:
            raise connection_error(broken, self.service, self.cleaner) from None
        except UnusableReply as error:
            raise RejectedRequest(f"{self.service.name}: {error}", unheard=True) from None
        except UnicodeEncodeError:
            raise RejectedRequest("the request contains half of a surrogate pair, which is not valid Unicode") from None
        return response, time.perf_counter() - started

    def _read(self, response: httpx2.Response, latency_s: float) -> Completion:
        try:
            data = json_object(response.content)
            if (status := error_status(data)) is not None:
                # Gateways send an error of the service behind them with a good status.
                raise classify_error(
                    read_error(status, response.headers, response.content, self.cleaner, time.time()), self.service
                )
            return self.reader(data, latency_s, self.cleaner, self.model)
        except MalformedReply as error:
            raise Transient(f"{self.service.name}: {error}", unheard=True) from None
        except UnusableReply as error:
            raise RejectedRequest(f"{self.service.name}: {error}", unheard=True) from None
