"""Budgets of conversations with agents that call their models themselves."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from gate.calls.caller import Caller, CallPolicy
from gate.calls.interface import CallRefused
from gate.config.policy import Budget
from gate.record.usage import Dollars
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


def test_an_agent_that_does_not_say_what_it_costs_keeps_no_budget_of_dollars() -> None:
    calls = limited(max_usd=5.0)

    async def work() -> str:
        async with calls.outside(2) as talking:
            async with talking.message() as bill:
                bill.cost = Dollars(0.5)
            assert calls.exhausted() is None
            async with talking.message():
                pass
        return await talk(calls, 1)

    assert "max_usd cannot be kept, since an agent does not say what its answers cost" in run(work)
    assert "have it give cost_usd" in (calls.exhausted() or "")


def test_conversations_at_once_stay_within_a_budget_of_dollars() -> None:
    calls = limited(max_usd=2.0)

    async def work() -> list[str]:
        return await asyncio.gather(*(talk(calls, 1) for _ in range(10)))

    found = run(work)
    assert calls.spent_usd == pytest.approx(2.0)
    refused = [reason for reason in found if reason != "whole"]
    assert len(refused) == 6 and "is used up" in refused[0]


@pytest.mark.parametrize(("messages", "whole"), [(4, 2), (3, 3), (10, 1), (1, 10)])
def test_a_budget_that_ends_breaks_no_conversation_off(messages: int, whole: int) -> None:
    calls = limited(max_usd=5.0)

    async def work() -> list[str]:
        return await asyncio.gather(*(talk(calls, messages) for _ in range(12)))

    found = run(work)
    assert found.count("whole") == whole
    assert all(reason.startswith("0: ") for reason in found if reason != "whole")
    assert calls.spent_usd == pytest.approx(0.5 * messages * whole)


def test_a_conversation_that_does_not_fit_is_told_what_helps() -> None:
    calls = limited(max_usd=2.0)

    async def work() -> str:
        assert await talk(calls, 2) == "whole"
        return await talk(calls, 3)

    assert run(work) == (
        "0: the budget of $2 does not suffice for another conversation: $1 is spent, and the "
        "conversation may cost $1.5; "
        "raise budget.max_usd, or ask for less"
    )


def test_a_message_that_nobody_foresaw_is_told_what_helps() -> None:
    calls = limited(max_usd=1.2)
    found = run(lambda: talk(calls, 3, announced=1))
    assert found == (
        "2: the budget of $1.2 does not suffice for another message to an agent: $1 is spent, and the "
        "message to an agent may cost $0.5; "
        "raise budget.max_usd, or ask for less"
    )


def test_what_a_broken_conversation_would_still_have_sent_keeps_no_other_waiting() -> None:
    calls = limited(max_usd=3.0)

    async def broken() -> None:
        async with calls.outside(5) as talking, talking.message() as bill:
            await asyncio.sleep(0.001)
            bill.cost = Dollars(0.5)

    async def work() -> str:
        return (await asyncio.gather(broken(), talk(calls, 5)))[1]

    assert run(work) == "whole"


def test_where_the_first_conversation_sends_nothing_the_next_one_begins() -> None:
    calls = limited(max_usd=3.0)

    async def silent() -> None:
        async with calls.outside(5):
            await asyncio.sleep(0.001)

    async def work() -> list[str]:
        _, *others = await asyncio.gather(silent(), talk(calls, 2), talk(calls, 2))
        return others

    assert run(work) == ["whole", "whole"]


def test_conversations_begin_at_once_where_dollars_have_no_limit() -> None:
    calls = limited(max_calls=50)

    async def work() -> None:
        all_begun = asyncio.Barrier(5)

        async def one() -> None:
            async with calls.outside(3):
                await all_begun.wait()

        await asyncio.gather(*(one() for _ in range(5)))

    run(work)


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


def test_messages_that_fail_are_taken_to_be_as_dear_as_the_dearest() -> None:
    calls = limited(max_usd=2.0)

    async def failing() -> None:
        async with calls.outside(1) as talking, talking.message():
            raise ValueError("broken")

    async def work() -> str:
        assert await talk(calls, 1) == "whole"
        for _ in range(3):
            with pytest.raises(ValueError, match="broken"):
                await failing()
        return await talk(calls, 1)

    assert run(work) == "0: the budget of $2 is used up; raise budget.max_usd, or ask for less"
    assert calls.spent_usd == pytest.approx(0.5), "what nobody was billed for is not said to be spent"
