"""Early stopping: which cases go on, when the run is over, and what the verdict then rests on."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from gate.domain.case import Case
from gate.domain.sample import ArmName, Sample
from gate.domain.suite import RunPolicy, Suite, SuitePolicy
from gate.domain.verdict import State, Verdict
from gate.engine.assess import Assessment, Assessor
from gate.engine.grid import Grid
from gate.engine.looks import Progress, lacking, looked_at, progress, why_not
from gate.engine.samples import SampleTable
from tests.support.runs import ScoreOf, suite, take

ON = RunPolicy(early_stop=True)
TIERS = [{"tier": "enterprise" if i % 2 else "smb"} for i in range(200)]


def noisy(case: Case, arm: ArmName, index: int) -> float:
    """Right four times of five, by luck."""
    return float(Random(f"{case.id} {arm} {index}").random() < 0.8)


def same(case: Case, arm: ArmName, index: int) -> float:
    return 1.0


def broken(tier: str) -> ScoreOf:
    def score(case: Case, arm: ArmName, index: int) -> float:
        return 0.0 if arm is ArmName.CANDIDATE and case.slices["tier"] == tier else noisy(case, arm, index)

    return score


def at(suites: Sequence[Suite], samples: Sequence[Sample]) -> Progress:
    table = SampleTable.holding(samples)
    return progress(suites, ON, 7, {suite.name: Grid(suite, table) for suite in suites})


def stopped(suites: Sequence[Suite], samples: Sequence[Sample]) -> list[Sample]:
    """The samples that a run with early stopping would have taken."""
    taken = [sample for sample in samples if sample.index == 0]
    while not (ahead := at(suites, taken)).over:
        table = SampleTable.holding(taken)
        if lacking(suites, {suite.name: Grid(suite, table) for suite in suites}):
            return list(samples)
        index = ahead.repeats
        more = [s for s in samples if s.index == index and s.case_id in ahead.wanted.get(s.suite, ())]
        assert more
        taken += more
    return taken


def assess(suites: Sequence[Suite], samples: Sequence[Sample], unfinished: str | None = None) -> Assessment:
    return Assessor(tuple(suites), ON, seed=7).assess(SampleTable.holding(samples), unfinished)


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
    assert found.spared == len(everything) - len(taken)
    assert found.quality.looks == (2, 3)


def test_what_was_taken_beyond_the_need_changes_nothing() -> None:
    one = suite(TIERS, samples=3)
    everything = take(one, broken("smb"))
    whole, short = assess((one,), everything), assess((one,), stopped((one,), everything))
    assert [row for _, row in whole.quality.slices] == [row for _, row in short.quality.slices]


def test_a_broken_slice_is_settled_first_and_the_others_go_on() -> None:
    one = suite(TIERS, samples=3)
    ahead = at((one,), [s for s in take(one, broken("smb")) if s.index == 0])
    enterprise = {case.id for case in one.exam.cases if case.slices["tier"] == "enterprise"}
    assert not ahead.over
    assert ahead.wanted == {"support": frozenset(enterprise)}
    found = assess((one,), stopped((one,), take(one, broken("smb"))))
    assert found.decision.verdict is Verdict.BLOCK
    assert states(found)["tier=smb"] is states(found)["overall"] is State.REGRESSION


def test_a_regression_rests_on_the_samples_of_its_own_look() -> None:
    one = suite(TIERS, samples=3)
    rows = {row.slice: row for _, row in assess((one,), stopped((one,), take(one, broken("smb")))).quality.slices}
    first = [noisy(case, ArmName.BASELINE, 0) for case in one.exam.cases if case.slices["tier"] == "smb"]
    assert rows["tier=smb"].baseline == pytest.approx(sum(first) / len(first))
    assert rows["tier=smb"].upper is not None
    assert rows["tier=smb"].upper < 0.0


def test_a_run_with_a_failed_sample_takes_all_samples() -> None:
    one = suite(TIERS, samples=3)

    def score(case: Case, arm: ArmName, index: int) -> float | None:
        return None if case.id == "c003" and index == 0 and arm is ArmName.BASELINE else noisy(case, arm, index)

    taken = stopped((one,), take(one, score))
    found = assess((one,), taken)
    assert (found.missing.samples, found.missing.total, found.spared) == (1, 1200, 0)
    assert found.missing.cases == ("c003",)
    assert found.decision.verdict is Verdict.PASS


def test_a_run_that_was_broken_off_misses_all_that_was_not_settled() -> None:
    one = suite(TIERS, samples=3)
    begun = [s for s in take(one, noisy) if s.index == 0][:300]
    ahead = at((one,), begun)
    assert not ahead.over
    found = assess((one,), begun, "the budget of 300 calls is used up")
    assert found.decision.verdict is Verdict.INCONCLUSIVE
    assert (found.missing.samples, found.missing.total, found.spared) == (900, 1200, 0)


def test_a_run_between_two_repeats_misses_those_to_come() -> None:
    one = suite(TIERS, samples=3)
    found = assess((one,), [s for s in take(one, broken("smb")) if s.index == 0], "the budget is used up")
    assert found.decision.verdict is Verdict.INCONCLUSIVE
    assert (found.missing.samples, found.missing.total, found.spared) == (400, 800, 400)


def test_a_rise_is_not_given_up() -> None:
    def score(case: Case, arm: ArmName, index: int) -> float:
        rises = arm is ArmName.CANDIDATE and int(case.id[1:]) % 12 == 0
        return 1.0 if rises else 0.0 if int(case.id[1:]) % 12 == 0 else noisy(case, arm, index)

    one = suite(TIERS, samples=3)
    found = assess((one,), stopped((one,), take(one, score)))
    assert states(found)["overall"] is State.IMPROVEMENT


def test_new_and_trial_suites_are_not_looked_at_and_keep_all_samples() -> None:
    one = suite(TIERS, samples=3)
    new = replace(suite(TIERS[:20], name="new", samples=2), baseline=None)
    trial = replace(suite(TIERS[:20], name="trial", samples=2), trial=True)
    small = suite(TIERS[:9], name="small", samples=2)
    suites = (one, new, trial, small)
    assert looked_at(suites) == (one,)
    assert why_not(suites, ON) is None
    rest = [
        *(s for s in take(new, noisy) if s.arm is ArmName.CANDIDATE),
        *take(trial, noisy),
        *take(small, noisy),
    ]
    taken = [*stopped(suites, take(one, noisy)), *rest]
    found = assess(suites, taken)
    assert (found.missing.samples, found.missing.total) == (0, len(taken))
    rows = {row.slice: row for _, row in found.quality.slices}
    assert rows["trial/overall"].n == 20
    assert not rows["trial/overall"].blocking
    assert rows["small/overall"].state is State.TOO_FEW


def test_an_advisory_slice_is_looked_at_alone() -> None:
    one = suite(TIERS, samples=3, policy=SuitePolicy(advisory=("tier=smb",)))
    found = assess((one,), stopped((one,), take(one, broken("smb"))))
    row = next(row for _, row in found.quality.slices if row.slice == "tier=smb")
    assert row.state is State.REGRESSION
    assert not row.blocking
    assert found.quality.tested == 2


@pytest.mark.parametrize(
    ("policy", "samples", "words"),
    [
        (RunPolicy(early_stop=False), (3,), "off"),
        (RunPolicy(method="t", early_stop=True), (3,), "maxt"),
        (RunPolicy(breakage=True, early_stop=True), (3,), "breakage"),
        (ON, (1,), "only once"),
        (ON, (3, 2), "different numbers"),
    ],
)
def test_why_a_run_cannot_stop_early(policy: RunPolicy, samples: tuple[int, ...], words: str) -> None:
    suites = [suite(TIERS, name=f"s{i}", samples=k) for i, k in enumerate(samples)]
    reason = why_not(suites, policy)
    assert reason is not None
    assert words in reason


def test_too_small_to_block_is_nothing_to_look_at() -> None:
    assert why_not([suite(TIERS[:9], samples=3)], ON) == "no suite that is compared can block"


@pytest.mark.parametrize(("k", "gold", "failing"), [(5, 60, 11), (3, 15, 7), (3, 15, 8), (5, 60, 3)])
@pytest.mark.parametrize("draw", [1, 2])
def test_samples_that_are_missing_give_no_verdict_that_they_would_not_give_at_the_end(
    k: int, gold: int, failing: int, draw: int
) -> None:
    def score(case: Case, arm: ArmName, index: int) -> float | None:
        if arm is ArmName.CANDIDATE and case.slices["tier"] == "gold" and int(case.id.removeprefix("c")) < failing:
            return None
        return float(Random(f"{draw} {case.id} {arm} {index}").random() < 0.8)

    one = suite([{"tier": "gold"}] * gold + [{"tier": "free"}] * 60, samples=k)
    everything = take(one, score)
    early = assess((one,), stopped((one,), everything))
    whole = Assessor((one,), replace(ON, early_stop=False), seed=7).assess(SampleTable.holding(everything))
    assert early.decision == whole.decision
    assert (early.missing, early.spared, early.quality.looks) == (whole.missing, 0, None)


def test_a_suite_that_is_ahead_settles_nothing_for_the_others() -> None:
    small = suite([{}] * 12, samples=3)
    large = replace(suite([{}] * 120, samples=3), name="large")
    # Half of it falls, which three repeats show, and two do not.
    ahead = take(small, lambda case, arm, index: float(arm is ArmName.BASELINE or int(case.id[1:]) % 2))
    first = [s for s in take(large, same) if s.index == 0]
    # The large suite has been asked once, and a look at its second repeat is still to come.
    alone = at((small, large), [*(s for s in ahead if s.index == 0), *first]).wanted
    assert at((small, large), [*ahead, *first]).wanted.get("large") == alone["large"]
