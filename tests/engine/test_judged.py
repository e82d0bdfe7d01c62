"""Dimensions of rubrics and agreement of juries, from samples with parts."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from gate.config.scorer import ScorerSpec
from gate.engine.arrays import Grid
from gate.engine.samples import SampleTable
from gate.engine.scorer_changes import Intervals, jury_results, rubric_results
from gate.record.sample import ArmName, Part, Sample, Score
from gate.record.transcript import Unscored
from gate.stats.maxt import single_slice
from gate.suite import Suite
from tests.support.runs import reply, suite

INTERVALS = Intervals(0.025, 1)
RUBRIC = ScorerSpec(
    "rubric",
    "voice",
    {"dimensions": [{"name": name, "description": "d", "weight": 0.5} for name in ("brevity", "tone")]},
)
JURY = ScorerSpec("judge", "jury", {"models": ["fake:a", "fake:b"], "combine": "mean", "threshold": 0.6})


def scored_by(spec: ScorerSpec, cases: int, samples: int = 1) -> Suite:
    one = suite([{}] * cases, samples=samples)
    return replace(one, exam=replace(one.exam, scorers=(spec,)))


def dimensions(brevity: float, tone: float) -> tuple[Part, ...]:
    return Part("dimension", "brevity", brevity, 0.5), Part("dimension", "tone", tone, 0.5)


def opinions(first: float, second: float) -> tuple[Part, ...]:
    return Part("judge", "fake:a", first), Part("judge", "fake:b", second)


def sample(one: Suite, case: int, arm: ArmName, index: int, parts: Sequence[Part] | None) -> Sample:
    spec = one.exam.scorers[0]
    value = Unscored("no") if parts is None else 0.5
    score = Score(spec.name, value, "r", parts=tuple(parts or ()))
    return Sample(one.name, one.exam.cases[case].id, arm, index, reply(), (score,), value)


def test_each_dimension_has_its_means_and_an_interval_that_holds_for_all() -> None:
    one = scored_by(RUBRIC, 40)
    rng = np.random.default_rng(3)
    falls = rng.choice([0.0, 0.25, 0.5], 40)
    table = SampleTable()
    for case in range(40):
        table.add(sample(one, case, ArmName.BASELINE, 0, dimensions(0.75, 0.5)))
        table.add(sample(one, case, ArmName.CANDIDATE, 0, dimensions(0.75 - falls[case], 0.5 + (case % 2) * 0.25)))
    (found,) = rubric_results(one, Grid(one, table), INTERVALS)
    assert (found.scorer, found.low, found.high, found.threshold) == ("voice", 1.0, 5.0, 3.5)
    brevity, tone = found.dimensions
    assert (brevity.n, brevity.weight, brevity.baseline) == (40, 0.5, 0.75)
    assert brevity.candidate == pytest.approx(0.75 - falls.mean())
    assert brevity.mean == pytest.approx(-falls.mean())
    assert brevity.lower is not None and brevity.upper is not None and tone.lower is not None
    assert brevity.lower < brevity.mean < brevity.upper < 0 < tone.lower
    # One that holds for both together is wider than one for each alone.
    alone = single_slice(-falls, alpha=0.025, seed=1)
    assert brevity.upper - brevity.lower > alone.upper - alone.lower


def test_dimensions_that_move_together_cost_no_width() -> None:
    one = scored_by(RUBRIC, 40)
    falls = np.random.default_rng(3).choice([0.0, 0.25, 0.5], 40)
    table = SampleTable()
    for case in range(40):
        table.add(sample(one, case, ArmName.BASELINE, 0, dimensions(0.75, 0.75)))
        table.add(sample(one, case, ArmName.CANDIDATE, 0, dimensions(0.75 - falls[case], 0.75 - falls[case])))
    (found,) = rubric_results(one, Grid(one, table), INTERVALS)
    alone = single_slice(-falls, alpha=0.025, seed=1)
    for row in found.dimensions:
        # A case flips in both at once.
        assert (row.lower, row.upper) == pytest.approx((alone.lower, alone.upper))


def test_a_prompt_that_stands_alone_has_means_and_no_interval() -> None:
    one = replace(scored_by(RUBRIC, 3), baseline=None)
    table = SampleTable.holding([sample(one, case, ArmName.CANDIDATE, 0, dimensions(1.0, 0.25)) for case in range(3)])
    (found,) = rubric_results(one, Grid(one, table), INTERVALS)
    assert [(row.baseline, row.candidate, row.mean, row.lower, row.upper) for row in found.dimensions] == [
        (None, 1.0, None, None, None),
        (None, 0.25, None, None, None),
    ]


def jury(rows: Sequence[tuple[float, float]]) -> SampleTable:
    one = scored_by(JURY, len(rows))
    return SampleTable.holding(
        [sample(one, case, arm, 0, opinions(*row)) for case, row in enumerate(rows) for arm in ArmName]
    )


def test_judges_that_agree() -> None:
    table = jury([(value, value) for value in np.linspace(0, 1, 20)])
    (found,) = jury_results(scored_by(JURY, 20), Grid(scored_by(JURY, 20), table), INTERVALS)
    assert (found.scorer, found.mark, found.answers, found.contested, found.why_not) == ("jury", 0.6, 40, (), "")
    assert found.alpha is not None and found.marks is not None
    assert found.alpha.value == found.marks.value == 1.0
    assert [member.model for member in found.members] == ["fake:a", "fake:b"]
    assert found.members[0].candidate == pytest.approx(0.5)


def test_judges_that_do_not_agree_are_shown_with_their_answers() -> None:
    table = jury([(0.9, 0.1), (0.2, 0.9), *[(0.5, 0.5)] * 18])
    (found,) = jury_results(scored_by(JURY, 20), Grid(scored_by(JURY, 20), table), INTERVALS)
    assert [(one.arm, one.index, one.opinions) for one in found.contested] == [
        ("baseline", 0, (0.9, 0.1)),
        ("candidate", 0, (0.9, 0.1)),
        ("baseline", 0, (0.2, 0.9)),
        ("candidate", 0, (0.2, 0.9)),
    ]
    assert found.alpha is not None and found.alpha.value < 0
    assert found.marks is not None and found.marks.lower is not None and found.marks.value > 0.7


def test_judges_agree_on_pass_and_fail_by_their_own_threshold() -> None:
    """Between 0.5 and 0.6 both judges fail an answer; the second passes half of them."""
    table = jury([*[(0.55, 0.65)] * 10, *[(0.55, 0.55)] * 10])
    (found,) = jury_results(scored_by(JURY, 20), Grid(scored_by(JURY, 20), table), INTERVALS)
    assert found.marks is not None
    # Gwet's AC1: they agree on a half; a pass has the share 1/4, so chance alone would agree on 2 * 1/4 * 3/4.
    assert found.marks.value == pytest.approx((0.5 - 0.375) / (1 - 0.375))
