"""From samples to a verdict, row by row of the verdict table."""

from collections.abc import Callable

import pytest

from gate.cases.case import Case
from gate.config.policy import RunPolicy, SuitePolicy
from gate.engine.decide import Assessment, Assessor, Decision
from gate.record.comparison import State, Verdict
from gate.record.findings.finding import Finding
from gate.record.findings.unfinished import BudgetReached, PromptDeleted, RunInterrupted
from gate.record.transcript import ArmName, Reply, Sample
from gate.suite import Suite
from tests.support.runs import ScoreOf, reply, suite, table_of, take

TIERS = [{"tier": "enterprise" if i % 2 else "smb"} for i in range(60)]

BUDGET = BudgetReached(limit="max_calls", value=60, setting="budget.max_calls")


def assess(
    one: Suite, samples: list[Sample], policy: RunPolicy | None = None, unfinished: Finding | None = None
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
    assert result.decision.findings[0].text.startswith("tier=enterprise dropped by 1.000")
    states = {row.slice: row.state for _, row in result.quality.slices}
    assert states == {"overall": State.REGRESSION, "tier=enterprise": State.REGRESSION, "tier=smb": State.NOISE}


def test_an_advisory_slice_is_shown_and_does_not_block() -> None:
    one = suite(TIERS[:20] + [{"tier": "smb"}] * 200, policy=SuitePolicy(advisory=("tier=enterprise",)))
    result = assess(one, take(one, falls_in("enterprise")))
    row = next(row for _, row in result.quality.slices if row.slice == "tier=enterprise")
    assert row.advisory
    assert not row.blocking
    assert all("tier=enterprise" not in finding.text for finding in result.decision.findings)


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
    assert [finding.code for finding in result.decision.findings] == ["overall-improved", "axis-not-compared"]


def test_cost_beyond_its_allowance_holds_and_fails_only_when_asked() -> None:
    def dearer(arm: ArmName, position: int) -> Reply:
        return reply(cost=0.001 * (1.5 if arm is ArmName.CANDIDATE else 1.0) * (1 + position % 5))

    one = suite(TIERS)
    samples = take(one, rises, dearer)
    held = assess(one, samples).decision
    assert (held.verdict, held.exit_code) == (Verdict.HOLD, 0)
    assert [finding.code for finding in held.findings] == ["cost-above-limit", "overall-improved"]
    assert held.findings[0].text.startswith("Cost of support rose by 50 %")
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
    assert result.decision.findings[0].code == "scores-all-zero"


@pytest.mark.parametrize("name", ["tier=gold", "tier=few"])
def test_a_required_slice_without_enough_cases_is_inconclusive(name: str) -> None:
    one = suite([*TIERS, {"tier": "few"}], policy=SuitePolicy(required=(name,)))
    decision = assess(one, take(one, same)).decision
    assert (decision.verdict, decision.exit_code) == (Verdict.INCONCLUSIVE, 3)
    assert name in decision.findings[0].text


def test_an_unfinished_run_is_inconclusive() -> None:
    one = suite(TIERS)
    decision = assess(one, take(one, same)[:60], unfinished=BUDGET).decision
    assert decision.verdict is Verdict.INCONCLUSIVE
    assert decision.findings == (BUDGET,)


def test_missing_samples_that_could_change_the_verdict_make_it_inconclusive() -> None:
    def score(case: Case, arm: ArmName, index: int) -> float | None:
        hard = case.slices["tier"] == "enterprise" and case.id != "c001"
        return None if arm is ArmName.CANDIDATE and hard else 1.0

    one = suite(TIERS)
    result = assess(one, take(one, score))
    assert (result.decision.verdict, result.decision.exit_code) == (Verdict.INCONCLUSIVE, 3)
    assert (result.missing.samples, result.missing.total) == (29, 120)
    assert (result.missing.best, result.missing.worst) == (Verdict.PASS, Verdict.BLOCK)
    assert result.missing.reasons == {"503 from the service": 29}


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
    assert result.decision.findings[0].text.startswith("b/tier=smb")


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
    assert "HOLD between" in result.decision.findings[0].text


def test_a_run_that_was_asked_to_end_after_its_last_sample_came_to_its_end() -> None:
    one = suite([{}] * 60)
    assert assess(one, take(one, same), unfinished=RunInterrupted(signal="SIGTERM")).decision.verdict is (
        assess(one, take(one, same)).decision.verdict
    )


GONE = PromptDeleted(prompt="p/x.md", ref="origin/main", cases=1200)


def beside_a_deletion(score: Callable[[Case, ArmName, int], float], unfinished: Finding | None = None) -> Decision:
    """The decision on a change that also removes a prompt."""
    one = suite(TIERS)
    samples = take(one, score)[: 60 if unfinished else None]
    return Assessor((one,), RunPolicy(), 7, (GONE,)).assess(table_of(samples), unfinished).decision


def test_a_prompt_that_is_gone_leaves_the_verdict_open_and_softens_nothing() -> None:
    decision = beside_a_deletion(rises)
    assert (decision.verdict, decision.exit_code, decision.findings[0]) == (Verdict.INCONCLUSIVE, 3, GONE)
    assert beside_a_deletion(falls_in("smb")).verdict is Verdict.BLOCK
    assert beside_a_deletion(same, BUDGET).findings == (BUDGET,)


@pytest.mark.parametrize(
    ("cases", "words"),
    [(None, "tests, is"), (0, "with 0 cases, is"), (1, "with 1 case, is"), (1200, "with 1,200 cases, is")],
)
def test_how_many_cases(cases: int | None, words: str) -> None:
    assert words in PromptDeleted(prompt="x", ref="main", cases=cases).text
