"""Models (`provider:name`) and neutral parameters, as configuration writes them."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, PrivateAttr, ValidationInfo, field_validator

from gate.config.documents import Document, did_you_mean, quoted
from gate.config.validation import FileModel, Matches, validate, value_error
from gate.errors import GateError
from gate.limits import NAME_CHARS
from gate.values import JsonValue


@dataclass(frozen=True, slots=True)
class ModelRef:
    """`provider:name`, as written in configuration.

    Args:
        provider: a built-in one, such as `openai` or `local`, or one of `providers:` in gate.yaml.
        name: the provider's name for the model; a path for `local:` and `replay:`.
    """

    provider: str
    name: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.name}"


class ProviderServer(FileModel):
    """An entry of `providers`: a server with an API of OpenAI or Anthropic."""

    meant = {"api_base": "base_url", "api_key": "api_key_env", "key": "api_key_env"}

    api: Literal["openai", "openai-responses", "anthropic"] = Field(
        examples=["openai"],
        description="API of the server: Chat Completions (`openai`), Responses, or Messages (`anthropic`).",
    )
    api_key_env: Annotated[
        str,
        Matches(
            "^[A-Z_][A-Z0-9_]{0,99}$",
            "must be the name of an environment variable, not a key",
            "for example GROQ_API_KEY",
        ),
    ] = Field(default="", description="Environment variable with its key, if it needs one.")
    base_url: str = Field(
        max_length=2000,
        examples=["https://api.groq.com/openai/v1"],
        description="Address, without the path of a call.",
    )

    @field_validator("base_url")
    @classmethod
    def _web_address(cls, url: str, info: ValidationInfo) -> str:
        if reason := address_complaint(url):
            # The message does not quote the address, which may contain a password.
            raise value_error(reason)
        parts = urlsplit(url)
        keyed = bool(info.data.get("api_key_env"))
        if keyed and parts.scheme != "https" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
            raise value_error("must begin with https://", "a key is sent there; http is allowed for this machine only")
        return url


_Usd = Annotated[float, Field(ge=0, le=1_000_000)]


class ModelPrice(FileModel):
    """An entry of `prices`: dollars per million tokens of one model."""

    meant = {"cache_read": "cached_input", "cached": "cached_input", "completion": "output", "prompt": "input"}

    input: _Usd = Field(examples=[0.15], description="Dollars per million input tokens.")
    output: _Usd = Field(examples=[0.6], description="Dollars per million output tokens.")
    cached_input: _Usd | None = Field(
        default=None, description="Dollars per million cached input tokens. Default: `input`."
    )


_Stop = Annotated[str, Field(min_length=1, max_length=200)]


def _as_list(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


class Params(FileModel):
    """Parameters of a model call; each provider maps them to its own names, and what is not set is not sent."""

    meant = {
        "max_tokens": "max_output_tokens",
        "max_completion_tokens": "max_output_tokens",
        "stop_sequences": "stop",
        "effort": "reasoning_effort",
        "timeout": "timeout_s",
    }

    max_output_tokens: int | None = Field(default=None, ge=1, le=1_000_000, description="Tokens of one reply.")
    temperature: float | None = Field(default=None, ge=0, le=2, description="Newer models accept none.")
    top_p: float | None = Field(default=None, gt=0, le=1, description="Share of probability to sample from.")
    stop: Annotated[
        tuple[_Stop, ...], BeforeValidator(_as_list, json_schema_input_type=_Stop | list[_Stop]), Field(strict=False)
    ] = Field(default=(), max_length=16, description="Texts that end a reply.")
    seed: int | None = Field(default=None, ge=0, le=2**31 - 1, description="For models that accept one.")
    reasoning_effort: Annotated[str, Matches("^[a-z]{1,20}$", "must be a word such as low, medium or high")] | None = (
        Field(default=None, description="Effort of a reasoning model, in the provider's words, such as low.")
    )
    prompt_cache: bool = Field(default=False, description="Use prompt caching (Anthropic).")
    chat_template: Literal["passthrough"] | None = Field(
        default=None, description="passthrough joins the messages and continues them, for local base models."
    )
    keep_thinking: bool = Field(
        default=False, description="Leave `<think>…</think>` in the answer; otherwise it is separated and not scored."
    )
    timeout_s: float = Field(default=120.0, gt=0, le=3600, description="Time limit of one answer in seconds.")
    _chosen: frozenset[str] = PrivateAttr(default=frozenset())

    @property
    def chosen(self) -> frozenset[str]:
        """Names of the parameters that the gate chose, and the user did not set."""
        return self._chosen

    def choosing(self, **values: JsonValue) -> "Params":
        """These parameters with values that the gate chooses: a model that refuses one is called without it."""
        copy = self.model_copy(update=values)
        copy._chosen = self._chosen | values.keys()
        return copy

    @classmethod
    def _without_null(cls, value: dict[str, Any]) -> dict[str, Any]:
        """An empty value resets the default of the file."""
        usual = {name: field.default for name, field in cls.model_fields.items()}
        return {key: usual[key] if inner is None and key in usual else inner for key, inner in value.items()}

    def changed(self) -> dict[str, JsonValue]:
        """Parameters that differ from the defaults, for records and digests."""
        out: dict[str, JsonValue] = {}
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            if value != field.default:
                out[name] = list(value) if isinstance(value, tuple) else value
        return out

    def changed_by(self, other: "Params") -> "Params":
        """These parameters overridden by those set in `other`; None there resets a parameter."""
        return self.model_copy(update={name: getattr(other, name) for name in other.model_fields_set})


def address_complaint(url: str) -> str:
    """Why a text is not a valid server address; empty if it is one."""
    if not url.isprintable() or " " in url:
        return "contains a space or a control character"
    try:
        parts = urlsplit(url)
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return "is not a web address"
    if parts.scheme not in ("http", "https") or not named:
        return "must start with http:// or https:// and name a host"
    if parts.username is not None or parts.password is not None:
        return "must not contain a user name or password"
    return ""


SERVICES: Mapping[str, Literal["openai", "anthropic"]] = {
    "openai": "openai",
    "anthropic": "anthropic",
    "azure": "openai",
    "bedrock": "anthropic",
    "vertex": "anthropic",
}
"""Providers that are asked at their own address, with a key; and the interface that each speaks."""
PROVIDERS = (*SERVICES, "local", "fake", "replay")
PROVIDER = "[a-z][a-z0-9_-]{0,39}"
"""A name under `providers:`."""
_GUESSES = (("claude", "anthropic"), ("gpt", "openai"), ("o1", "openai"), ("o3", "openai"), ("o4", "openai"))


def parse_model(text: str, others: Collection[str] | None = None) -> ModelRef:
    """`provider:name`; the name may hold further colons.

    Args:
        others: providers in addition to the built-in ones; None accepts any name.
    """
    provider, colon, name = text.partition(":")
    if not colon:
        guess = next((owner for start, owner in _GUESSES if text.startswith(start)), "openai")
        hint = f"write provider:name, for example {guess}:{text[:60]}; providers: {', '.join(PROVIDERS)}"
        raise GateError(f"the model {quoted(text)} has no provider", hint)
    # An invalid provider name is reported where it is defined, and not again where it is used.
    known_ones = tuple(dict.fromkeys((*PROVIDERS, *(others or ()))))
    if provider not in known_ones and (others is not None or not re.fullmatch(PROVIDER, provider)):
        hint = did_you_mean(provider, known_ones)
        known = "" if hint.startswith("known") else f" known: {', '.join(known_ones)}"
        own = "; for your own server, add it under providers: in gate.yaml, or use openai:NAME with OPENAI_BASE_URL"
        raise GateError(f"unknown provider {quoted(provider)} in the model {quoted(text)}", hint + known + own)
    if not name or name != name.strip() or not name.isprintable() or len(name) > NAME_CHARS:
        raise GateError(f"the model {quoted(text)} has no usable name after {provider!r}", f"write {provider}:NAME")
    return ModelRef(provider, name)


def foreign_model(text: str) -> ModelRef | None:
    """The model for a name in another tool's file: `openai/gpt-4o-mini`, `gpt-4o-mini` or `openai:gpt-4o-mini`."""
    provider, mark, _ = text.partition("/")
    known = text.replace("/", ":", 1) if mark and provider in PROVIDERS else text
    guess = next((owner for start, owner in _GUESSES if text.startswith(start)), "")
    try:
        return parse_model(f"{guess}:{text}" if guess and ":" not in text else known, ())
    except GateError:
        return None


def parse_params(value: Mapping[str, JsonValue], file: str) -> Params:
    """Parameters from a command line or a scorer's options.

    Raises:
        InputErrors: all errors, reported for `file`.
    """
    return Params().changed_by(validate(Params, Document(file, {"params": dict(value)}).part("params")))


Relation: TypeAlias = Literal["", "the same model", "the same model of another date", "a weaker model of its family"]

_DATE = re.compile(r"[-@]?(?:20\d\d-?[01]\d-?[0-3]\d|latest|[01]\d-?[0-3]\d)$")
_VERSION = re.compile(r"(\d+)(?:[.-](\d{1,2})(?!\d))?")
_SIZE = re.compile(r"(?<![\d.])(?:(\d+)x)?(\d+(?:\.\d+)?)b\b")
_GPT = re.compile(r"^(?:chat)?gpt-(\d+(?:\.\d+)?)(o?)(?:-(nano|mini|pro|turbo))?(?:-chat)?$")
_O = re.compile(r"^o(\d)(?:-(nano|mini|pro|preview))?$")
_CLAUDE = ("haiku", "sonnet", "opus")
_GEMINI = ("flash-lite", "flash", "pro")
_OPENAI_SIZES = {"nano": 0, "mini": 1, "": 2, "preview": 2, "turbo": 2, "pro": 3}
_BY_SIZE = ("llama", "qwen", "gemma", "mistral", "mixtral", "phi", "deepseek")


@dataclass(frozen=True, slots=True)
class _Rank:
    """Strength of a model within its family.

    Args:
        family: only models of one family are compared.
        size: larger is stronger.
        version: later is stronger, at the same size.
    """

    family: str
    size: float
    version: tuple[float, float]


def relation(judge: ModelRef, judged: ModelRef) -> Relation:
    """How a judge is related to the model that it judges; empty if the relation is harmless or unknown."""
    ours, theirs = _base_name(judge), _base_name(judged)
    if judge == judged:
        return "the same model"
    if judge.provider in ("local", "fake", "replay") or judged.provider in ("local", "fake", "replay"):
        return ""  # names of files and of test providers
    if ours == theirs:
        return "the same model of another date"
    first, second = _rank(ours), _rank(theirs)
    if first is None or second is None or first.family != second.family:
        return ""
    if first.size != second.size:
        return "a weaker model of its family" if first.size < second.size else ""
    return "a weaker model of its family" if first.version < second.version else ""


def _base_name(model: ModelRef) -> str:
    """The name without its host and its date."""
    name = model.name.lower().rpartition("/")[2].removesuffix(":free")
    return _DATE.sub("", name.removeprefix("us.").removeprefix("anthropic."))


def _rank(name: str) -> _Rank | None:
    return (
        _openai(name)
        or _rank_by_size_name(name, "claude", _CLAUDE)
        or _rank_by_size_name(name, "gemini", _GEMINI)
        or _rank_by_parameters(name)
    )


def _openai(name: str) -> _Rank | None:
    if found := _GPT.match(name):
        return _Rank("gpt", _OPENAI_SIZES[found[3] or ""], (float(found[1]), 0.5 if found[2] else 0.0))
    if found := _O.match(name):
        return _Rank("o", _OPENAI_SIZES[found[2] or ""], (float(found[1]), 0.0))
    return None


def _rank_by_size_name(name: str, family: str, sizes: tuple[str, ...]) -> _Rank | None:
    if not name.startswith(f"{family}-"):
        return None
    size = next((place for place, word in enumerate(sizes) if word in name), None)
    if size is None:
        return None
    version = _VERSION.search(name)
    return _Rank(family, size, (float(version[1]), float(version[2] or 0)) if version else (0.0, 0.0))


def _rank_by_parameters(name: str) -> _Rank | None:
    family = next((word for word in _BY_SIZE if name.startswith(word)), None)
    size = _SIZE.search(name)
    if family is None or size is None:
        return None
    version = _VERSION.search(name.replace(size[0], ""))
    billions = float(size[1] or 1) * float(size[2])
    return _Rank(family, billions, (float(version[1]), float(version[2] or 0)) if version else (0.0, 0.0))
