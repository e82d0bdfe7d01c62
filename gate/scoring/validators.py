"""The deterministic scorers: one pure function each, from options and answer to a score and a reason."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias, cast

from gate.domain.absence import Unscored
from gate.domain.case import Case, ScorerSpec
from gate.domain.jsonvalue import JsonValue
from gate.domain.sample import Score
from gate.inputs.jsontext import BadJson, parse_json
from gate.inputs.patterns import TooSlow, occurs
from gate.inputs.render import fill

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

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
    from referencing.exceptions import Unresolvable

    try:
        errors = sorted(_schema_errors(options["schema"], value), key=lambda error: list(map(str, error.path)))
    except TooSlow as slow:
        return Unscored(str(slow)), "a pattern of the schema"
    except (RecursionError, ArithmeticError, ValueError, Unresolvable) as error:
        return Unscored(f"the schema cannot be applied ({type(error).__name__})"), "the schema"
    if not errors:
        return 1.0, "satisfies the schema"
    return 0.0, f"at {errors[0].json_path}: {errors[0].message}"[:300]


VALIDATORS: Mapping[str, Callable[[Options, str], Finding]] = {
    "exact": exact,
    "contains": contains,
    "regex": regex,
    "json_schema": json_schema,
}


def _schema_errors(schema: JsonValue, value: JsonValue) -> "Iterable[ValidationError]":
    from jsonschema import Draft202012Validator, ValidationError, validators  # a tenth of a second, if it is needed

    def pattern(_: object, wanted: str, instance: object, __: object) -> "Iterable[ValidationError]":
        if isinstance(instance, str) and not occurs(wanted, instance):
            yield ValidationError(f"{instance!r} does not match {wanted!r}")

    extend: Callable[..., type[Validator]] = validators.extend
    limited = extend(Draft202012Validator, {"pattern": pattern})
    return limited(cast("dict[str, JsonValue]", schema)).iter_errors(value)


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
