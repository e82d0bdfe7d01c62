"""Case files as entries: what stands there, each with the name that the gate gives it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gate.casefiles.form import Form, form_of
from gate.casefiles.testdata import as_case
from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry
from gate.inputs import cases
from gate.inputs.caseforms import case_rows
from gate.inputs.nodes import plain
from gate.inputs.problems import Problems
from gate.inputs.promptyml import TEST_DATA
from gate.inputs.yamltext import parse_yaml


@dataclass(frozen=True, slots=True)
class FileCase:
    """One case of a file.

    Args:
        name: its id.
        entry: as it stands there; of test data of a prompt, the plain case that it stands for.
        line: 1-based, where it begins.
    """

    name: str
    entry: Entry
    line: int


def read(text: str, file: str) -> tuple[FileCase, ...]:
    """The cases of a file, in its order.

    Args:
        text: JSON Lines, JSON, YAML, or a `.prompt.yml` with test data.
        file: its path, which tells the form by its ending.

    Raises:
        InputErrors: every mistake that the gate's own reader finds.
    """
    parsed = cases.parse(text, file)
    found = _raw(text.removeprefix("\ufeff"), file)
    return tuple(_case(case.id, row, line, file) for case, (line, row) in zip(parsed, found, strict=True))


def canonical(entry: Entry) -> str:
    """Equal for equal entries alone, whatever the order of their keys: to Python 1, 1.0 and true are the same."""
    return json.dumps(dict(entry), sort_keys=True, separators=(",", ":"))


def _case(name: str, row: Mapping[str, JsonValue], line: int, file: str) -> FileCase:
    return FileCase(name, as_case(row, name) if form_of(file) is Form.TEST_DATA else row, line)


def _raw(text: str, file: str) -> Iterator[tuple[int, dict[str, JsonValue]]]:
    problems = Problems(file)
    if form_of(file) is Form.TEST_DATA:
        root = parse_yaml(text, problems)
        data = root.value.get(TEST_DATA) if root is not None and isinstance(root.value, Mapping) else None
        nodes = data.value if data is not None and isinstance(data.value, tuple) else ()
        found = ((node.line, plain(node)) for node in nodes)
    else:
        found = ((row.line, plain(row.node)) for row in case_rows(text, file, problems) if row.node is not None)
    yield from ((line, row) for line, row in found if isinstance(row, dict))
