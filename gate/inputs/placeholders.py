"""`{today}` and `{locale}`: texts of a run that are the same for both arms, put into prompts and cases."""

import re
from collections.abc import Mapping

from gate.domain.jsonvalue import JsonValue
from gate.inputs.fields import Fields
from gate.inputs.limits import NAME_CHARS
from gate.inputs.nodes import described
from gate.inputs.problems import quoted

TODAY = "today"
"""The day on which the run began, unless the configuration names one."""
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)


def read_placeholders(fields: Fields) -> Mapping[str, str] | None:
    """Name to text; None where the suite has no placeholders, so that braces are nothing but braces.

    Args:
        fields: of the suite.
    """
    if not fields.has("placeholders"):
        return None
    given = fields.mapping("placeholders")
    found: dict[str, str] = {}
    for name, node in given.entries.items():
        value = node.value
        if not NAME.fullmatch(name):
            given.problems.add(node.line, f"the placeholder {quoted(name)} is no name", "write {today: 2026-11-22}")
        if isinstance(value, bool) or not isinstance(value, (str, int, float)) or len(str(value)) > NAME_CHARS:
            message = f"{given.name}.{name} must be a text of up to {NAME_CHARS} characters, not {described(value)}"
            given.problems.add(node.line, message)
        found[name] = str(value)
    return found


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with `{name}` replaced; other braces stay as they are.

    Args:
        text: of a prompt or a case.
        values: by name.
    """
    if not values or "{" not in text:
        return text
    names = "|".join(map(re.escape, values))
    # In `{{ name }}` the braces are a template's.
    return re.sub(rf"(?<!{{)\{{({names})\}}(?!}})", lambda found: values[found[1]], text)


def filled_json(value: JsonValue, values: Mapping[str, str]) -> JsonValue:
    """The same for every text in a JSON value."""
    if isinstance(value, str):
        return filled(value, values)
    if isinstance(value, list):
        return [filled_json(item, values) for item in value]
    if isinstance(value, dict):
        return {key: filled_json(item, values) for key, item in value.items()}
    return value
