"""Providers of promptfoo as models and parameters of the gate."""

from collections.abc import Iterator
from dataclasses import replace

from gate.config.documents import Document
from gate.domain.jsonvalue import JsonValue
from gate.errors import InputErrors
from gate.formats.losses import Losses
from gate.inputs.models import parse_params
from gate.inputs.problems import quoted
from gate.inputs.promptfoo.assertions import model_of
from gate.inputs.promptfoo.context import FILE, Context, items, parsed

_DATA = (".yaml", ".yml", ".json")
_PARAMS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
    "max_output_tokens": "max_output_tokens",
    "maxTokens": "max_output_tokens",
    "maxOutputTokens": "max_output_tokens",
    "topP": "top_p",
    "seed": "seed",
    "stop": "stop",
    "stopSequences": "stop",
    "reasoning_effort": "reasoning_effort",
    "reasoningEffort": "reasoning_effort",
}


def model_and_params(
    node: Document | None, losses: Losses, context: Context
) -> tuple[str | None, dict[str, JsonValue]]:
    """The first provider that the gate can ask; all others are told.

    Args:
        node: the list under `providers`.
        losses: gets the rest.
        context: reads the files in which providers stand.
    """
    model: str | None = None
    params: dict[str, JsonValue] = {}
    for item in _providers(node, context):
        name, config = _parts(item.data)
        found = model_of(name)
        if found is None:
            said = f"the provider {quoted(name or 'without an id')} is no model that the gate can ask"
            losses.add(
                item.line, said, "name a model: openai:…, anthropic:…, or one of a server under providers: in gate.yaml"
            )
        elif model is not None:
            losses.add(
                item.line, f"the provider {quoted(name)} is left out: a suite asks one model", "gate diff --model"
            )
        else:
            model, params = found, params_of(config, item.line, losses)
    return model, params


def _providers(node: Document | None, context: Context) -> Iterator[Document]:
    """One after the other; a file stands for those that it holds."""
    for item in items(node):
        named = item.data
        if not isinstance(named, str) or not named.startswith(FILE) or not named.endswith(_DATA):
            yield item
            continue
        text = context.text(named, item.line, "a provider")
        found = parsed(text, named) if text is not None else None
        yield from (replace(one, line=item.line) for one in items(found))


def params_of(config: JsonValue, line: int, losses: Losses) -> dict[str, JsonValue]:
    """Neutral parameters; what is none of them is told."""
    found: dict[str, JsonValue] = {}
    for key, value in config.items() if isinstance(config, dict) else ():
        if key not in _PARAMS:
            hint = "name its server under providers: in gate.yaml" if key == "apiBaseUrl" else ""
            losses.add(line, f"{quoted(key)} of the model is left out", hint)
            continue
        try:
            parse_params({_PARAMS[key]: value}, "params")
        except InputErrors as errors:
            losses.add(line, f"{quoted(key)} of the model is left out: {errors.problems[0].message}")
        else:
            found[_PARAMS[key]] = value
    return found


def _parts(value: JsonValue) -> tuple[str, JsonValue]:
    """Its id, and its configuration."""
    if isinstance(value, str):
        return value, {}
    if not isinstance(value, dict):
        return "", {}
    if "id" in value:
        return str(value["id"]), value.get("config")
    name, inner = next(iter(value.items()), ("", None))
    return (name, inner.get("config")) if len(value) == 1 and isinstance(inner, dict) else ("", {})
