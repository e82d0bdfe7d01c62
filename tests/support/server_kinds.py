"""Kinds of model servers: how each is named in `gate.yaml`, what it refuses, and the form of its replies."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.model_server import Behaviour, Raw
from tests.support.refusing_server import (
    Tastes,
    fastapi_words,
    gemini_words,
    openai_words,
    plain_words,
)

Wire = dict[str, Any]
KEY = "loopback-key-0123456789"
THOUGHT = 'It could be "wrong", or {"reason": "no", "score": 0}. Let me see.'


def _with_message(wire: Wire, **changes: Any) -> Wire:
    """A chat completion with another message."""
    (choice,) = wire["choices"]
    return {**wire, "choices": [{**choice, "message": {**choice["message"], **changes}}]}


def with_reasoning_content(wire: Wire) -> Wire:
    """DeepSeek: what the model thought, in a field of its own."""
    return _with_message(wire, reasoning_content=THOUGHT)


def with_think_tags(wire: Wire) -> Wire:
    """vLLM without a reasoning parser: what the model thought, before the answer."""
    return _with_message(wire, content=f"<think>\n{THOUGHT}\n</think>\n\n{wire['choices'][0]['message']['content']}")


def in_chunks(wire: Wire) -> Wire:
    """Mistral: the answer in parts."""
    text = wire["choices"][0]["message"]["content"]
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]}
    parts = [{"type": "text", "text": text[:3]}, {"type": "text", "text": text[3:]}]
    return _with_message(wire, content=[thinking, *parts])


def _too_strict_for_gemini(data: Wire) -> Raw | None:
    schema = (data.get("response_format") or {}).get("json_schema", {}).get("schema", {})
    if "additionalProperties" in schema:
        unknown = "Unknown name \"additionalProperties\" at 'generation_config.response_schema': Cannot find field."
        return gemini_words("response_schema", f"Invalid JSON payload received. {unknown}")
    return None


def _anthropic_refusal(data: Wire) -> Raw | None:
    if "temperature" in data or "max_tokens" not in data:
        error = {"type": "error", "error": {"type": "invalid_request_error", "message": "temperature: Extra inputs"}}
        return Raw(400, json.dumps(error).encode())
    return None


@dataclass(frozen=True)
class ServerKind:
    """One kind of server.

    Args:
        prefix: before the colon of a model's name.
        api: of the entry of `providers:`; empty for a service that the environment names.
        env: variables of a service, from its address.
        refusal: what it says to a request that it does not take.
        shape: the form of its replies.
    """

    prefix: str
    api: str = "openai"
    env: Callable[[str], Mapping[str, str]] = lambda url: {}
    refusal: Callable[[Wire], Raw | None] | None = None
    shape: Callable[[Wire], Wire] | None = None
    params: str = "{max_output_tokens: 300}"
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def behaviour(self) -> Behaviour:
        """The behaviour of a server of this kind."""
        return Behaviour(refusal=self.refusal, shape=self.shape)

    def providers(self, url: str) -> str:
        """The entry of `gate.yaml`; empty where none is needed."""
        if not self.api:
            return ""
        address = f"{url}/v1" if self.api == "openai" else url
        return f"providers: {{{self.prefix}: {{api: {self.api}, base_url: '{address}', api_key_env: OWN_KEY}}}}\n"


def _azure_env(url: str) -> Mapping[str, str]:
    return {"AZURE_OPENAI_ENDPOINT": url, "AZURE_OPENAI_API_KEY": KEY, "OPENAI_API_VERSION": "2024-10-21"}


KINDS: Mapping[str, ServerKind] = {
    "OpenAI's reasoning models, through a proxy": ServerKind(
        "openai",
        api="",
        env=lambda url: {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": KEY},
        refusal=Tastes(limit="max_completion_tokens", temperature=False, words=openai_words).refusal,
    ),
    "Anthropic": ServerKind("claude", api="anthropic", refusal=_anthropic_refusal),
    "Azure": ServerKind(
        "azure",
        api="",
        env=_azure_env,
        refusal=Tastes(limit="max_completion_tokens", words=openai_words).refusal,
    ),
    "DeepSeek, with its thoughts in a field": ServerKind(
        "deepseek",
        refusal=Tastes(frozenset({"json_object"}), words=openai_words).refusal,
        shape=with_reasoning_content,
    ),
    "vLLM, with its thoughts in tags": ServerKind(
        "vllm", refusal=Tastes(words=fastapi_words).refusal, shape=with_think_tags
    ),
    "Mistral, in chunks": ServerKind("mistral", refusal=Tastes(words=fastapi_words).refusal, shape=in_chunks),
    "Gemini, by OpenAI's interface": ServerKind("gemini", refusal=_too_strict_for_gemini),
    "Ollama, without a schema": ServerKind("ollama", refusal=Tastes(frozenset(), words=plain_words).refusal),
}
