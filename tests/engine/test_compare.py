"""Quality, cost and latency of two arms, and the pass rates of one."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.cases.case import Case
from gate.config.policy import RunPolicy, SlicePolicy, SuitePolicy
from gate.engine import compare
from gate.engine.arrays import SampleGrid
from gate.engine.compare import pass_rates
from gate.engine.decide import Assessment, Assessor
from gate.record.comparison import AxisComparison, PassRate, PassState, State, Verdict
from gate.record.transcript import ArmName, Failed, Reply, Sample, Unpriced, Unscored
from gate.stats.intervals import wilson
from gate.suite import Suite
from tests.support.runs import reply, suite, table_of, take

ScoreOfCase = Callable[[int], float | None]
NINETY = SuitePolicy(min_pass_rate=0.9)


def tiers(count: int) -> list[Mapping[str, str]]:
    """Every second case is gold."""
    return [{"tier": "gold" if number % 2 else "free"} for number in range(count)]


def new(one: Suite) -> Suite:
    return replace(one, baseline=None)


def answered(one: Suite, score_of: ScoreOfCase) -> list[Sample]:
    """The candidate's samples; the score goes by the number of the case."""
    taken = take(one, lambda case, _arm, _index: score_of(int(case.id[1:])))
    return [sample for sample in taken if sample.arm in one.arms]


def rates(one: Suite, score_of: ScoreOfCase, missing: bool | None = None) -> dict[str, PassRate]:
    found = pass_rates([SampleGrid(one, table_of(answered(one, score_of)))], 0.025, missing)
    return {rate.slice: rate for rate in found.suites[one.name]}


def test_a_rate_counts_samples_and_its_interval_counts_cases() -> None:
    one = new(suite([{}] * 40, samples=2, policy=NINETY))
    taken = take(one, lambda case, _arm, index: float(int(case.id[1:]) < 30 or index == 0))
    table = table_of([sample for sample in taken if sample.arm is ArmName.CANDIDATE])
    (overall,) = pass_rates([SampleGrid(one, table)], 0.025).suites["support"]
    known = wilson(35, 40)
    assert (overall.n, overall.units, overall.passed, overall.rate) == (40, 40, 35.0, 0.875)
    assert (overall.lower, overall.upper) == (known.lower, known.upper)


def test_prompts_with_exams_of_their_own_do_not_raise_the_bar_for_the_bases_exam() -> None:
    one = new(suite(tiers(40), policy=NINETY))
    decoy = replace(new(suite([{f"d{j}": "x" for j in range(50)}] * 20, name="decoy", policy=NINETY)), own_exam=True)
    table = table_of(answered(one, lambda number: 1.0) + answered(decoy, lambda number: 1.0))
    found = pass_rates([SampleGrid(suite, table) for suite in (one, decoy)], 0.025)
    assert found.levels["support"] == pytest.approx(0.025 / 3)
    assert found.levels["decoy"] == pytest.approx(0.025 / 51)
    assert found.judged == 54


@pytest.mark.parametrize(
    ("passing", "count", "state"),
    [
        (40, 40, PassState.MET),
        (38, 40, PassState.UNPROVEN),
        (28, 40, PassState.MISSED),
        (9, 9, PassState.TOO_FEW),
        (0, 9, PassState.TOO_FEW),
    ],
)
def test_states(passing: int, count: int, state: PassState) -> None:
    found = rates(new(suite([{}] * count, policy=NINETY)), lambda number: float(number < passing))
    assert found["overall"].state is state


def test_the_level_is_shared_out_among_the_slices_that_can_block() -> None:
    policy = SuitePolicy(min_pass_rate=0.9, advisory=("tier=gold",))
    few = [{"lang": "pt", "tier": "free"}] * 9
    one = new(suite([*tiers(40), *few], policy=policy))
    found = pass_rates([SampleGrid(one, table_of(answered(one, lambda _: 1.0)))], 0.025)
    blocking = {rate.slice for rate in found.suites["support"] if rate.blocking}
    assert blocking == {"overall", "tier=free"}
    assert (found.judged, found.levels["support"]) == (2, 0.0125)


def test_a_slice_has_the_suites_rate_or_its_own() -> None:
    policy = SuitePolicy(min_pass_rate=0.9, slices={"tier=gold": SlicePolicy(min_pass_rate=0.5)})
    found = rates(new(suite(tiers(40), policy=policy)), lambda number: float(not number % 2 or number < 36))
    assert {name: rate.wanted for name, rate in found.items()} == {"overall": 0.9, "tier=free": 0.9, "tier=gold": 0.5}
    assert found["tier=gold"].state is PassState.MET


def test_one_large_cluster_does_not_block() -> None:
    groups = ["large"] * 91 + [f"g{number}" for number in range(9)]
    one = new(suite([{}] * 100, policy=NINETY, clusters=groups))
    assert rates(one, lambda number: float(number > 90))["overall"].state is PassState.TOO_FEW


@given(
    passing=st.lists(st.booleans(), min_size=1, max_size=60),
    wanted=st.floats(0.05, 0.95),
    more=st.integers(0, 59),
)
def test_one_more_pass_never_makes_it_worse(passing: list[bool], wanted: float, more: int) -> None:
    order = [PassState.MISSED, PassState.UNPROVEN, PassState.MET]
    one = new(suite([{}] * len(passing), policy=SuitePolicy(min_pass_rate=wanted)))
    before = rates(one, lambda number: float(passing[number]))["overall"]
    after = rates(one, lambda number: float(passing[number] or number == more))["overall"]
    if before.state is PassState.TOO_FEW:
        assert after.state is PassState.TOO_FEW
    else:
        assert order.index(after.state) >= order.index(before.state)


def test_prompts_that_just_keep_every_rate_are_seldom_blocked() -> None:
    rng = np.random.default_rng(5)
    one = new(suite(tiers(40), policy=NINETY))
    blocked = 0
    for _ in range(60):
        passing = rng.random(40) < 0.9
        found = rates(one, lambda number, passing=passing: float(passing[number]))  # type: ignore[misc]
        blocked += any(rate.state is PassState.MISSED for rate in found.values())
    assert blocked / 60 <= 0.025 + 3 * (0.025 * 0.975 / 60) ** 0.5


def verdict(policy: SuitePolicy, score_of: ScoreOfCase, count: int = 60) -> Assessment:
    one = new(suite(tiers(count), policy=policy))
    return Assessor((one,), RunPolicy(), 7).assess(table_of(answered(one, score_of)))


def test_a_new_prompt_that_is_good_enough_passes_and_never_ships() -> None:
    found = verdict(NINETY, lambda _: 1.0)
    assert (found.decision.verdict, found.decision.exit_code) == (Verdict.PASS, 0)
    (met,) = found.decision.findings
    assert (met.code, met.slice, met.rate, met.wanted) == ("pass-rate-met", "overall", 1.0, 0.9)


def test_a_slice_that_misses_its_rate_blocks() -> None:
    found = verdict(NINETY, lambda number: float(not number % 2))
    assert (found.decision.verdict, found.decision.exit_code) == (Verdict.BLOCK, 1)
    assert found.decision.findings[0].text.startswith("support/tier=gold: 0 %")


def test_a_slice_without_a_shortfall_does_not_hold_unless_the_policy_names_it() -> None:
    assert verdict(NINETY, lambda _: 1.0, 60).decision.verdict is Verdict.PASS
    named = NINETY.model_copy(update={"slices": {"tier=gold": SlicePolicy(min_pass_rate=0.9)}})
    found = verdict(named, lambda _: 1.0, 60).decision
    assert found.verdict is Verdict.HOLD
    (held, *_) = found.findings
    assert (held.code, held.slice) == ("pass-rate-unproven", "tier=gold")


@pytest.mark.parametrize(
    ("policy", "count", "code"),
    [
        (SuitePolicy(), 60, "threshold-unset"),
        (NINETY, 8, "too-few-cases"),
        (
            NINETY.model_copy(update={"slices": {"tier=vip": SlicePolicy(min_pass_rate=0.9)}}),
            60,
            "policy-slice-empty",
        ),
    ],
)
def test_what_nobody_can_judge_holds(policy: SuitePolicy, count: int, code: str) -> None:
    found = verdict(policy, lambda _: 1.0, count).decision
    assert found.verdict is Verdict.HOLD
    assert code in [finding.code for finding in found.findings if finding.severity == "hold"]


@pytest.mark.parametrize(("required", "count"), [("tier=gold", 16), ("tier=vip", 60)])
def test_a_required_slice_without_enough_cases_is_inconclusive(required: str, count: int) -> None:
    found = verdict(NINETY.model_copy(update={"required": (required,)}), lambda _: 1.0, count).decision
    assert (found.verdict, found.exit_code) == (Verdict.INCONCLUSIVE, 3)


def test_missing_samples_that_could_change_the_verdict_make_it_inconclusive() -> None:
    found = verdict(NINETY, lambda number: None if number < 6 else 1.0)
    assert found.decision.verdict is Verdict.INCONCLUSIVE
    assert (found.missing.best, found.missing.worst) == (Verdict.PASS, Verdict.HOLD)


OLD = suite([{}] * 40, name="old")
ADDED = new(suite(tiers(60), policy=NINETY))


def compared(rise: float) -> list[Sample]:
    """A comparison in which every third case rises."""
    return take(OLD, lambda case, arm, _index: 0.5 + rise * (arm is ArmName.CANDIDATE and int(case.id[1:]) % 3 == 0))


def test_a_new_prompt_blocks_beside_a_comparison_that_shows_nothing() -> None:
    samples = compared(0.0) + answered(ADDED, lambda _: 0.0)
    found = Assessor((OLD, ADDED), RunPolicy(), 7).assess(table_of(samples))
    assert found.decision.verdict is Verdict.BLOCK
    assert found.quality.tested == 1


def test_a_new_prompt_leaves_the_comparison_alone() -> None:
    alone = Assessor((OLD,), RunPolicy(), 7).assess(table_of(compared(0.4)))
    samples = compared(0.4) + answered(ADDED, lambda _: 1.0)
    beside = Assessor((OLD, ADDED), RunPolicy(), 7).assess(table_of(samples))
    assert [row for _, row in beside.quality.slices] == [row for _, row in alone.quality.slices]
    assert (beside.quality.tested, beside.axes) == (1, alone.axes)
    assert alone.decision.verdict is beside.decision.verdict is Verdict.SHIP
    assert beside.decision.findings[-1].code == "pass-rate-met"


def slower(arm: ArmName, position: int) -> Reply:
    return reply(latency_s=0.5 + 0.01 * position + (0.2 if arm is ArmName.CANDIDATE else 0.0))


def measured(cases: int, *, failed: int = 0, clusters: list[str | None] | None = None) -> AxisComparison:
    one = suite([{}] * cases, samples=2, clusters=clusters)
    samples: list[Sample] = take(one, lambda case, arm, index: 1.0, slower)
    gone = {case.id for case in one.exam.cases[:failed]}
    kept = [s if s.case_id not in gone or s.arm is ArmName.BASELINE else _lost(s) for s in samples]
    return compare.latency(SampleGrid(one, table_of(kept)), 0.025)


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
    grid = SampleGrid(one, table_of(taken))
    for found in (compare.latency(grid, 0.025), compare.cost(grid, 0.025)):
        assert not found.compared and found.applicable
        assert (
            found.reason == "only the first call of each version has a counterpart, and it warms the provider's cache"
        )
    local = [replace(sample, reply=replace(reply(), cost=Unpriced("n/a"))) for sample in taken]
    found = compare.cost(SampleGrid(one, table_of(local)), 0.025)
    assert (found.applicable, found.reason) == (False, "local models and recorded answers have no price")


def test_few_cases_and_few_clusters_have_no_bounds() -> None:
    for found in (measured(3), measured(40, clusters=[str(i % 3) for i in range(40)])):
        assert found.p95_change is not None
        assert (found.p95_change.lower, found.p95_change.upper) == (None, None)


TIERS = [{"tier": "enterprise" if i % 2 else "smb"} for i in range(200)]


def four_of_a_hundred_fall(case: Case, arm: ArmName, index: int) -> float:
    """Each tier loses 0.1 on every fifth case, so that the fall of 0.02 is beyond doubt."""
    return 0.9 if arm is ArmName.CANDIDATE and int(case.id[1:]) // 2 % 5 == 0 else 1.0


def assess(policy: SuitePolicy) -> Assessment:
    one = suite(TIERS, policy=policy)
    return Assessor((one,), RunPolicy(), seed=7).assess(table_of(take(one, four_of_a_hundred_fall)))


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
    assert result.decision.findings[0].text.startswith("tier=enterprise dropped by 0.020")


def test_the_reason_names_the_margin_that_was_left_behind() -> None:
    result = assess(SuitePolicy(slices={"tier=smb": SlicePolicy(margin=0.001)}))
    assert any("tier=smb" in one.text and "below the margin of −0.001" in one.text for one in result.decision.findings)


def test_the_smallest_detectable_fall_lies_beyond_the_margin() -> None:
    free, tolerant = assess(SuitePolicy()), assess(SuitePolicy(margin=0.05))
    smallest = [result.quality.slices[0][1].mde for result in (free, tolerant)]
    assert smallest[0] is not None
    assert smallest[1] == pytest.approx(smallest[0] + 0.05, abs=0.01)
