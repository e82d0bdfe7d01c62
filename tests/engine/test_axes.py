"""p50 and p95 of latency: shown with their intervals, over the calls of the cases that both arms answered."""

from dataclasses import replace

import pytest

from gate.engine import compare
from gate.engine.arrays import Grid
from gate.engine.samples import SampleTable
from gate.record.comparison import AxisComparison
from gate.record.sample import ArmName, Reply, Sample
from gate.record.transcript import Failed, Unscored
from gate.record.usage import Unpriced
from tests.support.runs import reply, suite, take


def slower(arm: ArmName, position: int) -> Reply:
    return reply(latency_s=0.5 + 0.01 * position + (0.2 if arm is ArmName.CANDIDATE else 0.0))


def measured(cases: int, *, failed: int = 0, clusters: list[str | None] | None = None) -> AxisComparison:
    one = suite([{}] * cases, samples=2, clusters=clusters)
    samples: list[Sample] = take(one, lambda case, arm, index: 1.0, slower)
    gone = {case.id for case in one.exam.cases[:failed]}
    kept = [s if s.case_id not in gone or s.arm is ArmName.BASELINE else _lost(s) for s in samples]
    return compare.latency(Grid(one, SampleTable.holding(kept)), 0.025)


def _lost(sample: Sample) -> Sample:
    return Sample(sample.suite, sample.case_id, sample.arm, sample.index, Failed("down", 1), (), Unscored("down"))


def test_every_call_is_200_ms_slower() -> None:
    found = measured(40)
    for change in (found.p50_change, found.p95_change):
        assert change is not None
        assert (change.value, change.lower, change.upper) == pytest.approx((0.2, 0.2, 0.2))
    assert (found.baseline.calls, found.candidate.calls) == (80, 80)


def test_cases_that_only_one_arm_answered_are_left_out() -> None:
    found = measured(40, failed=20)
    assert found.p50_change is not None
    assert found.p50_change.value == pytest.approx(0.2)
    assert (found.baseline.calls, found.candidate.calls) == (80, 40)


def test_an_arm_s_first_call_alone_is_not_compared_and_says_so() -> None:
    one = suite([{}], samples=1)
    taken = [replace(sample, warmup=True) for sample in take(one, lambda case, arm, index: 1.0, slower)]
    grid = Grid(one, SampleTable.holding(taken))
    for found in (compare.latency(grid, 0.025), compare.cost(grid, 0.025)):
        assert not found.compared and found.applicable
        assert (
            found.reason == "only the first call of each version has a counterpart, and it warms the provider's cache"
        )
    local = [replace(sample, reply=replace(reply(), cost=Unpriced("n/a"))) for sample in taken]
    found = compare.cost(Grid(one, SampleTable.holding(local)), 0.025)
    assert (found.applicable, found.reason) == (False, "local models and recorded answers have no price")


def test_few_cases_and_few_clusters_have_no_bounds() -> None:
    for found in (measured(3), measured(40, clusters=[str(i % 3) for i in range(40)])):
        assert found.p95_change is not None
        assert (found.p95_change.lower, found.p95_change.upper) == (None, None)
