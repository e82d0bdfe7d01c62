"""The verdict of a run, and whether missing samples could change it."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gate.cases.case import members
from gate.config.policy import RunPolicy
from gate.config.values import OVERALL
from gate.engine.arrays import SampleGrid, scores, stack
from gate.engine.compare import PassRates, Quality, compare, cost, latency, pass_rates
from gate.engine.idle_checks import blind_findings, unknown_tools
from gate.engine.samples import ARMS, SampleTable
from gate.engine.schedule import Looks, look, needed, why_not
from gate.engine.scorer_changes import blind_judges, opposed_scorers
from gate.record.comparison import (
    AxisComparison,
    BlindJudge,
    Comparison,
    OpposedScorers,
    PassRate,
    PassState,
    State,
    Verdict,
)
from gate.record.findings.catalogue import by_severity, verdict_of
from gate.record.findings.finding import Finding
from gate.record.findings.quality import (
    AxisNotCompared,
    CostAboveLimit,
    LatencyAboveLimit,
    NoPromptChanged,
    NoRegression,
    OverallImproved,
    RequiredSliceEmpty,
    ScorersOpposed,
    ScoresAllZero,
    SliceRegressed,
    SliceSuspect,
    SliceUnmeasured,
    TooFewCases,
    severity_of,
)
from gate.record.findings.rates import (
    PassRateMet,
    PassRateMissed,
    PassRateUnproven,
    PolicySliceEmpty,
    ThresholdUnset,
)
from gate.record.findings.unfinished import PromptDeleted, SamplesMissing
from gate.record.run import MissingReason, MissingRecord
from gate.record.transcript import ArmName
from gate.stats.arrays import BLOCKABLE_UNITS
from gate.suite import Suite


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict and what it rests on.

    Args:
        findings: of all severities, the most important first.
    """

    verdict: Verdict
    exit_code: int
    findings: tuple[Finding, ...]

    @classmethod
    def of(cls, findings: Iterable[Finding], policy: RunPolicy) -> "Decision":
        """Apply the verdict table; `policy.fail_on` turns HOLD into exit 1."""
        findings = by_severity(findings)
        verdict = verdict_of(findings)
        hold = 1 if policy.fail_on == "hold" else 0
        codes = {Verdict.BLOCK: 1, Verdict.INCONCLUSIVE: 3, Verdict.HOLD: hold}
        return cls(verdict, codes.get(verdict, 0), findings)


def new_prompt_findings(suites: Sequence[Suite], rates: PassRates) -> Iterator[Finding]:
    """What the pass rates of suites without a baseline show, and what is missing there."""
    rows = [(suite, rate) for suite in suites for rate in rates.suites[suite.name]]
    missed = [(suite, rate) for suite, rate in rows if rate.blocking and rate.state is PassState.MISSED]
    for suite, rate in sorted(missed, key=_shortfall):
        yield PassRateMissed(**pass_rate_fields(suite, rate))
    for suite in suites:
        yield from _unmeasured_rates(suite, rates.suites[suite.name])
    for suite in suites:
        yield from _doubtful_rates(suite, rates.suites[suite.name])
    for suite in suites:
        if (overall := rates.suites[suite.name][0]).state is PassState.MET:
            yield PassRateMet(**pass_rate_fields(suite, overall))


def pass_rate_fields(suite: Suite, rate: PassRate, *, checked: bool = False) -> dict[str, Any]:
    """The fields of a finding about a pass rate of a slice with a scored case."""
    return {
        "suite": suite.name,
        "slice": rate.slice,
        "n": rate.n,
        "passed": rate.passed,
        "rate": rate.rate or 0.0,
        "lower": rate.lower or 0.0,
        "upper": rate.upper or 0.0,
        "wanted": rate.wanted,
        "checked": checked,
    }


def _shortfall(row: tuple[Suite, PassRate]) -> tuple[float, str]:
    suite, rate = row
    return ((rate.upper or 0.0) - (rate.wanted or 0.0), f"{suite.name}/{rate.slice}")


def _unmeasured_rates(suite: Suite, rates: Sequence[PassRate]) -> Iterator[Finding]:
    by_name = {rate.slice: rate for rate in rates}
    yield from unmeasured_slices(suite, {name for name, rate in by_name.items() if rate.n})
    for name in suite.exam.policy.required:
        rate = by_name.get(name)
        if rate is None:
            yield RequiredSliceEmpty(suite=suite.name, slice=name)
        elif rate.n and rate.state is PassState.TOO_FEW:
            yield _too_few(suite.name, f"{suite.name}/{name}", rate.n, rate.units, required=True)


def unmeasured_slices(suite: Suite, measured: Collection[str]) -> Iterator[SliceUnmeasured]:
    """A finding for each slice, unless it is advisory, that is not in `measured` (those with a scored case)."""
    compared = suite.baseline is not None
    if OVERALL not in measured:
        yield SliceUnmeasured(suite=suite.name, slice=OVERALL, compared=compared)
        return
    for name in members(suite.exam.cases, suite.exam.dimensions):
        if name not in measured and name not in suite.exam.policy.advisory:
            yield SliceUnmeasured(suite=suite.name, slice=name, compared=compared)


def _doubtful_rates(suite: Suite, rates: Sequence[PassRate]) -> Iterator[Finding]:
    policy, overall = suite.exam.policy, rates[0]
    for rate in rates:
        if rate.doubtful:
            yield PassRateUnproven(**pass_rate_fields(suite, rate))
    if overall.state is PassState.TOO_FEW and overall.n:
        yield _too_few(suite.name, f"{suite.name}/{OVERALL}", overall.n, overall.units, required=False)
    if policy.min_pass_rate is None and all(own.min_pass_rate is None for own in policy.slices.values()):
        yield ThresholdUnset(suite=suite.name)
    names = {rate.slice for rate in rates}
    if any(name not in names for name in policy.slices):
        empty = [name for name in dict.fromkeys((*policy.slices, *policy.advisory)) if name not in names]
        yield PolicySliceEmpty(severity="hold", suite=suite.name, slices=empty)


def _too_few(suite: str, name: str, n: int, units: int, *, required: bool) -> TooFewCases:
    return TooFewCases(severity=severity_of(required), suite=suite, slice=name, n=n, units=units, required=required)


@dataclass(frozen=True, slots=True)
class Comparisons:
    """What a decision rests on, besides the pass rates of new prompts."""

    suites: tuple[Suite, ...]
    quality: Quality
    axes: Mapping[str, tuple[AxisComparison, AxisComparison]]
    opposed: Mapping[str, OpposedScorers] = field(default_factory=dict)

    @property
    def deciding(self) -> tuple[Suite, ...]:
        """The suites that count for the verdict."""
        return tuple(suite for suite in self.suites if not suite.trial)

    @property
    def overall(self) -> list[tuple[str, Comparison]]:
        """The comparisons of all cases of the suites that count, by suite."""
        deciding = {suite.name for suite in self.deciding}
        rows = self.quality.slices
        return [(piece.suite, row) for piece, row in rows if piece.name == OVERALL and piece.suite in deciding]


def comparison_findings(compared: Comparisons) -> Iterator[Finding]:
    """What the comparisons of suites with two arms show, the most important first."""
    rows = [(piece.suite, row) for piece, row in compared.quality.slices if row.blocking]
    regressed = [(suite, row) for suite, row in rows if row.state is State.REGRESSION]
    for suite, row in sorted(regressed, key=_worst_first):
        yield SliceRegressed(**_slice_fields(suite, row), margin=row.margin)
    yield from _unmeasured_comparisons(compared)
    suspect = [(suite, row) for suite, row in rows if row.state is State.SUSPECT]
    for suite, row in sorted(suspect, key=_worst_first):
        yield SliceSuspect(**_slice_fields(suite, row))
    for suite, pair in compared.opposed.items():
        names = {"slice": pair.slice, "worse": pair.worse, "better": pair.better}
        yield ScorersOpposed(suite=suite, **names, drop=pair.drop, rise=pair.rise)
    for suite, row in compared.overall:
        if row.state is State.TOO_FEW and row.n and row.mean is not None and row.units >= BLOCKABLE_UNITS:
            yield ScoresAllZero(suite=suite, slice=row.slice, n=row.n)
        elif row.state is State.TOO_FEW and row.n:
            yield _too_few(suite, row.slice, row.n, row.units, required=False)
    yield from _above_limits(compared)
    improved = [(suite, row) for suite, row in compared.overall if row.state is State.IMPROVEMENT]
    for suite, row in improved:
        yield OverallImproved(**_slice_fields(suite, row))
    yield from _uncompared_axes(compared) if improved else ()
    if compared.quality.tested and not (improved or regressed or suspect):
        yield NoRegression(slices=compared.quality.tested)


def _worst_first(found: tuple[str, Comparison]) -> tuple[float, float, str]:
    _, row = found
    upper = math.inf if row.upper is None else row.upper
    return upper, row.mean or 0.0, row.slice


def _slice_fields(suite: str, row: Comparison) -> dict[str, Any]:
    names = ("slice", "n", "baseline", "candidate", "mean", "lower", "upper", "p")
    return {"suite": suite} | {name: getattr(row, name) for name in names}


def _unmeasured_comparisons(compared: Comparisons) -> Iterator[Finding]:
    for suite in compared.deciding:
        rows = {piece.name: row for piece, row in compared.quality.slices if piece.suite == suite.name}
        yield from unmeasured_slices(suite, {name for name, row in rows.items() if row.n})
        for name in suite.exam.policy.required:
            row = rows.get(name)
            if row is None:
                yield RequiredSliceEmpty(suite=suite.name, slice=name)
            elif row.n and row.state is State.TOO_FEW:
                yield _too_few(suite.name, row.slice, row.n, row.units, required=True)


def _above_limits(compared: Comparisons) -> Iterator[Finding]:
    for name in (suite.name for suite in compared.deciding):
        for axis in compared.axes[name]:
            if axis.exceeded and axis.change is not None:
                kind = CostAboveLimit if axis.axis == "cost" else LatencyAboveLimit
                yield kind(
                    suite=name,
                    change=axis.change,
                    lower=axis.lower,
                    upper=axis.upper,
                    limit=axis.allowance,
                )


def _uncompared_axes(compared: Comparisons) -> Iterator[AxisNotCompared]:
    for name in (suite.name for suite in compared.deciding):
        for axis in compared.axes[name]:
            if axis.applicable and not axis.compared:
                yield AxisNotCompared(suite=name, axis=axis.axis, reason=axis.reason)


Axes = Mapping[str, tuple[AxisComparison, AxisComparison]]

SCENARIOS = tuple({ArmName.BASELINE: step / 4, ArmName.CANDIDATE: 1 - step / 4} for step in range(5))
"""Scores that replace missing ones, from the best for the candidate to the worst.

The test also uses the spread, so the worst case may lie between the extremes of the mean.
"""
REASONS_LISTED = 5
"""Different reasons why samples have no score that are recorded; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Samples without a score.

    Args:
        samples: how many are missing, those never taken included; not those that early stopping saved.
        total: how many were needed: all planned ones, except those that early stopping saved.
        best, worst: the verdicts if all of them had gone for, or against, the candidate; None when none is missing.
        reasons: why, with their numbers.
        cases: which cases they belong to, `suite/id` in a run over several suites.
    """

    samples: int
    total: int
    best: Verdict | None
    worst: Verdict | None
    reasons: Counter[str] = field(default_factory=Counter)
    cases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assessment:
    """The result of a run.

    Args:
        samples: samples per case of the compared suites, where early stopping ended the run; None for all planned ones.
    """

    quality: Quality
    rates: PassRates
    axes: Axes
    decision: Decision
    missing: Missing
    looked: bool = False
    samples: int | None = None
    opposed: Mapping[str, OpposedScorers] = field(default_factory=dict)
    blind: Mapping[str, tuple[BlindJudge, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Known:
    """The input of every scenario's verdict."""

    grids: Mapping[str, SampleGrid]
    compared: Axes
    opposed: Mapping[str, OpposedScorers]
    idle: tuple[Finding, ...]
    unfinished: Finding | None
    looks: Looks | None


@dataclass(frozen=True, slots=True)
class Assessor:
    """Decides the verdict of a set of samples."""

    suites: tuple[Suite, ...]
    policy: RunPolicy
    seed: int
    deleted: tuple[PromptDeleted, ...] = ()

    @property
    def compared(self) -> tuple[Suite, ...]:
        """The suites with two arms."""
        return tuple(suite for suite in self.suites if suite.baseline is not None)

    @property
    def new(self) -> tuple[Suite, ...]:
        """The suites of new prompts, which have one arm."""
        return tuple(suite for suite in self.suites if suite.baseline is None)

    def assess(self, table: SampleTable, unfinished: Finding | None = None) -> Assessment:
        """Compare, decide, and check whether the missing samples could change the verdict.

        `table` has every finished sample, failed ones included; `unfinished` is what ended the run early, or None.
        """
        grids = {suite.name: SampleGrid(suite, table) for suite in self.suites}
        sides, alpha = {suite.name: grids[suite.name] for suite in self.compared}, self.policy.alpha
        compared = {name: (cost(grid, alpha), latency(grid, alpha)) for name, grid in sides.items()}
        looks = None
        if why_not(self.suites, self.policy) is None:
            looks = look(self.suites, self.policy, self.seed, grids)
        samples = None if looks is None else looks.samples
        most = {suite.name: needed(suite, samples) for suite in self.suites}
        total = sum(len(suite.arms) * len(suite.exam.cases) * most[suite.name] for suite in self.suites)
        taken, reasons = _tally(grids, most)
        scored = taken - reasons.total()
        # A run that was ended after its last sample is complete.
        opposed = opposed_scorers(list(sides.values()), most, self.seed)
        blind = blind_judges(list(grids.values()), most)
        tools = (unknown_tools(grid.suite, grid.talks) for grid in grids.values())
        idle = (*blind_findings(blind), *(finding for found in tools for finding in found))
        facts = _Known(grids, compared, opposed, idle, None if scored == total else unfinished, looks)
        (quality, rates), decision = self._verdict(facts)
        if scored == total:
            whole = Missing(0, total, None, None)
            return Assessment(quality, rates, compared, decision, whole, looks is not None, samples, opposed, blind)
        if taken < total:
            reasons["never taken"] = total - taken
        open_ = unfinished is None and decision.verdict is not Verdict.INCONCLUSIVE
        verdicts = self._imputed(facts) if open_ else []
        missing = Missing(
            samples=total - scored,
            total=total,
            best=verdicts[0] if verdicts else None,
            worst=verdicts[-1] if verdicts else None,
            reasons=reasons,
            cases=_incomplete(grids, most),
        )
        decision = self._settled(decision, missing, verdicts)
        return Assessment(quality, rates, compared, decision, missing, looks is not None, samples, opposed, blind)

    def _imputed(self, facts: _Known) -> list[Verdict]:
        """The verdicts with the missing samples replaced, one for each scenario."""
        return [self._verdict(facts, scenario)[1].verdict for scenario in SCENARIOS]

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
        rates = pass_rates([known.grids[suite.name] for suite in self.new], self.policy.alpha, passed)
        return (quality, rates), self._decide(known, quality, rates)

    def _decide(self, known: _Known, quality: Quality, rates: PassRates) -> Decision:
        if known.unfinished is not None:
            # Half a run shows neither a regression nor that there is none.
            return Decision.of([known.unfinished], self.policy)
        compared = Comparisons(self.compared, quality, known.compared, known.opposed)
        findings = (
            *self.deleted,
            *comparison_findings(compared),
            *known.idle,
            *new_prompt_findings(self.new, rates),
            *(() if self.suites else (NoPromptChanged(),)),
        )
        return Decision.of(findings, self.policy)

    def _settled(self, decision: Decision, missing: Missing, verdicts: Sequence[Verdict]) -> Decision:
        """The verdict stands only if the missing samples could not have changed it."""
        if {decision.verdict, *verdicts} == {decision.verdict}:
            return decision
        between = sorted({*verdicts[1:-1]} - {missing.best, missing.worst})
        lacking = SamplesMissing(
            severity="undecided",
            samples=missing.samples,
            total=missing.total,
            best=missing.best,
            worst=missing.worst,
            between=between[0] if between else None,
        )
        return Decision.of([lacking], self.policy)


def _incomplete(grids: Mapping[str, SampleGrid], most: Mapping[str, int]) -> tuple[str, ...]:
    """Names of the cases that lack a score, in the order of the exams."""
    out = []
    for name, grid in grids.items():
        suite = grid.suite
        scored = (grid.scored & grid.within(most[name])).sum(axis=2)
        least = scored[[ARMS.index(arm) for arm in suite.arms]].min(axis=0)
        prefix = f"{name}/" if len(grids) > 1 else ""
        out += [f"{prefix}{suite.exam.cases[position].id}" for position in np.flatnonzero(least < most[name]).tolist()]
    return tuple(out)


def _tally(grids: Mapping[str, SampleGrid], most: Mapping[str, int]) -> tuple[int, Counter[str]]:
    """How many of the needed samples exist, and why some have no score."""
    taken, reasons = 0, Counter[str]()
    for name, grid in grids.items():
        wanted = grid.within(most[name])
        taken += int((grid.taken & wanted).sum())
        reasons += grid.unscored(wanted)
    return taken, reasons


def missing_record(missing: Missing) -> MissingRecord:
    """The missing samples, with the most frequent reasons first."""
    ordered = sorted(missing.reasons.items(), key=lambda item: (-item[1], item[0]))
    return MissingRecord(
        samples=missing.samples,
        total=missing.total,
        best=missing.best,
        worst=missing.worst,
        reasons=[MissingReason(reason=reason, samples=count) for reason, count in ordered[:REASONS_LISTED]],
        others=sum(count for _, count in ordered[REASONS_LISTED:]),
        cases=list(missing.cases),
    )
