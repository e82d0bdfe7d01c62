"""What servers refuse of a request, and in what words they say so."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.model_server import Raw

Wording = Callable[[str, str], Raw]
"""The reply to a parameter that a server does not take, from its name and a sentence on it."""


def _json(status: int, data: object) -> Raw:
    return Raw(status, json.dumps(data).encode(), {"content-type": "application/json"})


def openai_words(name: str, sentence: str) -> Raw:
    """OpenAI's error object."""
    error = {"message": sentence, "type": "invalid_request_error", "param": name, "code": "unsupported_parameter"}
    return _json(400, {"error": error})


def fastapi_words(name: str, sentence: str) -> Raw:
    """A list of pydantic's errors; the sentence is pydantic's own."""
    detail = [{"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted", "input": 0}]
    return _json(422, {"detail": detail})


def gemini_words(name: str, sentence: str) -> Raw:
    """A list with one error."""
    return _json(400, [{"error": {"code": 400, "message": sentence, "status": "INVALID_ARGUMENT"}}])


def ollama_words(name: str, sentence: str) -> Raw:
    """A sentence."""
    return _json(400, {"error": sentence})


def plain_words(name: str, sentence: str) -> Raw:
    """Plain text."""
    return Raw(400, sentence.encode(), {"content-type": "text/plain; charset=utf-8"})


def no_words(name: str, sentence: str) -> Raw:
    """A status alone."""
    return Raw(422, b"")


WORDINGS: Mapping[str, Wording] = {
    words.__name__.removesuffix("_words"): words
    for words in (openai_words, fastapi_words, gemini_words, ollama_words, plain_words, no_words)
}


@dataclass(frozen=True)
class Tastes:
    """What a server takes.

    Args:
        forms: values of `response_format.type`, besides plain text.
        limit: the parameter that limits tokens.
        temperature: does it take one?
        words: how it says what it does not take.
    """

    forms: frozenset[str] = frozenset({"json_schema", "json_object"})
    limit: str = "max_tokens"
    temperature: bool = True
    words: Wording = openai_words

    def refusal(self, data: dict[str, Any]) -> Raw | None:
        """The reply to the first thing that it does not take; None where it takes all."""
        form = (data.get("response_format") or {}).get("type")
        other = ({"max_tokens", "max_completion_tokens"} - {self.limit}).pop()
        if form is not None and form not in self.forms:
            return self.words("response_format", f"This response_format type {form} is unavailable now")
        if other in data:
            return self.words(other, f"Unsupported parameter: '{other}' is not supported with this model.")
        if "temperature" in data and not self.temperature:
            return self.words("temperature", "Unsupported value: 'temperature' does not support 0 with this model.")
        return None
