"""Compares quality slice by slice: one joint test over all that can block; pass rates of prompts with one arm."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from gate.cases.case import members
from gate.config.policy import OVERALL, RunPolicy
from gate.engine.arrays import Floats, Slice, Stack, units_of
from gate.engine.samples import Key
from gate.record.comparison import Comparison, PassRate, PassState, State
from gate.record.sample import ArmName, Sample
from gate.record.transcript import Unscored
from gate.scoring.pass_rule import reaches, sample_passes
from gate.stats.arrays import BLOCKABLE_UNITS, TOLERANCE, JointResult, SliceResult
from gate.stats.bootstrap import percentile
from gate.stats.marginal import marginal_test
from gate.stats.maxt import joint_test
from gate.stats.power import cases_needed, detectable
from gate.stats.rates import effective_units, shortfall_p, wilson
from gate.suite import Suite


@dataclass(frozen=True, slots=True)
class PassRates:
    """The pass rates of a run.

    Args:
        suites: the slices of each suite, `overall` first.
        judged: how many slices can block, over all suites.
        levels: for each suite the one-sided level of its bounds.
    """

    suites: Mapping[str, tuple[PassRate, ...]]
    judged: int
    levels: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Slice:
    """One slice of one suite before it is judged; `worth` is in independent trials."""

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
    blocked with a chance of at most alpha, all together. Prompts under the base's exam share one alpha, those that
    bring their own another: otherwise a change could add slices until nothing is significant.

    Args:
        suites: those that are judged on their own.
        table: samples, from `SampleTable.by_case`.
        alpha: one-sided level for all slices together.
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
        doubtful=state is PassState.UNPROVEN and piece.blocking and (piece.named or not reaches(rate, wanted or 0.0)),
        blocking=piece.blocking,
        advisory=piece.advisory,
    )


def _state(piece: _Slice, rate: float, bounds: tuple[float, float], level: float) -> PassState:
    """Too few comes first: a slice that cannot block is not said to have missed anything."""
    if piece.worth < BLOCKABLE_UNITS:
        return PassState.TOO_FEW
    if piece.wanted is None:
        return PassState.NO_THRESHOLD
    if reaches(bounds[0], piece.wanted):
        return PassState.MET
    below = not reaches(bounds[1], piece.wanted)
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
    """The comparisons of a run.

    Args:
        slices: in the order of the stack.
        tested: how many slices were tested together.
        flips: sign flips that were drawn; None for a method without them.
        breakage: the breakage channel took part.
    """

    slices: tuple[tuple[Slice, Comparison], ...]
    tested: int
    flips: int | None
    breakage: bool = False


def compare(stack: Stack, policy: RunPolicy, seed: int) -> Quality:
    """Compare every slice; `seed` is that of the sign flips and resamples.

    Slices that can block are tested together; those too small to block are tested outside of that family, and each
    advisory one has a test of its own.
    """
    tester = Tester(stack, policy, seed)
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
class Tester:
    """One method at one level with one seed, over one stack."""

    stack: Stack
    policy: RunPolicy
    seed: int

    @property
    def samples(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The samples for the breakage channel; None, which closes it, where one is missing."""
        return self.stack.samples if self.policy.breakage else None

    def alone(self, piece: Slice) -> JointResult:
        """Test one slice by itself."""
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
        return marginal_test(
            self.stack.deltas,
            rows,
            method=self.policy.method,
            correction=self.policy.correction,
            alpha=self.policy.alpha,
            clusters=self.stack.units,
            margin=margins,
            seed=self.seed,
        )


def comparison(tester: Tester, piece: Slice, result: JointResult | None, *, tested: bool) -> Comparison:
    """One slice as the record shows it.

    Args:
        tester: with the stack that the slice's rows belong to.
        result: of a test that it took part in; None where it has no cases.
        tested: it belongs to the family that can block.
    """
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
        lower=_bound(found.lower),
        upper=_bound(found.upper),
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
    """The smallest fall that the slice would show, and how many cases would show the one that was seen."""
    deltas = stack.deltas[piece.rows]
    _, unit, sizes = np.unique(stack.units[piece.rows], return_inverse=True, return_counts=True)
    if sizes.size < BLOCKABLE_UNITS:
        return {"mde": None, "cases_needed": None}
    per_unit = np.bincount(unit, weights=deltas) / sizes
    sd, mean = float(per_unit.std(ddof=1)), float(deltas.mean())
    # A fall has to leave the margin behind before it counts.
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


def _bound(value: float) -> float | None:
    """Infinite is None; a mean of deltas lies between -1 and 1, whatever the interval's formula says."""
    return min(1.0, max(-1.0, value)) if math.isfinite(value) else None
