"""A JSON Schema as those who are sent it take it: without bounds, or with a bound on everything."""

from gate.domain.jsonvalue import JsonValue

MOST_CHARS = 160
"""Of one text, where the schema has no bound of its own."""

MOST_ITEMS = 3
"""Of one list, where the schema has no bound of its own."""

_BOUNDS = frozenset({"minItems", "maxItems", "minLength", "maxLength", "prefixItems"})


def unbounded(schema: JsonValue) -> JsonValue:
    """The schema without its bounds, some of which the strict modes of remote interfaces refuse.

    Args:
        schema: its objects may have properties that are named like a bound.
    """
    return _without(schema, frozenset())


def bounded(schema: JsonValue) -> JsonValue:
    """The schema for a grammar, with a bound on each text and each list: a small model does not know when to stop.

    A text is not empty. A list whose items are told one by one (`prefixItems`) holds exactly these.

    Args:
        schema: bounds of its own stay as they are.
    """
    if isinstance(schema, list):
        return [bounded(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    told = {key: bounded(value) for key, value in schema.items()}
    if told.get("type") == "string" and "enum" not in told:
        told = {"minLength": 1, "maxLength": MOST_CHARS, **told}
    if told.get("type") == "array" and "prefixItems" in told:
        # llama.cpp takes `items` alone where both are there.
        return {"type": "array", "prefixItems": told["prefixItems"]}
    if told.get("type") == "array":
        least = told.get("minItems")
        told.setdefault("maxItems", max(MOST_ITEMS, least if isinstance(least, int) else 0))
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
