"""The official SDKs' asynchronous clients, their own retries off: one is imported when a model needs it."""

import gc
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeVar

import aiohttp
import httpx2

from gate.calls.endpoints import NO_KEY, Api, Endpoint
from gate.calls.interface import Misconfigured
from gate.errors import GateError, MissingKey, with_extra

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
    """No reply: no connection, or one that ended.

    Args:
        reason: in the library's words; not clean.
        answered: a reply had begun, which may be charged for.
    """

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
        """The reply to a call of the client, whatever its status. Raises `ConnectionBroken`, `Misconfigured`."""
        try:
            return await whole_reply(call)
        except self.module.APIStatusError as error:
            response: httpx2.Response = error.response
            return response
        except self.module.APIConnectionError as error:
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
        what = f"the certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read: {error.strerror or error}"
        raise Misconfigured(what, "let it name PEM certificates, or unset it") from None
    except (ValueError, httpx2.InvalidURL):
        # Without its value, which may hold a password.
        what = "a proxy of the environment is no address"
        raise Misconfigured(what, "write HTTPS_PROXY=http://host:port") from None


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
            "run gcloud auth application-default login, or let GOOGLE_APPLICATION_CREDENTIALS name a file",
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
        limits=httpx2.Limits(max_connections=connections, max_keepalive_connections=connections),
        timeout=httpx2.Timeout(None, connect=CONNECT_TIMEOUT_S),
        follow_redirects=False,
        event_hooks={"request": [plain] if endpoint.api_key == NO_KEY else [], "response": [begun]},
    )
    return {"max_retries": 0, "http_client": http}


def _words(error: BaseException) -> str:
    """The innermost error's own text: the SDK says no more than "Connection error."."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__


@contextmanager
def _quick_import() -> Iterator[None]:
    """Import a large SDK with the garbage collector off: it would look at each of the new types in vain."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
