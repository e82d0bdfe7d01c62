"""The server, interface and key for the prefix of a model's name."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from gate.calls.interface import Misconfigured, Request
from gate.config.models import SERVICES, ModelRef, Params, ProviderServer, address_complaint
from gate.errors import GateError, MissingKey
from gate.record.comparison import CacheTerms
from gate.values import JsonValue

Api: TypeAlias = Literal["openai", "openai-responses", "azure", "anthropic", "bedrock", "vertex"]
"""The SDK client that reaches a server."""

OPENAI_URL = "https://api.openai.com/v1"
ANTHROPIC_URL = "https://api.anthropic.com"
NO_KEY = "none"
"""Sent to a compatible server when there is no key: the SDKs require one."""

_AZURE = ("openai.azure.com", "services.ai.azure.com")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One server, reached by one client.

    Args:
        provider: the part before the colon of a model's name.
        name: of the service, for readers.
        base_url: without the path of a call; empty if only the SDK knows it.
        variable: the environment variable that holds the key, for messages.
        api_key: sent with each request, never shown. Empty if the SDK finds its own credentials.
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
        """What shares a rate limit: provider, address and key, of which a digest is enough to distinguish two."""
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
    """The same address without a slash at its end. Raises `Misconfigured`."""
    url = address.strip()
    if reason := address_complaint(url):
        # The address itself stays out of the message: it may hold a password.
        raise Misconfigured(
            f"{variable} {reason}", "write it with scheme and host, such as https://models.example.com/v1"
        )
    return url.rstrip("/")


def usable_key(value: str, variable: str) -> str:
    """The key without the line break that often comes with it; empty where there is none. Raises `Misconfigured`."""
    key = value.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise Misconfigured(f"{variable} contains characters that no key has", "copy the key again, without quotes")
    return key


def _belongs(base_url: str, domain: str) -> bool:
    name = urlsplit(base_url).hostname or ""
    return name == domain or name.endswith("." + domain)


_VERTEX: Mapping[str, str] = {"global": "aiplatform", "us": "aiplatform.us.rep", "eu": "aiplatform.eu.rep"}

SECRETS = (
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "AZURE_OPENAI_AD_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
)
"""The variables that hold keys of services."""
ADDRESSES = (
    *("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "AZURE_OPENAI_ENDPOINT", "OPENAI_API_VERSION"),
    *("AWS_REGION", "AWS_DEFAULT_REGION", "ANTHROPIC_BEDROCK_BASE_URL"),
    *("CLOUD_ML_REGION", "ANTHROPIC_VERTEX_PROJECT_ID", "ANTHROPIC_VERTEX_BASE_URL"),
)
"""The variables that set the addresses of services."""
CREDENTIALS: Mapping[str, tuple[str, ...]] = {
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    "azure": ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"),
    "bedrock": (
        *("AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE"),
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    ),
    "vertex": ("GOOGLE_APPLICATION_CREDENTIALS",),
}
"""The variables of a service's keys; one is enough."""
VARIABLES = tuple(dict.fromkeys((*SECRETS, *ADDRESSES, *(name for names in CREDENTIALS.values() for name in names))))
"""Every variable that is about a service."""


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys and addresses from the environment, by variable; and the servers that `providers:` names, by name."""

    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    servers: Mapping[str, ProviderServer] = field(default_factory=dict)

    def can_ask(self, provider: str) -> bool:
        """Is there a key for a provider, or does it need none?"""
        server = self.servers.get(provider)
        wanted = CREDENTIALS.get(provider, ()) if server is None else (server.api_key_env,)
        return not any(wanted) or any(self.variables.get(name) for name in wanted)


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Finds the endpoint of a model; `keyless` allows a missing key, because workers have their own keys."""

    keys: Keys
    connections: int
    keyless: bool = False

    def interface(self, provider: str) -> Api | None:
        """The interface that a provider speaks; None for one that is no service."""
        server = self.keys.servers.get(provider)
        return SERVICES.get(provider) if server is None else server.api

    def address(self, provider: str) -> str:
        """The address of a provider; empty if it is not a service."""
        if provider in self.keys.servers:
            return self.keys.servers[provider].base_url
        match provider:
            case "openai":
                return self._get("OPENAI_BASE_URL") or OPENAI_URL
            case "anthropic":
                return self._get("ANTHROPIC_BASE_URL") or ANTHROPIC_URL
            case "azure":
                return self._get("AZURE_OPENAI_ENDPOINT")
            case "bedrock":
                own = f"https://bedrock-runtime.{self._region}.amazonaws.com" if self._region else ""
                return self._get("ANTHROPIC_BEDROCK_BASE_URL") or own
            case "vertex":
                region = self._get("CLOUD_ML_REGION")
                own = f"https://{_VERTEX.get(region, f'{region}-aiplatform')}.googleapis.com/v1" if region else ""
                return self._get("ANTHROPIC_VERTEX_BASE_URL") or own
        return ""

    def endpoint(self, model: ModelRef) -> Endpoint:
        """The endpoint of a model of a service. Raises `MissingKey`, `Misconfigured`."""
        if model.provider in self.keys.servers:
            return self._named(model)
        match model.provider:
            case "azure":
                return self._azure(model)
            case "bedrock":
                return self._bedrock()
            case "vertex":
                return self._vertex(model)
            case "openai":
                return self._own(model, "OpenAI", "openai", is_openai)
        return self._own(model, "Anthropic", "anthropic", is_anthropic)

    def _get(self, variable: str) -> str:
        return self.keys.variables.get(variable, "")

    @property
    def _region(self) -> str:
        return self._get("AWS_REGION") or self._get("AWS_DEFAULT_REGION")

    def _own(self, model: ModelRef, name: str, api: Api, is_own: Callable[[str], bool]) -> Endpoint:
        """OpenAI, Anthropic, or the compatible server that the environment names."""
        variable = f"{name.upper()}_API_KEY"
        base_url = checked_url(self.address(api), f"{name.upper()}_BASE_URL")
        own = is_own(base_url)
        key = self._key(model, variable, needed=own)
        return self._plain(model, api, name if own else host_of(base_url), base_url, (variable, key))

    def _named(self, model: ModelRef) -> Endpoint:
        server = self.keys.servers[model.provider]
        variable = server.api_key_env
        key = self._key(model, variable, needed=bool(variable))
        return self._plain(model, server.api, model.provider, server.base_url.rstrip("/"), (variable, key))

    def _key(self, model: ModelRef, variable: str, *, needed: bool) -> str:
        key = usable_key(self._get(variable), variable)
        if needed and not key and not self.keyless:
            raise _missing(model, [variable])
        return key or NO_KEY

    def _plain(self, model: ModelRef, api: Api, name: str, base_url: str, secret: tuple[str, str]) -> Endpoint:
        if api == "anthropic":
            # The SDK's paths begin with it.
            base_url = base_url.removesuffix("/v1")
        return Endpoint(api, model.provider, name, base_url, secret[0], self.connections, secret[1])

    def _azure(self, model: ModelRef) -> Endpoint:
        address, version, variable = "AZURE_OPENAI_ENDPOINT", "OPENAI_API_VERSION", "AZURE_OPENAI_API_KEY"
        token = bool(self._get("AZURE_OPENAI_AD_TOKEN"))
        holder = "AZURE_OPENAI_AD_TOKEN" if token else variable
        key = usable_key(self._get(holder), holder)
        there = {address: self._get(address), variable: key or self.keyless, version: self._get(version)}
        if lacking := [name for name, value in there.items() if not value]:
            raise _missing(model, lacking)
        return Endpoint(
            "azure",
            "azure",
            "Azure OpenAI",
            checked_url(self._get(address), address),
            variable,
            self.connections,
            key or NO_KEY,
            token=token,
            version=self._get(version),
        )

    def _bedrock(self) -> Endpoint:
        variable = "AWS_BEARER_TOKEN_BEDROCK"
        return Endpoint(
            "bedrock",
            "bedrock",
            "Amazon Bedrock",
            self._get("ANTHROPIC_BEDROCK_BASE_URL"),
            "the AWS credentials",
            self.connections,
            usable_key(self._get(variable), variable),
            region=self._region,
        )

    def _vertex(self, model: ModelRef) -> Endpoint:
        if not self._get("CLOUD_ML_REGION"):
            raise _missing(model, ["CLOUD_ML_REGION"])
        return Endpoint(
            "vertex",
            "vertex",
            "Google Vertex",
            self._get("ANTHROPIC_VERTEX_BASE_URL"),
            "the Google credentials",
            self.connections,
            region=self._get("CLOUD_ML_REGION"),
            project=self._get("ANTHROPIC_VERTEX_PROJECT_ID"),
        )


def _missing(model: ModelRef, variables: list[str]) -> GateError:
    exported = " ".join(f"{name}=…" for name in variables)
    secrets = ", ".join(f"{name}: ${{{{ secrets.{name} }}}}" for name in variables)
    hint = f"export {exported}; in a workflow, add env: {{{secrets}}} to the gate's step"
    *others, last = variables
    if not others and last.endswith("_API_KEY"):
        return MissingKey(f"{model} needs a key, and {last} is not set", hint)
    said = f"{', '.join(others)} and {last} are" if others else f"{last} is"
    return MissingKey(f"{model} cannot be called: {said} not set", hint)


PACKAGED_MODEL = "gemma3-270m"
"""`local:gemma3-270m` names the model of the extra `demo`."""

_REASONING = re.compile(r"^(ft:)?(o[1-9]|gpt-([5-9]|\d\d))")
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_REFUSED = ("temperature", "top_p", "seed", "chat_template")


def refused_parameters(
    model: ModelRef, params: Params, interface: Api | None = None, address: str | None = None
) -> Misconfigured | None:
    """What a service would refuse of these parameters; None where it takes all of them, or is no service. Without an
    interface or an address the maker's own are meant."""
    spoken = interface or SERVICES.get(model.provider)
    try:
        check_parameters(model, params, spoken, OPENAI_URL if address is None else address)
    except Misconfigured as error:
        return error
    return None


def check_parameters(model: ModelRef, params: Params, interface: Api | None, address: str) -> None:
    """Raise `Misconfigured` for a parameter that a service does not take; see `refused_parameters`."""
    if interface == "openai":
        check_openai(model.name, params, own=model.provider == "azure" or is_openai(address))
    elif interface == "openai-responses":
        check_responses(model.name, params, own=is_openai(address))
    elif interface == "anthropic":
        check_anthropic(model.name, params)


def check_openai(model: str, params: Params, *, own: bool) -> None:
    """Raise `Misconfigured` for a parameter that Chat Completions does not take; `own` if the service is OpenAI."""
    if params.chat_template is not None:
        raise Misconfigured("openai: models do not take chat_template", "remove it; only local: models take it")
    if not own or params.reasoning_effort == "none" or not is_reasoning(model):
        return
    for name in ("temperature", "top_p"):
        if getattr(params, name) is not None:
            raise Misconfigured(
                f"openai:{model} is a reasoning model and does not take {name}",
                f"remove {name}, or set reasoning_effort: none if the model allows it",
            )


def check_responses(model: str, params: Params, *, own: bool) -> None:
    """Raise `Misconfigured` for a parameter that Responses does not take; `own` if the service is OpenAI."""
    for name in ("seed", "stop"):
        if getattr(params, name):
            raise Misconfigured(f"{model} does not take {name}", "remove it; OpenAI's Responses API does not have it")
    check_openai(model, params, own=own)


def is_reasoning(model: str) -> bool:
    """Does OpenAI's interface refuse sampling parameters for this model?"""
    return _REASONING.match(model) is not None and "chat" not in model


def check_anthropic(model: str, params: Params) -> None:
    """Raise `Misconfigured` for a parameter that the Messages interface does not take."""
    for name in _REFUSED:
        if getattr(params, name) is not None:
            raise Misconfigured(
                f"anthropic:{model} does not take {name}", f"remove {name}; the current API does not have it"
            )
    if params.reasoning_effort is not None and params.reasoning_effort not in _EFFORTS:
        known = ", ".join(_EFFORTS)
        raise Misconfigured(
            f"anthropic:{model} does not have the reasoning_effort {params.reasoning_effort!r}", f"choose from {known}"
        )


@dataclass(frozen=True, slots=True)
class ReplyLimits:
    """Limits for a model whose replies follow a grammar.

    Args:
        chars: of a text without its own limit.
        items: of a list without its own limit.
        most_items: of any list, unless its schema needs more.
        part: the limit that a schema sets for a text is divided by this.
    """

    chars: int
    items: int
    most_items: int
    part: int


PACKAGED = ReplyLimits(chars=160, items=3, most_items=3, part=5)
"""It does not know when to stop, and fills whatever it is given, which takes minutes."""
LARGER = ReplyLimits(chars=1_200, items=20, most_items=200, part=1)
"""For any model file of the user."""


def reply_limits(model: ModelRef) -> ReplyLimits:
    """The limits of a local model."""
    return PACKAGED if model.name == PACKAGED_MODEL else LARGER


def list_room(model: ModelRef, wanted: int | None = None) -> int | None:
    """How many items one list of a model's reply can hold, `wanted` being the schema's bound; None where unbounded."""
    if model.provider != "local":
        return None
    limits = reply_limits(model)
    return limits.items if wanted is None else min(wanted, limits.most_items)


_BOUNDS = frozenset({"minItems", "maxItems", "minLength", "maxLength", "prefixItems"})


def schema_without_bounds(schema: JsonValue) -> JsonValue:
    """The schema without its bounds, some of which the strict modes of remote interfaces refuse."""
    return _without(schema, frozenset())


def schema_with_bounds(schema: JsonValue, limits: ReplyLimits) -> JsonValue:
    """The schema for a grammar, with a bound on each text and each list: a small model does not know when to stop.

    A text is not empty. A list whose items are given one by one (`prefixItems`) holds exactly these.
    """
    if isinstance(schema, list):
        return [schema_with_bounds(item, limits) for item in schema]
    if not isinstance(schema, dict):
        return schema
    told = {key: schema_with_bounds(value, limits) for key, value in schema.items()}
    if told.get("type") == "string" and "enum" not in told:
        own = told.get("maxLength")
        told = {"minLength": 1, **told, "maxLength": own // limits.part if isinstance(own, int) else limits.chars}
    if told.get("type") == "array" and "prefixItems" in told:
        # llama.cpp only uses `items` if both are set.
        return {"type": "array", "prefixItems": told["prefixItems"]}
    if told.get("type") == "array":
        least, own = told.get("minItems"), told.get("maxItems")
        most = min(own, limits.most_items) if isinstance(own, int) else limits.items
        told["maxItems"] = max(most, least if isinstance(least, int) else 0)
    return told


def _without(schema: JsonValue, names: frozenset[str]) -> JsonValue:
    """Without the bounds; `names` are the keys that name properties here."""
    if isinstance(schema, list):
        return [_without(item, frozenset()) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, JsonValue] = {}
    for key, value in schema.items():
        if key == "properties" and key not in names and isinstance(value, dict):
            kept[key] = _without(value, frozenset(value))
        elif key in names or key not in _BOUNDS:
            kept[key] = _without(value, frozenset())
    return kept


_BITS = 31


def seed_of(request: Request) -> int:
    """A number below 2^31, made of the user's seed, the sample index and the messages.

    One seed for every case would make all cases share one draw of a sampling model: they would not be independent,
    which the statistics assume.
    """
    parts = [str(request.params.seed or 0), str(request.index)]
    parts += [part for message in request.messages for part in message.told]
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(data).digest()[:4], "big") >> (32 - _BITS)


_OPENAI = re.compile(r"(ft:)?(gpt-4o|chatgpt-4o|gpt-4\.[1-9]|gpt-[5-9]|o[1-9])")
_OPENAI_MINIMUM = 1024

_ANTHROPIC = (
    (512, ("claude-opus-5", "claude-opus-5-5", "claude-fable-5", "claude-fable-5-1", "claude-mythos-5")),
    (
        1024,
        (
            "claude-opus-4-8",
            "claude-opus-4-1",
            "claude-opus-4-0",
            "claude-opus-4",
            "claude-3-opus",
            "claude-sonnet-5",
            "claude-sonnet-4-6",
            "claude-sonnet-4-5",
            "claude-sonnet-4-0",
            "claude-sonnet-4",
            "claude-3-7-sonnet",
            "claude-3-5-sonnet",
        ),
    ),
    (2048, ("claude-3-5-haiku", "claude-3-haiku")),
    (4096, ("claude-opus-4-6", "claude-opus-4-5", "claude-haiku-4-5")),
)
_DATE = re.compile(r"-(\d{8}|latest)$")


def caching_terms(model: ModelRef, params: Params, interface: Api | None = None) -> CacheTerms:
    """On what terms the requests of an arm are cached; its price is left open. The figures are those of OpenAI and
    Anthropic: a gateway passes requests on to them."""
    if (interface or SERVICES.get(model.provider)) == "anthropic":
        return CacheTerms(
            _anthropic(model.name) if model.provider == "anthropic" else None, asked=params.prompt_cache, marked=True
        )
    if model.provider == "openai" and _OPENAI.match(model.name):
        return CacheTerms(_OPENAI_MINIMUM)
    return CacheTerms()


def _anthropic(name: str) -> int | None:
    bare = _DATE.sub("", name)
    return next((minimum for minimum, names in _ANTHROPIC if bare in names), None)
