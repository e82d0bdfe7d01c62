"""Every scorer separately, before and after: dimensions of rubrics, juries, and the order effect of pairwise judges."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, TypeAlias

import numpy as np

from gate.cases.case import members
from gate.config.rubrics import Rubric
from gate.config.scorer import ScorerSpec
from gate.engine.arrays import CaseMeans, SampleGrid, case_means, scores, units_of
from gate.engine.compare import SAME_BOUND, SUSPECT_LEVEL, estimate, finite_bound
from gate.engine.samples import ARMS, Bools, Floats, Ints, PartKey
from gate.record.comparison import (
    BlindJudge,
    ContestedAnswer,
    DimensionResult,
    Estimate,
    JuryMember,
    JuryResult,
    OpposedScorers,
    PositionBias,
    RubricResult,
    ScorerChange,
)
from gate.record.transcript import ArmName
from gate.scoring.interface import SHOWN_FIRST, SHOWN_SECOND, TOLERANCE, mark_of_scorer
from gate.stats.arrays import Estimate as Figure
from gate.stats.arrays import Undefined
from gate.stats.intervals import Parts, share, wilson
from gate.stats.maxt import joint_test
from gate.suite import Suite

MOST = 100
"""Scorers of one suite; where each case has its own, a table of them is useless."""
_FAILED = 1e-9
"""A score that is not above this fails the answer."""


def scorer_changes(grid: SampleGrid) -> tuple[ScorerChange, ...]:
    """The scorers of one suite, in their order, then those that only some cases have; at most `MOST`."""
    suite = grid.suite
    required: dict[str, bool] = {}
    for spec in (spec for case in suite.exam.cases for spec in suite.exam.scorers_of(case)):
        required[spec.name] = required.get(spec.name, False) or spec.required
    order = {spec.name: place for place, spec in enumerate(suite.exam.scorers)}
    weights = _weights(suite)
    names = sorted(required, key=lambda name: order.get(name, len(order)))
    return tuple(_change(grid, name, weights.get(name), required=required[name]) for name in names[:MOST])


def _names(suite: Suite) -> list[str]:
    """At most `MOST` scorers of the suite or of single cases."""
    return list(dict.fromkeys(spec.name for case in suite.exam.cases for spec in suite.exam.scorers_of(case)))[:MOST]


def moved_cases(grid: SampleGrid) -> Bools:
    """bool[N], which cases some scorer gave another mean score; their combined score may be the same."""
    moved = np.zeros(len(grid.suite.exam.cases), dtype=np.bool_)
    combined = scores(grid)
    moved[combined.positions] = np.abs(combined.deltas) > SAME_BOUND
    for name in _names(grid.suite):
        means = case_means(grid.suite, *grid.scorer(name))
        moved[means.positions] |= np.abs(means.deltas) > SAME_BOUND
    return moved


def _change(grid: SampleGrid, name: str, weight: float | None, *, required: bool) -> ScorerChange:
    known, values = grid.scorer(name)
    found = case_means(grid.suite, known, values)
    passed = case_means(grid.suite, known, (values > _FAILED).astype(values.dtype)) if required else None
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


@dataclass(frozen=True, slots=True)
class _Move:
    """The scores of one scorer in one slice.

    Args:
        rows: int[n], indices into the stacked deltas of all scorers.
    """

    suite: str
    slice: str
    scorer: str
    margin: float
    rows: Ints
    mean: float


def opposed_scorers(grids: Sequence[SampleGrid], counted: Mapping[str, int], seed: int) -> dict[str, OpposedScorers]:
    """For each suite the two scorers that moved most in opposite directions, if one fell and another rose.

    Both must be shown by joint tests over all scorers in all slices of all suites, of drops and of rises, each at the
    level of a suspect slice. They are outside of the joint test that blocks.

    Args:
        counted: samples per case and arm that count, by suite.
    """
    moves: list[_Move] = []
    deltas: list[Floats] = []
    units: list[Ints] = []
    offset = cases = 0
    for grid in grids:
        suite = grid.suite
        of_cases = units_of(suite) + cases
        cases += len(suite.exam.cases)
        names = _names(suite)
        if suite.trial or len(names) == 1:
            continue
        for name in names:
            known, values = grid.scorer(name)
            means = case_means(suite, known & grid.within(counted[suite.name]), values)
            moves += _moves(suite, name, means, offset, several=len(grids) > 1)
            deltas.append(means.deltas)
            units.append(of_cases[means.positions])
            offset += means.positions.size
    if not moves:
        return {}
    stacked, labels = np.concatenate(deltas), np.concatenate(units)
    fallen = _shown(moves, stacked, labels, seed)
    return _furthest_apart(fallen, _shown(moves, -stacked, labels, seed)) if fallen else {}


def _shown(moves: Sequence[_Move], deltas: Floats, units: Ints, seed: int) -> list[_Move]:
    """The moves that a joint test shows to be drops of these deltas."""
    found = joint_test(
        deltas,
        {str(place): move.rows for place, move in enumerate(moves)},
        clusters=units,
        margin={str(place): move.margin for place, move in enumerate(moves)},
        seed=seed,
    )
    p_values = [result.p for result in found.values()]
    return [move for move, p in zip(moves, p_values, strict=True) if p is not None and p <= SUSPECT_LEVEL + SAME_BOUND]


def _moves(suite: Suite, scorer: str, means: CaseMeans, offset: int, *, several: bool) -> Iterator[_Move]:
    row_of = {position: offset + row for row, position in enumerate(means.positions.tolist())}
    for name, positions in members(suite.exam.cases, suite.exam.dimensions).items():
        rows = np.array([row_of[position] for position in positions if position in row_of], dtype=np.int64)
        if rows.size and name not in suite.exam.policy.advisory:
            mean = float(means.deltas[rows - offset].mean())
            full = f"{suite.name}/{name}" if several else name
            yield _Move(suite.name, full, scorer, suite.exam.policy.margin_of(name), rows, mean)


def _furthest_apart(fallen: Sequence[_Move], risen: Sequence[_Move]) -> dict[str, OpposedScorers]:
    """For each suite the largest drop and the largest rise of one slice."""
    drops = {(move.suite, move.slice): move for move in sorted(fallen, key=lambda move: -move.mean)}
    rises = {(move.suite, move.slice): move for move in sorted(risen, key=lambda move: move.mean)}
    pairs = [(drops[place], rises[place]) for place in drops if place in rises]
    return {
        worse.suite: OpposedScorers(
            slice=worse.slice, worse=worse.scorer, drop=worse.mean, better=better.scorer, rise=better.mean
        )
        for worse, better in sorted(pairs, key=lambda pair: round(pair[1].mean - pair[0].mean, 9))
    }


def _weights(suite: Suite) -> dict[str, float]:
    """Shares in the score, where every case is scored by the same scorers; else nothing."""
    each = {frozenset((spec.name, spec.weight) for spec in suite.exam.scorers_of(case)) for case in suite.exam.cases}
    if len(each) != 1:
        return {}
    (one,) = each
    total = fsum(weight for _, weight in one)
    return {name: weight / total for name, weight in one}


CONTESTED = 5
"""Answers that are listed for people to check."""
APART = 0.25
"""Opinions closer together are no disagreement that anybody has to check."""


def rubric_results(grid: SampleGrid, alpha: float, seed: int) -> list[RubricResult]:
    """Every rubric that scored anything of a suite.

    The intervals of its dimensions are one joint test: they hold for all of them together.
    """
    return [_rubric(grid, scorer, alpha, seed) for scorer in _scorers(grid, "dimension")]


def jury_results(grid: SampleGrid, alpha: float, seed: int) -> list[JuryResult]:
    """Every jury that scored anything of a suite."""
    juries = (_jury(grid, scorer, alpha, seed) for scorer in _scorers(grid, "judge"))
    return [jury for jury in juries if jury is not None]


@dataclass(frozen=True, slots=True)
class _Scorer:
    """A scorer with the parts that its scores have; cases may bring others of the same name."""

    name: str
    specs: Sequence[ScorerSpec]
    keys: Sequence[PartKey]

    @property
    def rubric(self) -> Rubric:
        """Its rubric; where several share the name, only the scale from 0 to 1 fits all."""
        if len(self.specs) == 1:
            return Rubric.of(self.specs[0].options)
        return Rubric((), 0.0, 1.0, 1.0)

    @property
    def mark(self) -> float:
        return mark_of_scorer(self.specs[0]) if self.specs else 1.0


def _specs(suite: Suite) -> dict[str, list[ScorerSpec]]:
    """The different scorers of each name that call a model."""
    out: dict[str, list[ScorerSpec]] = {}
    for spec in suite.exam.all_scorers():
        if spec.judged and spec not in (known := out.setdefault(spec.name, [])):
            known.append(spec)
    return out


def _scorers(grid: SampleGrid, kind: str) -> list[_Scorer]:
    """The scorers whose scores have parts of this kind."""
    specs = _specs(grid.suite)
    keys: dict[str, list[PartKey]] = {}
    for key in grid.part_keys():
        if key[2] == kind:
            keys.setdefault(key[1], []).append(key)
    return [_Scorer(name, specs.get(name, ()), own) for name, own in keys.items()]


def _rubric(grid: SampleGrid, scorer: _Scorer, alpha: float, seed: int) -> RubricResult:
    suite, rubric = grid.suite, scorer.rubric
    rows = [case_means(suite, *grid.part(key)) for key in scorer.keys]
    bounds: list[tuple[float | None, float | None]] = [(None, None)] * len(rows)
    if suite.baseline is not None and any(row.positions.size for row in rows):
        bounds = _bounds(suite, rows, alpha, seed)
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


def _bounds(
    suite: Suite, rows: Sequence[CaseMeans], alpha: float, seed: int
) -> list[tuple[float | None, float | None]]:
    """The intervals of all dimensions, tested jointly: a case flips with all of its dimensions."""
    own, ends = units_of(suite), np.cumsum([0, *(row.positions.size for row in rows)])
    slices = {str(place): np.arange(ends[place], ends[place + 1]) for place in range(len(rows))}
    found = joint_test(
        np.concatenate([row.deltas for row in rows]),
        slices,
        alpha=alpha,
        clusters=np.concatenate([own[row.positions] for row in rows]),
        seed=seed,
    )
    return [(finite_bound(found[name].lower), finite_bound(found[name].upper)) for name in slices]


def _jury(grid: SampleGrid, scorer: _Scorer, alpha: float, seed: int) -> JuryResult | None:
    from gate.stats.agreement import Ratings, ResamplingOptions, kappa_of_two, share_among

    suite = grid.suite
    parts = [grid.part(key) for key in scorer.keys]
    # Every member has an opinion on an answer, or the answer has no score.
    known: Bools = np.logical_and.reduce([found for found, _ in parts])
    if not known.any():
        return None
    opinions = np.stack([values[known] for _, values in parts], axis=1)
    arms, cases, indices = np.nonzero(known)
    drawing = ResamplingOptions(clusters=units_of(suite)[cases], seed=seed, alpha=alpha)
    verdicts = Ratings.of(opinions >= scorer.mark * (1.0 - TOLERANCE))
    alike = share_among(verdicts, drawing)
    kappa = kappa_of_two(verdicts, drawing) if len(parts) == 2 else None
    apart = opinions.max(axis=1) - opinions.min(axis=1)
    worst = [row for row in np.argsort(-apart, kind="stable")[:CONTESTED].tolist() if apart[row] >= APART]
    return JuryResult(
        scorer=scorer.name,
        mark=scorer.mark,
        answers=len(opinions),
        members=tuple(_member(key[3], opinions[:, place], arms) for place, key in enumerate(scorer.keys)),
        share=Estimate(value=alike.rate or 0.0, lower=alike.lower, upper=alike.upper),
        kappa=Estimate(value=kappa.value, lower=kappa.lower, upper=kappa.upper) if isinstance(kappa, Figure) else None,
        why_not=kappa.reason if isinstance(kappa, Undefined) else "",
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


JUDGED_ANSWERS, JUDGED_CASES = 20, 10
"""Least answers and cases after which one score for all of them shows that a judge does not tell them apart."""
_Figures: TypeAlias = dict[str, Any]


def blind_judges(grids: Sequence[SampleGrid], counted: Mapping[str, int]) -> dict[str, tuple[BlindJudge, ...]]:
    """By suite, judges that contradict themselves on most pairs, or give all answers one score that is not 0 or 1.

    Args:
        counted: samples per case and arm that count, by suite.
    """
    found: dict[str, tuple[BlindJudge, ...]] = {}
    for grid in (grid for grid in grids if not grid.suite.trial):
        name = grid.suite.name
        blind = {**_contradictions(grid), **_constant_judges(grid, counted[name])}
        alone = blind.keys() >= set(_names(grid.suite))
        if blind:
            found[name] = tuple(BlindJudge(scorer=scorer, alone=alone, **facts) for scorer, facts in blind.items())
    return found


def _contradictions(grid: SampleGrid) -> dict[str, _Figures]:
    return {
        one.scorer: {"answers": one.pairs, "turned": one.turned.value}
        for one in positions(grid)
        if one.turned.lower is not None and one.turned.lower > 0.5
    }


def _constant_judges(grid: SampleGrid, samples: int) -> dict[str, _Figures]:
    found: dict[str, _Figures] = {}
    for name in sorted({spec.name for spec in grid.suite.exam.all_scorers() if spec.judged and not spec.comparative}):
        known, values = grid.scorer(name)
        known = known & grid.within(samples)
        given = values[known]
        if given.size < JUDGED_ANSWERS or known.any(axis=(0, 2)).sum() < JUDGED_CASES:
            continue
        if np.ptp(given) <= SAME_BOUND and SAME_BOUND < given[0] < 1.0 - SAME_BOUND:
            found[name] = {"answers": int(given.size), "value": float(given[0])}
    return found


_TOLERANCE = 1e-9
_ALPHA = 0.025
"""Of each side of an interval of a bias."""


def positions(grid: SampleGrid) -> list[PositionBias]:
    """The bias of each pairwise judge of a suite.

    Pairs of equal answers, which no judge compared, and pairs without a verdict are left out.
    """
    found = []
    arm = ARMS.index(ArmName.CANDIDATE)
    for suite, scorer, kind, name, weight in grid.part_keys():
        if kind == "order" and name == SHOWN_FIRST:
            known, first = grid.part((suite, scorer, kind, name, weight))
            _, second = grid.part((suite, scorer, kind, SHOWN_SECOND, weight))
            cases, _ = np.nonzero(known[arm])
            if cases.size:
                found.append(position(scorer, first[arm][known[arm]], second[arm][known[arm]], cases))
    return found


def position(scorer: str, first: Floats, second: Floats, cases: Ints) -> PositionBias:
    """Measure the bias of one judge.

    Args:
        first, second: float[N], the value of the candidate's answer where it was shown first, and where second.
        cases: int[N], the case of each pair; pairs of one case are one unit.
    """
    pairs = np.bincount(cases)
    known = np.flatnonzero(pairs)

    def of(hits: Floats | Bools) -> Estimate:
        parts = np.bincount(cases, weights=hits)[known]
        found = share(Parts(np.minimum(parts, pairs[known]), pairs[known].astype(np.float64)), alpha=_ALPHA)
        if found.upper - found.lower > _TOLERANCE:
            # From one case nothing can be said: neither bound is finite.
            return estimate(found)
        # The same in every case is no proof that it is the same in all.
        span = wilson(found.value * len(known), len(known), alpha=_ALPHA)
        return Estimate(value=found.value, lower=span.lower, upper=span.upper)

    disagree = np.abs(first - second) > _TOLERANCE
    tied = ~disagree & (np.abs(first - 0.5) <= _TOLERANCE)
    both = first + second
    won, lost = of(both > 1.0 + _TOLERANCE), of(both < 1.0 - _TOLERANCE)
    return PositionBias(
        scorer=scorer,
        pairs=len(first),
        first=of((first + 1.0 - second) / 2.0),
        turned=of(disagree),
        tied=of(tied),
        won=won,
        lost=lost,
    )
