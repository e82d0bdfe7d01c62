"""Every scorer by itself, before and after: which of them moved. A description, without a part in the verdict."""

from math import fsum

from gate.domain.comparison import ScorerChange
from gate.domain.suite import Suite
from gate.engine.grid import Grid
from gate.engine.means import means

MOST = 100
"""Scorers of one suite; where each case names its own, a table of them says nothing."""
_FAILED = 1e-9
"""A score that is not above this fails the answer."""


def scorer_changes(grid: Grid) -> tuple[ScorerChange, ...]:
    """The scorers of one suite, in the order of the exam, then those that only some cases have, `MOST` at most.

    Args:
        grid: its samples, of both arms.
    """
    suite = grid.suite
    required: dict[str, bool] = {}
    for spec in (spec for case in suite.exam.cases for spec in suite.exam.scorers_of(case)):
        required[spec.name] = required.get(spec.name, False) or spec.required
    order = {spec.name: place for place, spec in enumerate(suite.exam.scorers)}
    weights = _weights(suite)
    names = sorted(required, key=lambda name: order.get(name, len(order)))
    return tuple(_change(grid, name, weights.get(name), required=required[name]) for name in names[:MOST])


def _change(grid: Grid, name: str, weight: float | None, *, required: bool) -> ScorerChange:
    known, values = grid.scorer(name)
    found = means(grid.suite, known, values)
    passed = means(grid.suite, known, (values > _FAILED).astype(values.dtype)) if required else None
    return ScorerChange(
        name=name,
        weight=weight,
        required=required,
        n=int(found.positions.size),
        baseline=found.mean(0),
        candidate=found.mean(1),
        mean=found.delta,
        baseline_passed=None if passed is None else passed.mean(0),
        candidate_passed=None if passed is None else passed.mean(1),
    )


def _weights(suite: Suite) -> dict[str, float]:
    """Shares in the score, where every case is scored by the same scorers; else nothing."""
    each = {frozenset((spec.name, spec.weight) for spec in suite.exam.scorers_of(case)) for case in suite.exam.cases}
    if len(each) != 1:
        return {}
    (one,) = each
    total = fsum(weight for _, weight in one)
    return {name: weight / total for name, weight in one}
