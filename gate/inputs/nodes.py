"""Parsed YAML or JSON that still knows its lines."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from gate.config.documents import Document
from gate.domain.jsonvalue import JsonValue
from gate.inputs.problems import quoted

Scalar: TypeAlias = "None | bool | int | float | str"


@dataclass(frozen=True, slots=True)
class Node:
    """One value.

    Args:
        value: a scalar, a tuple of nodes (a list) or a mapping of nodes.
        line: 1-based line where it starts (of its key, in a mapping); 0 where the format keeps no lines.
    """

    value: "Scalar | tuple[Node, ...] | Mapping[str, Node]"
    line: int


def located(document: Document, *loc: str | int) -> Node:
    """A document as nodes, each with its line."""
    value = document.data
    for step in loc:
        value = value[step]  # type: ignore[index, call-overload]
    line = document.line_of(*loc)
    if isinstance(value, list):
        return Node(tuple(located(document, *loc, at) for at in range(len(value))), line)
    if isinstance(value, dict):
        return Node({key: located(document, *loc, key) for key in value}, line)
    return Node(value, line)


def wrap(value: JsonValue, line: int) -> Node:
    """JSON as nodes that all stand on one line; the caller has bounded the depth."""
    if isinstance(value, list):
        return Node(tuple(wrap(item, line) for item in value), line)
    if isinstance(value, dict):
        return Node({key: wrap(item, line) for key, item in value.items()}, line)
    return Node(value, line)


def plain(node: Node) -> JsonValue:
    """The value without its lines."""
    value = node.value
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return value


def described(value: object) -> str:
    """How a message speaks of a value of the wrong kind."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case str():
            return quoted(value)
        case int() | float():
            return quoted(repr(value)).strip("'") if abs(value) < 1e300 else "a huge number"
        case tuple() | list():
            return "a list"
        case _:
            return "a mapping"
