"""How long the output is: words, sentences, characters."""

import re

from gate.domain.jsonvalue import JsonValue
from gate.testgen.compile.check import Check, Checks
from gate.testgen.compile.clause import Clause
from gate.testgen.compile.numbers import Quantity, number, quantity

_UNIT = re.compile(
    r"(word|sentence|character)s?(?: long| in length| in total| only| of text| total)?"
    r"(?:,? (?:including|counting) (?:spaces|blanks|whitespace|punctuation|spaces and punctuation))?",
    re.IGNORECASE,
)
_COMPOUND = re.compile(
    r"(?:a|an|exactly a|just a|only a) (single|one|two|three|four|five|six|seven|eight|nine|ten)[- ]"
    r"(word|sentence|paragraph|line) (?:answer|output|response|reply|summary|explanation|description|message|text)",
    re.IGNORECASE,
)
"""Such as a one-word answer."""
_WITHIN = re.compile(r"(?:as|in|on|of|kept to)(?: length)? ", re.IGNORECASE)
_LENGTH = re.compile(r"an? (?:total )?length (?:of )?", re.IGNORECASE)
SURE = 5
"""Words that `in five words` asks for exactly; with greater numbers it often means about so many."""


def length(clause: Clause) -> Checks:
    """At most 80 words, a single sentence, between 10 and 20 characters."""
    found = counted(clause)
    unit = _UNIT.fullmatch(found.of) if found is not None else None
    return _check(found, unit[1].lower()) if found is not None and unit is not None else ()


def counted(clause: Clause) -> Quantity | None:
    """The quantity that an output is or contains; what is forbidden is turned round.

    That it contains three of something says nothing about a fourth, so such a number is no quantity.
    """
    verb, _, rest = clause.said.partition(" ")
    if verb not in ("be", "contain"):
        return None
    if verb == "be" and (compound := _COMPOUND.fullmatch(rest)) is not None:
        many = 1 if compound[1].lower() == "single" else number(compound[1])
        return None if clause.negated or many is None else Quantity(many, many, compound[2])
    within = _WITHIN.match(rest)
    found = quantity(_LENGTH.sub("", rest[within.end() :] if within else rest, count=1))
    if within and found is not None and found.bare and (found.high or 0) > SURE:
        return None
    if found is None or (found.bare and (verb == "contain" or clause.negated)):
        return None
    return found.opposite() if clause.negated else found


def _check(found: Quantity, unit: str) -> Checks:
    bounds = {"min": found.low, "max": found.high}
    options: dict[str, JsonValue] = {key: value for key, value in bounds.items() if value is not None}
    return (Check(f"{unit}s", found.told(unit), options),)
