"""From samples to a verdict, row by row of the verdict table."""

import pytest

from gate.cases.case import Case
from gate.config.policy import RunPolicy, SuitePolicy
from gate.engine.compare import Quality
from gate.engine.decide import Assessment, Assessor, NewPromptReasons, VerdictFacts, decide
from gate.record.comparison import State, Verdict
from gate.record.parts import Deletion
from gate.record.transcript import ArmName, Reply, Sample
from gate.suite import Suite
from tests.support.runs import ScoreOf, reply, suite, table_of, take

TIERS = [{"tier": "enterprise" if i % 2 else "smb"} for i in range(60)]


def assess(
    one: Suite, samples: list[Sample], policy: RunPolicy | None = None, unfinished: str | None = None
) -> Assessment:
    return Assessor((one,), policy or RunPolicy(), seed=7).assess(table_of(samples), unfinished)


def falls_in(tier: str) -> ScoreOf:
    return lambda case, arm, index: 0.0 if arm is ArmName.CANDIDATE and case.slices["tier"] == tier else 1.0


def rises(case: Case, arm: ArmName, index: int) -> float:
    return 1.0 if arm is ArmName.CANDIDATE or int(case.id[1:]) % 3 else 0.0


def same(case: Case, arm: ArmName, index: int) -> float:
    return 1.0


def test_a_slice_that_broke_blocks_and_is_named_first() -> None:
    one = suite(TIERS)
    result = assess(one, take(one, falls_in("enterprise")))
    assert (result.decision.verdict, result.decision.exit_code) == (Verdict.BLOCK, 1)
    assert result.decision.reasons[0].startswith("tier=enterprise dropped by 1.000")
    states = {row.slice: row.state for _, row in result.quality.slices}
    assert states == {"overall": State.REGRESSION, "tier=enterprise": State.REGRESSION, "tier=smb": State.NOISE}


def test_an_advisory_slice_is_shown_and_does_not_block() -> None:
    one = suite(TIERS[:20] + [{"tier": "smb"}] * 200, policy=SuitePolicy(advisory=("tier=enterprise",)))
    result = assess(one, take(one, falls_in("enterprise")))
    row = next(row for _, row in result.quality.slices if row.slice == "tier=enterprise")
    assert row.advisory
    assert not row.blocking
    assert all("tier=enterprise" not in reason for reason in result.decision.reasons)


def test_nothing_moved_is_pass() -> None:
    one = suite(TIERS)
    result = assess(one, take(one, same))
    assert (result.decision.verdict, result.decision.exit_code) == (Verdict.PASS, 0)
    assert all(row.state is State.NOISE and row.upper is None for _, row in result.quality.slices)


def test_an_improvement_ships() -> None:
    one = suite(TIERS)
    assert assess(one, take(one, rises)).decision.verdict is Verdict.SHIP


def test_an_improvement_without_times_is_no_ship() -> None:
    one = suite(TIERS)
    result = assess(one, take(one, rises, lambda arm, position: reply(latency_s=None)))
    assert result.decision.verdict is Verdict.PASS
    assert any("latency could not be compared" in reason for reason in result.decision.reasons)


def test_cost_beyond_its_allowance_holds_and_fails_only_when_asked() -> None:
    def dearer(arm: ArmName, position: int) -> Reply:
        return reply(cost=0.001 * (1.5 if arm is ArmName.CANDIDATE else 1.0) * (1 + position % 5))

    one = suite(TIERS)
    samples = take(one, rises, dearer)
    held = assess(one, samples).decision
    assert (held.verdict, held.exit_code) == (Verdict.HOLD, 0)
    assert held.reasons == ("cost rose by 50 %, more than the limit of 10 %.",)
    assert assess(one, samples, RunPolicy(fail_on="hold")).decision.exit_code == 1


def test_three_cases_are_too_few_whatever_they_say() -> None:
    one = suite(TIERS[:3])
    result = assess(one, take(one, lambda case, arm, index: 0.0 if arm is ArmName.CANDIDATE else 1.0))
    assert result.decision.verdict is Verdict.HOLD
    assert all(row.state is State.TOO_FEW and not row.blocking for _, row in result.quality.slices)


def test_scorers_that_never_pass_anything_hold() -> None:
    one = suite(TIERS)
    result = assess(one, take(one, lambda case, arm, index: 0.0))
    assert result.decision.verdict is Verdict.HOLD
    assert "scored 0" in result.decision.reasons[0]


@pytest.mark.parametrize("name", ["tier=gold", "tier=few"])
def test_a_required_slice_without_enough_cases_is_inconclusive(name: str) -> None:
    one = suite([*TIERS, {"tier": "few"}], policy=SuitePolicy(required=(name,)))
    decision = assess(one, take(one, same)).decision
    assert (decision.verdict, decision.exit_code) == (Verdict.INCONCLUSIVE, 3)
    assert name in decision.reasons[0]


def test_an_unfinished_run_is_inconclusive() -> None:
    one = suite(TIERS)
    decision = assess(one, take(one, same)[:60], unfinished="the budget of 60 calls is used up").decision
    assert decision.verdict is Verdict.INCONCLUSIVE
    assert "budget" in decision.reasons[0]


def test_missing_samples_that_could_change_the_verdict_make_it_inconclusive() -> None:
    def score(case: Case, arm: ArmName, index: int) -> float | None:
        hard = case.slices["tier"] == "enterprise" and case.id != "c001"
        return None if arm is ArmName.CANDIDATE and hard else 1.0

    one = suite(TIERS)
    result = assess(one, take(one, score))
    assert (result.decision.verdict, result.decision.exit_code) == (Verdict.INCONCLUSIVE, 3)
    assert (result.missing.samples, result.missing.total) == (29, 120)
    assert (result.missing.best, result.missing.worst) == (Verdict.PASS, Verdict.BLOCK)
    assert result.missing.reasons == ("29 × 503 from the service",)


def test_missing_samples_that_cannot_change_a_block_leave_it() -> None:
    def score(case: Case, arm: ArmName, index: int) -> float | None:
        if case.id == "c000" and arm is ArmName.CANDIDATE:
            return None
        return 0.0 if arm is ArmName.CANDIDATE else 1.0

    one = suite(TIERS)
    result = assess(one, take(one, score))
    assert result.decision.verdict is Verdict.BLOCK
    assert result.missing.samples == 1


def test_suites_are_tested_together_and_slices_carry_the_suite() -> None:
    first, second = suite(TIERS, name="a"), suite(TIERS, name="b")
    samples = take(first, same) + take(second, falls_in("smb"))
    result = Assessor((first, second), RunPolicy(), seed=7).assess(table_of(samples))
    assert result.quality.tested == 6
    assert result.decision.verdict is Verdict.BLOCK
    assert result.decision.reasons[0].startswith("b/tier=smb")


def test_clusters_are_the_units() -> None:
    one = suite(TIERS, clusters=[f"source {i // 12}" for i in range(60)])
    result = assess(one, take(one, falls_in("smb")))
    assert {row.units for _, row in result.quality.slices} == {5}
    assert result.decision.verdict is Verdict.HOLD


def test_the_familiar_rule_is_an_option_and_marks_what_it_would_have_failed() -> None:
    def score(case: Case, arm: ArmName, index: int) -> float:
        return 0.0 if arm is ArmName.CANDIDATE and int(case.id[1:]) < 4 else 1.0

    one = suite(TIERS)
    ours = assess(one, take(one, score))
    assert ours.decision.verdict is not Verdict.BLOCK
    assert [row.familiar_fail for _, row in ours.quality.slices][0]
    theirs = assess(one, take(one, score), RunPolicy(method="percentile"))
    assert theirs.decision.verdict is Verdict.BLOCK


def test_a_richer_arm_is_thinned() -> None:
    one = suite(TIERS, samples=3)
    samples = take(one, same)
    kept = [s for s in samples if not (s.arm is ArmName.BASELINE and s.index > 0)]
    result = assess(one, kept)
    overall = result.quality.slices[0][1]
    assert (overall.mean, overall.n) == (0.0, 60)
    assert result.decision.verdict is Verdict.INCONCLUSIVE


def test_a_verdict_that_holds_at_both_ends_may_fail_in_between() -> None:
    """A lost sample at its worst widens the spread, so that a moderate one would show the fall sooner."""
    known = [0.1, 0.0, -0.1, 0.0, 0.0, -0.1, 0.0, 0.0, 0.0, -0.3, -0.1, 0.1, 0.2, -0.1, -0.1]
    one = suite([{}] * (len(known) + 1))

    def score(case: Case, arm: ArmName, index: int) -> float | None:
        position = int(case.id[1:])
        return None if position == 0 else 0.5 + (known[position - 1] if arm is ArmName.CANDIDATE else 0.0)

    result = assess(one, take(one, score))
    assert result.missing.best is result.missing.worst is Verdict.PASS
    assert result.decision.verdict is Verdict.INCONCLUSIVE
    assert "HOLD between" in result.decision.reasons[0]


def test_a_run_that_was_asked_to_end_after_its_last_sample_came_to_its_end() -> None:
    one = suite([{}] * 60)
    assert assess(one, take(one, same), unfinished="the process was stopped (SIGTERM)").decision.verdict is (
        assess(one, take(one, same)).decision.verdict
    )


GONE = Deletion("p/x.md", "origin/main", 1200)
SAID = "p/x.md, which origin/main tests with 1,200 cases, is gone, and gate.yaml names no successor."
NOTHING = Quality((), 0, None)


def facts(new: NewPromptReasons = NewPromptReasons(), unfinished: str | None = None) -> VerdictFacts:  # noqa: B008
    return VerdictFacts((), NOTHING, {}, unfinished, new, (GONE,))


def test_a_prompt_that_is_gone_leaves_the_verdict_open() -> None:
    for new in (NewPromptReasons(), NewPromptReasons(met=("good enough.",)), NewPromptReasons(holds=("few.",))):
        decision = decide(facts(new), RunPolicy())
        assert (decision.verdict, decision.exit_code, decision.reasons) == (Verdict.INCONCLUSIVE, 3, (SAID,))


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (facts(NewPromptReasons(blocks=("bad.",))), Verdict.BLOCK),
        (facts(NewPromptReasons(gaps=("few.",))), Verdict.INCONCLUSIVE),
        (facts(unfinished="no money"), Verdict.INCONCLUSIVE),
    ],
)
def test_it_softens_nothing(found: VerdictFacts, verdict: Verdict) -> None:
    assert decide(found, RunPolicy()).verdict is verdict


@pytest.mark.parametrize(
    ("cases", "said"),
    [(None, "tests, is"), (0, "with 0 cases, is"), (1, "with 1 case, is"), (2, "with 2 cases, is")],
)
def test_how_many_cases(cases: int | None, said: str) -> None:
    assert said in str(Deletion("x", "main", cases))
