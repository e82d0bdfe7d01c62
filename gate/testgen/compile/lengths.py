"""How long the output is: words, sentences, characters."""

import re

from gate.domain.jsonvalue import JsonValue
from gate.testgen.compile.check import Check, Checks
from gate.testgen.compile.clause import Clause
from gate.testgen.compile.numbers import Quantity, quantity

_UNIT = re.compile(
    r"(word|sentence|character)s?(?: long| in length| in total| only| of text| total)?"
    r"(?:,? (?:including|counting) (?:spaces|blanks|whitespace|punctuation|spaces and punctuation))?",
    re.IGNORECASE,
)
_ONE_WORD = re.compile(
    r"be (?:a|exactly a|just a|only a) (one|single)[- ](word) (?:answer|output|response|reply)", re.IGNORECASE
)


def length(clause: Clause) -> Checks:
    """At most 80 words, a single sentence, between 10 and 20 characters."""
    if _ONE_WORD.fullmatch(clause.said):
        return _check(Quantity(1, 1, "word"), "word") if not clause.negated else ()
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
    rest = re.sub(r"^(?:(?:as|in|on|of) |kept to )(?=(?:one|a|a single|exactly one) )", "", rest)
    found = quantity(rest)
    if found is None or (found.bare and (verb == "contain" or clause.negated)):
        return None
    return found.opposite() if clause.negated else found


def _check(found: Quantity, unit: str) -> Checks:
    bounds = {"min": found.low, "max": found.high}
    options: dict[str, JsonValue] = {key: value for key, value in bounds.items() if value is not None}
    return (Check(f"{unit}s", found.told(unit), options),)
