"""JSON Lines, line by line, so that those that are not changed stay as they are to the byte."""

import json
from collections.abc import Mapping

from gate.domain.jsonvalue import JsonValue
from gate.inputs.jsontext import BadJson, parse_json
from gate.inputs.problems import one_problem


def line_of(row: Mapping[str, JsonValue]) -> str:
    """A case as a line, with its line break."""
    return json.dumps(row, ensure_ascii=False) + "\n"


def lines(text: str, file: str) -> list[tuple[str, dict[str, JsonValue] | None]]:
    """Each line as it stands, with the case on it; None for an empty one.

    Args:
        text: the file.
        file: its name, for messages.

    Raises:
        InputErrors: a line is no JSON object.
    """
    found: list[tuple[str, dict[str, JsonValue] | None]] = []
    last = text.count("\n") + 1
    for number, line in enumerate(text.split("\n"), start=1):
        kept = line if number == last else f"{line}\n"
        if not line.strip("\ufeff \t\r"):
            found.append((kept, None))
            continue
        try:
            row = parse_json(line.removeprefix("\ufeff"))
        except BadJson as error:
            raise one_problem(file, number, error.message, "each line must be one JSON object") from None
        if not isinstance(row, dict):
            raise one_problem(file, number, "is no JSON object", "each line must be one JSON object")
        found.append((kept, row))
    return found
