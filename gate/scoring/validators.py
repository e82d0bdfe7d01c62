"""The deterministic scorers: one pure function each, from options and answer to a score and a reason."""

import json
import re
from collections.abc import Callable, Mapping
from typing import TypeAlias, cast

from gate.domain.absence import Unscored
from gate.domain.case import Case, ScorerSpec
from gate.domain.jsonvalue import JsonValue
from gate.domain.sample import Score
from gate.inputs.boundedschema import Work, bounded
from gate.inputs.jsontext import BadJson, parse_json
from gate.inputs.patterns import TooSlow, occurs
from gate.inputs.render import fill

# `json.dumps` makes a new encoder for each call with options.
_json = json.JSONEncoder(ensure_ascii=False).encode

Options: TypeAlias = Mapping[str, JsonValue]
Finding: TypeAlias = tuple[float | Unscored, str]


def validate(spec: ScorerSpec, case: Case, answer: str) -> Score:
    """Score one answer.

    Args:
        spec: a scorer of a kind in `VALIDATORS`; `{{ expected }}` and other fields of the case are filled in.
        case: the case that was asked.
        answer: the model's text.

    Returns:
        A score of 0 or 1 with a reason that names what was looked for.
    """
    options = {key: fill(value, case) if isinstance(value, str) else value for key, value in spec.options.items()}
    value, reason = VALIDATORS[spec.kind](options, answer)
    return Score(spec.name, value, reason, spec.weight, spec.required)


def exact(options: Options, answer: str) -> Finding:
    """The answer is the value, to the letter (`strip` and `ignore_case` relax that)."""
    want, got = _text(options["value"]), answer
    if options.get("strip", True):
        want, got = want.strip(), got.strip()
    same = _fold(want, options) == _fold(got, options)
    return _finding(same, f"is exactly {_quote(want)}", f"is not {_quote(want)}")


def contains(options: Options, answer: str) -> Finding:
    """The value occurs in the answer."""
    want = _text(options["value"])
    found = _fold(want, options) in _fold(answer, options)
    return _finding(found, f"contains {_quote(want)}", f"does not contain {_quote(want)}")


def regex(options: Options, answer: str) -> Finding:
    """The pattern matches somewhere in the answer."""
    pattern = _text(options["pattern"])
    try:
        found = occurs(pattern, answer, ignore_case=bool(options.get("ignore_case", False)))
    except TooSlow as slow:
        return Unscored(str(slow)), f"/{pattern}/"
    return _finding(found, f"matches /{pattern}/", f"does not match /{pattern}/")


def json_schema(options: Options, answer: str) -> Finding:
    """The whole answer is JSON that satisfies the schema (a Markdown code fence around it is allowed)."""
    try:
        value = parse_json(_unfenced(answer))
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


VALIDATORS: Mapping[str, Callable[[Options, str], Finding]] = {
    "exact": exact,
    "contains": contains,
    "regex": regex,
    "json_schema": json_schema,
}


def _finding(passed: bool, yes: str, no: str) -> Finding:
    return (1.0, yes) if passed else (0.0, no)


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else _json(value)


def _fold(text: str, options: Options) -> str:
    return text.casefold() if options.get("ignore_case", False) else text


def _quote(text: str) -> str:
    return _json(text if len(text) <= 80 else text[:77] + "…")


def _unfenced(text: str) -> str:
    match = re.fullmatch(r"\s*```[a-zA-Z]*\n(.*?)\n?```\s*", text, re.DOTALL)
    return match.group(1) if match else text
