"""Validators of JSON answers: syntax, schema, and single values."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import cast

from gate.config.documents import BadJson, parse_json
from gate.config.formats import format_checker
from gate.config.json_schema import MatchingWork, TooSlow, bounded
from gate.config.values import JsonSteps, NotThere, look_up, parse_path
from gate.record.transcript import Unscored
from gate.scoring.interface import (
    Finding,
    OptionCheck,
    Options,
    Subject,
    Validator,
    as_text,
    finding,
    normal_form,
    shown_value,
)
from gate.values import JsonValue


def json_answer(options: Options, subject: Subject) -> Finding:
    """The whole answer is JSON; a Markdown code fence around it is allowed unless `fence` forbids it."""
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
    validator = bounded(cast("dict[str, JsonValue]", options["schema"]), MatchingWork(), format_checker())
    try:
        first = min(validator.iter_errors(value), key=lambda error: list(map(str, error.path)), default=None)
    except TooSlow as slow:
        return Unscored(str(slow)), "the schema"
    # The library raises arbitrary errors if a part of the schema does not follow the draft.
    except Exception as error:
        return Unscored(f"the schema cannot be applied ({type(error).__name__})"), "the schema"
    if first is None:
        return 1.0, "satisfies the schema"
    return 0.0, f"at {first.json_path[:100]}: {first.message}"[:300]


_OPENING = re.compile(r"\s*+(`{3,}+|~{3,}+)[^\r\n`]*+(?:\r\n|\r|\n)")


def unfenced(text: str, options: Options) -> str:
    """The content of a Markdown fence around the whole answer, where `fence` allows one; else the answer itself."""
    if not options.get("fence", True):
        return text
    opening = _OPENING.match(text)
    if opening is None:
        return text
    fence, content = opening[1], text[opening.end() :].rstrip()
    return content.rstrip(fence[0]) if content.endswith(fence) else text


def json_path(options: Options, subject: Subject) -> Finding:
    """The answer is JSON, and the value at `path` is `equals`, is in `one_of`, or exists (`exists`)."""
    path = _parsed(as_text(options["path"]))
    try:
        value = look_up(path, parse_json(unfenced(subject.text, options)))
    except BadJson as error:
        return 0.0, f"is not JSON: {error}"[:300]
    except NotThere as error:
        return finding(options.get("exists") is False, str(error)[:300], str(error)[:300])
    there = f"{shown_value(value)} at {as_text(options['path'])[:100]}"
    if "equals" in options:
        return finding(same_json(value, options["equals"]), there, f"{there}, not {shown_value(options['equals'])}")
    wanted = options.get("one_of")
    if isinstance(wanted, list):
        return finding(any(same_json(value, want) for want in wanted), there, f"{there}, none of {len(wanted)}")
    return finding(options.get("exists") is not False, there, there)


def same_json(one: JsonValue, other: JsonValue) -> bool:
    """Equality of JSON values: 1 is 1.0, `true` is not a number, and texts are compared in Unicode's NFC."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    if isinstance(one, str) and isinstance(other, str):
        return normal_form(one, whole=True) == normal_form(other, whole=True)
    return one == other


@lru_cache(maxsize=256)
def _parsed(path: str) -> JsonSteps:
    return parse_path(path)


VALIDATORS: Mapping[str, Validator] = {"json": json_answer, "json_schema": json_schema, "json_path": json_path}
CHECKS: Mapping[str, OptionCheck] = {}
