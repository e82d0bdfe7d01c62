"""JSON Schemas and patterns of users: are they sound, and they end in time."""

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
    """A search, or a check made of searches, that was given up because it took too long."""


def pattern_complaint(pattern: str) -> str:
    """Why this is no regular expression that can be searched for; empty when it is one."""
    if len(pattern) > PATTERN_CHARS:
        return f"it has more than {PATTERN_CHARS:,} characters"
    import regex  # only for those who use one

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
        seconds: time for the search.
    """
    import regex

    flags = (regex.MULTILINE if multiline else 0) | (regex.IGNORECASE if ignore_case else 0)
    try:
        return regex.search(pattern, text, flags, timeout=seconds) is not None
    except TimeoutError:
        raise TooSlow(f"the pattern took longer than {seconds:.1g} s") from None


def replaced(pattern: str, text: str, by: str, *, seconds: float = LONGEST_S) -> str:
    """The text with something else in place of each match.

    Args:
        by: what stands there then, to the letter.
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
    """What one check may cost.

    Args:
        steps: keywords applied and patterns searched for.
        seconds: time from now on; the steps of one schema are slower than those of another.
    """

    steps: int = 100_000
    seconds: float = 3.0
    _left: int = field(init=False)
    _end: float = field(init=False)

    def __post_init__(self) -> None:
        self._left, self._end = self.steps, time.monotonic() + self.seconds

    def spend(self, steps: int = 1) -> None:
        """Count steps before they are taken."""
        self._left -= steps
        if self._left < 0:
            raise TooSlow(f"the schema takes more than {self.steps:,} steps")
        if time.monotonic() > self._end:
            raise TooSlow(f"the schema took longer than {self.seconds:g} s")

    def occurs(self, pattern: str, text: str) -> bool:
        """Does the pattern match in the text? `^` and `$` stand for the ends of the text, not of its lines."""
        self.spend()
        if len(pattern) > PATTERN_CHARS:
            raise ValueError(f"A pattern has at most {PATTERN_CHARS:,} characters, this one has {len(pattern):,}.")
        seconds = min(LONGEST_S, max(0.01, self._end - time.monotonic()))
        return occurs(pattern, text, multiline=False, seconds=seconds)


def draft_of(schema: Schema) -> "type[Validator]":
    """The draft that `$schema` names; 2020-12 where it names none that is known."""
    from jsonschema.validators import Draft202012Validator, validator_for

    found: type[Validator] = validator_for(schema, default=Draft202012Validator)
    return found


def bounded(schema: Schema, work: MatchingWork, formats: "FormatChecker | None" = None) -> "Validator":
    """A validator of the schema's own draft that fetches nothing and stops when the work is done.

    Args:
        work: paid by everything that the validator does.
        formats: what checks `format`; without it `format` is a remark, as the drafts have it.

    Its methods raise `TooSlow`, and whatever the library raises on a schema that was not checked.
    """
    import attrs  # the library's validators are attrs classes
    from jsonschema import validators
    from referencing import Registry

    extend: Callable[..., Any] = validators.extend
    draft: Any = draft_of(schema)
    own = _Keywords(work).by_name()
    crawl = cache(lambda: 0 if schema is draft.META_SCHEMA else _parts(schema) // 4)
    counted = {key: _counted(work, key, own.get(key, keyword), crawl) for key, keyword in draft.VALIDATORS.items()}
    kind: Any = extend(draft, counted)

    def evolve(self: Any, **changes: Any) -> Any:
        work.spend()
        return attrs.evolve(self, **changes)

    # The library's own goes by `$schema` of the part at hand, and so back to keywords without a bound.
    kind.evolve = evolve
    # A registry of our own, because the library's default one asks the network for what it does not know.
    validator: Validator = kind(schema, registry=Registry(), format_checker=formats)
    return validator


def regex_format(work: MatchingWork) -> "FormatChecker":
    """The format `regex` of the meta-schemas: a pattern that we can search for."""
    from jsonschema import FormatChecker

    def is_pattern(value: object) -> bool:
        if not isinstance(value, str):
            return True
        work.spend(1 + len(value) // 4)  # compiling costs about that
        return len(value) <= PATTERN_CHARS and not pattern_complaint(value)

    checker = FormatChecker(())
    checker.checks("regex")(is_pattern)
    return checker


def _parts(schema: Schema) -> int:
    """Mappings and lists in a schema: for each reference to an anchor the library looks through them all."""
    found, stack = 0, list[Any]([schema])
    while stack:
        item = stack.pop()
        if isinstance(item, (Mapping, list)):
            found += 1
            stack.extend(item.values() if isinstance(item, Mapping) else item)
    return found


def _counted(work: MatchingWork, name: str, keyword: Keyword, crawl: Callable[[], int]) -> Keyword:
    # For these two the library looks each part of the instance up in a list of the others: a thousand are affordable.
    quadratic = name in ("unevaluatedItems", "unevaluatedProperties")

    def counted(validator: Any, value: Any, instance: Any, schema: Any) -> "Iterator[ValidationError] | None":
        # A long list of values or names to go through is as many steps as take its time.
        steps = 1 + (len(value) // 25 if isinstance(value, (dict, list)) else 0)
        if quadratic and isinstance(instance, (dict, list)):
            steps += len(instance) ** 2 // 10
        if name in _REFERENCES and isinstance(value, str) and value[1:2] not in ("", "/"):
            steps += crawl()
        work.spend(steps)
        return keyword(validator, value, instance, schema)

    return counted


@dataclass(frozen=True, slots=True)
class _Keywords:
    """The keywords that search for patterns or compare everything with everything, as the drafts have them."""

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
    """The same text for values that JSON Schema calls equal: 1 and 1.0 are, 1 and true are not."""
    return json.dumps(_whole(value), sort_keys=True)


def _whole(value: JsonValue) -> JsonValue:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    return value


_PROBES: tuple[JsonValue, ...] = (None, "", 0, [], {})
_READING = 200_000
"""Steps to hold a schema against its draft: enough for some thousand properties."""
_PROBING = 20_000
"""Steps for the smallest answers there are; a schema that needs more for these has no end for a true one."""
_SECONDS = 60.0
"""A last net only: steps decide, because the speed of the machine should not."""


def schema_complaint(schema: dict[str, JsonValue]) -> str:
    """What is wrong with a JSON Schema (draft 2020-12, or the one that `$schema` names); empty when nothing is.

    References must stay inside the schema: nothing is ever fetched.
    """
    # Imported late: the library costs more than all other inputs together, and few suites use it.
    from referencing.exceptions import Unresolvable

    if not isinstance(schema.get("$schema", ""), str):
        return "$schema must be text"
    if pattern_complaint := _outside(schema) or _untimed(schema):
        return pattern_complaint
    try:
        if mistake := _mistake(schema):
            return mistake
        validator = bounded(schema, MatchingWork(_PROBING, _SECONDS))
        for probe in _PROBES:
            validator.is_valid(probe)
    except TooSlow as slow:
        return f"{slow}; make it smaller, with fewer nested references"
    except Unresolvable as error:
        return f"the reference {str(error.ref)[:100]!r} does not exist"
    except RecursionError:
        return "it refers to itself endlessly"
    # The library raises whatever it stumbles over in parts that the draft does not name but a reference leads to.
    except Exception as error:
        return f"it cannot be applied ({type(error).__name__})"
    return ""


def _mistake(schema: dict[str, JsonValue]) -> str:
    """Where the schema is not what its draft asks for."""
    work = MatchingWork(_READING, _SECONDS)
    error = next(bounded(draft_of(schema).META_SCHEMA, work, regex_format(work)).iter_errors(schema), None)
    if error is None:
        return ""
    place = "/".join(str(part) for part in error.absolute_path)
    # The library quotes the value first and says what is wrong with it last.
    message = error.message if len(error.message) <= 200 else f"{error.message[:100]}…{error.message[-100:]}"
    return message + (f" (at {place[:100]})" if place else "")


def _outside(schema: dict[str, JsonValue]) -> str:
    """Complains about the first reference that is not a fragment of this schema."""
    for item in _objects(schema):
        for key in ("$ref", "$dynamicRef", "$recursiveRef"):
            target = item.get(key)
            if isinstance(target, str) and not target.startswith("#"):
                return f"the reference {target[:100]!r} points outside the schema; only '#…' works"
    return ""


def _untimed(schema: dict[str, JsonValue]) -> str:
    """Complains about the one use of a pattern that the library searches for by itself, without a time limit."""
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
