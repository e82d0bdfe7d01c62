"""Quality, slice by slice: one joint test over everything that can block, and a state for each slice."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np

from gate.config.policy import RunPolicy
from gate.domain.comparison import Comparison
from gate.domain.verdict import State
from gate.engine.stack import Slice, Stack
from gate.stats.bootstrap import percentile
from gate.stats.marginal import marginal_test
from gate.stats.maxt import joint_test
from gate.stats.power import cases_needed, detectable
from gate.stats.results import JointResult, SliceResult
from gate.stats.slices import BLOCKABLE_UNITS

FLIPS = 4999
FLIPS_BELOW_LEVEL = 20
"""Flips that must be able to look worse at the level in use; a stricter level takes more flips."""
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
        breakage: the breakage channel took part.
    """

    slices: tuple[tuple[Slice, Comparison], ...]
    tested: int
    flips: int | None
    breakage: bool = False


def compare(stack: Stack, policy: RunPolicy, seed: int) -> Quality:
    """Compare every slice.

    Slices that can block are tested together; those too small to block go along outside of that family, and each
    advisory one has a test of its own.

    Args:
        stack: scores of all suites.
        policy: level and method.
        seed: of the sign flips and resamples.
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
        """What the breakage channel looks at; a missing sample closes it."""
        return self.stack.samples if self.policy.breakage else None

    def alone(self, piece: Slice) -> JointResult:
        """Test one slice by itself, looking at no other case."""
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
        piece: the slice.
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
    state = _state(found, policy.alpha, nothing_right=not baseline.any() and not candidate.any())
    usual = percentile(deltas, alpha=policy.alpha, seed=tester.seed)
    return Comparison(
        slice=piece.full_name,
        n=int(piece.rows.size),
        units=stack.unit_count(piece.rows),
        baseline=float(baseline.mean()),
        candidate=float(candidate.mean()),
        mean=float(deltas.mean()),
        moved=int(np.count_nonzero(np.abs(deltas) > TOLERANCE)),
        lower=_bound(found.lower),
        upper=_bound(found.upper),
        p=found.p if tested else None,
        state=state,
        method=policy.method,
        blocking=tested,
        advisory=piece.advisory,
        familiar_fail=usual.upper < -piece.margin - TOLERANCE,
        margin=piece.margin,
        **_power(stack, piece, result.critical, state),
    )


def _state(found: SliceResult, alpha: float, *, nothing_right: bool) -> State:
    """Too few comes first: what cannot block is not called a regression."""
    if found.p is None or nothing_right:
        return State.TOO_FEW
    if found.p <= alpha + TOLERANCE:
        return State.REGRESSION
    if found.p <= SUSPECT_LEVEL + TOLERANCE:
        return State.SUSPECT
    return State.IMPROVEMENT if found.lower > TOLERANCE else State.NOISE


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
    if state in (State.NOISE, State.SUSPECT) and abs(beyond) > TOLERANCE:
        needed = cases_needed(sd, beyond, critical)
    cases_per_unit = deltas.size / sizes.size
    return {
        "mde": smallest if smallest <= 1.0 else None,
        "cases_needed": None if needed is None else math.ceil(needed * cases_per_unit),
    }


def _bound(value: float) -> float | None:
    """Infinite is None; a mean of deltas lies between -1 and 1, whatever the interval's formula says."""
    return min(1.0, max(-1.0, value)) if math.isfinite(value) else None
