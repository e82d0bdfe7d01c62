"""When a case passes, when it fails, and when nobody can say."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gate.cases.case import Case, Round
from gate.config.policy import RunPolicy, SlicePolicy, SuitePolicy
from gate.config.scorer import ScorerSpec
from gate.engine.check import Checked, case_result, conclude_check, excused
from gate.engine.decide import Decision
from gate.record.comparison import Verdict
from gate.record.findings.finding import Finding
from gate.record.findings.unfinished import BudgetReached, RunInterrupted
from gate.record.parts import CaseResult, CaseState, PartMean
from gate.record.transcript import ArmName, Failed, Part, Sample, Score, Unscored
from gate.suite import Suite
from tests.support import runs

JUDGED = (ScorerSpec("contains", "contains"), ScorerSpec("judge", "judge", {"threshold": 0.7, "model": "fake:m"}))
PASSED, FAILED, UNSCORED = CaseState.PASSED, CaseState.FAILED, CaseState.UNSCORED


def suite(samples: int = 3, threshold: float | None = None, case: Case | None = None) -> Suite:
    one = runs.suite([{}], samples=samples)
    exam = replace(one.exam, scorers=JUDGED, threshold=threshold, cases=(case or Case("c"),))
    return replace(one, baseline=None, exam=exam)


def sample(index: int, *values: float | None, parts: tuple[Part, ...] = ()) -> Sample:
    """One sample with a score from each of `JUDGED`; None where a scorer could not say."""
    scores = tuple(
        Score(spec.name, Unscored("no opinion") if value is None else value, f"reason {index}", parts=parts)
        for spec, value in zip(JUDGED, values, strict=True)
    )
    known = [value for value in values if value is not None]
    combined = sum(known) / len(known) if len(known) == len(values) else Unscored("judge: no opinion")
    return Sample("support", "c", ArmName.CANDIDATE, index, runs.reply(), scores, combined)


def failed(index: int) -> Sample:
    return Sample("support", "c", ArmName.CANDIDATE, index, Failed("503"), (), Unscored("503"))


def state(*samples: Sample, of: Suite | None = None) -> CaseState:
    found = of or suite()
    return case_result(found, found.exam.cases[0], samples).state


def test_a_validator_has_to_be_content_with_every_sample() -> None:
    good = [sample(index, 1.0, 1.0) for index in range(3)]
    assert state(*good) is PASSED
    assert state(*good[:2], sample(2, 0.0, 1.0)) is FAILED


def test_the_noise_of_a_judge_is_averaged_out() -> None:
    assert state(sample(0, 1.0, 0.4), sample(1, 1.0, 0.9), sample(2, 1.0, 0.8)) is PASSED
    assert state(sample(0, 1.0, 0.4), sample(1, 1.0, 0.9), sample(2, 1.0, 0.79)) is FAILED


def test_a_threshold_goes_before_the_scorers_marks_and_the_cases_before_the_exams() -> None:
    low = [sample(index, 0.0, 1.0) for index in range(3)]
    assert state(*low) is FAILED
    assert state(*low, of=suite(threshold=0.5)) is PASSED
    assert state(*low, of=suite(threshold=0.5, case=Case("c", threshold=0.6))) is FAILED


def test_missing_samples_leave_it_open_unless_they_could_change_nothing() -> None:
    assert state(sample(0, 1.0, 1.0), sample(1, 1.0, 1.0), failed(2)) is UNSCORED
    assert state(sample(0, 0.0, 1.0), failed(1), failed(2)) is FAILED
    assert state(sample(0, 1.0, 1.0), sample(1, 1.0, 1.0), failed(2), of=suite(threshold=0.6)) is PASSED
    assert state(sample(0, 1.0, None), sample(1, 1.0, 1.0), sample(2, 1.0, 1.0)) is UNSCORED


def test_parts_are_means_and_the_reason_is_that_of_the_worst_sample() -> None:
    def parts(value: float) -> tuple[Part, ...]:
        return (Part("dimension", "brevity", value, 0.2),)

    taken = [sample(0, 1.0, 0.9, parts=parts(1.0)), sample(1, 1.0, 0.2, parts=parts(0.5)), sample(2, 1.0, 1.0)]
    judge = case_result(suite(), Case("c"), taken).scorers[1]
    assert judge.parts == (PartMean(kind="dimension", name="brevity", value=0.75, weight=0.2),)
    assert judge.reason == "reason 1"


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=1, max_size=6), st.floats(0.01, 1))
def test_a_settled_case_stays_as_it_is_whatever_the_missing_samples_would_have_been(
    values: list[float | None], threshold: float
) -> None:
    one = suite(len(values), threshold)
    taken = [failed(i) if value is None else sample(i, value, value) for i, value in enumerate(values)]
    found = state(*taken, of=one)
    for guess in (0.0, 0.5, 1.0):
        filled = [sample(i, *([guess if value is None else value] * 2)) for i, value in enumerate(values)]
        then = state(*filled, of=one)
        assert found in (UNSCORED, then)
        assert then is not UNSCORED


def checked(
    states: str, policy: SuitePolicy | None = None, run: RunPolicy | None = None, unfinished: Finding | None = None
) -> Checked:
    """A suite whose cases are `p`assed, `f`ailed or `u`nscored; capitals are in the slice `tier=vip`."""
    rows = [{"tier": "vip" if letter.isupper() else "free"} for letter in states]
    one = replace(runs.suite(rows, policy=policy), baseline=None)
    kinds = {"p": PASSED, "f": FAILED, "u": UNSCORED}

    results = [
        CaseResult(
            state=kinds[letter.lower()],
            score=1.0,
            mark=None,
            scorers=(),
            missing=("503",) * (letter.lower() == "u"),
            counts=not excused(case, one.exam),
        )
        for case, letter in zip(one.exam.cases, states, strict=True)
    ]
    return conclude_check([one], {one.name: results}, run or RunPolicy(), unfinished)


def decision(states: str, **more: object) -> Decision:
    return checked(states, **more).decision


RATE = SuitePolicy(min_pass_rate=0.8)


@pytest.mark.parametrize(
    ("states", "policy", "verdict"),
    [
        ("ppp", None, Verdict.PASS),
        ("ppf", None, Verdict.BLOCK),
        ("ppu", None, Verdict.INCONCLUSIVE),
        ("pfu", None, Verdict.BLOCK),
        ("ppppf", RATE, Verdict.PASS),
        ("pppff", RATE, Verdict.BLOCK),
        ("pppfu", RATE, Verdict.INCONCLUSIVE),
        ("ppF", SuitePolicy(advisory=("tier=vip",)), Verdict.PASS),
        ("ppFP", SuitePolicy(slices={"tier=vip": SlicePolicy(min_pass_rate=0.5)}), Verdict.PASS),
        ("ppFFP", SuitePolicy(slices={"tier=vip": SlicePolicy(min_pass_rate=0.5)}), Verdict.BLOCK),
        ("ppppppppF", RATE.model_copy(update={"slices": {"tier=vip": SlicePolicy(min_pass_rate=0.5)}}), Verdict.BLOCK),
        ("pp", SuitePolicy(required=("tier=vip",)), Verdict.INCONCLUSIVE),
    ],
)  # fmt: skip
def test_the_verdict(states: str, policy: SuitePolicy | None, verdict: Verdict) -> None:
    assert decision(states, policy=policy).verdict is verdict


def test_a_rate_that_is_only_reached_fails_where_it_must_be_beyond_doubt() -> None:
    strict = RunPolicy(fail_on="hold")
    assert decision("ppppp", policy=RATE).verdict is Verdict.PASS
    hold = decision("ppppp", policy=RATE, run=strict)
    assert (hold.verdict, hold.exit_code) == (Verdict.HOLD, 1)
    assert decision("p" * 60, policy=RATE, run=strict).verdict is Verdict.PASS
    assert decision("ppp", run=strict).verdict is Verdict.PASS


def test_an_unfinished_check_is_inconclusive() -> None:
    ended = BudgetReached(limit="max_calls", value=2, setting="budget.max_calls")
    found = decision("pfu", unfinished=ended)
    assert (found.verdict, found.exit_code, found.findings) == (Verdict.INCONCLUSIVE, 3, (ended,))


def test_asked_to_end_after_the_last_sample_it_came_to_its_end() -> None:
    assert decision("pp", unfinished=RunInterrupted(signal="SIGINT")).verdict is Verdict.PASS


def test_what_is_missing_is_counted_with_the_verdicts_that_it_could_have_brought() -> None:
    missing = checked("pup").missing
    assert (missing.samples, missing.best, missing.worst) == (1, Verdict.PASS, Verdict.BLOCK)
    assert (missing.cases, missing.reasons) == (("c001",), {"503": 1})


def test_cases_that_do_not_count_are_no_part_of_the_overall_rate() -> None:
    overall, free, vip = checked("ppFF", SuitePolicy(advisory=("tier=vip",))).rates.suites["support"]
    assert (overall.n, overall.rate, free.rate, vip.rate) == (2, 1.0, 1.0, 0.0)
    assert not vip.blocking


def talked(index: int, *rounds: float) -> Sample:
    """One sample whose judge has scored each round."""
    parts = tuple(Part("round", f"round {number}", value) for number, value in enumerate(rounds, start=1))
    mean = sum(rounds) / len(rounds)
    scores = (Score("contains", 1.0), Score("judge", mean, "as it is", parts=parts if len(rounds) > 1 else ()))
    return Sample("support", "c", ArmName.CANDIDATE, index, runs.reply(), scores, (1.0 + mean) / 2)


def in_rounds(*marks: float | None, whole: float | None = None) -> Case:
    return Case("c", rounds=tuple(Round("q", threshold=mark) for mark in marks), judge_threshold=whole)


def judged(case: Case, *samples: Sample, of: int = 2) -> CaseResult:
    return case_result(suite(samples=of, case=case), case, samples)


def test_each_round_is_held_against_its_own_mark_over_the_samples() -> None:
    case = in_rounds(0.9, 0.5)
    assert judged(case, talked(0, 0.8, 0.4), talked(1, 1.0, 0.6)).state is PASSED
    found = judged(case, talked(0, 0.8, 1.0), talked(1, 0.9, 1.0))
    assert (found.state, found.scorers[1].mark, found.scorers[1].passed) == (FAILED, None, False)
    assert found.scorers[1].reason == "round 1 has 0.85, and needs at least 0.9; as it is"


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8), st.randoms())
@example([0.1, 0.2, 0.3], Random(0))
def test_the_order_of_the_samples_changes_no_digit(values: list[float], random: Random) -> None:
    of = suite(len(values))

    def scores(found: list[float]) -> list[object]:
        samples = [sample(index, value, value) for index, value in enumerate(found)]
        result = case_result(of, of.exam.cases[0], [replace(one, score=one.scores[0].value) for one in samples])
        return [result.score, *(scorer.value for scorer in result.scorers)]

    assert scores(values) == scores(values[::-1]) == scores(random.sample(values, len(values)))
