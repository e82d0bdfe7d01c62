"""Calls under one policy."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from gate.calls.budget import Counters, Pricer
from gate.calls.caller import Caller, CallPolicy
from gate.calls.interface import Misconfigured, NoMemory, RejectedRequest, Request, Transient
from gate.calls.limits import RetryPolicy, Timing
from gate.config.policy import Budget
from gate.record.findings.unfinished import BudgetReached
from gate.record.transcript import Dollars, Failed, Reply, Unpriced, Usage
from tests.calls.scripted import Scripted, VirtualTime, cent, completion, request

Result = TypeVar("Result")
BUSY = Transient("too many", 7.0, throttled=True)
DROPPED = Transient("dropped")


def caller(
    provider: Scripted, policy: CallPolicy | None = None, time: VirtualTime | None = None, price: Pricer = cent
) -> Caller:
    time = time or VirtualTime()
    timing = Timing(time.clock, time.sleep)
    return Caller(lambda model, params: provider, policy or CallPolicy(), random.Random(1), price, timing)


def run(work: Callable[[], Awaitable[Result]]) -> Result:
    async def main() -> Result:
        return await work()

    return asyncio.run(main())


def test_an_answer() -> None:
    provider = Scripted([completion("hi")])
    calls = caller(provider)
    reply = run(lambda: calls.call(request()))
    assert reply == Reply("hi", "model-2026", Usage(10, 0, 0, 2), Dollars(0.01), 0.25, 1, "stop")
    assert calls.counters == Counters(made=1, usd=0.01, priced=1)
    assert calls.spent_usd == 0.01


def test_errors_that_pass_are_retried_and_latency_is_of_the_last_request_alone() -> None:
    provider, time = Scripted([BUSY, DROPPED, completion()]), VirtualTime()
    calls = caller(provider, time=time)
    reply = run(lambda: calls.call(request()))
    assert isinstance(reply, Reply)
    assert (reply.attempts, reply.latency_s) == (3, 0.25)
    assert (calls.counters.made, calls.counters.retried, calls.counters.failed) == (1, 2, 0)
    assert len(time.sleeps) == 2
    assert time.sleeps[0] >= 7.0


def test_attempts_come_to_an_end() -> None:
    provider = Scripted([DROPPED])
    calls = caller(provider, CallPolicy(retry=RetryPolicy(max_attempts=4)))
    assert run(lambda: calls.call(request())) == Failed("dropped", 4)
    assert provider.seen == 4
    assert (calls.counters.made, calls.counters.retried, calls.counters.failed) == (0, 3, 1)


def test_a_request_that_will_never_work_is_sent_once() -> None:
    provider = Scripted([RejectedRequest("context too long")])
    calls = caller(provider)
    assert run(lambda: calls.call(request())) == Failed("context too long", 1)
    assert provider.seen == 1
    assert calls.counters.failed == 1


def test_a_wrong_set_up_stops_the_run() -> None:
    calls = caller(Scripted([Misconfigured("wrong key", "check it")]))
    with pytest.raises(Misconfigured, match="wrong key"):
        run(lambda: calls.call(request()))


def test_the_budget_is_looked_at_before_each_request() -> None:
    provider = Scripted([completion()])
    calls = caller(provider, CallPolicy(budget=Budget(max_calls=2)))

    async def work() -> list[Reply | Failed]:
        return list(await asyncio.gather(*(calls.call(request()) for _ in range(4))))

    replies = run(work)
    assert [isinstance(reply, Reply) for reply in replies].count(True) == 2
    assert Failed("the budget of 2 calls is used up; raise budget.max_calls, or evaluate less", 0) in replies
    assert provider.seen == 2
    assert isinstance(calls.exhausted(), BudgetReached)


def test_what_has_no_price_is_not_asked_for_one() -> None:
    def never(*_: object) -> Dollars:
        raise AssertionError("asked for a price")

    calls = caller(Scripted([completion()], priced=False), price=never)
    reply = run(lambda: calls.call(request()))
    assert isinstance(reply, Reply)
    assert reply.cost == Unpriced("n/a")
    assert calls.spent_usd is None


def test_one_unknown_price_makes_the_sum_unknown() -> None:
    costs = iter([Dollars(0.5), Unpriced("unknown")])
    calls = caller(Scripted([completion()]), price=lambda *_: next(costs))
    run(lambda: calls.call(request()))
    assert calls.spent_usd == 0.5
    run(lambda: calls.call(request()))
    assert calls.spent_usd is None


def test_an_answer_that_cannot_be_taken_is_paid_all_the_same() -> None:
    provider = Scripted([RejectedRequest("the answer is too long", unheard=True)])
    calls = caller(provider, CallPolicy(budget=Budget(max_usd=0.035)))
    for _ in range(6):
        failed = run(lambda: calls.call(request()))
    assert isinstance(failed, Failed)
    assert "budget" in failed.reason
    assert provider.seen == 3


def test_a_fresh_reply_that_is_not_worth_it_leaves_the_known_one() -> None:
    kept: list[str] = []

    class Noting(NoMemory):
        async def keep(self, request: Request, reply: Reply) -> Reply:
            kept.append(reply.text)
            return reply

    provider, time = Scripted([completion("poor"), completion("good")]), VirtualTime()
    timing = Timing(time.clock, time.sleep)
    calls = Caller(lambda model, params: provider, CallPolicy(), random.Random(1), cent, timing, Noting())
    poor = run(lambda: calls.call(request(), fresh=True, worth=lambda reply: False))
    assert (isinstance(poor, Reply) and poor.text, kept) == ("poor", [])
    assert isinstance(run(lambda: calls.call(request(), fresh=True)), Reply)
    assert kept == ["good"]
    assert calls.counters.made == 2
