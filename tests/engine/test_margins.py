"""A tolerated fall: of a suite, and of the slices that differ from it."""

import pytest

from gate.cases.case import Case
from gate.config.policy import RunPolicy, SlicePolicy, SuitePolicy
from gate.engine.decide import Assessment, Assessor
from gate.engine.samples import SampleTable
from gate.record.comparison import State, Verdict
from gate.record.sample import ArmName
from tests.support.runs import suite, take

TIERS = [{"tier": "enterprise" if i % 2 else "smb"} for i in range(200)]


def four_of_a_hundred_fall(case: Case, arm: ArmName, index: int) -> float:
    """Each tier loses 0.1 on every fifth case, so that the fall of 0.02 is beyond doubt."""
    return 0.9 if arm is ArmName.CANDIDATE and int(case.id[1:]) // 2 % 5 == 0 else 1.0


def assess(policy: SuitePolicy) -> Assessment:
    one = suite(TIERS, policy=policy)
    return Assessor((one,), RunPolicy(), seed=7).assess(SampleTable.holding(take(one, four_of_a_hundred_fall)))


def states(result: Assessment) -> dict[str, State]:
    return {row.slice: row.state for _, row in result.quality.slices}


def test_without_a_margin_a_sure_fall_blocks_however_small() -> None:
    assert assess(SuitePolicy()).decision.verdict is Verdict.BLOCK


def test_a_sure_fall_within_the_margin_is_no_regression() -> None:
    result = assess(SuitePolicy(margin=0.05))
    assert result.decision.verdict is Verdict.PASS
    rows = [row for _, row in result.quality.slices]
    assert all(row.upper is not None and -0.05 < row.upper < 0 for row in rows)
    assert {row.margin for row in rows} == {0.05}


def test_a_slice_may_have_a_margin_of_its_own() -> None:
    result = assess(SuitePolicy(margin=0.05, slices={"tier=enterprise": SlicePolicy(margin=0.0)}))
    assert states(result) == {
        "overall": State.NOISE,
        "tier=enterprise": State.REGRESSION,
        "tier=smb": State.NOISE,
    }
    assert result.decision.reasons[0].startswith("tier=enterprise fell by 0.020")


def test_the_reason_names_the_margin_that_was_left_behind() -> None:
    result = assess(SuitePolicy(slices={"tier=smb": SlicePolicy(margin=0.001)}))
    assert any("tier=smb" in reason and "below the margin of −0.001" in reason for reason in result.decision.reasons)


def test_the_smallest_detectable_fall_lies_beyond_the_margin() -> None:
    free, tolerant = assess(SuitePolicy()), assess(SuitePolicy(margin=0.05))
    smallest = [result.quality.slices[0][1].mde for result in (free, tolerant)]
    assert smallest[0] is not None
    assert smallest[1] == pytest.approx(smallest[0] + 0.05, abs=0.01)
