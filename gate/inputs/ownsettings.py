"""What a prompt file of another tool says about the model, which the gate leaves to `gate.yaml`."""

import json
from collections.abc import Iterable, Mapping

from gate.domain.jsonvalue import JsonValue
from gate.domain.model import ModelRef
from gate.inputs.models import foreign_model

_NAMES = ("id", "model", "name")
"""Keys of a `.prompty` under which the name of a model stands."""


def own_settings(entries: Mapping[str, JsonValue], keys: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The settings that the file has, each as its key and its value in JSON.

    Args:
        entries: the file, or its front matter.
        keys: those that other tools send with the prompt.
    """
    return tuple((key, json.dumps(entries[key], sort_keys=True, ensure_ascii=False)) for key in keys if key in entries)


def own_model(settings: Iterable[tuple[str, str]]) -> ModelRef | None:
    """The model that a prompt file names.

    Args:
        settings: of the file, as `own_settings` gives them.

    Returns:
        None where it names none, or none that the gate knows how to ask.
    """
    told = json.loads(dict(settings).get("model", "null"))
    name = told if isinstance(told, str) else _named(told)
    return foreign_model(name) if name else None


def _named(told: JsonValue) -> str:
    """The name within `{id: …}` or `{configuration: {type: openai, name: …}}`."""
    if not isinstance(told, dict):
        return ""
    inner = told.get("configuration", told)
    found = {**told, **inner} if isinstance(inner, dict) else told
    name = next((value for key in _NAMES if isinstance(value := found.get(key), str)), "")
    owner = found.get("type", found.get("provider"))
    return f"{owner}:{name}" if name and owner in ("openai", "anthropic") and ":" not in name else name
