"""The budget, looked at before each request."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.calls.budget import BudgetGuard, cap_reply_tokens, check_reply_budget
from gate.calls.interface import CallRefused
from gate.config.models import ModelRef, Params
from gate.config.policy import Budget
from gate.errors import GateError
from gate.record.transcript import Dollars, Unpriced
from tests.support.virtual_loop import simulate

Result = TypeVar("Result")


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def run(work: Callable[[], Awaitable[Result]]) -> Result:
    return simulate(work)


def take(guard: BudgetGuard, usd: float = 0.0) -> str | None:
    """None, or why not."""

    async def work() -> str | None:
        try:
            await guard.take(usd)
        except CallRefused as refused:
            return refused.reason
        return None

    return run(work)


def test_calls() -> None:
    guard = BudgetGuard(Budget(max_calls=2), Clock())
    assert [take(guard), take(guard)] == [None, None]
    assert guard.refused is None
    assert take(guard) == "the budget of 2 calls is used up; raise budget.max_calls, or evaluate less"
    assert guard.refused is not None


def test_dollars() -> None:
    guard = BudgetGuard(Budget(max_usd=0.5), Clock())
    guard.settle(0.0, Dollars(0.49))
    guard.settle(0.0, Unpriced("n/a"))
    assert take(guard) is None
    guard.settle(0.0, Dollars(0.01))
    assert take(guard) == "the budget of $0.5 is used up; raise budget.max_usd, or evaluate less"


def test_a_call_that_alone_exceeds_the_budget_is_refused_with_its_price() -> None:
    reason = take(BudgetGuard(Budget(max_usd=0.5), Clock()), 0.6)
    assert reason is not None
    for word in ("$0.5", "$0 is spent", "$0.6", "raise budget.max_usd"):
        assert word in reason


def test_a_call_waits_for_what_others_have_put_aside() -> None:
    async def work() -> list[str]:
        guard, told = BudgetGuard(Budget(max_usd=1.0), Clock()), []

        async def one(name: str, estimate: float, price: float) -> None:
            reserved = await guard.take(estimate)
            told.append(f"{name} sent")
            await asyncio.sleep(1)
            guard.settle(reserved, Dollars(price))

        await asyncio.gather(one("first", 0.7, 0.1), one("second", 0.7, 0.1), one("third", 0.7, 0.1))
        assert guard.spent == pytest.approx(0.3)
        assert guard.refused is None
        return told

    assert run(work) == ["first sent", "second sent", "third sent"]


@given(st.integers(0, 2**32), st.floats(0.1, 5.0))
def test_what_is_in_flight_never_exceeds_the_budget_when_estimates_are_high_enough(seed: int, limit: float) -> None:
    rng = random.Random(seed)

    async def work() -> None:
        guard = BudgetGuard(Budget(max_usd=limit), Clock())

        async def one() -> None:
            estimate = rng.uniform(0.01, 0.3)
            try:
                reserved = await guard.take(estimate)
            except CallRefused:
                return
            assert guard.spent + guard.reserved <= limit + 1e-9
            await asyncio.sleep(rng.random())
            guard.settle(reserved, Dollars(estimate * rng.random()) if rng.random() < 0.9 else None)

        await asyncio.gather(*(one() for _ in range(60)))
        assert guard.reserved == pytest.approx(0.0, abs=1e-9)
        assert guard.spent <= limit

    run(work)


def test_minutes() -> None:
    clock = Clock()
    guard = BudgetGuard(Budget(max_minutes=1.5), clock)
    clock.now += 89.5
    assert take(guard) is None
    assert guard.left_s() == 0.5
    clock.now += 0.5
    assert take(guard) == "the budget of 1.5 minutes is used up; raise budget.max_minutes, or evaluate less"
    clock.now += 100
    assert guard.left_s() == 0.0


def test_tokens_per_reply() -> None:
    short = Params(max_output_tokens=10)
    assert cap_reply_tokens(Params(), Budget()) == Params()
    hundred = Budget(max_output_tokens=100)
    assert cap_reply_tokens(Params(temperature=0.0), hundred) == Params(max_output_tokens=100, temperature=0.0)
    assert cap_reply_tokens(short, hundred) is short
    with pytest.raises(GateError, match="101"):
        cap_reply_tokens(Params(max_output_tokens=101), hundred)


def test_a_model_that_asks_for_more_is_named_before_the_run() -> None:
    asked = [(ModelRef("openai", "a"), Params()), (ModelRef("openai", "b"), Params(max_output_tokens=500))]
    check_reply_budget(asked, Budget())
    check_reply_budget(asked, Budget(max_output_tokens=500))
    with pytest.raises(GateError, match="openai:b: .* 500, .* 100 tokens") as caught:
        check_reply_budget(asked, Budget(max_output_tokens=100))
    assert caught.value.hint == "lower the parameter, or raise budget.max_output_tokens"


def test_a_limit_from_an_input_is_raised_there() -> None:
    clock = Clock()
    budget = Budget(max_calls=5, max_usd=50.0).lowered("max_calls", 1, "the input max-calls")
    budget = budget.lowered("max_usd", 0.5, "the input max-cost-usd").lowered("max_minutes", 2, "the input max-minutes")
    guard = BudgetGuard(budget, clock)
    dear = take(guard, 0.6)
    assert dear is not None
    assert "the budget of $0.5 is not enough" in dear
    assert dear.endswith("raise the input max-cost-usd, or lower max_output_tokens")
    assert guard.out_of_time().clause == (
        "the budget of 2 minutes is used up; raise the input max-minutes, or evaluate less"
    )
    assert take(guard, 0.5) is None
    assert take(guard) == "the budget of 1 call is used up; raise the input max-calls, or evaluate less"
    with pytest.raises(GateError) as caught:
        cap_reply_tokens(
            Params(max_output_tokens=9), Budget().lowered("max_output_tokens", 8, "the input max-output-tokens")
        )
    assert caught.value.hint == "lower the parameter, or raise the input max-output-tokens"
