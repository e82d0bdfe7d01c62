"""`{today}` and `{locale}`: texts of a run that are the same for both arms, put into prompts and cases."""

import re
from collections.abc import Mapping

from gate.domain.jsonvalue import JsonValue

TODAY = "today"
"""The day on which the run began, unless the configuration names one."""


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
