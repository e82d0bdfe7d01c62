"""A JSON Schema as those who are sent it take it: without bounds, or with a bound on everything."""

from dataclasses import dataclass

from gate.domain.jsonvalue import JsonValue
from gate.domain.model import ModelRef
from gate.providers.packaged import NAME


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a model is let write whose replies follow a grammar.

    Args:
        chars: of a text without a bound of its own.
        items: of a list without a bound of its own.
        most_items: of any list, unless its schema needs more.
        part: the bound that a schema sets to a text is divided by this.
    """

    chars: int
    items: int
    most_items: int
    part: int


PACKAGED = Limits(chars=160, items=3, most_items=3, part=5)
"""It does not know when to stop, and fills whatever it is given: minutes for nothing."""
LARGER = Limits(chars=1_200, items=20, most_items=200, part=1)
"""Of any model file that the user brings."""


def limits_of(model: ModelRef) -> Limits:
    """The limits of a local model."""
    return PACKAGED if model.name == NAME else LARGER


def room(model: ModelRef, wanted: int | None = None) -> int | None:
    """How many items one list of a model's reply can hold; None where nothing bounds it.

    Args:
        model: who replies.
        wanted: the bound that the schema sets; None where it sets none.
    """
    if model.provider != "local":
        return None
    limits = limits_of(model)
    return limits.items if wanted is None else min(wanted, limits.most_items)


_BOUNDS = frozenset({"minItems", "maxItems", "minLength", "maxLength", "prefixItems"})


def unbounded(schema: JsonValue) -> JsonValue:
    """The schema without its bounds, some of which the strict modes of remote interfaces refuse.

    Args:
        schema: its objects may have properties that are named like a bound.
    """
    return _without(schema, frozenset())


def bounded(schema: JsonValue, limits: Limits) -> JsonValue:
    """The schema for a grammar, with a bound on each text and each list: a small model does not know when to stop.

    A text is not empty. A list whose items are told one by one (`prefixItems`) holds exactly these.

    Args:
        schema: may have bounds of its own.
        limits: of the model.
    """
    if isinstance(schema, list):
        return [bounded(item, limits) for item in schema]
    if not isinstance(schema, dict):
        return schema
    told = {key: bounded(value, limits) for key, value in schema.items()}
    if told.get("type") == "string" and "enum" not in told:
        own = told.get("maxLength")
        told = {"minLength": 1, **told, "maxLength": own // limits.part if isinstance(own, int) else limits.chars}
    if told.get("type") == "array" and "prefixItems" in told:
        # llama.cpp takes `items` alone where both are there.
        return {"type": "array", "prefixItems": told["prefixItems"]}
    if told.get("type") == "array":
        least, own = told.get("minItems"), told.get("maxItems")
        most = min(own, limits.most_items) if isinstance(own, int) else limits.items
        told["maxItems"] = max(most, least if isinstance(least, int) else 0)
    return told


def _without(schema: JsonValue, names: frozenset[str]) -> JsonValue:
    """Without the bounds; `names` are the keys that name properties here."""
    if isinstance(schema, list):
        return [_without(item, frozenset()) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, JsonValue] = {}
    for key, value in schema.items():
        if key == "properties" and key not in names and isinstance(value, dict):
            kept[key] = _without(value, frozenset(value))
        elif key in names or key not in _BOUNDS:
            kept[key] = _without(value, frozenset())
    return kept
