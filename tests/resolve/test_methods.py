"""Methods that cannot test a suite are refused before anything is spent, with every reason."""

from dataclasses import replace

import pytest

from gate.config.policy import RunPolicy, SlicePolicy, SuitePolicy
from gate.config.scorer import ScorerSpec
from gate.errors import GateError
from gate.resolve.one_version import check_method
from gate.suite import Suite
from tests.support.runs import suite

ROWS = [{"tier": "a"}] * 12
MCNEMAR = RunPolicy(method="mcnemar")
BREAKAGE = RunPolicy(breakage=True)


def at_temperature(one: Suite, degrees: float) -> Suite:
    arm = replace(one.candidate, params=one.candidate.params.model_copy(update={"temperature": degrees}))
    return replace(one, candidate=arm)


def judged(one: Suite) -> Suite:
    return replace(one, exam=replace(one.exam, scorers=(ScorerSpec("judge", "judge", {"criteria": "kind"}),)))


@pytest.mark.parametrize(
    ("policy", "one", "why"),
    [
        (MCNEMAR, suite(ROWS, samples=3), "samples is 3"),
        (MCNEMAR, judged(suite(ROWS)), "no judge"),
        (MCNEMAR, suite(ROWS, clusters=["a", "a", *[None] * 10]), "share a cluster"),
        (MCNEMAR, suite(ROWS, policy=SuitePolicy(margin=0.1)), "knows no margin"),
        (BREAKAGE, suite(ROWS, samples=1), "2 to 5 samples, and there are 1"),
        (BREAKAGE, suite(ROWS, samples=6), "2 to 5 samples, and there are 6"),
        (BREAKAGE, at_temperature(suite(ROWS, samples=3), 0.0), "temperature 0"),
        (BREAKAGE, suite(ROWS, samples=3, clusters=["a", "a", *[None] * 10]), "share a cluster"),
        (BREAKAGE, suite(ROWS, samples=3, policy=SuitePolicy(slices={"tier=a": SlicePolicy(margin=0.1)})), "margin"),
    ],
)
def test_refused(policy: RunPolicy, one: Suite, why: str) -> None:
    with pytest.raises(GateError) as error:
        check_method(policy, [one])
    assert why in error.value.message
    assert error.value.hint


@pytest.mark.parametrize(
    ("policy", "one"),
    [
        (RunPolicy(), suite(ROWS, samples=9)),
        (MCNEMAR, suite(ROWS, clusters=[f"own{i}" for i in range(12)])),
        (BREAKAGE, at_temperature(suite(ROWS, samples=3), 0.7)),
        (RunPolicy(method="percentile", correction="holm"), judged(suite(ROWS))),
    ],
)
def test_accepted(policy: RunPolicy, one: Suite) -> None:
    check_method(policy, [one])


def test_every_reason_is_told_at_once() -> None:
    one = suite(ROWS, samples=3, policy=SuitePolicy(margin=0.1), clusters=["a", "a", *[None] * 10])
    with pytest.raises(GateError) as error:
        check_method(MCNEMAR, [judged(one)])
    assert error.value.message.count("mcnemar, suite support") == 4


def test_suites_with_unequal_samples_have_no_breakage_channel() -> None:
    with pytest.raises(GateError, match="equally many samples"):
        check_method(BREAKAGE, [suite(ROWS, samples=2), suite(ROWS, name="other", samples=3)])
