"""Budgets of conversations with agents that call their models themselves."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from gate.calls.caller import Caller, CallPolicy
from gate.calls.interface import CallRefused
from gate.config.policy import Budget
from gate.record.transcript import Dollars
from tests.calls.scripted import Scripted, cent

Result = TypeVar("Result")


def limited(max_usd: float | None = None, max_calls: int | None = None) -> Caller:
    policy = CallPolicy(budget=Budget(max_usd=max_usd, max_calls=max_calls))
    return Caller(lambda model, params: Scripted([]), policy, random.Random(1), cent)


def run(work: Callable[[], Awaitable[Result]]) -> Result:
    async def main() -> Result:
        # A conversation that nobody wakes would wait for ever.
        return await asyncio.wait_for(work(), 20.0)

    return asyncio.run(main())


async def talk(calls: Caller, messages: int, usd: float = 0.5, announced: int | None = None) -> str:
    """Lead a conversation; how far it came, and why not further."""
    sent = 0
    try:
        async with calls.outside(announced or messages) as talking:
            for _ in range(messages):
                async with talking.message() as bill:
                    await asyncio.sleep(0.001)
                    bill.cost = Dollars(usd)
                sent += 1
    except CallRefused as refusal:
        return f"{sent}: {refusal.reason}"
    return "whole"


def test_an_agent_that_does_not_say_what_it_costs_is_told_about_and_calls_keep_their_limit() -> None:
    calls = limited(max_usd=5.0, max_calls=3)

    async def work() -> str:
        async with calls.outside(2) as talking:
            async with talking.message() as bill:
                bill.cost = Dollars(0.5)
            assert calls.notes() == []
            async with talking.message():
                pass
        return f"{await talk(calls, 1)}; {await talk(calls, 1)}"

    assert "whole; 0: the budget of 3 calls is used up" in run(work)
    (note,) = calls.notes()
    assert "so budget.max_usd does not count them. budget.max_calls still limits them" in note.text


def test_conversations_at_once_stay_within_a_budget_of_dollars() -> None:
    calls = limited(max_usd=2.0)

    async def work() -> list[str]:
        return await asyncio.gather(*(talk(calls, 1) for _ in range(10)))

    found = run(work)
    assert calls.spent_usd == pytest.approx(2.0)
    refused = [reason for reason in found if reason != "whole"]
    assert len(refused) == 6 and "is used up" in refused[0]


@pytest.mark.parametrize(("messages", "whole"), [(4, 2), (1, 10)])
def test_a_budget_that_ends_breaks_no_conversation_off(messages: int, whole: int) -> None:
    calls = limited(max_usd=5.0)

    async def work() -> list[str]:
        return await asyncio.gather(*(talk(calls, messages) for _ in range(12)))

    found = run(work)
    assert found.count("whole") == whole
    assert all(reason.startswith("0: ") for reason in found if reason != "whole")
    assert calls.spent_usd == pytest.approx(0.5 * messages * whole)


def test_a_conversation_that_does_not_fit_is_reported_with_a_remedy() -> None:
    calls = limited(max_usd=2.0)

    async def work() -> str:
        assert await talk(calls, 2) == "whole"
        return await talk(calls, 3)

    assert run(work) == (
        "0: the budget of $2 is not enough for another conversation: $1 is spent, and the "
        "conversation may cost $1.5; "
        "raise budget.max_usd, or evaluate less"
    )


def test_a_message_that_fails_is_counted_as_failed() -> None:
    calls = limited(max_calls=2)

    async def work() -> None:
        async with calls.outside(3) as talking:
            async with talking.message() as bill:
                bill.cost = Dollars(0.5)
            with pytest.raises(ValueError, match="broken"):
                async with talking.message():
                    raise ValueError("broken")
            with pytest.raises(CallRefused, match="the budget of 2 calls is used up"):
                async with talking.message():
                    pytest.fail("there is no room")

    run(work)
    assert (calls.counters.made, calls.counters.failed, calls.counters.unknown) == (1, 2, 0)
    assert calls.spent_usd == pytest.approx(0.5)
