"""A breakage channel that cannot test a suite is refused before anything is spent, with every reason."""

from dataclasses import replace

import pytest

from gate.config.policy import RunPolicy, SuitePolicy
from gate.errors import GateError
from gate.resolve.resolved import check_method
from gate.suite import Suite
from tests.support.runs import suite

ROWS = [{"tier": "a"}] * 12
BREAKAGE = RunPolicy(breakage=True)


def at_temperature(one: Suite, degrees: float) -> Suite:
    arm = replace(one.candidate, params=one.candidate.params.model_copy(update={"temperature": degrees}))
    return replace(one, candidate=arm)


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (at_temperature(suite(ROWS, samples=3), 0.0), "temperature 0"),
        (suite(ROWS, samples=1), "samples is 1"),
        (suite(ROWS, samples=3, clusters=["a", "a", *[None] * 10]), "share a cluster"),
        (suite(ROWS, samples=3, policy=SuitePolicy(margin=0.1)), "a margin is not possible"),
    ],
)
def test_refused(one: Suite, why: str) -> None:
    with pytest.raises(GateError) as error:
        check_method(BREAKAGE, [one])
    assert why in error.value.message
    assert error.value.hint


@pytest.mark.parametrize(
    ("policy", "one"),
    [
        (RunPolicy(), suite(ROWS, samples=9)),
        (BREAKAGE, suite(ROWS, samples=3, clusters=[f"own{i}" for i in range(12)])),
    ],
)
def test_accepted(policy: RunPolicy, one: Suite) -> None:
    check_method(policy, [one])


def test_every_reason_is_reported_at_once() -> None:
    one = at_temperature(suite(ROWS, samples=1, policy=SuitePolicy(margin=0.1), clusters=["a", "a", *[None] * 10]), 0.0)
    with pytest.raises(GateError) as error:
        check_method(BREAKAGE, [one])
    assert error.value.message.count("breakage, suite support") == 4
