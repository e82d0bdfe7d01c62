"""The verdict of a run, and whether missing samples could change it."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gate.cases.case import members
from gate.config.policy import RunPolicy
from gate.config.values import OVERALL
from gate.engine.arrays import SampleGrid, scores, stack
from gate.engine.compare import PassRates, Quality, compare, cost, latency, pass_rates
from gate.engine.idle_checks import IdleChecks, blind_checks, unknown_tools
from gate.engine.samples import ARMS, SampleTable
from gate.engine.schedule import Looks, look, needed, why_not
from gate.engine.scorer_changes import blind_judges, opposed_scorers
from gate.record.comparison import (
    AxisComparison,
    BlindJudge,
    Comparison,
    Decision,
    OpposedScorers,
    PassRate,
    PassState,
    State,
    Verdict,
)
from gate.record.parts import Deletion
from gate.record.transcript import ArmName
from gate.stats.arrays import BLOCKABLE_UNITS
from gate.suite import Suite
from gate.values import undecided


@dataclass(frozen=True, slots=True)
class NewPromptReasons:
    """Reasons as full sentences, by the verdict that they lead to."""

    blocks: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    met: tuple[str, ...] = ()


def new_prompt_reasons(suites: Sequence[Suite], rates: PassRates) -> NewPromptReasons:
    """The reasons that come from suites without a baseline."""
    rows = [(suite, rates.suites[suite.name]) for suite in suites]
    blocking = [(suite.name, rate) for suite, found in rows for rate in found if rate.blocking]
    missed = sorted((one for one in blocking if one[1].state is PassState.MISSED), key=_shortfall)
    return NewPromptReasons(
        blocks=tuple(f"{_told(*one)}, and the upper bound is {percent(one[1].upper)}." for one in missed),
        gaps=tuple(reason for suite, found in rows for reason in _gaps(suite, found)),
        holds=tuple(reason for suite, found in rows for reason in _holds(suite, found)),
        met=tuple(f"{_told(suite.name, found[0])}." for suite, found in rows if found[0].state is PassState.MET),
    )


def _shortfall(one: tuple[str, PassRate]) -> tuple[float, str]:
    return ((one[1].upper or 0.0) - (one[1].wanted or 0.0), f"{one[0]}/{one[1].slice}")


def _gaps(suite: Suite, rates: Sequence[PassRate]) -> Iterator[str]:
    found = {rate.slice: rate for rate in rates}
    yield from slices_without_scores(suite, {name for name, rate in found.items() if rate.n})
    for name in suite.exam.policy.required:
        if name not in found:
            yield f"{suite.name}: the required slice {name} has no cases."
        elif found[name].n and found[name].state is PassState.TOO_FEW:
            yield f"{suite.name}/{name} is required and has too few cases to decide ({found[name].n})."


def slices_without_scores(suite: Suite, measured: Collection[str]) -> Iterator[str]:
    """A reason for each slice, unless it is advisory, that is not in `measured`, which has those with a scored case."""
    where = "" if suite.baseline is None else " in both versions"
    if OVERALL not in measured:
        yield f"{suite.name}: no case has a score{where}, so nothing was measured."
        return
    for name in members(suite.exam.cases, suite.exam.dimensions):
        if name not in measured and name not in suite.exam.policy.advisory:
            yield f"{suite.name}/{name}: no case of this slice has a score{where}, so it was not measured."


def _holds(suite: Suite, rates: Sequence[PassRate]) -> Iterator[str]:
    policy = suite.exam.policy
    for rate in rates:
        if rate.doubtful:
            yield f"{_told(suite.name, rate)}, not shown with confidence: the lower bound is {percent(rate.lower)}."
    if rates[0].state is PassState.TOO_FEW:
        yield f"{suite.name}/{OVERALL}: {rates[0].n} cases are too few to decide; use at least 30, better 100."
    if policy.min_pass_rate is None and all(own.min_pass_rate is None for own in policy.slices.values()):
        yield f"{suite.name}: no threshold is set; set min_pass_rate in the policy of the suite."
    names = {rate.slice for rate in rates}
    for name in policy.slices:
        if name not in names:
            yield f"{suite.name}: the policy names the slice {name}, which has no cases."


def _told(suite: str, rate: PassRate) -> str:
    wanted = "" if rate.wanted is None else f"; at least {percent(rate.wanted)} needed"
    return f"{suite}/{rate.slice}: {percent(rate.rate)} of the answers to {rate.n} cases passed{wanted}"


def percent(value: float | None) -> str:
    """With one decimal, unless it is whole."""
    return f"{(value or 0.0) * 100:.1f}".removesuffix(".0") + " %"


@dataclass(frozen=True, slots=True)
class VerdictFacts:
    """The input of a verdict."""

    suites: tuple[Suite, ...]
    quality: Quality
    axes: Mapping[str, tuple[AxisComparison, AxisComparison]]
    unfinished: str | None = None
    new: NewPromptReasons = field(default_factory=NewPromptReasons)
    deleted: tuple[Deletion, ...] = ()
    opposed: Mapping[str, OpposedScorers] = field(default_factory=dict)
    idle: IdleChecks = field(default_factory=IdleChecks)

    @property
    def deciding(self) -> tuple[Suite, ...]:
        """The suites that count for the verdict."""
        return tuple(suite for suite in self.suites if not suite.trial)


def decide(facts: VerdictFacts, policy: RunPolicy) -> Decision:
    """Apply the verdict table; `policy.fail_on` turns HOLD into exit 1."""
    if facts.unfinished is not None:
        # Half a run shows neither a regression nor that there is none.
        return Decision(Verdict.INCONCLUSIVE, 3, (f"The evaluation was not finished: {facts.unfinished}.",))
    blocks = [*_regressions(facts), *facts.new.blocks]
    if blocks:
        return Decision(Verdict.BLOCK, 1, tuple(blocks))
    gaps = [*map(str, facts.deleted), *_unmeasured_slices(facts), *facts.idle.undecided, *facts.new.gaps]
    if gaps:
        return Decision(Verdict.INCONCLUSIVE, 3, tuple(gaps))
    if not facts.suites and facts.new == NewPromptReasons():
        # Both arms are the same, so quality can be neither worse nor better.
        return Decision(Verdict.PASS, 0, ("no prompt changed; cases, scorers or policy did.",))
    holds = [*_suspects(facts), *_opposed(facts), *_too_few(facts), *_exceeded(facts), *facts.idle.not_shown]
    holds += facts.new.holds
    if holds:
        return Decision(Verdict.HOLD, 1 if policy.fail_on == "hold" else 0, tuple(holds))
    improved = [row for row in _overall(facts) if row.state is State.IMPROVEMENT]
    if not improved:
        quiet = "No slice regressed, none is suspect, and no improvement is shown."
        return Decision(Verdict.PASS, 0, (*((quiet,) if facts.suites else ()), *facts.new.met))
    unmeasured = list(_unmeasured(facts))
    wins = tuple(f"{row.slice} improved by {row.mean:.3f}." for row in improved if row.mean is not None)
    if unmeasured:
        return Decision(Verdict.PASS, 0, (*wins, *unmeasured, *facts.new.met))
    calm = "No slice regressed, and cost and latency are within their limits."
    return Decision(Verdict.SHIP, 0, (*wins, calm, *facts.new.met))


def _regressions(facts: VerdictFacts) -> Iterator[str]:
    rows = [row for _, row in facts.quality.slices if row.blocking and row.state is State.REGRESSION]
    for row in sorted(rows, key=lambda row: (row.upper if row.upper is not None else 0.0, row.slice)):
        margin = f", below the margin of {_bound(-row.margin)}" if row.margin else ""
        yield f"{row.slice} {_drop(row)} over {row.n} cases; the upper bound is {_bound(row.upper)}{margin}."


def _unmeasured_slices(facts: VerdictFacts) -> Iterator[str]:
    for suite in facts.deciding:
        rows = {piece.name: row for piece, row in facts.quality.slices if piece.suite == suite.name}
        yield from slices_without_scores(suite, {name for name, row in rows.items() if row.n})
        for name in suite.exam.policy.required:
            row = rows.get(name)
            if row is None:
                yield f"{suite.name}: the required slice {name} has no cases."
            elif row.n and row.state is State.TOO_FEW:
                yield f"{row.slice} is required and has too few cases to decide ({row.n})."


def _suspects(facts: VerdictFacts) -> Iterator[str]:
    for _, row in facts.quality.slices:
        if row.blocking and row.state is State.SUSPECT:
            chance = "" if row.p is None else f" (p = {row.p:.3f})"
            yield f"{row.slice} is suspect: it {_drop(row)}, which is not statistically significant{chance}."


def _opposed(facts: VerdictFacts) -> Iterator[str]:
    for pair in facts.opposed.values():
        yield (
            f"{pair.slice}: {pair.worse} fell by {-pair.drop:.3f} and {pair.better} rose by {pair.rise:.3f}, "
            "which the mean of the scorers hides."
        )


def _too_few(facts: VerdictFacts) -> Iterator[str]:
    for row in _overall(facts):
        if row.state is not State.TOO_FEW:
            continue
        if row.mean is not None and row.units >= BLOCKABLE_UNITS:
            yield f"{row.slice}: every answer of both arms scored 0, so the scorers show no difference."
        else:
            yield f"{row.slice}: {_counted(row)} too few to decide; use at least 30, better 100."


def _exceeded(facts: VerdictFacts) -> Iterator[str]:
    for name in (suite.name for suite in facts.deciding):
        for axis in facts.axes[name]:
            if axis.exceeded and axis.change is not None:
                where = f"{name}: " if len(facts.suites) > 1 else ""
                rise, allowed = _share_percent(axis.change), _share_percent(axis.allowance)
                yield f"{where}{axis.axis} rose by {rise}, more than the limit of {allowed}."


def _unmeasured(facts: VerdictFacts) -> Iterator[str]:
    for name in (suite.name for suite in facts.deciding):
        for axis in facts.axes[name]:
            if axis.applicable and not axis.compared:
                yield f"{name}: {axis.axis} could not be compared ({axis.reason}), so the verdict is not SHIP."


def _overall(facts: VerdictFacts) -> list[Comparison]:
    deciding = {suite.name for suite in facts.deciding}
    return [row for piece, row in facts.quality.slices if piece.name == OVERALL and piece.suite in deciding]


def _counted(row: Comparison) -> str:
    if row.units == row.n:
        return "1 case is" if row.n == 1 else f"{row.n} cases are"
    return f"{row.n} cases in {row.units} independent groups, which count as one each, are"


def _drop(row: Comparison) -> str:
    return f"dropped by {-(row.mean or 0.0):.3f}"


def _share_percent(value: float) -> str:
    return f"{value * 100:.0f} %"


def _bound(value: float | None) -> str:
    return "infinite" if value is None else f"{value:+.3f}".replace("-", "−")


Axes = Mapping[str, tuple[AxisComparison, AxisComparison]]

SCENARIOS = tuple({ArmName.BASELINE: step / 4, ArmName.CANDIDATE: 1 - step / 4} for step in range(5))
"""Scores that replace missing ones, from the best for the candidate to the worst.

The test also uses the spread, so the worst case may lie between the extremes of the mean.
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
    idle: IdleChecks
    unfinished: str | None
    looks: Looks | None


@dataclass(frozen=True, slots=True)
class Assessor:
    """Decides the verdict of a set of samples."""

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
        """Compare, decide, and check whether the missing samples could change the verdict.

        `table` has every finished sample, failed ones included; `unfinished` is why the run ended early, or is None.
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
        tools = sum((unknown_tools(grid.suite, grid.talks) for grid in grids.values()), IdleChecks())
        idle = blind_checks(blind) + tools
        facts = _Known(grids, compared, opposed, idle, None if scored == total else unfinished, looks)
        (quality, rates), decision = self._verdict(facts)
        if scored == total:
            whole = Missing(0, total, None, None, ())
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
            reasons=listed(reasons),
            cases=_incomplete(grids, most),
        )
        decision = _settle(decision, missing, verdicts)
        return Assessment(quality, rates, compared, decision, missing, looks is not None, samples, opposed, blind)

    def _imputed(self, facts: _Known) -> list[Verdict]:
        """The verdicts with the missing samples replaced, one for each scenario."""
        # McNemar's test needs scores of 0 or 1.
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
        rates = pass_rates([known.grids[suite.name] for suite in self.new], self.policy.alpha, passed)
        new = new_prompt_reasons(self.new, rates)
        facts = VerdictFacts(
            suites=self.compared,
            quality=quality,
            axes=known.compared,
            unfinished=known.unfinished,
            new=new,
            deleted=self.deleted,
            opposed=known.opposed,
            idle=known.idle,
        )
        return (quality, rates), decide(facts, self.policy)


def _settle(decision: Decision, missing: Missing, verdicts: Sequence[Verdict]) -> Decision:
    """The verdict stands only if the missing samples could not have changed it."""
    if {decision.verdict, *verdicts} == {decision.verdict}:
        return decision
    between = sorted({*verdicts[1:-1]} - {missing.best, missing.worst})
    why = (
        f"{undecided(missing.samples, missing.total)}: "
        f"{missing.best} in the best case for the candidate, {missing.worst} in the worst"
        f"{f', {between[0]} between' if between else ''}."
    )
    return Decision(Verdict.INCONCLUSIVE, 3, (why, *incomplete_cases(missing)))


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


def incomplete_cases(missing: Missing) -> tuple[str, ...]:
    """Which cases, and why."""
    return (f"Cases to run again: {named(missing.cases)}.", *missing.reasons)


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
