"""Checks JSON Schemas and patterns of users, and runs them with a time limit."""

import json
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from gate.limits import PATTERN_CHARS
from gate.values import JsonValue

LONGEST_S = 0.5
"""Seconds for one search; the event loop waits meanwhile."""


class TooSlow(Exception):
    """A search or a validation exceeded its time limit."""


def pattern_complaint(pattern: str) -> str:
    """Why a pattern is not a valid regular expression; empty if it is one."""
    if len(pattern) > PATTERN_CHARS:
        return f"it has more than {PATTERN_CHARS:,} characters"
    import regex  # slow to import, and few suites use patterns

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            regex.compile(pattern)
    except (regex.error, OverflowError, RecursionError, ValueError) as error:
        return str(error)[:200]
    return ""


def occurs(
    pattern: str, text: str, *, ignore_case: bool = False, multiline: bool = True, seconds: float = LONGEST_S
) -> bool:
    """Does the pattern match somewhere in the text?

    Args:
        multiline: `^` and `$` match at line breaks, too.
        seconds: time limit.
    """
    import regex

    flags = (regex.MULTILINE if multiline else 0) | (regex.IGNORECASE if ignore_case else 0)
    try:
        return regex.search(pattern, text, flags, timeout=seconds) is not None
    except TimeoutError:
        raise TooSlow(f"the pattern took longer than {seconds:.1g} s") from None


def replaced(pattern: str, text: str, by: str, *, seconds: float = LONGEST_S) -> str:
    """The text with each match replaced.

    Args:
        by: literal replacement.
    """
    import regex

    try:
        return regex.sub(pattern, lambda _: by, text, timeout=seconds)
    except TimeoutError:
        raise TooSlow(f"the pattern took longer than {seconds:.1g} s") from None


if TYPE_CHECKING:
    from jsonschema import FormatChecker, ValidationError
    from jsonschema.protocols import Validator

Schema: TypeAlias = Mapping[str, JsonValue]
# What the library calls for a keyword: validator, the keyword's value, the instance, the schema around the keyword.
Keyword: TypeAlias = Callable[[Any, Any, Any, Any], "Iterator[ValidationError] | None"]


_REFERENCES = ("$ref", "$dynamicRef")


@dataclass(slots=True)
class MatchingWork:
    """Budget of one validation.

    Args:
        steps: keywords applied and patterns searched for.
        seconds: time limit from now on; needed because the time of a step differs between schemas.
    """

    steps: int = 100_000
    seconds: float = 3.0
    _left: int = field(init=False)
    _end: float = field(init=False)

    def __post_init__(self) -> None:
        self._left, self._end = self.steps, time.monotonic() + self.seconds

    def spend(self, steps: int = 1) -> None:
        """Count steps in advance; raises `TooSlow` above the limit."""
        self._left -= steps
        if self._left < 0:
            raise TooSlow(f"the schema takes more than {self.steps:,} steps")
        if time.monotonic() > self._end:
            raise TooSlow(f"the schema took longer than {self.seconds:g} s")

    def occurs(self, pattern: str, text: str) -> bool:
        """Does the pattern match in the text? `^` and `$` match only at the ends of the text."""
        self.spend()
        if len(pattern) > PATTERN_CHARS:
            raise ValueError(f"A pattern has at most {PATTERN_CHARS:,} characters, this one has {len(pattern):,}.")
        seconds = min(LONGEST_S, max(0.01, self._end - time.monotonic()))
        return occurs(pattern, text, multiline=False, seconds=seconds)


def draft_of(schema: Schema) -> "type[Validator]":
    """The draft of `$schema`; 2020-12 if it names no known draft."""
    from jsonschema.validators import Draft202012Validator, validator_for

    found: type[Validator] = validator_for(schema, default=Draft202012Validator)
    return found


def bounded(schema: Schema, work: MatchingWork, formats: "FormatChecker | None" = None) -> "Validator":
    """A validator for the schema's draft that fetches nothing and stops when the budget is used up.

    Args:
        work: the budget.
        formats: checks `format`; without it `format` is only an annotation, as in the drafts.

    The methods of the validator raise `TooSlow`, and any error of the library if the schema was not checked.
    """
    import attrs  # the library's validators are attrs classes
    from jsonschema import validators
    from referencing import Registry

    extend: Callable[..., Any] = validators.extend
    draft: Any = draft_of(schema)
    own = _Keywords(work).by_name()
    anchor_steps = cache(lambda: 0 if schema is draft.META_SCHEMA else _parts(schema) // 4)
    counted = {
        key: _with_budget(work, key, own.get(key, keyword), anchor_steps) for key, keyword in draft.VALIDATORS.items()
    }
    kind: Any = extend(draft, counted)

    def evolve(self: Any, **changes: Any) -> Any:
        work.spend()
        return attrs.evolve(self, **changes)

    # The library's `evolve` follows `$schema` of the subschema, and would return to keywords without a limit.
    kind.evolve = evolve
    # An empty registry: the library's default one fetches unknown references from the network.
    validator: Validator = kind(schema, registry=Registry(), format_checker=formats)
    return validator


def regex_format(work: MatchingWork) -> "FormatChecker":
    """A checker for the format `regex` of the meta-schemas."""
    from jsonschema import FormatChecker

    def is_pattern(value: object) -> bool:
        if not isinstance(value, str):
            return True
        work.spend(1 + len(value) // 4)  # about the cost of compiling
        return len(value) <= PATTERN_CHARS and not pattern_complaint(value)

    checker = FormatChecker(())
    checker.checks("regex")(is_pattern)
    return checker


def _parts(schema: Schema) -> int:
    """Number of mappings and lists in a schema: the library searches all of them for each anchor reference."""
    found, stack = 0, list[Any]([schema])
    while stack:
        item = stack.pop()
        if isinstance(item, (Mapping, list)):
            found += 1
            stack.extend(item.values() if isinstance(item, Mapping) else item)
    return found


def _with_budget(work: MatchingWork, name: str, keyword: Keyword, anchor_steps: Callable[[], int]) -> Keyword:
    # For these two the library compares each part of the instance with all others: a thousand parts are affordable.
    quadratic = name in ("unevaluatedItems", "unevaluatedProperties")

    def counted(validator: Any, value: Any, instance: Any, schema: Any) -> "Iterator[ValidationError] | None":
        # A long list of values or names counts as the number of steps that take the same time.
        steps = 1 + (len(value) // 25 if isinstance(value, (dict, list)) else 0)
        if quadratic and isinstance(instance, (dict, list)):
            steps += len(instance) ** 2 // 10
        if name in _REFERENCES and isinstance(value, str) and value[1:2] not in ("", "/"):
            steps += anchor_steps()
        work.spend(steps)
        return keyword(validator, value, instance, schema)

    return counted


@dataclass(frozen=True, slots=True)
class _Keywords:
    """The keywords of the drafts that search for patterns or compare all pairs."""

    work: MatchingWork

    def by_name(self) -> dict[str, Keyword]:
        return {
            "pattern": self.pattern,
            "patternProperties": self.pattern_properties,
            "additionalProperties": self.additional_properties,
            "uniqueItems": self.unique_items,
        }

    def pattern(self, _: Any, wanted: str, instance: Any, __: Any) -> "Iterator[ValidationError]":
        if isinstance(instance, str) and not self.work.occurs(wanted, instance):
            yield _error(f"{instance!r} does not match {wanted!r}")

    def pattern_properties(
        self, validator: Any, parts: dict[str, Any], instance: Any, _: Any
    ) -> "Iterator[ValidationError]":
        for wanted, part in parts.items() if isinstance(instance, dict) else ():
            for key, value in instance.items():
                if self.work.occurs(wanted, key):
                    yield from validator.descend(value, part, path=key, schema_path=wanted)

    def additional_properties(
        self, validator: Any, part: Any, instance: Any, schema: Any
    ) -> "Iterator[ValidationError]":
        known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        for key, value in instance.items() if isinstance(instance, dict) else ():
            if key in known or any(self.work.occurs(wanted, key) for wanted in patterns):
                continue
            if part is False:
                yield _error(f"Additional properties are not allowed ({key!r} was unexpected)")
            else:
                yield from validator.descend(value, part, path=key)

    def unique_items(self, _: Any, unique: bool, instance: Any, __: Any) -> "Iterator[ValidationError]":
        if unique and isinstance(instance, list) and len(set(map(_canonical, instance))) < len(instance):
            yield _error(f"{instance!r} has non-unique elements")


def _error(message: str) -> "ValidationError":
    from jsonschema import ValidationError

    return ValidationError(message)


def _canonical(value: JsonValue) -> str:
    """Equal texts for values that JSON Schema calls equal: 1 and 1.0, but not 1 and true."""
    return json.dumps(_normalized(value), sort_keys=True)


def _normalized(value: JsonValue) -> JsonValue:
    if isinstance(value, float) and float.is_integer(value):
        return int(value)
    if isinstance(value, list):
        return [_normalized(item) for item in value]
    if isinstance(value, dict):
        return {key: _normalized(item) for key, item in value.items()}
    return value


_PROBES: tuple[JsonValue, ...] = (None, "", 0, [], {})
_READING = 200_000
"""Steps to hold a schema against its draft: enough for some thousand properties."""
_PROBING = 20_000
"""Steps for the smallest answers there are; a schema that needs more for these has no end for a true one."""
_SECONDS = 60.0
"""A last net only: steps decide, because the speed of the machine should not."""


def schema_complaint(schema: dict[str, JsonValue]) -> str:
    """The first error of a JSON Schema (draft 2020-12, or the one of `$schema`); empty if it is valid.

    References must stay inside the schema, since nothing is fetched.
    """
    # Imported here: the library takes longer to import than the rest, and few suites use it.
    from referencing.exceptions import Unresolvable

    if not isinstance(schema.get("$schema", ""), str):
        return "$schema must be text"
    if pattern_complaint := _external_reference(schema) or _untimed_pattern(schema):
        return pattern_complaint
    try:
        if error_text := _draft_error(schema):
            return error_text
        validator = bounded(schema, MatchingWork(_PROBING, _SECONDS))
        for probe in _PROBES:
            validator.is_valid(probe)
    except TooSlow as slow:
        return f"{slow}; make it smaller, with fewer nested references"
    except Unresolvable as error:
        return f"the reference {str(error.ref)[:100]!r} does not exist"
    except RecursionError:
        return "it refers to itself endlessly"
    # References can lead to parts that the draft does not check; there the library raises errors of any type.
    except Exception as error:
        return f"it cannot be applied ({type(error).__name__})"
    return ""


def _draft_error(schema: dict[str, JsonValue]) -> str:
    """How the schema violates its draft; empty if it does not."""
    work = MatchingWork(_READING, _SECONDS)
    error = next(bounded(draft_of(schema).META_SCHEMA, work, regex_format(work)).iter_errors(schema), None)
    if error is None:
        return ""
    place = "/".join(str(part) for part in error.absolute_path)
    # The library puts the value first and the error last.
    message = error.message if len(error.message) <= 200 else f"{error.message[:100]}…{error.message[-100:]}"
    return message + (f" (at {place[:100]})" if place else "")


def _external_reference(schema: dict[str, JsonValue]) -> str:
    """An error for the first reference to something outside the schema; empty without one."""
    for item in _objects(schema):
        for key in ("$ref", "$dynamicRef", "$recursiveRef"):
            target = item.get(key)
            if isinstance(target, str) and not target.startswith("#"):
                return f"the reference {target[:100]!r} points outside the schema; only '#…' works"
    return ""


def _untimed_pattern(schema: dict[str, JsonValue]) -> str:
    """An error for the one keyword whose pattern the library searches for without a time limit; else empty."""
    used = {key for item in _objects(schema) for key in ("unevaluatedProperties", "patternProperties") if key in item}
    if len(used) == 2:
        return "unevaluatedProperties cannot be combined with patternProperties here; use additionalProperties"
    return ""


def _objects(schema: dict[str, JsonValue]) -> Iterator[dict[str, JsonValue]]:
    stack: list[JsonValue] = [schema]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield item
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
