"""The outcome of each test under each model, and the figures of arXiv:2503.05070, section 4.3: counts and intervals."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar, Literal, TypeAlias

from gate.config.specification import GeneratedTest, OutputRule, TestKind
from gate.stats.arrays import Estimate, Undefined
from gate.stats.intervals import Difference, Pairs, Rate, paired_mean, rate_difference, wilson
from gate.values import COMPLETE

OutputVerdict: TypeAlias = Literal["compliant", "violation", "unknown", "no answer"]
VerdictSource: TypeAlias = Literal["judge", "code", "either"]
"""Whose verdict counts: the judge's, that of the rules which code checks, or a violation found by either."""
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
class OutcomeRow:
    """One test under one model.

    Args:
        rule: id; empty for a control case.
        coded: by the rules that code checks; None where code checks none.
        valid: does the input keep the input specification; None if unknown.
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

    def outcome(self, source: VerdictSource) -> OutputVerdict | None:
        """The verdict of a source; None where there is none.

        Of both together the worse counts: what one does not know is not known, unless the other sees a violation.
        """
        if source == "judge":
            return self.judged
        if source == "code":
            return self.coded
        return worst_verdict(one for one in (self.judged, self.coded) if one is not None)


def worst_verdict(outcomes: Iterable[OutputVerdict]) -> OutputVerdict:
    """The worst of some: a violation, then no answer, then unknown; `ValueError` for none."""
    return min(outcomes, key=_WORST.index)


def rows_in_group(rows: Iterable[OutcomeRow], group: Group) -> list[OutcomeRow]:
    """The rows of a group of tests."""
    return [row for row in rows if row.kind in _KINDS[group]]


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of one question that is answered by yes or no.

    Args:
        yes: violations, where non-compliance is counted.
        units: independent units among those that are yes or no.
    """

    yes: int
    no: int
    unknown: int
    missing: int
    units: int

    @property
    def decided(self) -> int:
        """The denominator of the rate."""
        return self.yes + self.no

    @property
    def n(self) -> int:
        """All of them."""
        return self.decided + self.open

    @property
    def open(self) -> int:
        """Neither yes nor no."""
        return self.unknown + self.missing

    @property
    def rate(self) -> Rate:
        """Share of yes among what is decided, with its Wilson interval of 95 %."""
        return wilson(*self.scaled)

    @property
    def scaled(self) -> tuple[float, int]:
        """As many units, with the same share of yes."""
        return (self.yes / self.decided * self.units, self.units) if self.decided else (0.0, 0)

    @property
    def ends(self) -> tuple[float, float] | None:
        """Share of yes among all, if all open ones were no, and if they were yes; None where there are none at all."""
        return (self.yes / self.n, (self.yes + self.open) / self.n) if self.n else None


@dataclass(frozen=True, slots=True)
class ValidShare:
    """The share of violations whose input is valid.

    Args:
        macro: mean of the shares of the prompts that have a violation of known validity; None where no prompt has.
    """

    pooled: Tally
    macro: float | None
    prompts: int


def non_compliance(rows: Iterable[OutcomeRow], source: VerdictSource = "judge") -> Tally:
    """How many tests break the prompt; rows without a verdict of this source do not count."""
    told = [(row, outcome) for row in rows if (outcome := row.outcome(source)) is not None]
    counts: Mapping[OutputVerdict, int] = {
        name: sum(outcome == name for _, outcome in told) for name in ("violation", "compliant", "unknown", "no answer")
    }
    units = {(row.prompt, row.test) for row, outcome in told if outcome in ("violation", "compliant")}
    return Tally(counts["violation"], counts["compliant"], counts["unknown"], counts["no answer"], len(units))


def tally_difference(first: Tally, second: Tally) -> Difference:
    """The first rate minus the second, without a test in common, with Newcombe's interval of 95 %."""
    return rate_difference(first.scaled, second.scaled)


def group_difference(
    rows: Sequence[OutcomeRow], first: Group, second: Group, source: VerdictSource = "judge"
) -> Difference:
    """Non-compliance of one group of tests minus that of another, such as `promptpex` and `control`.

    The groups have no test in common, so they are not paired.
    """
    one, other = (non_compliance(rows_in_group(rows, group), source) for group in (first, second))
    return tally_difference(one, other)


def mean_difference(
    rows: Sequence[OutcomeRow], first: Group, second: Group, source: VerdictSource = "judge"
) -> Estimate | Undefined:
    """The same contrast, paired by prompt: each prompt counts once, however many tests it has.

    A prompt's difference is the mean over the models that have a rate in both groups. Over several prompts this is the
    test between two generators that takes into account that prompts differ.

    Returns:
        Mean with its t interval of 95 %; `Undefined` for fewer than two prompts.
    """
    found: dict[str, list[float]] = {}
    for prompt, model in dict.fromkeys((row.prompt, row.model) for row in rows):
        own = [row for row in rows if (row.prompt, row.model) == (prompt, model)]
        value = group_difference(own, first, second, source).value
        if value is not None:
            found.setdefault(prompt, []).append(value)
    return paired_mean([fmean(values) for values in found.values()])


def paired_rows(first: Iterable[OutcomeRow], second: Iterable[OutcomeRow], source: VerdictSource = "judge") -> Pairs:
    """The same tests of the same model, run twice: a hit is a violation. Tests decided only once are left out.

    Args:
        first, second: rows, matched by prompt, model and test; under another prompt they keep the name of the first.
    """
    ours, theirs = (_decided(rows, source) for rows in (first, second))
    both = [(ours[key], theirs[key]) for key in ours.keys() & theirs.keys()]
    return Pairs(both.count((True, True)), both.count((True, False)), both.count((False, True)),
                 both.count((False, False)))  # fmt: skip


def validity_tally(tests: Iterable[GeneratedTest]) -> Tally:
    """How many tests keep the input specification."""
    return _flags(test.valid for test in tests)


def groundedness_tally(rules: Iterable[OutputRule]) -> Tally:
    """How many rules are in the prompt, word for word, or as a judge found or a person wrote."""
    flags = {"verbatim": True, "judged": True, "edited": True, "ungrounded": False}
    return _flags(flags.get(rule.grounding) for rule in rules)


def valid_share(rows: Iterable[OutcomeRow]) -> ValidShare:
    """How many of the violations came from valid inputs: the others mean less."""
    broken = [row for row in rows if row.outcome("judge") == "violation"]
    units = {(row.prompt, row.test) for row in broken if row.valid is not None}
    pooled = _flags((row.valid for row in broken), len(units))
    shares = []
    for prompt in dict.fromkeys(row.prompt for row in broken):
        own = _flags(row.valid for row in broken if row.prompt == prompt)
        if own.decided:
            shares.append(own.yes / own.decided)
    return ValidShare(pooled, fmean(shares) if shares else None, len(shares))


def _flags(flags: Iterable[bool | None], units: int | None = None) -> Tally:
    found = list(flags)
    yes, no = found.count(True), found.count(False)
    return Tally(yes, no, len(found) - yes - no, 0, yes + no if units is None else units)


def _decided(rows: Iterable[OutcomeRow], source: VerdictSource) -> dict[tuple[str, str, str], bool]:
    outcomes = {(row.prompt, row.model, row.test): row.outcome(source) for row in rows}
    return {key: one == "violation" for key, one in outcomes.items() if one in ("violation", "compliant")}
