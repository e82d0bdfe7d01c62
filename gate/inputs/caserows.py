"""Case files as rows that still know their lines: JSON Lines, or a list in a `.json` or YAML file."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from gate.inputs.jsonitems import Item, TooLong, items, located
from gate.inputs.jsontext import BadJson, parse_json
from gate.inputs.limits import LINE_CHARS
from gate.inputs.nodes import Node, described, wrap
from gate.inputs.problems import Problems, one_problem
from gate.inputs.yamltext import parse_yaml

LIST_ENDING = ".json"
YAML_ENDINGS = (".yaml", ".yml")

_NO_OBJECT = "a case must be a JSON object, not"
_OBJECT_A_LINE = "each line must be one JSON object"


@dataclass(frozen=True, slots=True)
class Row:
    """One case as it stands in the file.

    Args:
        line: 1-based line on which it begins.
        node: the object, all of it on that line; None where it cannot be read, which is noted.
        located: reads it once more, with the line of each value; None where it has only one.
    """

    line: int
    node: Node | None
    located: Callable[[], Node] | None = None


def rows(text: str, file: str, problems: Problems, *, merges: bool = False) -> Iterator[Row]:
    """The rows, in the order of the file.

    Args:
        text: the file, without a byte order mark.
        file: its path; an ending in `.json`, `.yaml` or `.yml` says that it holds one list, or one object.
        problems: gets what keeps a row from being read.
        merges: take the merge key of YAML.

    Raises:
        InputErrors: the file is of the other form.
    """
    if file.lower().endswith(YAML_ENDINGS):
        return _yaml(text, problems, merges)
    return _listed(text, problems) if file.lower().endswith(LIST_ENDING) else _lines(text, problems)


def _yaml(text: str, problems: Problems, merges: bool) -> Iterator[Row]:
    root = parse_yaml(text, problems, merges=merges)
    if root is None or root.value is None:
        return
    for item in root.value if isinstance(root.value, tuple) else (root,):
        if isinstance(item.value, Mapping):
            yield Row(item.line, item)
        else:
            message = f"a case must be a mapping, not {described(item.value)}"
            problems.add(item.line, message, "write a list of cases, each beginning with '- '")
            yield Row(item.line, None)


def _lines(text: str, problems: Problems) -> Iterator[Row]:
    first = True
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip(" \t\r"):
            continue
        if first and line.strip() in ("[", "{"):
            hint = f"write one JSON object per line, without a list around them, or let the name end in {LIST_ENDING}"
            message = "is JSON spread over several lines, not JSON Lines"
            raise one_problem(problems.file, number, message, hint)
        first = False
        yield Row(number, _line(line, number, problems))


def _line(line: str, number: int, problems: Problems) -> Node | None:
    if len(line) > LINE_CHARS:
        problems.add(number, f"the line is longer than {LINE_CHARS:,} characters")
        return None
    try:
        value = parse_json(line)
    except BadJson as error:
        problems.add(number, error.message, _OBJECT_A_LINE)
        return None
    if not isinstance(value, dict):
        problems.add(number, f"{_NO_OBJECT} {described(value)}", _OBJECT_A_LINE)
        return None
    return wrap(value, number)


def _listed(text: str, problems: Problems) -> Iterator[Row]:
    if not text.strip(" \t\r\n"):
        return
    try:
        for item in items(text):
            yield Row(item.line, _item(item, problems), partial(located, text, item))
    except TooLong as error:
        problems.add(error.line, error.message)
    except BadJson as error:
        lines = "Extra data" in error.message and text.lstrip(" \t\r\n").startswith("{")
        hint = "JSON Lines go into a file whose name ends in .jsonl" if lines else "write one list of JSON objects"
        problems.add(error.line, error.message, hint)


def _item(item: Item, problems: Problems) -> Node | None:
    if not isinstance(item.value, dict):
        problems.add(item.line, f"{_NO_OBJECT} {described(item.value)}", "write one list of JSON objects")
        return None
    return wrap(item.value, item.line)
