"""Holds an answer against a form: it is JSON, and JSON that satisfies a schema."""

import re
from typing import cast

from gate.domain.absence import Unscored
from gate.domain.jsonvalue import JsonValue
from gate.inputs.boundedschema import Work, bounded
from gate.inputs.jsontext import BadJson, parse_json
from gate.inputs.patterns import TooSlow
from gate.scoring.subject import Subject
from gate.scoring.validators.port import Finding, Options


def json(options: Options, subject: Subject) -> Finding:
    """The whole answer is JSON; a Markdown code fence around it is allowed unless `fence` says otherwise."""
    try:
        parse_json(unfenced(subject.text, options))
    except BadJson as error:
        return 0.0, f"is not JSON: {error}"[:300]
    return 1.0, "is JSON"


def json_schema(options: Options, subject: Subject) -> Finding:
    """The whole answer is JSON that satisfies the schema (a code fence as in `json`)."""
    try:
        value = parse_json(unfenced(subject.text, options))
    except BadJson as error:
        return 0.0, f"is not JSON: {error}"[:300]
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
    return 0.0, f"at {first.json_path[:100]}: {first.message}"[:300]


def unfenced(text: str, options: Options) -> str:
    """What stands inside a Markdown code fence, where that is the whole answer; else the answer itself.

    Args:
        text: the answer.
        options: of the scorer, whose `fence` says whether one is allowed.
    """
    if not options.get("fence", True):
        return text
    match = re.fullmatch(r"\s*```[a-zA-Z]*\n(.*?)\n?```\s*", text, re.DOTALL)
    return match.group(1) if match else text
