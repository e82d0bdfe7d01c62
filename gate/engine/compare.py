"""Compares two arms: quality slice by slice in one joint test, cost, latency; and the pass rates of one arm."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from gate.cases.case import members
from gate.config.policy import RunPolicy
from gate.config.values import OVERALL
from gate.engine.arrays import Bools, Floats, Ints, SampleArrays, Slice, Stack, clusters, side_by_side, units_of
from gate.engine.samples import NOT_APPLICABLE, UNKNOWN, Key
from gate.record.comparison import ArmAxis, AxisComparison, AxisName, Comparison, Estimate, PassRate, PassState, State
from gate.record.transcript import ArmName, Dollars, Reply, Sample, Unscored, Usage
from gate.scoring.interface import meets_threshold, sample_passes
from gate.stats.arrays import BLOCKABLE_UNITS, TOLERANCE, Interval, JointResult, SliceResult
from gate.stats.intervals import (
    Calls,
    cost_ratio,
    effective_units,
    latency_ratio,
    percentile,
    quantile,
    quantile_changes,
    shortfall_p,
    wilson,
)
from gate.stats.maxt import joint_test, single_slice
from gate.stats.power import cases_needed, detectable
from gate.suite import Suite


@dataclass(frozen=True, slots=True)
class PassRates:
    """The pass rates of a run."""

    suites: Mapping[str, tuple[PassRate, ...]]
    judged: int
    levels: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Slice:
    """One slice of one suite before it is tested; `worth` is in independent trials."""

    suite: Suite
    name: str
    shares: Floats
    units: int
    worth: int

    @property
    def wanted(self) -> float | None:
        return self.suite.exam.policy.wanted_rate(self.name)

    @property
    def named(self) -> bool:
        """The policy names this slice, so leaving it unproven is not enough."""
        policy = self.suite.exam.policy
        return self.name in (OVERALL, *policy.slices, *policy.required)

    @property
    def advisory(self) -> bool:
        return self.name in self.suite.exam.policy.advisory

    @property
    def blocking(self) -> bool:
        return self.wanted is not None and not self.advisory and self.worth >= BLOCKABLE_UNITS


def pass_rates(
    suites: Sequence[Suite], table: Mapping[Key, Sequence[Sample]], alpha: float, missing: bool | None = None
) -> PassRates:
    """The pass rate of the candidate in every slice.

    The slices that can block share the level equally (Bonferroni), so that prompts that keep every required rate are
    blocked with a chance of at most alpha, all together. Prompts with the eval set of the base share one alpha, those
    that add their own another: otherwise a change could add slices until nothing is significant.

    Args:
        missing: whether samples without a score count as passed or failed; None leaves them out.
    """
    slices = [piece for suite in suites for piece in _slices(suite, table, missing)]
    family = {own: sum(piece.blocking for piece in slices if piece.suite.own_exam is own) for own in (False, True)}
    levels = {suite.name: alpha / max(1, family[suite.own_exam]) for suite in suites}
    found: dict[str, list[PassRate]] = {suite.name: [] for suite in suites}
    for piece in slices:
        found[piece.suite.name].append(_rate(piece, levels[piece.suite.name]))
    return PassRates({name: tuple(rates) for name, rates in found.items()}, sum(family.values()), levels)


def _slices(suite: Suite, table: Mapping[Key, Sequence[Sample]], missing: bool | None) -> list[_Slice]:
    shares, scored = _shares(suite, table, missing)
    of_cases = units_of(suite)
    out = []
    for name, positions in members(suite.exam.cases, suite.exam.dimensions).items():
        rows = np.array([position for position in positions if scored[position]], dtype=np.int64)
        own = of_cases[rows]
        out.append(_Slice(suite, name, shares[rows], int(np.unique(own).size), effective_units(own)))
    return out


def _shares(
    suite: Suite, table: Mapping[Key, Sequence[Sample]], missing: bool | None
) -> tuple[Floats, NDArray[np.bool_]]:
    """For each case the share of its samples that pass, and whether there is one."""
    cases = suite.exam.cases
    shares, scored = np.zeros(len(cases)), np.zeros(len(cases), dtype=np.bool_)
    for position, case in enumerate(cases):
        row = table.get((suite.name, case.id, ArmName.CANDIDATE), ())
        found = (sample_passes(sample, case, suite.exam) for sample in row)
        known = [passed for passed in found if not isinstance(passed, Unscored)]
        if missing is not None:
            known += [missing] * (suite.samples - len(known))
        if known:
            shares[position], scored[position] = fmean(known), True
    return shares, scored


def _rate(piece: _Slice, level: float) -> PassRate:
    n, wanted = int(piece.shares.size), piece.wanted
    if n == 0:
        return PassRate.of_none(piece.name, wanted, advisory=piece.advisory)
    passed = float(piece.shares.sum())
    rate = min(1.0, passed / n)
    span = wilson(rate * piece.worth, piece.worth, alpha=level)
    state = _state(piece, rate, (span.lower, span.upper), level)
    return PassRate(
        slice=piece.name,
        n=n,
        units=piece.units,
        passed=passed,
        rate=rate,
        lower=span.lower,
        upper=span.upper,
        wanted=wanted,
        state=state,
        doubtful=state is PassState.UNPROVEN
        and piece.blocking
        and (piece.named or not meets_threshold(rate, wanted or 0.0)),
        blocking=piece.blocking,
        advisory=piece.advisory,
    )


def _state(piece: _Slice, rate: float, bounds: tuple[float, float], level: float) -> PassState:
    """Too few comes first: a slice that cannot block is not said to have missed anything."""
    if piece.worth < BLOCKABLE_UNITS:
        return PassState.TOO_FEW
    if piece.wanted is None:
        return PassState.NO_THRESHOLD
    if meets_threshold(bounds[0], piece.wanted):
        return PassState.MET
    below = not meets_threshold(bounds[1], piece.wanted)
    if below and shortfall_p(rate * piece.worth, piece.worth, piece.wanted) <= level + TOLERANCE:
        return PassState.MISSED
    return PassState.UNPROVEN


FLIPS = 4999
FLIPS_BELOW_LEVEL = 20
"""Flips that must be able to look worse at the level in use; a stricter level needs more flips."""
SUSPECT_LEVEL = 0.10
SAME_BOUND = 1e-9
"""Means of thirds come out as -1e-17; nothing below this size is a difference."""


@dataclass(frozen=True, slots=True)
class Quality:
    """The comparisons of a run."""

    slices: tuple[tuple[Slice, Comparison], ...]
    tested: int
    flips: int | None
    breakage: bool = False


def compare(stack: Stack, policy: RunPolicy, seed: int) -> Quality:
    """Compare every slice; `seed` is that of the sign flips and resamples.

    Slices that can block are tested together; those too small to block are tested outside of that family, and each
    advisory one has its own test.
    """
    tester = JointTest(stack, policy, seed)
    able = {piece.full_name: stack.unit_count(piece.rows) >= BLOCKABLE_UNITS for piece in stack.slices}
    together = [piece for piece in stack.slices if piece.rows.size and not (piece.advisory and able[piece.full_name])]
    joint = tester.test(together) if together else None
    rows = []
    for piece in stack.slices:
        tested = able[piece.full_name] and not piece.advisory
        alone = piece.advisory and able[piece.full_name]
        result = tester.alone(piece) if alone else joint if piece.rows.size else None
        rows.append((piece, comparison(tester, piece, result, tested=tested)))
    flips = joint.flips if joint is not None and joint.family and policy.joint else None
    return Quality(tuple(rows), 0 if joint is None else joint.family, flips, tester.samples is not None)


@dataclass(frozen=True, slots=True)
class JointTest:
    """One method at one level with one seed, over one stack."""

    stack: Stack
    policy: RunPolicy
    seed: int

    @property
    def samples(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The samples for the breakage channel; None, which closes it, where one is missing."""
        return self.stack.samples if self.policy.breakage else None

    def alone(self, piece: Slice) -> JointResult:
        """Test one slice separately."""
        rows = piece.rows
        both = self.stack.samples
        samples = None if both is None else (both[0][rows], both[1][rows])
        own = replace(piece, rows=np.arange(rows.size))
        cut = Stack(self.stack.baseline[rows], self.stack.candidate[rows], self.stack.units[rows], (own,), samples)
        return replace(self, stack=cut).test([own])

    def test(self, slices: Sequence[Slice]) -> JointResult:
        """Test some slices together."""
        rows = {piece.full_name: piece.rows for piece in slices}
        margins: Mapping[str, float] = {piece.full_name: piece.margin for piece in slices}
        if self.policy.method == "maxt":
            return joint_test(
                self.stack.deltas,
                rows,
                alpha=self.policy.alpha,
                clusters=self.stack.units,
                samples=self.samples,
                margin=margins,
                flips=max(FLIPS, math.ceil(FLIPS_BELOW_LEVEL / self.policy.alpha)),
                seed=self.seed,
            )
        from gate.stats.familiar import percentile_test

        return percentile_test(
            self.stack.deltas,
            rows,
            alpha=self.policy.alpha,
            clusters=self.stack.units,
            margin=margins,
            seed=self.seed,
        )


def comparison(tester: JointTest, piece: Slice, result: JointResult | None, *, tested: bool) -> Comparison:
    """One slice as the record shows it."""
    stack, policy = tester.stack, tester.policy
    if result is None:
        return Comparison(
            slice=piece.full_name,
            n=int(piece.rows.size),
            units=stack.unit_count(piece.rows),
            baseline=None,
            candidate=None,
            mean=None,
            lower=None,
            upper=None,
            p=None,
            state=State.TOO_FEW,
            method=policy.method,
            blocking=tested,
            advisory=piece.advisory,
            margin=piece.margin,
        )
    found = result[piece.full_name]
    baseline, candidate = stack.baseline[piece.rows], stack.candidate[piece.rows]
    deltas = candidate - baseline
    state = _slice_state(found, policy.alpha, nothing_right=not baseline.any() and not candidate.any())
    usual = percentile(deltas, alpha=policy.alpha, seed=tester.seed)
    return Comparison(
        slice=piece.full_name,
        n=int(piece.rows.size),
        units=stack.unit_count(piece.rows),
        baseline=float(baseline.mean()),
        candidate=float(candidate.mean()),
        mean=float(deltas.mean()),
        moved=int(np.count_nonzero(np.abs(deltas) > SAME_BOUND)),
        lower=finite_bound(found.lower),
        upper=finite_bound(found.upper),
        p=found.p if tested else None,
        state=state,
        method=policy.method,
        blocking=tested,
        advisory=piece.advisory,
        familiar_fail=usual.upper < -piece.margin - SAME_BOUND,
        margin=piece.margin,
        **_power(stack, piece, result.critical, state),
    )


def _slice_state(found: SliceResult, alpha: float, *, nothing_right: bool) -> State:
    """Too few comes first: a slice that cannot block is not called a regression."""
    if found.p is None or nothing_right:
        return State.TOO_FEW
    if found.p <= alpha + SAME_BOUND:
        return State.REGRESSION
    if found.p <= SUSPECT_LEVEL + SAME_BOUND:
        return State.SUSPECT
    return State.IMPROVEMENT if found.lower > SAME_BOUND else State.NOISE


class _Planning(TypedDict):
    mde: float | None
    cases_needed: int | None


def _power(stack: Stack, piece: Slice, critical: float, state: State) -> _Planning:
    """The smallest drop that can be detected in the slice, and how many cases the observed one would need."""
    deltas = stack.deltas[piece.rows]
    _, unit, sizes = np.unique(stack.units[piece.rows], return_inverse=True, return_counts=True)
    if sizes.size < BLOCKABLE_UNITS:
        return {"mde": None, "cases_needed": None}
    per_unit = np.bincount(unit, weights=deltas) / sizes
    sd, mean = float(per_unit.std(ddof=1)), float(deltas.mean())
    # A drop has to leave the margin behind before it counts.
    smallest = piece.margin + detectable(sd, sizes.size, critical)
    beyond = mean if mean > 0 else min(0.0, mean + piece.margin)
    needed = None
    if state in (State.NOISE, State.SUSPECT) and abs(beyond) > SAME_BOUND:
        needed = cases_needed(sd, beyond, critical)
    cases_per_unit = deltas.size / sizes.size
    return {
        "mde": smallest if smallest <= 1.0 else None,
        "cases_needed": None if needed is None else math.ceil(needed * cases_per_unit),
    }


def finite_bound(value: float) -> float | None:
    """Infinite is None; a mean of deltas lies between -1 and 1, whatever the interval's formula gives."""
    return min(1.0, max(-1.0, value)) if math.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class _Measured:
    """Figures of both arms: one per case (paired), one per call, and those of the paired cases with their unit."""

    baseline: Floats
    candidate: Floats
    baseline_calls: Floats
    candidate_calls: Floats
    units: Ints | None
    paired_calls: tuple[Calls, Calls] | None

    @property
    def arms(self) -> tuple[Floats, Floats]:
        return self.baseline, self.candidate

    @property
    def cases(self) -> int:
        return int(self.baseline.size)


def cost(grid: SampleArrays, alpha: float) -> AxisComparison:
    """Cost per call without judges, candidate against baseline; `alpha` is the one-sided level of each bound."""
    kept, too_few = side_by_side(grid)
    blank = _blank("cost", grid.suite.exam.policy.max_cost_increase)
    blank = blank.model_copy(
        update={"baseline": ArmAxis(usage=_usage(grid, 0)), "candidate": ArmAxis(usage=_usage(grid, 1))}
    )
    prices = grid.numbers("price")
    why = {*np.unique(prices[kept if kept.any() else grid.replied]).tolist()}
    if why == {NOT_APPLICABLE}:
        return blank.model_copy(
            update={"reason": "local models and recorded answers have no price", "applicable": False}
        )
    if UNKNOWN in why:
        return blank.model_copy(update={"reason": "the price of the model at this address is unknown"})
    if NOT_APPLICABLE in why:
        return blank.model_copy(update={"reason": "only one of the two models has a price"})
    if too_few:
        return blank.model_copy(update={"reason": too_few})
    measured = _measure(grid, grid.figures("cost"), kept)
    if measured.cases == 0:
        return blank.model_copy(update={"reason": "no case was answered by both arms"})
    free = [bool(arm.mean() <= 0) for arm in measured.arms]
    if any(free):
        reason = "the models are free of charge" if all(free) else "one of the two models is free of charge"
        return blank.model_copy(update={"reason": reason, "applicable": not all(free)})
    return _filled(blank, measured, cost_ratio(*measured.arms, alpha=alpha, clusters=measured.units))


def latency(grid: SampleArrays, alpha: float) -> AxisComparison:
    """Latency of one call: geometric mean over cases of the per-case ratio; `alpha` as in `cost`."""
    kept, too_few = side_by_side(grid)
    blank = _blank("latency", grid.suite.exam.policy.max_latency_increase)
    if too_few:
        return blank.model_copy(update={"reason": too_few})
    seconds = grid.figures("latency")
    measured = _measure(grid, seconds, kept & (seconds > 0.0), geometric=True)
    if measured.cases == 0 or measured.paired_calls is None:
        return blank.model_copy(update={"reason": "no times were measured"})
    filled = _filled(blank, measured, latency_ratio(*measured.arms, alpha=alpha, clusters=measured.units))
    p50, p95 = quantile_changes(*measured.paired_calls, alpha=alpha)
    return filled.model_copy(update={"p50_change": estimate(p50), "p95_change": estimate(p95)})


def _measure(grid: SampleArrays, values: Floats, kept: Bools, *, geometric: bool = False) -> _Measured:
    """Means of each case, arithmetic or geometric, over the cases that both arms have a figure for."""
    known = np.where(kept, values, 1.0)
    terms = np.log(known) if geometric else known
    counts = kept.sum(axis=2)
    both = np.flatnonzero(counts.min(axis=0))
    means = np.where(kept, terms, 0.0).sum(axis=2)[:, both] / counts[:, both]
    declared = clusters(grid.suite)
    units = None if declared is None else declared[both]
    labels = both if units is None else units
    before, after = np.exp(means) if geometric else means
    paired = [(v[both][k[both]], np.repeat(labels, n[both])) for v, k, n in zip(values, kept, counts, strict=True)]
    calls = (Calls(*paired[0]), Calls(*paired[1])) if both.size else None
    return _Measured(before, after, values[0][kept[0]], values[1][kept[1]], units, calls)


def estimate(found: Interval) -> Estimate:
    """Infinite bounds become None."""
    lower, upper = (bound if math.isfinite(bound) else None for bound in (found.lower, found.upper))
    return Estimate(value=found.value, lower=lower, upper=upper)


def _usage(grid: SampleArrays, arm: int) -> Usage:
    """Tokens of all replies, compared or not."""
    replied = grid.replied[arm]
    return Usage(*(int(grid.numbers(name)[arm][replied].sum()) for name in ("fresh", "read", "write", "output")))


def _blank(axis: AxisName, allowance: float) -> AxisComparison:
    return AxisComparison(
        axis=axis,
        compared=False,
        reason="",
        applicable=True,
        n=0,
        baseline=ArmAxis(),
        candidate=ArmAxis(),
        change=None,
        lower=None,
        upper=None,
        allowance=allowance,
        exceeded=False,
    )


def _filled(blank: AxisComparison, measured: _Measured, ratio: Interval) -> AxisComparison:
    return AxisComparison(
        axis=blank.axis,
        compared=True,
        reason="",
        applicable=True,
        n=measured.cases,
        baseline=_figures(blank.baseline, measured.baseline_calls),
        candidate=_figures(blank.candidate, measured.candidate_calls),
        change=ratio.value,
        lower=ratio.lower if math.isfinite(ratio.lower) else None,
        upper=ratio.upper if math.isfinite(ratio.upper) else None,
        allowance=blank.allowance,
        exceeded=ratio.lower > blank.allowance + 1e-9,
    )


def _figures(axis: ArmAxis, calls: Floats) -> ArmAxis:
    return ArmAxis(
        mean=float(calls.mean()),
        p50=quantile(calls, 0.5),
        p95=quantile(calls, 0.95),
        usage=axis.usage,
        calls=calls.size,
    )


def cost_figures(replies: Sequence[Reply]) -> ArmAxis:
    """Dollars per call, where the price of every call is known; and the tokens."""
    known = [reply.cost.amount for reply in replies if isinstance(reply.cost, Dollars)]
    usage = sum((reply.usage for reply in replies), Usage())
    return _arm_figures(known if len(known) == len(replies) else [], usage)


def latency_figures(replies: Sequence[Reply]) -> ArmAxis:
    """Seconds per call, over the calls whose time means something."""
    return _arm_figures(
        [reply.latency_s for reply in replies if reply.latency_s is not None and reply.latency_s > 0], None
    )


def _arm_figures(calls: Sequence[float], usage: Usage | None) -> ArmAxis:
    if not calls:
        return ArmAxis(usage=usage)
    values = np.array(calls, dtype=np.float64)
    # Exact whatever the order in which answers came: the same run has the same figures to the last digit.
    return ArmAxis(
        mean=math.fsum(calls) / len(calls), p50=quantile(values, 0.5), p95=quantile(values, 0.95), usage=usage
    )


LEVEL = 0.01
"""Two-sided: how often good known answers are discarded, which costs calls and nothing else."""


def drifted(earlier: Sequence[float], fresh: Sequence[float], seed: int) -> bool:
    """Did the scores of the same questions move between two runs?

    The sign-flip test of `gate.stats.maxt`, in both directions.

    Args:
        earlier: float[n], scores of the known answers.
        fresh: float[n], scores of new answers to the same requests.
    """
    moved = np.asarray(fresh, dtype=np.float64) - np.asarray(earlier, dtype=np.float64)
    if moved.size == 0:
        return False
    ways = [single_slice(way, alpha=LEVEL / 2, seed=seed) for way in (moved, -moved)]
    return any(way.p is not None and way.p <= LEVEL / 2 for way in ways)
