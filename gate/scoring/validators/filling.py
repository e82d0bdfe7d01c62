"""Puts the fields of a case into the options of a validator."""

import re
from collections.abc import Mapping

from gate.domain.case import Case
from gate.domain.jsonvalue import JsonValue
from gate.inputs.render import fill
from gate.scoring.validators.port import Options

_EXPECTED = re.compile(r"\{\{\s*expected\s*\}\}")


def fill_options(options: Mapping[str, JsonValue], case: Case) -> Options:
    """The options as they are for one case.

    Texts, and the texts of a list, may hold `{{ expected }}` and other fields. An option that is nothing but
    `{{ expected }}` takes the expected value as it is, a number as a number; as an item of a list it stands for all
    items of an expected list.

    Args:
        options: of a scorer.
        case: the case.

    Raises:
        InputErrors: a field that this case does not give.
    """
    return {key: _filled(value, case) for key, value in options.items()}


def _filled(value: JsonValue, case: Case) -> JsonValue:
    if isinstance(value, str):
        return _text(value, case)
    if isinstance(value, list):
        items: list[JsonValue] = []
        for item in value:
            filled = _text(item, case) if isinstance(item, str) else item
            if filled is not item and isinstance(filled, list):
                items.extend(filled)
            else:
                items.append(filled)
        return items
    return value


def _text(text: str, case: Case) -> JsonValue:
    if "{{" not in text:
        return text
    if case.expected is not None and _EXPECTED.fullmatch(text):
        return case.expected
    return fill(text, case)
