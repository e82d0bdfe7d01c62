"""A forecast from suites and earlier runs."""

from dataclasses import replace

import pytest

from gate.cases.case import Case
from gate.config.models import ModelRef, Params
from gate.config.scorer import ScorerSpec
from gate.engine.forecast import EarlierRun, FallToShow, PlanInputs, plan
from gate.engine.noise import compares_itself
from gate.record.run import RunRecord
from gate.record.sample import ArmName
from gate.record.usage import Cost, Unpriced, Usage
from gate.suite import Suite
from tests.support.finished import finished, itself, resolved
from tests.support.runs import suite

QUESTION = FallToShow(0.10, 0.8)
SUITE = itself(suite([{"tier": "gold"}] * 60, samples=2))


def free(_: ModelRef, __: Params, ___: Usage) -> Cost:
    return Unpriced("n/a")


def world(*earlier: EarlierRun) -> PlanInputs:
    return PlanInputs(earlier, free, 8)


def noisy(case: Case, arm: ArmName, index: int) -> float:
    """Half of the cases waver between their two samples."""
    return float((int(case.id[1:]) + index + (arm is ArmName.BASELINE)) % 4 > 0)


def kept(name: str, planned: Suite = SUITE) -> EarlierRun:
    run = finished([planned], noisy)
    return EarlierRun(name, lambda: run)


def unread() -> RunRecord:
    raise AssertionError("nothing was left to be known")


BROKEN = EarlierRun(".gate/broken", lambda: None)
UNREAD = EarlierRun(".gate/unread", unread)


def said(*earlier: EarlierRun, planned: Suite = SUITE) -> str:
    return plan(resolved([planned]), world(*earlier), QUESTION).suites[0].spread.said


def test_without_an_earlier_run_everything_is_assumed_and_told_so() -> None:
    found = plan(resolved([SUITE]), world(), QUESTION)
    assert found.suites[0].spread.basis == "assumed"
    assert {outlay.seconds.basis for outlay in found.spending.outlays} == {"assumed"}
    assert any("gate calibrate" in note for note in found.notes)


def test_the_first_run_that_knows_the_suite_counts_and_no_other_is_read() -> None:
    assert ".gate/new" in said(kept(".gate/new"), UNREAD)
    assert ".gate/new" in said(BROKEN, kept("other", planned=replace(SUITE, name="faq")), kept(".gate/new"), UNREAD)
    assert plan(resolved([]), world(UNREAD), QUESTION).suites == ()


def test_a_run_of_another_suite_or_with_other_scorers_does_not_count() -> None:
    other = replace(SUITE, exam=replace(SUITE.exam, scorers=(ScorerSpec("exact", "exact"),)))
    assert said(kept("a", planned=replace(SUITE, name="faq")), kept("b", planned=other)).startswith("assumed")


def test_measured_tokens_and_seconds_are_taken_over() -> None:
    found = plan(resolved([SUITE]), world(kept(".gate/last")), QUESTION)
    baseline = found.spending.outlays[0]
    # Every reply of the made-up run has 20 tokens in, 3 out and took half a second.
    assert (baseline.input_tokens.value, baseline.input_tokens.basis) == (20 * 120, "measured")
    assert (baseline.output_tokens.value, baseline.seconds.value) == (3 * 120, 0.5)
    assert not any("gate calibrate" in note for note in found.notes)


def test_noise_is_carried_over_to_another_number_of_samples() -> None:
    run = kept(".gate/last")
    two, eight = (plan(resolved([replace(SUITE, samples=k)]), world(run), QUESTION).suites[0].spread for k in (2, 8))
    assert two.sigma == eight.sigma
    assert two.tau == eight.tau
    assert eight.high < two.high


def test_at_temperature_0_repeats_are_not_counted_on() -> None:
    arm = replace(SUITE.baseline, params=Params(temperature=0.0))
    cool = plan(resolved([replace(SUITE, baseline=arm, candidate=arm, samples=3)]), world(), QUESTION)
    one = plan(resolved([replace(SUITE, samples=1)]), world(), QUESTION)
    assert cool.suites[0].spread.high == one.suites[0].spread.high


@pytest.mark.parametrize(("planned", "same"), [(SUITE, True), (suite([{}] * 12), False)])
def test_a_prompt_against_itself_is_recognised(planned: Suite, same: bool) -> None:
    assert compares_itself(finished([planned], noisy).suites[0]) is same
