"""Models (`provider:name`) and neutral parameters, as configuration writes them."""

import re
from collections.abc import Collection, Mapping

from gate.config.documents import Document
from gate.config.validation import validate
from gate.domain.jsonvalue import JsonValue
from gate.domain.model import ModelRef, Params
from gate.errors import GateError
from gate.inputs.limits import NAME_CHARS
from gate.inputs.problems import did_you_mean, quoted

PROVIDERS = ("openai", "anthropic", "azure", "bedrock", "vertex", "local", "fake", "replay")
PROVIDER = "[a-z][a-z0-9_-]{0,39}"
"""A name under `providers:`."""
_GUESSES = (("claude", "anthropic"), ("gpt", "openai"), ("o1", "openai"), ("o3", "openai"), ("o4", "openai"))


def parse_model(text: str, others: Collection[str] | None = None) -> ModelRef:
    """`provider:name`; the name may hold further colons.

    Args:
        text: as it is written.
        others: providers beside the built-in ones; None takes any word for one.

    Raises:
        GateError: no provider, an unknown one, or no name.
    """
    provider, colon, name = text.partition(":")
    if not colon:
        guess = next((owner for start, owner in _GUESSES if text.startswith(start)), "openai")
        hint = f"write provider:name, for example {guess}:{text[:60]}; providers: {', '.join(PROVIDERS)}"
        raise GateError(f"the model {quoted(text)} names no provider", hint)
    known_ones = (*PROVIDERS, *(others or ()))
    if not re.fullmatch(PROVIDER, provider) or (others is not None and provider not in known_ones):
        hint = did_you_mean(provider, known_ones)
        known = "" if hint.startswith("known") else f" known: {', '.join(known_ones)}"
        own = "; a server of your own is openai:NAME with OPENAI_BASE_URL, or stands under providers: in gate.yaml"
        raise GateError(f"unknown provider {quoted(provider)} in the model {quoted(text)}", hint + known + own)
    if not name or name != name.strip() or not name.isprintable() or len(name) > NAME_CHARS:
        raise GateError(f"the model {quoted(text)} has no usable name after {provider!r}", f"write {provider}:NAME")
    return ModelRef(provider, name)


def foreign_model(text: str) -> ModelRef | None:
    """The model that another tool's file means, as `openai/gpt-4o-mini`, `gpt-4o-mini` or in the gate's own way.

    Args:
        text: its name there.

    Returns:
        None where nobody can tell whose it is.
    """
    provider, mark, _ = text.partition("/")
    known = text.replace("/", ":", 1) if mark and provider in PROVIDERS else text
    guess = next((owner for start, owner in _GUESSES if text.startswith(start)), "")
    try:
        return parse_model(f"{guess}:{text}" if guess and ":" not in text else known, ())
    except GateError:
        return None


def parse_params(value: Mapping[str, JsonValue], file: str, base: Params | None = None) -> Params:
    """Parameters from outside YAML (a command line, a scorer's options).

    Raises:
        InputErrors: everything that is wrong, under the name `file`.
    """
    return (base or Params()).changed_by(validate(Params, Document(file, {"params": dict(value)}).part("params")))
