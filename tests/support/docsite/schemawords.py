"""Describes JSON Schemas in words: the values of a key, and the rows of a table of keys."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """One key of a file.

    Args:
        key: its whole path, as `suites[].policy.margin`.
        takes: what may stand there, in Markdown.
        needed: it has to be there, where what holds it is.
        meaning: a sentence; empty where the schema has none.
    """

    key: str
    takes: str
    needed: bool
    meaning: str = ""


def rows(schema: Schema, path: str = "", shared: tuple[tuple[Schema, str], ...] = ()) -> Iterator[Row]:
    """The keys below a schema of a mapping, those of inner mappings after the one that holds them.

    Args:
        schema: of the mapping.
        path: of the mapping; empty for the file.
        shared: schemas that have a place of their own, and the words that lead there.
    """
    needed = schema.get("required", [])
    for name, about in schema.get("properties", {}).items():
        key = f"{path}.{name}" if path else name
        words = next((found for one, found in shared if one == about), None)
        yield Row(key, words or takes(about), name in needed, about.get("description", ""))
        if words is None:
            yield from _below(about, key, shared)


def _below(about: Schema, key: str, shared: tuple[tuple[Schema, str], ...]) -> Iterator[Row]:
    seen: set[str] = set()
    for mark, inner in _mappings(about):
        for row in rows(inner, f"{key}{mark}", shared):
            if row.key not in seen:
                seen.add(row.key)
                yield row


def _mappings(about: Schema) -> Iterator[tuple[str, Schema]]:
    """All mappings that a schema allows, with what stands between its key and theirs."""
    if "properties" in about:
        yield "", about
    if isinstance(of := about.get("additionalProperties"), dict):
        yield from ((f".NAME{mark}", inner) for mark, inner in _mappings(of))
    if isinstance(of := about.get("items"), dict):
        yield from ((f"[]{mark}", inner) for mark, inner in _mappings(of))
    for one in about.get("anyOf", []):
        yield from _mappings(one)


def takes(schema: Schema) -> str:
    """What a schema allows, in a few words; null goes without saying where something else is allowed.

    Args:
        schema: of one value.
    """
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "const" in schema:
        return f"`{_shown(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{_shown(value)}`" if value != "" else "empty text" for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(takes(one) for one in schema["anyOf"]))
    kinds = schema.get("type", "any")
    several = [kinds] if isinstance(kinds, str) else [kind for kind in kinds if kind != "null"]
    return " or ".join(_kind(kind, schema) for kind in several)


def _shown(value: object) -> str:
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _kind(kind: str, schema: Schema) -> str:
    if kind in ("integer", "number"):
        return ("whole number" if kind == "integer" else "number") + _range(schema)
    if kind == "array":
        of = schema.get("items")
        return f"list of {takes(of)}" if isinstance(of, dict) and of else "list"
    if kind == "object":
        of = schema.get("additionalProperties")
        return f"mapping of names to {takes(of)}" if isinstance(of, dict) and "properties" not in of else "mapping"
    return {"string": "text", "boolean": "`true` or `false`", "null": "nothing", "any": "anything"}[kind]


def _range(schema: Schema) -> str:
    low, over = schema.get("minimum"), schema.get("exclusiveMinimum")
    high, under = schema.get("maximum"), schema.get("exclusiveMaximum")
    ends = [f"from {_number(low)}"] if low is not None else [f"above {_number(over)}"] if over is not None else []
    ends += [f"to {_number(high)}"] if high is not None else [f"below {_number(under)}"] if under is not None else []
    return f", {' '.join(ends)}" if ends else ""


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:g}"
