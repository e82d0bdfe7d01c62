"""Which model answers, and with which parameters."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from gate.config.validation import FileModel, Matches, wrong
from gate.domain.jsonvalue import JsonValue


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
    """An entry of `providers:`: a server that speaks the interface of OpenAI or of Anthropic."""

    meant = {"api_base": "base_url", "api_key": "api_key_env", "key": "api_key_env"}

    api: Literal["openai", "anthropic"] = Field(examples=["openai"], description="Whose interface it speaks.")
    api_key_env: Annotated[
        str,
        Matches(
            "^[A-Z_][A-Z0-9_]{0,99}$",
            "must name an environment variable, and not hold a key",
            "for example GROQ_API_KEY",
        ),
    ] = Field(default="", description="The environment variable that holds its key, for a server that wants one.")
    base_url: str = Field(
        max_length=2000,
        examples=["https://api.groq.com/openai/v1"],
        description="Its address, without the path of a call.",
    )

    @field_validator("base_url")
    @classmethod
    def _web_address(cls, url: str, info: ValidationInfo) -> str:
        if reason := address_complaint(url):
            # The address itself stays out of the message: it may hold a password.
            raise wrong(reason)
        parts = urlsplit(url)
        keyed = bool(info.data.get("api_key_env"))
        if keyed and parts.scheme != "https" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
            raise wrong("must begin with https://", "a key is sent there; http is for this machine alone")
        return url


_Stop = Annotated[str, Field(min_length=1, max_length=200)]


def _several(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


class Params(FileModel):
    """Neutral parameters; each provider maps them to its own words. None is not sent."""

    meant = {
        "max_tokens": "max_output_tokens",
        "max_completion_tokens": "max_output_tokens",
        "stop_sequences": "stop",
        "effort": "reasoning_effort",
        "timeout": "timeout_s",
    }

    max_output_tokens: int | None = Field(default=None, ge=1, le=1_000_000, description="Tokens of one reply.")
    temperature: float | None = Field(default=None, ge=0, le=2, description="Newer models take none.")
    top_p: float | None = Field(default=None, gt=0, le=1, description="Share of probability that is sampled from.")
    stop: Annotated[
        tuple[_Stop, ...], BeforeValidator(_several, json_schema_input_type=_Stop | list[_Stop]), Field(strict=False)
    ] = Field(default=(), max_length=16, description="Texts that end a reply.")
    seed: int | None = Field(default=None, ge=0, le=2**31 - 1, description="For models that take one.")
    reasoning_effort: Annotated[str, Matches("^[a-z]{1,20}$", "must be a word such as low, medium or high")] | None = (
        Field(default=None, description="How much a reasoning model thinks, in its maker's word, such as low.")
    )
    prompt_cache: bool = Field(default=False, description="Ask Anthropic for prompt caching.")
    chat_template: Literal["passthrough"] | None = Field(
        default=None, description="passthrough: messages are joined and continued, for local base models."
    )
    timeout_s: float = Field(default=120.0, gt=0, le=3600, description="Seconds for one answer.")

    @classmethod
    def _without_null(cls, value: dict[str, Any]) -> dict[str, Any]:
        """An empty value takes back what the defaults of the file say."""
        usual = {name: field.default for name, field in cls.model_fields.items()}
        return {key: usual[key] if inner is None and key in usual else inner for key, inner in value.items()}

    def changed(self) -> dict[str, JsonValue]:
        """The parameters that differ from the defaults, for records and digests."""
        out: dict[str, JsonValue] = {}
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            if value != field.default:
                out[name] = list(value) if isinstance(value, tuple) else value
        return out

    def changed_by(self, other: "Params") -> "Params":
        """These, but for what the other ones name: a parameter that they name as None is taken back."""
        return self.model_copy(update={name: getattr(other, name) for name in other.model_fields_set})


def address_complaint(url: str) -> str:
    """What keeps a text from being the address of a server; empty when nothing does."""
    if not url.isprintable() or " " in url:
        return "holds a space or a control character"
    try:
        parts = urlsplit(url)
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return "is not a web address"
    if parts.scheme not in ("http", "https") or not named:
        return "must begin with http:// or https:// and name a host"
    if parts.username is not None or parts.password is not None:
        return "must not hold a user name or password"
    return ""
