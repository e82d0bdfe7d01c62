"""Texts of settings in YAML, JSON and TOML, by their keys with dots, and the numbers of list items.

The texts of a `.txt` file, between lines of three dashes, are a list.
"""

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

from gate.config.documents import Loc, read_json, read_yaml
from gate.errors import InputErrors
from gate.limits import TEXT_DEPTH
from gate.prompts.expressions import Definition, Definitions, Unreadable, Work, no_definitions
from gate.prompts.placeholders import Pieces
from gate.values import JsonValue

YAML_ENDINGS = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class DataText:
    """A text of a file with its line; 0 where that is not known."""

    text: str
    line: int


def data_definitions(content: str, ending: str) -> Definitions[DataText]:
    """The texts of a file. Raises Unreadable: its content does not match its ending."""
    found: Definitions[DataText] = no_definitions()
    if ending == ".txt":
        places = _parts(content)
    else:
        places = _yaml(content) if ending in YAML_ENDINGS else _others(content, ending)
    for loc, text, (first, last) in places:
        found[".".join(map(str, loc))].append(Definition(first, last, DataText(text, first)))
    return found


def data_work(definitions: Definitions[DataText]) -> Work[DataText]:
    """What reads the texts of these definitions."""
    return Work(definitions, _text, lambda one: one.line, lambda one: one.text)


def _text(expression: DataText, work: Work[DataText]) -> Pieces:
    return work.literal(expression, expression.text)


_Place = tuple[Loc, str, tuple[int, int]]


def _yaml(content: str) -> Iterator[_Place]:
    try:
        document = read_yaml(content, "")
    except InputErrors as errors:
        first = errors.problems[0]
        raise Unreadable(first.line, first.message) from None
    nodes = dict(_nodes(document.node)) if document.node is not None else {}
    for loc, text in _leaves(document.data):
        key, value = nodes.get(loc, (None, None))
        if key is None or value is None:  # the values of the merge key are elsewhere in the file
            yield loc, text, (1, 1)
            continue
        first, end = key.start_mark.line + 1, value.end_mark
        yield loc, text, (first, max(first, end.line + (end.column > 0)))


def _nodes(root: Node) -> Iterator[tuple[Loc, tuple[Node, Node]]]:
    """The nodes of a document by their places, each with that of its key."""
    waiting: list[tuple[Loc, Node]] = [((), root)]
    while waiting:
        loc, node = waiting.pop()
        inner: list[tuple[str | int, Node, Node]] = []
        if isinstance(node, MappingNode):
            inner = [(str(key.value), key, value) for key, value in node.value]
        elif isinstance(node, SequenceNode):
            inner = [(at, value, value) for at, value in enumerate(node.value)]
        for step, key, value in inner:
            yield (*loc, step), (key, value)
            waiting.append(((*loc, step), value))


def _parts(content: str) -> Iterator[_Place]:
    """The texts between lines of three dashes, without blank ones and blank lines around them."""
    number, first, lines = 0, 1, list[str]()
    for at, line in enumerate([*content.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"), "---"], 1):
        if line.strip() != "---":
            lines.append(line)
            continue
        if text := "\n".join(lines).strip():
            yield (number,), text, (first, at - 1)
            number += 1
        first, lines = at + 1, []


def _others(content: str, ending: str) -> Iterator[_Place]:
    try:
        data = read_json(content, "").data if ending == ".json" else tomllib.loads(content)
    except InputErrors as errors:
        first = errors.problems[0]
        raise Unreadable(first.line, first.message) from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Unreadable(0, f"is not valid TOML: {error}") from None
    lines = content.split("\n")
    for loc, text in _leaves(data):
        yield loc, text, _lines(lines, loc, text)


def _leaves(data: JsonValue) -> Iterator[tuple[Loc, str]]:
    """The texts of a value, in their order."""
    waiting: list[tuple[Loc, JsonValue]] = [((), data)]
    while waiting:
        loc, value = waiting.pop()
        if isinstance(value, str) and loc:
            yield loc, value
        if len(loc) >= TEXT_DEPTH:
            continue
        if isinstance(value, dict):
            waiting += reversed([((*loc, str(key)), inner) for key, inner in value.items()])
        elif isinstance(value, list):
            waiting += reversed([((*loc, at), inner) for at, inner in enumerate(value)])


def _lines(lines: list[str], loc: Loc, text: str) -> tuple[int, int]:
    """The line of a text, for parsers without line numbers: the first line with its key and its beginning."""
    rows = text.strip("\n").split("\n")
    begins = {rows[0], *(json.dumps(text, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False))}
    steps = [step for step in loc if isinstance(step, str)]
    key = steps[-1] if steps else ""
    with_key = [at for at, line in enumerate(lines, 1) if key in line]
    for at in with_key:
        if any(begin in line for begin in begins for line in lines[at - 1 : at + 1]):
            return at, min(len(lines), at + len(rows))
    return 1, 1
