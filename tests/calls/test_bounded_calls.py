"""Calls of a generation end the work when no more of them make sense, and wait for what is on its way."""

import asyncio

import pytest

from gate.calls.interface import Request, WorthKeeping, any_reply, together
from gate.config.models import ModelRef, Params
from gate.errors import CannotEvaluate
from gate.messages import Message
from gate.record.findings.unfinished import BudgetReached
from gate.record.transcript import Dollars, Failed, Reply, Usage
from gate.testgen.questions import FAILURES_IN_A_ROW, BoundedCalls


def request(text: str) -> Request:
    return Request((Message("user", text),), ModelRef("openai", "m"), Params(), 0)


class Scripted:
    """Answers by the words of the request: `slow` after a while, `down` never, all else at once."""

    def __init__(self) -> None:
        self.kept: list[str] = []

    async def call(self, request: Request, *, fresh: bool = False, worth: WorthKeeping = any_reply) -> Reply | Failed:
        text = request.messages[0].content
        if text == "down":
            return Failed("the connection failed", attempts=6)
        if text == "refused":
            return Failed("the request was refused", attempts=1)
        for _ in range(20 if text == "slow" else 1):
            await asyncio.sleep(0)
        self.kept.append(text)
        return Reply(text, "m", Usage(1, 0, 0, 1), Dollars(0.0), None)


def ask(calls: BoundedCalls, *texts: str) -> None:
    async def all_of_them() -> None:
        await together(calls.call(request(text)) for text in texts)

    asyncio.run(all_of_them())


def test_what_was_sent_is_waited_for_when_a_budget_is_used_up() -> None:
    reached = BudgetReached(limit="max_calls", value=1, setting="budget.max_calls")
    inner = Scripted()
    with pytest.raises(CannotEvaluate, match="not finished: the budget"):
        ask(
            BoundedCalls(inner, lambda: reached),
            "slow",
            "refused",
            "slow",
        )
    assert inner.kept == ["slow", "slow"]


def test_a_service_that_is_down_ends_the_work() -> None:
    with pytest.raises(CannotEvaluate, match="2 requests in a row: the connection failed"):
        ask(BoundedCalls(Scripted(), lambda: None), *["down"] * FAILURES_IN_A_ROW)


def test_a_request_that_is_refused_is_a_gap_and_no_end() -> None:
    ask(BoundedCalls(Scripted(), lambda: None), *["refused"] * (FAILURES_IN_A_ROW + 1))


def test_an_answer_shows_that_the_service_is_up() -> None:
    calls = BoundedCalls(Scripted(), lambda: None)
    for text in ("down", "well", "down"):
        ask(calls, text)
