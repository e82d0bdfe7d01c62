"""What a demand becomes: one scorer that code runs, with words for a reader."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from gate.domain.jsonvalue import JsonValue
from gate.inputs.limits import PATTERN_CHARS
from gate.testgen.compile.clause import Clause


@dataclass(frozen=True, slots=True)
class Check:
    """One scorer in the making.

    Args:
        kind: of the scorer.
        told: what it looks for, in plain words.
        options: of the scorer.
        negate: what it finds breaks the rule.
    """

    kind: str
    told: str
    options: Mapping[str, JsonValue] = field(default_factory=dict)
    negate: bool = False


Checks: TypeAlias = tuple[Check, ...]
"""Of one demand; empty where it was not understood."""

Form: TypeAlias = Callable[[Clause], Checks]
"""Understands one kind of demand."""


def searched(pattern: str, told: str, *, ignore_case: bool = False, negate: bool = False) -> Checks:
    """A search for a pattern.

    Args:
        pattern: made of fixed parts and escaped words; each part takes linear time, for it gives nothing back.
        told: in plain words.
        ignore_case: capitals and small letters are the same.
        negate: the pattern must not be found.

    Returns:
        Nothing where the pattern would be longer than a scorer takes.
    """
    if len(pattern) > PATTERN_CHARS:
        return ()
    return (Check("regex", told, {"pattern": pattern, "ignore_case": ignore_case}, negate),)
