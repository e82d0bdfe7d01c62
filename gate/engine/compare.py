"""Quality, slice by slice: one joint test over everything that can block, and a state for each slice."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np

from gate.domain.comparison import Comparison
from gate.domain.suite import RunPolicy
from gate.domain.verdict import State
from gate.engine.stack import Slice, Stack
from gate.stats.bootstrap import percentile
from gate.stats.maxt import BLOCKABLE_UNITS, joint_test
from gate.stats.power import cases_needed, detectable
from gate.stats.student import normal_quantile

SUSPECT_LEVEL = 0.10
TOLERANCE = 1e-9
"""Means of thirds come out as -1e-17; nothing below this size is a difference."""


@dataclass(frozen=True, slots=True)
class Quality:
    """The comparisons of a run.

    Args:
        slices: the stacked slices with their comparisons, in the order of the stack.
        tested: how many slices were tested together.
        flips: sign flips that were drawn, or None for a method without them.
    """

    slices: tuple[tuple[Slice, Comparison], ...]
    tested: int
    flips: int | None


@dataclass(frozen=True, slots=True)
class _Finding:
    """What a method says about one slice; infinite bounds are floats here.

    Args:
        lower, upper: interval of the mean delta.
        p: joint p-value of a fall, where the method has one.
        regression, suspect: the method's two levels.
        critical: in standard errors, for planning.
    """

    lower: float
    upper: float
    p: float | None
    regression: bool
    suspect: bool
    critical: float


@dataclass(frozen=True, slots=True)
class _Method:
    """One test at one level with one seed."""

    policy: RunPolicy
    seed: int

    def family(self, stack: Stack, slices: Sequence[Slice]) -> tuple[dict[str, _Finding], int | None]:
        """Findings for slices that are tested together, and the flips it took."""
        if not slices:
            return {}, None
        if self.policy.method == "percentile":
            return {piece.full_name: self._percentile(stack, piece) for piece in slices}, None
        rows = {piece.full_name: piece.rows for piece in slices}
        result = joint_test(stack.deltas, rows, alpha=self.policy.alpha, clusters=stack.units, seed=self.seed)
        found = {}
        for name, row in result.slices.items():
            regression = row.p is not None and row.p <= self.policy.alpha + TOLERANCE
            suspect = row.p is not None and row.p <= SUSPECT_LEVEL + TOLERANCE
            found[name] = _Finding(row.lower, row.upper, row.p, regression, suspect, result.critical)
        return found, result.flips

    def _percentile(self, stack: Stack, piece: Slice) -> _Finding:
        deltas, units = stack.deltas[piece.rows], stack.units[piece.rows]
        interval = percentile(deltas, alpha=self.policy.alpha, seed=self.seed, clusters=units)
        wide = percentile(deltas, alpha=SUSPECT_LEVEL, seed=self.seed, clusters=units)
        critical = normal_quantile(1 - self.policy.alpha)
        return _Finding(
            interval.lower, interval.upper, None, interval.upper < -TOLERANCE, wide.upper < -TOLERANCE, critical
        )


def compare(stack: Stack, policy: RunPolicy, seed: int) -> Quality:
    """Compare every slice.

    Slices that can block are tested together; advisory ones and those too small to block stand outside the family,
    each with an interval of its own.

    Args:
        stack: scores of all suites.
        policy: level and method.
        seed: of the sign flips and resamples.
    """
    method = _Method(policy, seed)
    blocking = [
        piece for piece in stack.slices if not piece.advisory and stack.unit_count(piece.rows) >= BLOCKABLE_UNITS
    ]
    findings, flips = method.family(stack, blocking)
    rows = []
    for piece in stack.slices:
        tested = piece.full_name in findings
        found = findings[piece.full_name] if tested else None
        if found is None and piece.rows.size:
            found = method.family(stack, [piece])[0][piece.full_name]
        rows.append((piece, _comparison(stack, piece, found, method, tested=tested)))
    return Quality(tuple(rows), len(findings), flips)


def _comparison(stack: Stack, piece: Slice, found: _Finding | None, method: _Method, *, tested: bool) -> Comparison:
    n, units = int(piece.rows.size), stack.unit_count(piece.rows)
    blank = Comparison(
        slice=piece.full_name,
        n=n,
        units=units,
        baseline=None,
        candidate=None,
        mean=None,
        lower=None,
        upper=None,
        p=None,
        state=State.TOO_FEW,
        method=method.policy.method,
        blocking=tested,
        advisory=piece.advisory,
    )
    if found is None:
        return blank
    baseline, candidate = stack.baseline[piece.rows], stack.candidate[piece.rows]
    deltas = candidate - baseline
    state = _state(found, units, nothing_right=not baseline.any() and not candidate.any())
    usual = percentile(deltas, alpha=method.policy.alpha, seed=method.seed)
    return replace(
        blank,
        baseline=float(baseline.mean()),
        candidate=float(candidate.mean()),
        mean=float(deltas.mean()),
        moved=int(np.count_nonzero(np.abs(deltas) > TOLERANCE)),
        lower=_bound(found.lower),
        upper=_bound(found.upper),
        p=found.p if tested else None,
        state=state,
        familiar_fail=usual.upper < -TOLERANCE,
        **_power(stack, piece, found.critical, state),
    )


def _state(found: _Finding, units: int, *, nothing_right: bool) -> State:
    """Too few comes first: what cannot block is not called a regression."""
    if units < BLOCKABLE_UNITS or nothing_right:
        return State.TOO_FEW
    if found.regression:
        return State.REGRESSION
    if found.suspect:
        return State.SUSPECT
    return State.IMPROVEMENT if found.lower > TOLERANCE else State.NOISE


class _Planning(TypedDict):
    mde: float | None
    cases_needed: int | None


def _power(stack: Stack, piece: Slice, critical: float, state: State) -> _Planning:
    """The smallest fall that the slice would show, and how many cases would show the one that was seen."""
    deltas = stack.deltas[piece.rows]
    _, unit, sizes = np.unique(stack.units[piece.rows], return_inverse=True, return_counts=True)
    if sizes.size < 2:
        return {"mde": None, "cases_needed": None}
    per_unit = np.bincount(unit, weights=deltas) / sizes
    sd, mean = float(per_unit.std(ddof=1)), float(deltas.mean())
    smallest = detectable(sd, sizes.size, critical)
    needed = None
    if state in (State.NOISE, State.SUSPECT) and abs(mean) > TOLERANCE:
        needed = cases_needed(sd, mean, critical)
    cases_per_unit = deltas.size / sizes.size
    return {
        "mde": smallest if smallest <= 1.0 else None,
        "cases_needed": None if needed is None else math.ceil(needed * cases_per_unit),
    }


def _bound(value: float) -> float | None:
    """Infinite is None; a mean of deltas lies between -1 and 1, whatever the interval's formula says."""
    return min(1.0, max(-1.0, value)) if math.isfinite(value) else None
