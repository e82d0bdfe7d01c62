"""From the word before a model's colon to the server that is asked, and the key that it is sent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gate.domain.model import ModelRef, ProviderServer
from gate.errors import GateError, MissingKey
from gate.providers.servers import (
    ANTHROPIC_URL,
    INTERFACES,
    NO_KEY,
    OPENAI_URL,
    Api,
    Endpoint,
    checked,
    host,
    is_anthropic,
    is_openai,
    usable_key,
)

_URLS: Mapping[str, str] = {"openai": OPENAI_URL, "anthropic": ANTHROPIC_URL}
_NAMES: Mapping[str, str] = {"openai": "OpenAI", "anthropic": "Anthropic"}
_VERTEX: Mapping[str, str] = {"global": "aiplatform", "us": "aiplatform.us.rep", "eu": "aiplatform.eu.rep"}


@dataclass(frozen=True, slots=True)
class NamedServer:
    """A server that `providers:` names, with its key.

    Args:
        server: what is written there.
        api_key: from its variable, or None.
    """

    server: ProviderServer
    api_key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys and addresses from the environment; each is None where its variable is not set.

    Args:
        openai, anthropic: keys.
        openai_base_url, anthropic_base_url: servers to use instead of the services' own.
        azure, azure_token: key, or access token, of Azure OpenAI.
        azure_endpoint, azure_version: of the resource.
        bedrock: key of Amazon Bedrock; None where the AWS credentials sign.
        bedrock_region, bedrock_base_url: of Amazon Bedrock.
        vertex_region, vertex_project, vertex_base_url: of Google Vertex.
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
    """Finds the endpoint of a model.

    Args:
        keys: keys and addresses.
        connections: requests that may be under way at once.
        keyless: a missing key is no mistake, as where workers read keys from their own environment.
    """

    keys: Keys
    connections: int
    keyless: bool = False

    def interface(self, provider: str) -> Api | None:
        """Whose interface a provider speaks, `openai` or `anthropic`; None for what is no service."""
        named = self.keys.servers.get(provider)
        return INTERFACES.get(provider) if named is None else named.server.api

    def address(self, provider: str) -> str:
        """Where a provider is asked; empty for what is no service."""
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
        base_url = checked(self.address(model.provider), f"{service}_BASE_URL")
        own = is_openai(base_url) if openai else is_anthropic(base_url)
        variable = f"{service}_API_KEY"
        key = usable_key(self.keys.openai if openai else self.keys.anthropic, variable)
        if own and not key and not self.keyless:
            raise _missing(model, [variable])
        name = _NAMES[model.provider] if own else host(base_url)
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
            checked(keys.azure_endpoint or "", "AZURE_OPENAI_ENDPOINT"),
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
