"""Holds an answer against a form: JSON that satisfies a schema."""

import re
from typing import cast

from gate.domain.absence import Unscored
from gate.domain.jsonvalue import JsonValue
from gate.inputs.boundedschema import Work, bounded
from gate.inputs.jsontext import BadJson, parse_json
from gate.inputs.patterns import TooSlow
from gate.scoring.subject import Subject
from gate.scoring.validators.port import Finding, Options


def json_schema(options: Options, subject: Subject) -> Finding:
    """The whole answer is JSON that satisfies the schema (a Markdown code fence around it is allowed)."""
    try:
        value = parse_json(_unfenced(subject.text))
    except BadJson as error:
        return 0.0, f"is not JSON: {error}"
    validator = bounded(cast("dict[str, JsonValue]", options["schema"]), Work())
    try:
        first = min(validator.iter_errors(value), key=lambda error: list(map(str, error.path)), default=None)
    except TooSlow as slow:
        return Unscored(str(slow)), "the schema"
    # The library raises whatever it stumbles over where a part of the schema is not what the draft asks for.
    except Exception as error:
        return Unscored(f"the schema cannot be applied ({type(error).__name__})"), "the schema"
    if first is None:
        return 1.0, "satisfies the schema"
    return 0.0, f"at {first.json_path}: {first.message}"[:300]


def _unfenced(text: str) -> str:
    match = re.fullmatch(r"\s*```[a-zA-Z]*\n(.*?)\n?```\s*", text, re.DOTALL)
    return match.group(1) if match else text
