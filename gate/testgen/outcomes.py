"""What became of each test under each model: one row each, whatever came of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from gate.domain.promptspec import TestKind
from gate.domain.ranges import COMPLETE

OutputVerdict: TypeAlias = Literal["compliant", "violation", "unknown", "no answer"]
Source: TypeAlias = Literal["judge", "code", "either"]
"""Who says so: the judge, the rules that code checks, or both, of whom either can find a violation."""
Group: TypeAlias = Literal["rule", "inverse", "promptpex", "control", "overall"]
"""Tests made from rules, from inverse rules, from both, from the prompt alone, and all of them."""

GROUPS: tuple[Group, ...] = ("rule", "inverse", "promptpex", "control", "overall")
_KINDS: dict[Group, tuple[TestKind, ...]] = {
    "rule": ("rule",),
    "inverse": ("inverse",),
    "promptpex": ("rule", "inverse"),
    "control": ("control",),
    "overall": ("rule", "inverse", "control"),
}
_WORST: tuple[OutputVerdict, ...] = ("violation", "no answer", "unknown", "compliant")


@dataclass(frozen=True, slots=True)
class Row:
    """One test under one model.

    Args:
        prompt: name of the prompt.
        model: who answered.
        test: id, unique within the prompt.
        kind: what the test was made from.
        rule: id; empty for a control case.
        judged: by the judge.
        coded: by the rules that code checks; None where code checks none.
        broken: ids of the rules that code saw broken.
        valid: does the input keep the input specification; None where nobody knows.
        reason: the judge's, or why there is no answer; hostile.
    """

    __pydantic_config__: ClassVar = COMPLETE
    prompt: str
    model: str
    test: str
    kind: TestKind
    rule: str
    judged: OutputVerdict
    coded: OutputVerdict | None = None
    broken: tuple[str, ...] = ()
    valid: bool | None = None
    reason: str = ""

    def outcome(self, source: Source) -> OutputVerdict | None:
        """What one of them says; None where nobody was asked.

        Of both together the worse counts: what one does not know is not known, unless the other sees a violation.
        """
        if source == "judge":
            return self.judged
        if source == "code":
            return self.coded
        return worst(one for one in (self.judged, self.coded) if one is not None)


def worst(outcomes: Iterable[OutputVerdict]) -> OutputVerdict:
    """The worst of some: a violation, then no answer, then unknown.

    Raises:
        ValueError: there are none.
    """
    return min(outcomes, key=_WORST.index)


def in_group(rows: Iterable[Row], group: Group) -> list[Row]:
    """The rows of a group of tests."""
    return [row for row in rows if row.kind in _KINDS[group]]
