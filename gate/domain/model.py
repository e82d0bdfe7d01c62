"""Which model answers, and with which parameters."""

from dataclasses import dataclass, fields
from typing import Literal

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


@dataclass(frozen=True, slots=True)
class ProviderServer:
    """An entry of `providers:`: a server that speaks the interface of OpenAI or of Anthropic.

    Args:
        api: whose interface it speaks.
        base_url: its address, without the path of a call.
        api_key_env: the environment variable that holds its key; empty for a server that wants none.
    """

    api: Literal["openai", "anthropic"]
    base_url: str
    api_key_env: str = ""


@dataclass(frozen=True, slots=True)
class Params:
    """Neutral parameters; each provider maps them to its own words. `None` means: not sent.

    Args:
        max_output_tokens: tokens per reply.
        temperature: 0 to 2, where the interface takes one.
        top_p: nucleus mass, 0 to 1.
        stop: sequences that end a reply.
        seed: where the interface takes one; each request gets its own, made of this, its messages and sample index.
        reasoning_effort: `low`, `medium`, `high`, …, where the interface takes one.
        prompt_cache: ask for prompt caching where it must be asked for (Anthropic).
        chat_template: `passthrough` joins the messages by line breaks (`local:` base models).
        base_url: an OpenAI- or Anthropic-compatible server.
        timeout_s: seconds for one request.
    """

    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    reasoning_effort: str | None = None
    prompt_cache: bool = False
    chat_template: str | None = None
    base_url: str | None = None
    timeout_s: float = 120.0

    def changed(self) -> dict[str, JsonValue]:
        """The parameters that differ from the defaults, for records and digests."""
        out: dict[str, JsonValue] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                out[field.name] = list(value) if isinstance(value, tuple) else value
        return out
