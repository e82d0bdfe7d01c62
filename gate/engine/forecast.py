"""`gate plan`: what a run would cost, and the smallest change that each of its slices could show."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gate.config.gatefile import READING, TRIED
from gate.config.policy import RunPolicy
from gate.config.values import OVERALL
from gate.engine import noise
from gate.engine.arrays import CaseMeans, Slice, Stack, cluster_numbers, stack
from gate.engine.noise import Spread, compares_itself
from gate.engine.schedule import count, why_not
from gate.engine.spending import (
    Earlier,
    PerCall,
    PlanWarning,
    Pricer,
    Role,
    Spending,
    SpendingEstimator,
    answering,
    budget_warnings,
)
from gate.record.comparison import ArmAxis
from gate.record.parts import ArmRecord
from gate.record.run import RunRecord, SuiteRecord
from gate.record.transcript import Usage
from gate.resolve.resolved import Resolved, check_method, preference_notes, sampling_notes
from gate.stats.arrays import BLOCKABLE_UNITS
from gate.stats.intervals import normal_quantile
from gate.stats.power import DIFFUSE, WHOLE, cases_needed, detectable, layout_critical, power_of
from gate.suite import Arm, Suite
from gate.values import listed

Tier: TypeAlias = Literal["never blocks", "below the floor", "decides", "comfortable", "ample"]


@dataclass(frozen=True, slots=True)
class FigureRange:
    """A range from the best assumption to the most cautious one; None is infinite, or unknown."""

    best: float | None
    worst: float | None


@dataclass(frozen=True, slots=True)
class SliceForecast:
    """What one slice could show.

    Args:
        slice: `suite/name` in a run over several suites.
        name: `overall` or `dimension=value`.
    """

    suite: str
    slice: str
    name: str
    cases: int
    units: int
    tier: Tier
    tested: bool
    advisory: bool
    required: bool
    margin: float
    detectable: FigureRange
    power: FigureRange
    cases_needed: FigureRange


@dataclass(frozen=True, slots=True)
class SuiteForecast:
    """One suite."""

    name: str
    cases: int
    samples: int
    arms: int
    spread: Spread
    slices: tuple[SliceForecast, ...]


@dataclass(frozen=True, slots=True)
class Forecast:
    """A whole plan."""

    method: str
    alpha: float
    power: float
    effect: float
    tested: int
    critical: float | None
    spending: Spending
    suites: tuple[SuiteForecast, ...]
    warnings: tuple[PlanWarning, ...]
    notes: tuple[str, ...] = ()


CHANGED_AT_LEAST = 6
"""Fewer cases prove nothing at a level of 2.5 % even if all of them drop: 2^-5 is more than that."""

_TIERS: tuple[tuple[int, Tier], ...] = (
    (300, "ample"),
    (100, "comfortable"),
    (30, "decides"),
    (BLOCKABLE_UNITS, "below the floor"),
    (0, "never blocks"),
)


@dataclass(frozen=True, slots=True)
class FallToShow:
    """The drop to detect (on the scale of scores), and the probability to detect it."""

    effect: float
    power: float


@dataclass(frozen=True, slots=True)
class SliceLayout:
    """The slices of a run before it is made."""

    stack: Stack
    tested: frozenset[str]
    critical: float
    alone: Callable[[int], float]


def tier(units: int) -> Tier:
    """The tier of so many independent units."""
    return next(name for least, name in _TIERS if units >= least)


def layout(suites: Sequence[Suite], policy: RunPolicy, spreads: Mapping[str, Spread] | None = None) -> SliceLayout:
    """Stack the suites as the run would."""
    paired = [suite for suite in suites if len(suite.arms) > 1]
    if not paired:
        nothing = np.empty(0, dtype=np.int64)
        empty = Stack(_blank(0), nothing, (), nothing)
        return SliceLayout(empty, frozenset(), math.inf, lambda _: math.inf)
    blank = {suite.name: _blank(len(suite.exam.cases)) for suite in paired}
    whole = stack(paired, blank)
    family = {
        piece.full_name: piece.rows
        for piece in whole.slices
        if not piece.advisory and whole.unit_count(piece.rows) >= BLOCKABLE_UNITS
    }
    known = spreads or {}
    ties = sum(known[suite.name].ties * len(suite.exam.cases) for suite in paired if suite.name in known)
    scale = _Scale(policy, ties / max(1, whole.units.size))
    critical = scale.critical(family, whole.units) if family else math.inf
    return SliceLayout(whole, frozenset(family), critical, cache(scale.alone))


@dataclass(frozen=True, slots=True)
class _Scale:
    """The significance thresholds of a policy; `ties` is the share of deltas that are 0 if nothing changed."""

    policy: RunPolicy
    ties: float

    def critical(self, slices: Mapping[str, NDArray[np.int64]], units: NDArray[np.int64]) -> float:
        if not self.policy.joint:
            return normal_quantile(1.0 - self.policy.alpha)
        return layout_critical(slices, units.size, alpha=self.policy.alpha, clusters=units, ties=self.ties)

    def alone(self, units: int) -> float:
        """Critical value of one slice outside the family, with so many units."""
        if units < BLOCKABLE_UNITS:
            return math.inf
        return self.critical({OVERALL: np.arange(units)}, np.arange(units))


def suite_forecast(suite: Suite, spread: Spread, found: SliceLayout, question: FallToShow) -> SuiteForecast:
    """What the slices of one suite could show; `found` has the slices of the whole run."""
    slices = tuple(
        _slice(suite, piece, spread, found, question) for piece in found.stack.slices if piece.suite == suite.name
    )
    return SuiteForecast(suite.name, len(suite.exam.cases), suite.samples, len(suite.arms), spread, slices)


def reach(spread: Spread, units: int, critical: float, power: float) -> FigureRange:
    """Smallest drop that can be detected: spread evenly with the least noise, or in whole cases with the most."""
    if units < BLOCKABLE_UNITS or critical == math.inf:
        return FigureRange(None, None)
    best = detectable(spread.low, units, critical, spread=DIFFUSE, power=power)
    worst = detectable(spread.high, units, critical, spread=WHOLE, power=power)
    if spread.low == 0.0:
        # Without any noise the equation gives too small a drop: the test needs this many cases that drop.
        best = max(best, min(1.0, CHANGED_AT_LEAST / units))
    return FigureRange(_finite(best), _finite(max(best, worst)))


def _beyond(found: FigureRange, margin: float) -> FigureRange:
    """The drop plus the margin, which it has to exceed before it counts."""
    ends = [None if end is None or end + margin > 1.0 else end + margin for end in (found.best, found.worst)]
    return FigureRange(*ends)


def _slice(suite: Suite, piece: Slice, spread: Spread, found: SliceLayout, question: FallToShow) -> SliceForecast:
    units = found.stack.unit_count(piece.rows)
    cases = int(piece.rows.size)
    tested = piece.full_name in found.tested
    critical = found.critical if tested else found.alone(units)
    # A slice that is too small now could join the family; what it would then need comes from the value of the family.
    joined = found.critical if critical == math.inf else critical
    needed = FigureRange(None, None)
    if cases and joined < math.inf:
        needed = _needed(spread, cases / units, joined, question, piece.margin)
    return SliceForecast(
        suite=suite.name,
        slice=piece.full_name,
        name=piece.name,
        cases=cases,
        units=units,
        tier=tier(units),
        tested=tested,
        advisory=piece.advisory,
        required=piece.name in suite.exam.policy.required,
        margin=piece.margin,
        detectable=_beyond(reach(spread, units, critical, question.power), piece.margin),
        power=FigureRange(None, None)
        if critical == math.inf
        else _power(spread, units, critical, question, piece.margin),
        cases_needed=needed,
    )


def _power(spread: Spread, units: int, critical: float, question: FallToShow, margin: float) -> FigureRange:
    effect = question.effect
    if effect <= margin:
        return FigureRange(0.0, 0.0)
    best, worst = (power_of(sd, units, effect - margin, critical, spread=0.0) for sd in _with_change(spread, effect))
    if spread.low == 0.0 and effect * units < CHANGED_AT_LEAST:
        best = 0.0
    return FigureRange(best, worst)


def _with_change(spread: Spread, effect: float) -> tuple[float, float]:
    """The noise of the deltas after the change: spread evenly at best, in whole cases at worst."""
    added = effect * (1.0 - effect)
    return math.sqrt(spread.low**2 + DIFFUSE * added), math.sqrt(spread.high**2 + WHOLE * added)


def _needed(spread: Spread, each: float, critical: float, question: FallToShow, margin: float) -> FigureRange:
    """In cases, of which a unit has `each` on average; no number is enough for a drop within the margin."""
    beyond = question.effect - margin
    if beyond <= 0.0:
        return FigureRange(None, None)
    least, most = (
        cases_needed(sd, beyond, critical, power=question.power) for sd in _with_change(spread, question.effect)
    )
    if least is not None and spread.low == 0.0:
        least = max(least, math.ceil(CHANGED_AT_LEAST / question.effect))
    return FigureRange(_cases(least, each), _cases(most, each))


def _blank(n: int) -> CaseMeans:
    return CaseMeans(np.arange(n, dtype=np.int64), np.zeros((2, n)))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _cases(units: int | None, each: float) -> float | None:
    return None if units is None else float(math.ceil(units * each))


def warnings(suites: Sequence[SuiteForecast], planned: Sequence[Suite]) -> Iterator[PlanWarning]:
    """Required slices that are too small, overall slices that are, and slices that can never block.

    `planned` has the suites themselves, for slices without a case.
    """
    for suite, plan in zip(suites, planned, strict=True):
        if suite.arms < 2:
            yield PlanWarning(
                f"{suite.name} is new: it has no baseline, so it is tested against its thresholds, not compared"
            )
            continue
        names = {row.name: row for row in suite.slices}
        for name in plan.exam.policy.required:
            units = names[name].units if name in names else 0
            if units < BLOCKABLE_UNITS:
                yield PlanWarning(
                    f"{suite.name}: the required slice {name} has {_counted(units)} and needs {BLOCKABLE_UNITS}: the "
                    "run would end INCONCLUSIVE",
                    severe=True,
                )
        small = [row for row in suite.slices if row.units < BLOCKABLE_UNITS and not row.advisory and not row.required]
        if any(row.name == OVERALL for row in small):
            yield PlanWarning(
                f"{suite.name} has {_counted(suite.slices[0].units)}: under {BLOCKABLE_UNITS} nothing can block, and "
                "every run is a HOLD",
                severe=True,
            )
        elif small:
            named = listed([f"{row.slice} ({row.units})" for row in small])
            yield PlanWarning(f"can never block, under {BLOCKABLE_UNITS} independent cases: {named}")


def _counted(units: int) -> str:
    return "no case" if units == 0 else f"{units} independent case{'s' * (units != 1)}"


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """An earlier run that was saved.

    Args:
        read: reads its record, which may be large; None where it cannot be used.
    """

    name: str
    read: Callable[[], RunRecord | None]


@dataclass(frozen=True, slots=True)
class PlanInputs:
    """What a plan knows besides the suites."""

    earlier: Sequence[EarlierRun]
    price: Pricer
    concurrency: int


def plan(resolved: Resolved, world: PlanInputs, question: FallToShow) -> Forecast:
    """Forecast an evaluation.

    An earlier run only informs: no verdict ever reads it.

    Raises:
        GateError: the run itself would be refused.
    """
    check_method(resolved.policy, resolved.suites)
    found = _known(resolved.suites, world.earlier)
    expected_spending = _spending(resolved, found, world)
    spreads = {
        suite.name: found[suite.name].spread if suite.name in found else _assumed_noise(suite)
        for suite in resolved.suites
    }
    slices = layout(resolved.suites, resolved.policy, spreads)
    suites = tuple(suite_forecast(suite, spreads[suite.name], slices, question) for suite in resolved.suites)
    early = why_not(resolved.suites, resolved.policy) is None
    told = [*warnings(suites, resolved.suites), *budget_warnings(expected_spending, resolved.budget, early=early)]
    return Forecast(
        method=resolved.policy.method,
        alpha=resolved.policy.alpha,
        power=question.power,
        effect=question.effect,
        tested=len(slices.tested),
        critical=slices.critical if slices.tested else None,
        spending=expected_spending,
        suites=suites,
        warnings=tuple(sorted(told, key=_severity)),
        notes=tuple(_notes(resolved, spreads)),
    )


def spending(resolved: Resolved, world: PlanInputs) -> Spending:
    """What an evaluation would spend if no answer were known."""
    return _spending(resolved, _known(resolved.suites, world.earlier), world)


def _spending(resolved: Resolved, found: "Mapping[str, _Known]", world: PlanInputs) -> Spending:
    earlier: Earlier = {(name, role): call for name, one in found.items() for role, call in one.per_call.items()}
    estimator = SpendingEstimator(world.price, earlier, resolved.budget.max_output_tokens)
    return estimator.spending(resolved.suites, world.concurrency)


@dataclass(frozen=True, slots=True)
class _Known:
    """What a plan keeps of a suite in an earlier run."""

    spread: Spread
    per_call: dict[Role, PerCall]


def _known(suites: Sequence[Suite], earlier: Sequence[EarlierRun]) -> dict[str, _Known]:
    """One run is held at a time, and none is read once every suite is known."""
    known: dict[str, _Known] = {}
    for source in earlier:
        wanted = [suite for suite in suites if suite.name not in known]
        if not wanted:
            break
        known |= _learnt(wanted, source)
    return known


def _learnt(suites: Sequence[Suite], source: EarlierRun) -> dict[str, _Known]:
    """The suites that this run has with the same scorers, and with scores of at least two cases."""
    run = source.read()
    records = {record.name: record for record in run.suites} if run is not None else {}
    out = {}
    for suite in suites:
        record = records.get(suite.name)
        if record is None or record.exam.scorers != [spec.name for spec in suite.exam.scorers]:
            continue
        if (spread := _spread(suite, record, source.name)) is not None:
            calls = {role: _of_arm(arm, record) for role, arm in answering(suite).items()}
            out[suite.name] = _Known(spread, {role: call for role, call in calls.items() if call is not None})
    return out


def _assumed_noise(suite: Suite) -> Spread:
    # At temperature 0 a case's samples repeat each other, but a rewording redraws its one answer.
    frozen = all(arm.params.temperature == 0 for arm in suite.arms.values())
    return noise.assumed(1 if frozen else suite.samples)


def _spread(suite: Suite, record: SuiteRecord, source: str) -> Spread | None:
    scores = noise.table(record)
    clusters = {case.id: case.cluster for case in suite.exam.cases}
    asked = [(name, clusters.get(name)) for name in (record.cases[i].id for i in scores.ids)]
    seen = noise.measured(scores, cluster_numbers(asked))
    if seen is None:
        return None
    model = "" if record.candidate.model == str(suite.candidate.model) else f" by {record.candidate.model}"
    return noise.spread(seen, suite.samples, f"{source}{model}", same_arms=compares_itself(record))


def _of_arm(arm: Arm, record: SuiteRecord) -> PerCall | None:
    """What a call of this arm's model took; of the same prompt where the record has it."""
    sides = [
        (record.candidate, record.cost.candidate, record.latency.candidate, [case.candidate for case in record.cases]),
        (record.baseline, record.cost.baseline, record.latency.baseline, [case.baseline for case in record.cases]),
    ]
    fitting = [side for side in sides if side[0].model == str(arm.model) and _same_limit(side[0], arm)]
    same = [side for side in fitting if side[0].digest == arm.version.prompt.digest]
    for side, cost, latency, scores in same or fitting:
        answers = sum(score is not None for row in scores for score in row)
        same_prompt = side.digest == arm.version.prompt.digest
        return PerCall(_mean(cost, answers), same_prompt, latency.mean)
    return None


def _same_limit(side: ArmRecord, arm: Arm) -> bool:
    return side.params.get("max_output_tokens") == arm.params.max_output_tokens


def _mean(cost: ArmAxis, answers: int) -> Usage | None:
    usage = cost.usage
    if usage is None or answers == 0 or usage.output_tokens == 0:
        return None
    kinds = (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens)
    return Usage(*(round(count / answers) for count in kinds))


def _notes(resolved: Resolved, spreads: dict[str, Spread]) -> Iterator[str]:
    yield from (note.text for note in resolved.notes)
    tried = [one.answers for edit in resolved.edits for one in edit.trials if one.answers and not one.reason]
    if tried:
        yield f"After the verdict, {count(tried):,} more answers test the edited eval set."
    for suite in resolved.suites:
        yield from _promises(suite)
    yield from (note.text for note in sampling_notes(resolved.suites))
    yield from (note.text for note in preference_notes(resolved.suites))
    if any(spread.basis == "assumed" for spread in spreads.values()):
        yield "gate calibrate measures the noise that is assumed here, with calls of the baseline against itself."
    if not resolved.policy.joint:
        yield f"The method {resolved.policy.method} does not correct for several slices: false blocks add up."


def _promises(suite: Suite) -> Iterator[str]:
    """Calls for the rules of its prompt: reading both versions, then answers and verdicts on tests of new rules."""
    if (wanted := suite.at_stake) is None:
        return
    compared = f"After the verdict, about {READING} more calls compare the rules of the prompt of {suite.name}"
    tests = 2 * wanted.tests
    tried = f", and {len(suite.arms) * 2 * tests} calls test each new rule, for at most {TRIED} rules" if tests else ""
    yield f"{compared}{tried}."


def _severity(warned: PlanWarning) -> bool:
    return not warned.severe
