"""A rubric's dimensions side by side, and how far the judges of a jury agree: shown, without a part in the verdict."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gate.config.scorerspec import ScorerSpec
from gate.domain.comparison import Estimate
from gate.domain.judged import ContestedAnswer, DimensionResult, JuryMember, JuryResult, RubricResult
from gate.domain.rubric import Rubric
from gate.domain.suite import Suite
from gate.engine.grid import ARMS, Bools, Floats, Grid, Ints
from gate.engine.means import Means, means
from gate.engine.pairs import units_of
from gate.engine.samples import PartKey
from gate.scoring.passing import TOLERANCE, mark_of
from gate.stats.gwet import ac
from gate.stats.krippendorff import alpha as krippendorff
from gate.stats.maxt import joint_test
from gate.stats.ratings import Ratings
from gate.stats.resampling import Drawing
from gate.stats.undefined import Estimate as Figure
from gate.stats.undefined import Undefined

CONTESTED = 5
"""Answers that are named for human eyes."""
APART = 0.25
"""Opinions that lie less far apart are no disagreement that anybody has to look at."""


@dataclass(frozen=True, slots=True)
class Intervals:
    """How intervals are made.

    Args:
        alpha: one-sided level of each bound.
        seed: of sign flips and resamples.
    """

    alpha: float
    seed: int


def rubric_results(suite: Suite, grid: Grid, intervals: Intervals) -> tuple[RubricResult, ...]:
    """Every rubric that scored anything of a suite.

    The intervals of its dimensions are one joint test: they hold for all of them together.

    Args:
        suite: whose exam it is.
        grid: its samples.
        intervals: level and seed.
    """
    specs = _specs(suite)
    keys = _keys(grid, "dimension")
    return tuple(
        _rubric(suite, grid, _Scorer(name, specs.get(name, ()), found), intervals) for name, found in keys.items()
    )


def jury_results(suite: Suite, grid: Grid, intervals: Intervals) -> tuple[JuryResult, ...]:
    """Every jury that scored anything of a suite.

    Args:
        suite: whose exam it is.
        grid: its samples.
        intervals: level and seed.
    """
    specs = _specs(suite)
    keys = _keys(grid, "judge")
    found = (_jury(suite, grid, _Scorer(name, specs.get(name, ()), own), intervals) for name, own in keys.items())
    return tuple(one for one in found if one is not None)


@dataclass(frozen=True, slots=True)
class _Scorer:
    """A scorer with the parts that its scores have; cases may bring others of the same name."""

    name: str
    specs: Sequence[ScorerSpec]
    keys: Sequence[PartKey]

    @property
    def rubric(self) -> Rubric:
        """Its rubric; where several share the name, none but the scale from 0 to 1 fits all."""
        if len(self.specs) == 1:
            return Rubric.of(self.specs[0].options)
        return Rubric((), 0.0, 1.0, 1.0)

    @property
    def mark(self) -> float:
        return mark_of(self.specs[0]) if self.specs else 1.0


def _specs(suite: Suite) -> dict[str, list[ScorerSpec]]:
    """The different scorers of each name that ask a model."""
    out: dict[str, list[ScorerSpec]] = {}
    for spec in suite.exam.all_scorers():
        if spec.judged and spec not in (known := out.setdefault(spec.name, [])):
            known.append(spec)
    return out


def _keys(grid: Grid, kind: str) -> dict[str, list[PartKey]]:
    out: dict[str, list[PartKey]] = {}
    for key in grid.parts():
        if key[2] == kind:
            out.setdefault(key[1], []).append(key)
    return out


def _rubric(suite: Suite, grid: Grid, scorer: _Scorer, intervals: Intervals) -> RubricResult:
    rubric = scorer.rubric
    rows = [means(suite, *grid.part(key)) for key in scorer.keys]
    bounds: list[tuple[float | None, float | None]] = [(None, None)] * len(rows)
    if suite.baseline is not None and any(row.positions.size for row in rows):
        bounds = _bounds(suite, rows, intervals)
    dimensions = tuple(
        DimensionResult(
            name=key[3],
            weight=key[4],
            n=int(row.positions.size),
            baseline=row.mean(0),
            candidate=row.mean(1),
            mean=row.delta,
            lower=both[0],
            upper=both[1],
        )
        for key, row, both in zip(scorer.keys, rows, bounds, strict=True)
    )
    return RubricResult(
        scorer=scorer.name, low=rubric.low, high=rubric.high, threshold=rubric.threshold, dimensions=dimensions
    )


def _bounds(suite: Suite, rows: Sequence[Means], intervals: Intervals) -> list[tuple[float | None, float | None]]:
    """The intervals of all dimensions, whose deltas stand one behind the other; a case flips with all of them."""
    own, ends = units_of(suite), np.cumsum([0, *(row.positions.size for row in rows)])
    slices = {str(place): np.arange(ends[place], ends[place + 1]) for place in range(len(rows))}
    found = joint_test(
        np.concatenate([row.deltas for row in rows]),
        slices,
        alpha=intervals.alpha,
        clusters=np.concatenate([own[row.positions] for row in rows]),
        seed=intervals.seed,
    )
    return [(_bound(found[name].lower), _bound(found[name].upper)) for name in slices]


def _bound(value: float) -> float | None:
    return min(1.0, max(-1.0, value)) if math.isfinite(value) else None


def _jury(suite: Suite, grid: Grid, scorer: _Scorer, intervals: Intervals) -> JuryResult | None:
    parts = [grid.part(key) for key in scorer.keys]
    # Every member has an opinion on an answer, or the answer has no score.
    known: Bools = np.logical_and.reduce([found for found, _ in parts])
    if not known.any():
        return None
    opinions = np.stack([values[known] for _, values in parts], axis=1)
    arms, cases, indices = np.nonzero(known)
    drawing = Drawing(clusters=units_of(suite)[cases], seed=intervals.seed, alpha=intervals.alpha)
    alpha = krippendorff(Ratings.of(opinions), drawing, level="interval")
    passing = (opinions >= scorer.mark * (1.0 - TOLERANCE)).astype(np.float64)
    marks = ac(Ratings.of(passing), drawing, categories=[0.0, 1.0])
    apart = opinions.max(axis=1) - opinions.min(axis=1)
    worst = [row for row in np.argsort(-apart, kind="stable")[:CONTESTED].tolist() if apart[row] >= APART]
    return JuryResult(
        scorer=scorer.name,
        mark=scorer.mark,
        answers=len(opinions),
        members=tuple(_member(key[3], opinions[:, place], arms) for place, key in enumerate(scorer.keys)),
        alpha=_estimate(alpha),
        marks=_estimate(marks),
        why_not=next((one.reason for one in (alpha, marks) if isinstance(one, Undefined)), ""),
        contested=tuple(
            ContestedAnswer(
                case=suite.exam.cases[cases[row]].id,
                arm=ARMS[arms[row]].value,
                index=int(indices[row]),
                opinions=tuple(opinions[row].tolist()),
            )
            for row in worst
        ),
    )


def _member(model: str, opinions: Floats, arms: Ints) -> JuryMember:
    means = [float(opinions[arms == arm].mean()) if np.any(arms == arm) else None for arm in (0, 1)]
    return JuryMember(model=model, baseline=means[0], candidate=means[1])


def _estimate(found: Figure | Undefined) -> Estimate | None:
    return None if isinstance(found, Undefined) else Estimate(value=found.value, lower=found.lower, upper=found.upper)
