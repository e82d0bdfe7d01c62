"""Prompts that stand alone: the pass rate of one arm, slice by slice, against the rate that the policy asks for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from gate.config.policy import OVERALL
from gate.domain.absence import Unscored
from gate.domain.passrate import PassRate, PassState
from gate.domain.sample import ArmName, Sample
from gate.domain.suite import Suite
from gate.engine.grid import Floats
from gate.engine.pairs import units_of
from gate.engine.samples import Key
from gate.inputs.slices import members
from gate.scoring.passing import passes, reaches
from gate.stats.arrays import TOLERANCE
from gate.stats.shortfall import effective_units, shortfall_p
from gate.stats.slices import BLOCKABLE_UNITS
from gate.stats.wilson import wilson


@dataclass(frozen=True, slots=True)
class PassRates:
    """The pass rates of a run.

    Args:
        suites: for each suite its slices, `overall` first.
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
        """The policy speaks of this very slice: to leave it unproven is not enough."""
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

    The level is shared out equally among the slices that can block (Bonferroni), so that prompts that keep every wanted
    rate are blocked with a chance of at most alpha, all of them together. Prompts that sit the base's exam share one
    alpha, those that bring their own another: otherwise a change could bring slices until nothing is significant.

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
        found = (passes(sample, case, suite.exam) for sample in row)
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
    """Too few comes first: what cannot block is not said to have missed anything."""
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
