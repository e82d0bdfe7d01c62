"""Compares two arms: quality slice by slice in one joint test, cost, latency; and the pass rates of one arm."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TypedDict

import numpy as np

from gate.cases.case import members
from gate.config.policy import RunPolicy
from gate.config.values import OVERALL
from gate.engine.arrays import CaseMeans, SampleGrid, Slice, Stack, case_figures, clusters, side_by_side, units_of
from gate.engine.samples import DOLLARS, NOT_APPLICABLE, UNKNOWN, Floats
from gate.record.comparison import ArmAxis, AxisComparison, AxisName, Comparison, Estimate, PassRate, PassState, State
from gate.record.transcript import Usage
from gate.scoring.interface import meets_threshold
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


def pass_rates(grids: Sequence[SampleGrid], alpha: float, missing: bool | None = None) -> PassRates:
    """The pass rate of the candidate in every slice.

    The slices that can block share the level equally (Bonferroni), so that prompts that keep every required rate are
    blocked with a chance of at most alpha, all together. Prompts with the eval set of the base share one alpha, those
    that add their own another: otherwise a change could add slices until nothing is significant.

    Args:
        missing: whether samples without a score count as passed or failed; None leaves them out.
    """
    suites = [grid.suite for grid in grids]
    slices = [piece for grid in grids for piece in _slices(grid, missing)]
    family = {own: sum(piece.blocking for piece in slices if piece.suite.own_exam is own) for own in (False, True)}
    levels = {suite.name: alpha / max(1, family[suite.own_exam]) for suite in suites}
    found: dict[str, list[PassRate]] = {suite.name: [] for suite in suites}
    for piece in slices:
        found[piece.suite.name].append(_rate(piece, levels[piece.suite.name]))
    return PassRates({name: tuple(rates) for name, rates in found.items()}, sum(family.values()), levels)


def _slices(grid: SampleGrid, missing: bool | None) -> list[_Slice]:
    suite, of_cases = grid.suite, units_of(grid.suite)
    passed, counted = grid.passed[1].sum(axis=1), grid.scored[1].sum(axis=1)
    if missing is not None:
        passed, counted = passed + (suite.samples - counted) * missing, np.full_like(counted, suite.samples)
    out = []
    for name, positions in members(suite.exam.cases, suite.exam.dimensions).items():
        rows = np.array([position for position in positions if counted[position]], dtype=np.int64)
        own = of_cases[rows]
        shares = passed[rows] / counted[rows]
        out.append(_Slice(suite, name, shares, int(np.unique(own).size), effective_units(own)))
    return out


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
    def samples(self) -> tuple[Floats, Floats] | None:
        """The samples for the breakage channel; None, which closes it, where one is missing."""
        samples = self.stack.scores.samples
        return (samples[0], samples[1]) if self.policy.breakage and samples is not None else None

    def alone(self, piece: Slice) -> JointResult:
        """Test one slice separately."""
        rows = piece.rows
        own = replace(piece, rows=np.arange(rows.size))
        cut = replace(self.stack, scores=self.stack.scores.of(rows), units=self.stack.units[rows], slices=(own,))
        return replace(self, stack=cut).test([own])

    def test(self, slices: Sequence[Slice]) -> JointResult:
        """Test some slices together."""
        rows = {piece.full_name: piece.rows for piece in slices}
        margins: Mapping[str, float] = {piece.full_name: piece.margin for piece in slices}
        if self.policy.method == "maxt":
            return joint_test(
                self.stack.scores.deltas,
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
            self.stack.scores.deltas,
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
    baseline, candidate = stack.scores.means[:, piece.rows]
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
    deltas = stack.scores.deltas[piece.rows]
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


def cost(grid: SampleGrid, alpha: float) -> AxisComparison:
    """Cost per call without judges, candidate against baseline; `alpha` is the one-sided level of each bound."""
    kept, too_few = side_by_side(grid)
    blank = _blank("cost", grid.suite.exam.policy.max_cost_increase)
    blank = blank.model_copy(
        update={"baseline": ArmAxis(usage=_usage(grid, 0)), "candidate": ArmAxis(usage=_usage(grid, 1))}
    )
    prices = grid["price"]
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
    dollars = grid["cost"]
    means = case_figures(dollars, kept)
    if not means.positions.size:
        return blank.model_copy(update={"reason": "no case was answered by both arms"})
    free = [bool(arm.mean() <= 0) for arm in means.means]
    if any(free):
        reason = "the models are free of charge" if all(free) else "one of the two models is free of charge"
        return blank.model_copy(update={"reason": reason, "applicable": not all(free)})
    units = clusters(grid.suite)
    own_units = None if units is None else units[means.positions]
    ratio = cost_ratio(*means.means, alpha=alpha, clusters=own_units)
    return _filled(blank, means, [arm[known] for arm, known in zip(dollars, kept, strict=True)], ratio)


def latency(grid: SampleGrid, alpha: float) -> AxisComparison:
    """Latency of one call: geometric mean over cases of the per-case ratio; `alpha` as in `cost`."""
    kept, too_few = side_by_side(grid)
    blank = _blank("latency", grid.suite.exam.policy.max_latency_increase)
    if too_few:
        return blank.model_copy(update={"reason": too_few})
    seconds = grid["latency_s"]
    kept = kept & (seconds > 0.0)
    means = case_figures(seconds, kept, geometric=True)
    both = means.positions
    if not both.size:
        return blank.model_copy(update={"reason": "no times were measured"})
    units = clusters(grid.suite)
    ratio = latency_ratio(*means.means, alpha=alpha, clusters=None if units is None else units[both])
    filled = _filled(blank, means, [arm[known] for arm, known in zip(seconds, kept, strict=True)], ratio)
    labels = both if units is None else units[both]
    p50, p95 = quantile_changes(
        *(
            Calls(arm[both][known[both]], np.repeat(labels, known[both].sum(axis=1)))
            for arm, known in zip(seconds, kept, strict=True)
        ),
        alpha=alpha,
    )
    return filled.model_copy(update={"p50_change": estimate(p50), "p95_change": estimate(p95)})


def estimate(found: Interval) -> Estimate:
    """Infinite bounds become None."""
    lower, upper = (bound if math.isfinite(bound) else None for bound in (found.lower, found.upper))
    return Estimate(value=found.value, lower=lower, upper=upper)


def _usage(grid: SampleGrid, arm: int) -> Usage:
    """Tokens of all replies, compared or not."""
    replied = grid.replied[arm]
    return Usage(**{field.name: int(grid[field.name][arm][replied].sum()) for field in fields(Usage)})


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


def _filled(blank: AxisComparison, means: CaseMeans, calls: Sequence[Floats], ratio: Interval) -> AxisComparison:
    return AxisComparison(
        axis=blank.axis,
        compared=True,
        reason="",
        applicable=True,
        n=int(means.positions.size),
        baseline=_figures(blank.baseline, calls[0]),
        candidate=_figures(blank.candidate, calls[1]),
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


def cost_figures(grid: SampleGrid) -> ArmAxis:
    """Dollars per call of the candidate, where the price of every call is known; and the tokens."""
    replied = grid.replied[1]
    priced = bool(np.all(grid["price"][1][replied] == DOLLARS))
    return _arm_figures(grid["cost"][1][replied] if priced else np.empty(0), _usage(grid, 1))


def latency_figures(grid: SampleGrid) -> ArmAxis:
    """Seconds per call of the candidate, over the calls whose time means something."""
    seconds = grid["latency_s"][1]
    return _arm_figures(seconds[grid.replied[1] & (seconds > 0.0)], None)


def _arm_figures(calls: Floats, usage: Usage | None) -> ArmAxis:
    if not calls.size:
        return ArmAxis(usage=usage)
    # Exact whatever the order in which answers came: the same run has the same figures to the last digit.
    mean = math.fsum(calls) / calls.size
    return ArmAxis(mean=mean, p50=quantile(calls, 0.5), p95=quantile(calls, 0.95), usage=usage)


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
