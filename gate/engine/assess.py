"""From samples to a verdict that missing samples cannot have changed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gate.config.policy import RunPolicy
from gate.engine import cost_latency
from gate.engine.arrays import ARMS, Grid, scores, stack
from gate.engine.compare import PassRates, Quality, compare, pass_rates
from gate.engine.decide import Facts, decide, grounds
from gate.engine.early_stopping import Looks, look, needed, why_not
from gate.engine.samples import SampleTable
from gate.record.comparison import AxisComparison, Decision, Verdict
from gate.record.parts import Deletion
from gate.record.sample import ArmName
from gate.suite import Suite
from gate.values import undecided

Axes = Mapping[str, tuple[AxisComparison, AxisComparison]]

SCENARIOS = tuple({ArmName.BASELINE: step / 4, ArmName.CANDIDATE: 1 - step / 4} for step in range(5))
"""Scores that replace missing ones, from the best for the candidate to the worst.

The test also looks at the spread, so the worst case may lie between the extremes of the mean.
"""
CASES_NAMED = 8
"""Cases that a reason names before it counts the rest."""
REASONS_LISTED = 5
"""Different reasons why samples have no score that are listed; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Samples without a score.

    Args:
        samples: how many are missing, those never taken included; not those that early stopping saved.
        total: how many were needed: all planned ones, except those that early stopping saved.
        best, worst: the verdicts if all of them had gone for, or against, the candidate; None when none is missing.
        reasons: the distinct reasons with their counts, the most frequent first.
        cases: which cases they belong to, `suite/id` in a run over several suites.
    """

    samples: int
    total: int
    best: Verdict | None
    worst: Verdict | None
    reasons: tuple[str, ...]
    cases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assessment:
    """The result of a run.

    Args:
        axes: cost and latency of each suite that was compared.
        looked: the results were looked at before the end.
        samples: samples per case of the compared suites, where early stopping ended the run; None for all planned ones.
    """

    quality: Quality
    rates: PassRates
    axes: Axes
    decision: Decision
    missing: Missing
    looked: bool = False
    samples: int | None = None


@dataclass(frozen=True, slots=True)
class _Known:
    """The facts behind every verdict on a run, whatever the missing samples are taken for."""

    table: SampleTable
    grids: Mapping[str, Grid]
    compared: Axes
    unfinished: str | None
    looks: Looks | None


@dataclass(frozen=True, slots=True)
class Assessor:
    """Judges a set of samples."""

    suites: tuple[Suite, ...]
    policy: RunPolicy
    seed: int
    deleted: tuple[Deletion, ...] = ()

    @property
    def compared(self) -> tuple[Suite, ...]:
        """The suites with two arms."""
        return tuple(suite for suite in self.suites if suite.baseline is not None)

    @property
    def new(self) -> tuple[Suite, ...]:
        """The suites of new prompts, which have one arm."""
        return tuple(suite for suite in self.suites if suite.baseline is None)

    def assess(self, table: SampleTable, unfinished: str | None = None) -> Assessment:
        """Compare, decide, and check what the missing samples could have changed.

        `table` has every finished sample, failed ones included; `unfinished` says why the run ended early, or is None.
        """
        grids = {suite.name: Grid(suite, table) for suite in self.suites}
        sides, alpha = {suite.name: grids[suite.name] for suite in self.compared}, self.policy.alpha
        compared = {
            name: (cost_latency.cost(grid, alpha), cost_latency.latency(grid, alpha)) for name, grid in sides.items()
        }
        looks = None
        if why_not(self.suites, self.policy) is None:
            looks = look(self.suites, self.policy, self.seed, grids)
        samples = None if looks is None else looks.samples
        most = {suite.name: needed(suite, samples) for suite in self.suites}
        total = sum(len(suite.arms) * len(suite.exam.cases) * most[suite.name] for suite in self.suites)
        taken, reasons = _tally(grids, most)
        scored = taken - reasons.total()
        # Asked to end after the last sample, it came to its end all the same.
        facts = _Known(table, grids, compared, None if scored == total else unfinished, looks)
        (quality, rates), decision = self._verdict(facts)
        if scored == total:
            whole = Missing(0, total, None, None, ())
            return Assessment(quality, rates, compared, decision, whole, looks is not None, samples)
        if taken < total:
            reasons["never taken"] = total - taken
        verdicts = [] if unfinished is not None else self._imputed(facts)
        missing = Missing(
            samples=total - scored,
            total=total,
            best=verdicts[0] if verdicts else None,
            worst=verdicts[-1] if verdicts else None,
            reasons=listed(reasons),
            cases=_incomplete(grids, most),
        )
        decision = _settle(decision, missing, verdicts)
        return Assessment(quality, rates, compared, decision, missing, looks is not None, samples)

    def _imputed(self, facts: _Known) -> list[Verdict]:
        """The verdicts for whatever the missing samples are taken for."""
        # McNemar's test knows right and wrong, and nothing between.
        scenarios = (SCENARIOS[0], SCENARIOS[-1]) if self.policy.method == "mcnemar" else SCENARIOS
        return [self._verdict(facts, scenario)[1].verdict for scenario in scenarios]

    def _verdict(
        self, known: _Known, imputed: Mapping[ArmName, float] | None = None
    ) -> tuple[tuple[Quality, PassRates], Decision]:
        quality = Quality((), 0, None)
        if known.looks is not None:
            quality = known.looks.quality(imputed)
        elif self.compared:
            stacked = stack(self.compared, {s.name: scores(known.grids[s.name], imputed) for s in self.compared})
            quality = compare(stacked, self.policy, self.seed)
        passed = None if imputed is None else imputed[ArmName.CANDIDATE] > 0
        rates = pass_rates(self.new, known.table.by_case(), self.policy.alpha, passed)
        new = grounds(self.new, rates)
        facts = Facts(self.compared, quality, known.compared, known.unfinished, new, self.deleted)
        return (quality, rates), decide(facts, self.policy)


def _settle(decision: Decision, missing: Missing, verdicts: Sequence[Verdict]) -> Decision:
    """The verdict stands only if the missing samples could not have changed it."""
    if decision.verdict is Verdict.INCONCLUSIVE or {decision.verdict, *verdicts} == {decision.verdict}:
        return decision
    between = sorted({*verdicts[1:-1]} - {missing.best, missing.worst})
    why = (
        f"{undecided(missing.samples, missing.total)}: "
        f"{missing.best} if all of them had gone well for the candidate, {missing.worst} if all had gone badly"
        f"{f', {between[0]} if some had' if between else ''}."
    )
    return Decision(Verdict.INCONCLUSIVE, 3, (why, *asked_again(missing)))


def _incomplete(grids: Mapping[str, Grid], most: Mapping[str, int]) -> tuple[str, ...]:
    """Names of the cases that lack a score, in the order of the exams."""
    out = []
    for name, grid in grids.items():
        suite = grid.suite
        scored = (grid.scored & grid.within(most[name])).sum(axis=2)
        least = scored[[ARMS.index(arm) for arm in suite.arms]].min(axis=0)
        prefix = f"{name}/" if len(grids) > 1 else ""
        out += [f"{prefix}{suite.exam.cases[position].id}" for position in np.flatnonzero(least < most[name]).tolist()]
    return tuple(out)


def _tally(grids: Mapping[str, Grid], most: Mapping[str, int]) -> tuple[int, Counter[str]]:
    """How many of the needed samples there are, and why some have no score."""
    taken, reasons = 0, Counter[str]()
    for name, grid in grids.items():
        wanted = grid.within(most[name])
        taken += int((grid.taken & wanted).sum())
        reasons += grid.unscored(wanted)
    return taken, reasons


def asked_again(missing: Missing) -> tuple[str, ...]:
    """Which cases, and why."""
    return (f"Cases to be asked again: {named(missing.cases)}.", *missing.reasons)


def named(cases: Sequence[str]) -> str:
    """`a, b, c and 2 more`."""
    more = len(cases) - CASES_NAMED
    return f"{', '.join(cases[:CASES_NAMED])}{f' and {more} more' if more > 0 else ''}"


def listed(reasons: Counter[str]) -> tuple[str, ...]:
    """`3 × time-out`, the most frequent first, and how many others there are."""
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    told = [f"{number} × {reason}" for reason, number in ordered[:REASONS_LISTED]]
    if rest := ordered[REASONS_LISTED:]:
        samples = sum(number for _, number in rest)
        what = f"{len(rest)} other reason{'' if len(rest) == 1 else 's'}"
        told.append(f"{what} for {samples} more sample{'' if samples == 1 else 's'}, in samples.jsonl")
    return tuple(told)
