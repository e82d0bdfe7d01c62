"""Models (`provider:name`) and neutral parameters, as configuration writes them."""

from collections.abc import Collection, Mapping

from gate.config.documents import Document
from gate.config.validation import attempt, validate
from gate.domain.jsonvalue import JsonValue
from gate.domain.model import ModelRef, Params
from gate.errors import GateError
from gate.inputs.fields import Fields, Range
from gate.inputs.limits import NAME_CHARS
from gate.inputs.nodes import plain
from gate.inputs.problems import did_you_mean, quoted

PROVIDERS = ("openai", "anthropic", "azure", "bedrock", "vertex", "local", "fake", "replay")
MAX_OUTPUT_TOKENS = Range(1, 1_000_000)
_GUESSES = (("claude", "anthropic"), ("gpt", "openai"), ("o1", "openai"), ("o3", "openai"), ("o4", "openai"))


def parse_model(text: str, others: Collection[str] = ()) -> ModelRef:
    """`provider:name`; the name may hold further colons.

    Args:
        text: as it is written.
        others: providers beside the built-in ones.

    Raises:
        GateError: no provider, an unknown one, or no name.
    """
    provider, colon, name = text.partition(":")
    if not colon:
        guess = next((owner for start, owner in _GUESSES if text.startswith(start)), "openai")
        hint = f"write provider:name, for example {guess}:{text[:60]}; providers: {', '.join(PROVIDERS)}"
        raise GateError(f"the model {quoted(text)} names no provider", hint)
    if provider not in (*PROVIDERS, *others):
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
    return (base or Params()).changed_by(validate(Params, Document(file, {"params": dict(value)}).part("params")))


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
    written = {key: plain(node) for key, node in fields.entries.items()}
    found, wrong = attempt(Params, Document(fields.problems.file, {"params": written}).part("params"))
    for problem in wrong:
        fields.problems.add(fields.line, problem.message, problem.hint)
    return base.changed_by(found) if found else base
