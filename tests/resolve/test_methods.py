"""Methods that cannot test a suite are refused before anything is spent, with every reason."""

from dataclasses import replace

import pytest

from gate.config.policy import RunPolicy, SuitePolicy
from gate.config.scorer import ScorerSpec
from gate.errors import GateError
from gate.resolve.resolved import check_method
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
        (BREAKAGE, at_temperature(suite(ROWS, samples=3), 0.0), "temperature 0"),
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
    ],
)
def test_accepted(policy: RunPolicy, one: Suite) -> None:
    check_method(policy, [one])


def test_every_reason_is_reported_at_once() -> None:
    one = suite(ROWS, samples=3, policy=SuitePolicy(margin=0.1), clusters=["a", "a", *[None] * 10])
    with pytest.raises(GateError) as error:
        check_method(MCNEMAR, [judged(one)])
    assert error.value.message.count("mcnemar, suite support") == 4
