"""Early stopping: when the run is over, and what the verdict then rests on."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from gate.cases.case import Case
from gate.config.policy import RunPolicy, SuitePolicy
from gate.engine.arrays import SampleGrid
from gate.engine.decide import Assessment, Assessor
from gate.engine.schedule import Looks, lacking, look, looks_planned, why_not
from gate.record.comparison import State, Verdict
from gate.record.findings.finding import Finding
from gate.record.findings.unfinished import BudgetReached
from gate.record.transcript import ArmName, Sample
from gate.suite import Suite
from tests.support.runs import ScoreOf, suite, table_of, take

ON = RunPolicy(early_stop=True)
TIERS = [{"tier": "enterprise" if i % 2 else "smb"} for i in range(96)]


def noisy(case: Case, arm: ArmName, index: int) -> float:
    """Right four times of five, by luck."""
    return float(Random(f"{case.id} {arm} {index}").random() < 0.8)


def same(case: Case, arm: ArmName, index: int) -> float:
    return 1.0


def falling(case: Case, arm: ArmName, index: int) -> float:
    """The candidate falls, which one repeat shows at the whole level only."""
    lost = arm is ArmName.CANDIDATE and int(case.id[1:]) % 12 == 0
    return 0.0 if lost else 1.0


def broken(tier: str) -> ScoreOf:
    def score(case: Case, arm: ArmName, index: int) -> float:
        return 0.0 if arm is ArmName.CANDIDATE and case.slices["tier"] == tier else noisy(case, arm, index)

    return score


def at(suites: Sequence[Suite], samples: Sequence[Sample], policy: RunPolicy = ON) -> Looks:
    table = table_of(samples)
    return look(suites, policy, 7, {suite.name: SampleGrid(suite, table) for suite in suites})


def stopped(suites: Sequence[Suite], samples: Sequence[Sample]) -> list[Sample]:
    """The samples that a run with early stopping would have taken."""
    new = {suite.name for suite in suites if suite.baseline is None}
    for repeats in range(1, looks_planned(suites)):
        taken = [sample for sample in samples if sample.index < repeats or sample.suite in new]
        table = table_of(taken)
        if lacking(suites, {suite.name: SampleGrid(suite, table) for suite in suites}):
            break
        if at(suites, taken).samples is not None:
            return taken
    return list(samples)


def assess(suites: Sequence[Suite], samples: Sequence[Sample], unfinished: Finding | None = None) -> Assessment:
    return Assessor(tuple(suites), ON, seed=7).assess(table_of(samples), unfinished)


def states(found: Assessment) -> dict[str, State]:
    return {row.slice: row.state for _, row in found.quality.slices}


def test_an_unchanged_prompt_stops_early_and_passes() -> None:
    one = suite(TIERS, samples=3)
    everything = take(one, same)
    taken = stopped((one,), everything)
    assert len(taken) == 2 * len(everything) // 3
    found = assess((one,), taken)
    assert found.decision.verdict is Verdict.PASS
    assert (found.missing.samples, found.missing.total) == (0, len(taken))
    assert (found.looked, found.samples) == (True, 2)


def test_what_was_taken_beyond_the_need_changes_nothing() -> None:
    one = suite(TIERS, samples=3)
    everything = take(one, broken("smb"))
    whole, short = assess((one,), everything), assess((one,), stopped((one,), everything))
    assert whole.samples == short.samples == 1
    assert [row for _, row in whole.quality.slices] == [row for _, row in short.quality.slices]


def test_a_broken_slice_ends_the_run_for_all_slices() -> None:
    one = suite(TIERS, samples=3)
    taken = stopped((one,), take(one, broken("smb")))
    found = assess((one,), taken)
    assert len(taken) == 2 * 96
    assert found.decision.verdict is Verdict.BLOCK
    assert states(found)["tier=smb"] is states(found)["overall"] is State.REGRESSION


def test_a_run_with_a_failed_sample_takes_all_samples() -> None:
    one = suite(TIERS, samples=3)

    def score(case: Case, arm: ArmName, index: int) -> float | None:
        return None if case.id == "c003" and index == 0 and arm is ArmName.BASELINE else noisy(case, arm, index)

    taken = stopped((one,), take(one, score))
    found = assess((one,), taken)
    assert (found.missing.samples, found.missing.total, found.samples) == (1, 6 * 96, None)
    assert found.missing.cases == ("c003",)
    assert found.decision.verdict is Verdict.PASS


def test_a_run_that_was_broken_off_misses_all_that_was_planned() -> None:
    taken = 150
    one = suite(TIERS, samples=3)
    begun = [s for s in take(one, falling) if s.index == 0][:taken]
    found = assess((one,), begun, BudgetReached(limit="max_calls", value=taken, setting="budget.max_calls"))
    assert found.decision.verdict is Verdict.INCONCLUSIVE
    assert (found.missing.samples, found.missing.total, found.samples) == (6 * 96 - taken, 6 * 96, None)
    # The figures are those of all that there is, at the whole level.
    assert states(found)["overall"] is State.REGRESSION


def test_a_rise_is_not_given_up() -> None:
    def score(case: Case, arm: ArmName, index: int) -> float:
        rises = arm is ArmName.CANDIDATE and int(case.id[1:]) % 6 == 0
        return 1.0 if rises else 0.0 if int(case.id[1:]) % 6 == 0 else noisy(case, arm, index)

    one = suite(TIERS, samples=3)
    found = assess((one,), stopped((one,), take(one, score)))
    assert states(found)["overall"] is State.IMPROVEMENT


def test_all_suites_that_are_compared_end_together_and_new_ones_keep_all_samples() -> None:
    one = suite(TIERS, samples=3)
    new = replace(suite(TIERS[:20], name="new", samples=2), baseline=None)
    trial = replace(suite(TIERS[:20], name="trial", samples=2), trial=True)
    small = suite(TIERS[:9], name="small", samples=3)
    suites = (one, new, trial, small)
    assert why_not(suites, ON) is None
    everything = [
        *take(one, broken("smb")),
        *(s for s in take(new, noisy) if s.arm is ArmName.CANDIDATE),
        *take(trial, noisy),
        *take(small, noisy),
    ]
    taken = stopped(suites, everything)
    assert len(taken) == 2 * 96 + 2 * 20 + 2 * 20 + 2 * 9
    found = assess(suites, taken)
    assert (found.missing.samples, found.missing.total, found.samples) == (0, len(taken), 1)
    rows = {row.slice: row for _, row in found.quality.slices}
    assert rows["trial/overall"].n == 20
    assert not rows["trial/overall"].blocking
    assert rows["small/overall"].state is State.TOO_FEW


def test_an_advisory_slice_ends_nothing_and_is_tested_alone() -> None:
    one = suite(TIERS, samples=3, policy=SuitePolicy(advisory=("tier=smb", "overall")))
    found = assess((one,), stopped((one,), take(one, broken("smb"))))
    row = next(row for _, row in found.quality.slices if row.slice == "tier=smb")
    assert row.state is State.REGRESSION
    assert not row.blocking
    assert found.quality.tested == 1
    assert found.decision.verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("policy", "samples", "words"),
    [
        (RunPolicy(early_stop=False), (3,), "off"),
        (RunPolicy(method="percentile", early_stop=True), (3,), "maxt"),
        (RunPolicy(breakage=True, early_stop=True), (3,), "breakage"),
        (ON, (1,), "only one sample"),
        (ON, (3, 2), "different numbers"),
    ],
)
def test_why_a_run_cannot_stop_early(policy: RunPolicy, samples: tuple[int, ...], words: str) -> None:
    suites = [suite(TIERS, name=f"s{i}", samples=k) for i, k in enumerate(samples)]
    reason = why_not(suites, policy)
    assert reason is not None
    assert words in reason


def test_samples_that_are_missing_give_no_verdict_that_they_would_not_give_at_the_end() -> None:
    k, gold, failing = 3, 15, 7

    def score(case: Case, arm: ArmName, index: int) -> float | None:
        if arm is ArmName.CANDIDATE and case.slices["tier"] == "gold" and int(case.id.removeprefix("c")) < failing:
            return None
        return float(Random(f"1 {case.id} {arm} {index}").random() < 0.8)

    one = suite([{"tier": "gold"}] * gold + [{"tier": "free"}] * 60, samples=k)
    everything = take(one, score)
    early = assess((one,), stopped((one,), everything))
    whole = Assessor((one,), ON.model_copy(update={"early_stop": False}), seed=7).assess(table_of(everything))
    assert early.decision.verdict == whole.decision.verdict
    assert (early.missing, early.samples) == (whole.missing, None)
