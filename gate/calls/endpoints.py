"""From the prefix of a model's name to the server that is asked, its interface, and its key."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from gate.calls.provider import Misconfigured
from gate.config.models import ModelRef, ProviderServer, address_complaint
from gate.errors import GateError, MissingKey

Api: TypeAlias = Literal["openai", "azure", "anthropic", "bedrock", "vertex"]
"""The SDK client that reaches a server."""

OPENAI_URL = "https://api.openai.com/v1"
ANTHROPIC_URL = "https://api.anthropic.com"
NO_KEY = "none"
"""Sent to a compatible server when there is no key: the SDKs require one."""

INTERFACES: Mapping[str, Api] = {
    "openai": "openai",
    "azure": "openai",
    "anthropic": "anthropic",
    "bedrock": "anthropic",
    "vertex": "anthropic",
}
"""The interface, `openai` or `anthropic`, that each remote provider speaks."""

_AZURE = ("openai.azure.com", "services.ai.azure.com")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One server, reached by one client.

    Args:
        provider: the word before the colon of a model's name.
        name: of the service, for readers.
        base_url: without the path of a call; empty where the SDK alone knows it.
        variable: the environment variable that holds the key, for messages.
        api_key: sent with each request, never shown. Empty where the SDK finds credentials of its own.
        token: the key is an access token (Azure).
        version: of the interface (Azure).
        region, project: of Amazon Bedrock and Google Vertex.
    """

    api: Api
    provider: str
    name: str
    base_url: str
    variable: str
    connections: int
    api_key: str = field(default="", repr=False)
    token: bool = False
    version: str = ""
    region: str = ""
    project: str = ""

    @property
    def lane(self) -> str:
        """What shares a rate limit: provider, address and key, of which a digest is enough to tell two apart."""
        digest = hashlib.sha256(self.api_key.encode()).hexdigest()[:8]
        return f"{self.provider} {self.base_url or self.region} {digest}"


def is_openai(base_url: str) -> bool:
    """Is this OpenAI's own interface (regional addresses included), rather than a compatible server?"""
    return _belongs(base_url, "api.openai.com")


def is_anthropic(base_url: str) -> bool:
    """Is this Anthropic's own interface?"""
    return _belongs(base_url, "api.anthropic.com")


def takes_new_token_limit(base_url: str) -> bool:
    """Does this server want `max_completion_tokens`? OpenAI's newer models refuse the older `max_tokens`, and the
    same models answer on Azure; other servers know only the older word."""
    return is_openai(base_url) or any(_belongs(base_url, domain) for domain in _AZURE)


def host_of(base_url: str) -> str:
    """The server's host for messages, without path, user name or password."""
    return urlsplit(base_url).hostname or "the server"


def checked_url(address: str, variable: str) -> str:
    """The same address without a slash at its end.

    Raises:
        Misconfigured: it is not an http or https address, or carries a password.
    """
    url = address.strip()
    if reason := address_complaint(url):
        # The address itself stays out of the message: it may hold a password.
        raise Misconfigured(f"{variable} {reason}", "write scheme and host, as in https://models.example.com/v1")
    return url.rstrip("/")


def usable_key(value: str | None, variable: str) -> str:
    """The key without the line break that often comes with it; empty where there is none.

    Raises:
        Misconfigured: it cannot be sent in a header.
    """
    key = (value or "").strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise Misconfigured(f"{variable} holds characters that no key has", "copy the key again, without quotes")
    return key


def _belongs(base_url: str, domain: str) -> bool:
    name = urlsplit(base_url).hostname or ""
    return name == domain or name.endswith("." + domain)


_URLS: Mapping[str, str] = {"openai": OPENAI_URL, "anthropic": ANTHROPIC_URL}
_NAMES: Mapping[str, str] = {"openai": "OpenAI", "anthropic": "Anthropic"}
_VERTEX: Mapping[str, str] = {"global": "aiplatform", "us": "aiplatform.us.rep", "eu": "aiplatform.eu.rep"}


@dataclass(frozen=True, slots=True)
class NamedServer:
    """A server that `providers:` names, with its key."""

    server: ProviderServer
    api_key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys and addresses from the environment; None where a variable is not set.

    Args:
        openai_base_url, anthropic_base_url: servers to use instead of the services' own.
        azure, azure_token: key, or access token, of Azure OpenAI.
        bedrock: key of Amazon Bedrock; None where the AWS credentials sign.
        servers: that `providers:` names, by name.
    """

    openai: str | None = field(default=None, repr=False)
    anthropic: str | None = field(default=None, repr=False)
    openai_base_url: str | None = None
    anthropic_base_url: str | None = None
    azure: str | None = field(default=None, repr=False)
    azure_token: str | None = field(default=None, repr=False)
    azure_endpoint: str | None = None
    azure_version: str | None = None
    bedrock: str | None = field(default=None, repr=False)
    bedrock_region: str | None = None
    bedrock_base_url: str | None = None
    vertex_region: str | None = None
    vertex_project: str | None = None
    vertex_base_url: str | None = None
    servers: Mapping[str, NamedServer] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Finds the endpoint of a model; `keyless` where a missing key is allowed, as workers have keys of their own."""

    keys: Keys
    connections: int
    keyless: bool = False

    def interface(self, provider: str) -> Api | None:
        """Whose interface a provider speaks, `openai` or `anthropic`; None for one that is no service."""
        named = self.keys.servers.get(provider)
        return INTERFACES.get(provider) if named is None else named.server.api

    def address(self, provider: str) -> str:
        """Where a provider is asked; empty for one that is no service."""
        keys = self.keys
        if provider in keys.servers:
            return keys.servers[provider].server.base_url
        if provider in _URLS:
            named = keys.openai_base_url if provider == "openai" else keys.anthropic_base_url
            return named or _URLS[provider]
        if provider == "azure":
            return keys.azure_endpoint or ""
        if provider == "bedrock":
            own = f"https://bedrock-runtime.{keys.bedrock_region}.amazonaws.com" if keys.bedrock_region else ""
            return keys.bedrock_base_url or own
        if provider == "vertex":
            region = keys.vertex_region or ""
            own = f"https://{_VERTEX.get(region, f'{region}-aiplatform')}.googleapis.com/v1" if region else ""
            return keys.vertex_base_url or own
        return ""

    def endpoint(self, model: ModelRef) -> Endpoint:
        """The endpoint of a model of a service.

        Raises:
            MissingKey: a variable that the service needs is not set.
            Misconfigured: an address or a key that cannot be used.
        """
        makers: Mapping[str, Callable[[ModelRef], Endpoint]] = {
            **dict.fromkeys(self.keys.servers, self._named),
            "azure": self._azure,
            "bedrock": self._bedrock,
            "vertex": self._vertex,
        }
        return makers.get(model.provider, self._own)(model)

    def _own(self, model: ModelRef) -> Endpoint:
        """OpenAI, Anthropic, or the compatible server that the environment names."""
        openai = model.provider == "openai"
        api: Api = "openai" if openai else "anthropic"
        service = model.provider.upper()
        base_url = checked_url(self.address(model.provider), f"{service}_BASE_URL")
        own = is_openai(base_url) if openai else is_anthropic(base_url)
        variable = f"{service}_API_KEY"
        key = usable_key(self.keys.openai if openai else self.keys.anthropic, variable)
        if own and not key and not self.keyless:
            raise _missing(model, [variable])
        name = _NAMES[model.provider] if own else host_of(base_url)
        if not openai:
            # The SDK's paths begin with it.
            base_url = base_url.removesuffix("/v1")
        return Endpoint(api, model.provider, name, base_url, variable, self.connections, key or NO_KEY)

    def _named(self, model: ModelRef) -> Endpoint:
        named = self.keys.servers[model.provider]
        server = named.server
        variable = server.api_key_env
        key = usable_key(named.api_key, variable)
        if variable and not key and not self.keyless:
            raise _missing(model, [variable])
        base_url = server.base_url.rstrip("/")
        if server.api == "anthropic":
            base_url = base_url.removesuffix("/v1")
        return Endpoint(server.api, model.provider, model.provider, base_url, variable, self.connections, key or NO_KEY)

    def _azure(self, model: ModelRef) -> Endpoint:
        keys, variable = self.keys, "AZURE_OPENAI_API_KEY"
        token = bool(keys.azure_token)
        key = usable_key(keys.azure_token if token else keys.azure, "AZURE_OPENAI_AD_TOKEN" if token else variable)
        needed = {
            "AZURE_OPENAI_ENDPOINT": keys.azure_endpoint,
            variable: key or self.keyless,
            "OPENAI_API_VERSION": keys.azure_version,
        }
        if lacking := [name for name, value in needed.items() if not value]:
            raise _missing(model, lacking)
        return Endpoint(
            "azure",
            "azure",
            "Azure OpenAI",
            checked_url(keys.azure_endpoint or "", "AZURE_OPENAI_ENDPOINT"),
            variable,
            self.connections,
            key or NO_KEY,
            token=token,
            version=keys.azure_version or "",
        )

    def _bedrock(self, model: ModelRef) -> Endpoint:
        variable = "AWS_BEARER_TOKEN_BEDROCK"
        return Endpoint(
            "bedrock",
            "bedrock",
            "Amazon Bedrock",
            self.keys.bedrock_base_url or "",
            "the AWS credentials",
            self.connections,
            usable_key(self.keys.bedrock, variable),
            region=self.keys.bedrock_region or "",
        )

    def _vertex(self, model: ModelRef) -> Endpoint:
        if not self.keys.vertex_region:
            raise _missing(model, ["CLOUD_ML_REGION"])
        return Endpoint(
            "vertex",
            "vertex",
            "Google Vertex",
            self.keys.vertex_base_url or "",
            "the Google credentials",
            self.connections,
            region=self.keys.vertex_region,
            project=self.keys.vertex_project or "",
        )


def _missing(model: ModelRef, variables: list[str]) -> GateError:
    exported = " ".join(f"{name}=…" for name in variables)
    secrets = ", ".join(f"{name}: ${{{{ secrets.{name} }}}}" for name in variables)
    hint = f"export {exported}, or env: {{{secrets}}} in the gate's step of a workflow"
    *others, last = variables
    if not others and last.endswith("_API_KEY"):
        return MissingKey(f"{model} needs a key, and {last} is not set", hint)
    said = f"{', '.join(others)} and {last} are" if others else f"{last} is"
    return MissingKey(f"{model} cannot be asked: {said} not set", hint)
