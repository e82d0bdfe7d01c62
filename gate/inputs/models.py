"""Models (`provider:name`) and neutral parameters, as configuration writes them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from gate.domain.jsonvalue import JsonValue
from gate.domain.model import ModelRef, Params
from gate.errors import GateError
from gate.inputs.fields import Fields, Range
from gate.inputs.limits import NAME_CHARS
from gate.inputs.nodes import Node, described, wrap
from gate.inputs.problems import Problems, did_you_mean, quoted

PROVIDERS = ("openai", "anthropic", "azure", "bedrock", "vertex", "local", "fake", "replay")
PARAMS = (
    "max_output_tokens",
    "temperature",
    "top_p",
    "stop",
    "seed",
    "reasoning_effort",
    "prompt_cache",
    "chat_template",
    "base_url",
    "timeout_s",
)
CHAT_TEMPLATES = ("passthrough",)
MAX_OUTPUT_TOKENS = Range(1, 1_000_000)
TEMPERATURE = Range(0, 2)
TOP_P = Range(0, 1, above=True)
SEED = Range(0, 2**31 - 1)
TIMEOUT_S = Range(0, 3600, above=True)
STOPS = 16
EFFORT = "^[a-z]{1,20}$"

_MEANT = {
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
    "stop_sequences": "stop",
    "effort": "reasoning_effort",
    "timeout": "timeout_s",
    "api_base": "base_url",
}
_GUESSES = (("claude", "anthropic"), ("gpt", "openai"), ("o1", "openai"), ("o3", "openai"), ("o4", "openai"))


def parse_model(text: str) -> ModelRef:
    """`provider:name`; the name may hold further colons.

    Raises:
        GateError: no provider, an unknown one, or no name.
    """
    provider, colon, name = text.partition(":")
    if not colon:
        guess = next((owner for start, owner in _GUESSES if text.startswith(start)), "openai")
        hint = f"write provider:name, for example {guess}:{text[:60]}; providers: {', '.join(PROVIDERS)}"
        raise GateError(f"the model {quoted(text)} names no provider", hint)
    if provider not in PROVIDERS:
        hint = did_you_mean(provider, PROVIDERS)
        known = "" if hint.startswith("known") else f" known: {', '.join(PROVIDERS)}"
        raise GateError(f"unknown provider {quoted(provider)} in the model {quoted(text)}", hint + known)
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
        return parse_model(f"{guess}:{text}" if guess and ":" not in text else known)
    except GateError:
        return None


def parse_params(value: Mapping[str, JsonValue], file: str, base: Params | None = None) -> Params:
    """Parameters from outside YAML (a command line, a scorer's options).

    Raises:
        InputErrors: everything that is wrong, under the name `file`.
    """
    problems = Problems(file)
    params = read_params(Fields(wrap(dict(value), 0), "params", problems), base or Params())
    problems.check()
    return params


def read_model(fields: Fields, key: str) -> ModelRef | None:
    """The model under `key`, or None where there is none or a wrong one."""
    text = fields.text(key)
    if not text:
        return None
    try:
        return parse_model(text)
    except GateError as error:
        fields.problems.add(fields.line_of(key), error.message, error.hint)
        return None


def read_params(fields: Fields, base: Params) -> Params:
    """`base`, changed by what the mapping names; an empty value (`temperature: null`) takes a setting back.

    Args:
        fields: the mapping `params`.
        base: the defaults.
    """
    fields.only(PARAMS, meant=_MEANT)
    unset = [key for key, node in fields.entries.items() if key in PARAMS and node.value is None]
    entries = {key: node for key, node in fields.entries.items() if key not in unset}
    given = Fields(Node(entries, fields.line), fields.name, fields.problems)
    defaults = Params()
    values: dict[str, Any] = {key: getattr(defaults, key) for key in unset}
    readers: Mapping[str, Callable[[], object]] = {
        "max_output_tokens": lambda: given.integer("max_output_tokens", 1, MAX_OUTPUT_TOKENS),
        "temperature": lambda: given.number("temperature", 0, TEMPERATURE),
        "top_p": lambda: given.number("top_p", 1, TOP_P),
        "stop": lambda: _stop(given),
        "seed": lambda: given.integer("seed", 0, SEED),
        "reasoning_effort": lambda: _effort(given),
        "prompt_cache": lambda: given.flag("prompt_cache", False),
        "chat_template": lambda: given.choice("chat_template", "", CHAT_TEMPLATES),
        "base_url": lambda: _url(given),
        "timeout_s": lambda: given.number("timeout_s", 1, TIMEOUT_S, "seconds"),
    }
    values.update({key: read() for key, read in readers.items() if given.has(key)})
    return replace(base, **values)


def _stop(fields: Fields) -> tuple[str, ...]:
    node = fields.entries["stop"]
    items = node.value if isinstance(node.value, tuple) else (node,)
    if len(items) > STOPS:
        fields.problems.add(node.line, f"params.stop holds more than {STOPS} texts")
    good = []
    for item in items:
        if isinstance(item.value, str) and 0 < len(item.value) <= NAME_CHARS:
            good.append(item.value)
        else:
            fields.problems.add(item.line, f"params.stop must be text or a list of texts, not {described(item.value)}")
    return tuple(good)


def _effort(fields: Fields) -> str:
    word = fields.text("reasoning_effort", "low")
    if not re.fullmatch(EFFORT, word):
        message = f"params.reasoning_effort must be a word such as low, medium or high, not {quoted(word)}"
        fields.problems.add(fields.line_of("reasoning_effort"), message)
    return word


def _url(fields: Fields) -> str:
    text = fields.text("base_url", most=2000)
    if text and (reason := _url_complaint(text)):
        # The address itself stays out of the message: it may hold a password.
        hint = "for example http://localhost:11434/v1"
        fields.problems.add(fields.line_of("base_url"), f"params.base_url {reason}", hint)
    return text


def _url_complaint(text: str) -> str:
    if not text.isprintable() or " " in text:
        return "holds a space or a control character"
    try:
        parts = urlsplit(text)
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return "is not a web address"
    if parts.scheme not in ("http", "https") or not named:
        return "must begin with http:// or https:// and name a host"
    if parts.username is not None or parts.password is not None:
        return "must not hold a user name or password"
    return ""
