"""Many calls against services in virtual time: capacity, pauses, outages, deadlines."""

import asyncio
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.calls.caller import Caller, CallPolicy
from gate.calls.interface import RejectedRequest, Request, Transient
from gate.config.models import ModelRef, Params
from gate.config.policy import Budget
from gate.messages import Message
from gate.record.findings.unfinished import BudgetReached, ServiceFailed
from gate.record.transcript import Failed, Reply
from tests.calls.services import Service, caller_of
from tests.support.virtual_loop import simulate

Answers = list[Reply | Failed]


def request(number: int, service: int = 0) -> Request:
    return Request((Message("user", f"question {number}"),), ModelRef("fake", str(service)), Params())


def run(count: int, policy: CallPolicy, *services: Service, workers: int = 64) -> tuple[Answers, Caller, float]:
    """Calls by so many workers, one after another, shared out over the services; and the seconds that took."""

    async def work() -> tuple[Answers, Caller, float]:
        caller = caller_of(policy, *services)
        jobs = iter([request(number, number % len(services)) for number in range(count)])
        answers: Answers = []

        async def worker() -> None:
            for job in jobs:
                answers.append(await caller.call(job))

        await asyncio.gather(*(worker() for _ in range(workers)))
        return answers, caller, asyncio.get_running_loop().time()

    return simulate(work)


def failures(answers: Answers) -> list[Failed]:
    return [answer for answer in answers if isinstance(answer, Failed)]


def between(start: float, end: float, failure: Exception) -> Callable[[float], Exception | None]:
    return lambda now: failure if start <= now < end else None


@pytest.mark.parametrize("capacity", [3, 40])
def test_a_server_of_small_capacity_is_used_to_the_full(capacity: int) -> None:
    service = Service(capacity=capacity)
    answers, caller, seconds = run(30 * capacity, CallPolicy(64), service)
    assert failures(answers) == []
    assert seconds <= 1.3 * 30 * 0.1 + 3.0
    assert caller.counters.retried == service.refused <= 0.05 * len(answers) + 3 * 64


def test_a_capacity_that_comes_back_is_used() -> None:
    async def work() -> tuple[int, int]:
        service = Service(capacity=5)
        caller = caller_of(CallPolicy(64), service)
        numbers = iter(range(2500))

        async def worker() -> None:
            for number in numbers:
                await caller.call(request(number))

        workers = [asyncio.ensure_future(worker()) for _ in range(64)]
        await asyncio.sleep(10)
        small, service.capacity = service.in_flight, 1000
        await asyncio.sleep(4)
        large = service.in_flight
        await asyncio.gather(*workers)
        return small, large

    small, large = simulate(work)
    assert 3 <= small <= 5
    assert large == 64


def test_a_pause_that_the_server_asks_for_holds_the_whole_lane() -> None:
    service = Service(capacity=10, retry_after_s=5.0, spread=0.0)
    run(100, CallPolicy(64), service)
    assert not [at for at in service.begun if 0.002 < at < 5.0]


def test_judges_and_targets_of_one_key_share_a_lane() -> None:
    shared = [Service(lane="key", capacity=0, retry_after_s=30.0), Service(lane="key", spread=0.0)]

    async def work() -> float:
        caller = caller_of(CallPolicy(8), *shared)
        first = asyncio.ensure_future(caller.call(request(1, 0)))
        await asyncio.sleep(1)
        await caller.call(request(2, 1))
        now = asyncio.get_running_loop().time()
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        return now

    assert simulate(work) == pytest.approx(30.1, abs=0.01)


def test_an_outage_of_a_minute_is_sat_out() -> None:
    service = Service(trouble=between(2, 62, Transient("dropped")))
    answers, caller, seconds = run(1500, CallPolicy(64), service)
    assert len(answers) == 1500
    assert len(failures(answers)) <= 6
    assert seconds < 62 + 15
    assert caller.exhausted() is None


def test_an_outage_without_end_is_given_up_and_the_rest_fails_at_once() -> None:
    service = Service(trouble=between(2, 1e9, Transient("answered 503: down", throttled=True)))
    answers, caller, seconds = run(1500, CallPolicy(64), service)
    assert len(answers) == 1500
    assert seconds < 110
    cause = caller.exhausted()
    assert isinstance(cause, ServiceFailed)
    assert (cause.since, cause.error) == ("00:00:02 UTC", "answered 503: down")
    assert {failed.reason for failed in failures(answers)} == {cause.phrase, "answered 503: down"}
    assert service.requests < 1500


def test_a_service_that_is_not_there_is_given_up_sooner() -> None:
    service = Service(trouble=between(0, 1e9, Transient("refused to connect")))
    _, caller, seconds = run(1500, CallPolicy(64), service)
    assert seconds < 15
    cause = caller.exhausted()
    assert isinstance(cause, ServiceFailed)
    assert cause.since == ""


def test_a_deadline_cuts_what_hangs() -> None:
    service = Service(latency_s=1e9)
    answers, caller, seconds = run(100, CallPolicy(8, budget=Budget(max_minutes=2)), service, workers=8)
    assert seconds == pytest.approx(120.0, abs=1.0)
    assert len(answers) == 100
    assert isinstance(caller.exhausted(), BudgetReached)
    assert "budget of 2 minutes" in failures(answers)[-1].reason


def test_calls_are_sent_in_order_of_arrival() -> None:
    service = Service(capacity=4, spread=0.0)

    async def work() -> None:
        caller = caller_of(CallPolicy(4), service)
        await asyncio.gather(*(caller.call(request(number)) for number in range(100)))

    simulate(work)
    assert service.asked == [f"question {number}" for number in range(100)]


@given(st.integers(0, 2**32), st.floats(0.01, 0.2), st.integers(1, 64))
def test_every_call_ends_once_whatever_goes_wrong(seed: int, share: float, concurrency: int) -> None:
    rng = random.Random(seed)

    def trouble(now: float) -> Exception | None:
        if rng.random() >= share:
            return None
        kinds = (
            Transient("429", rng.choice([None, 0.5]), throttled=True),
            Transient("529", None, throttled=True),
            Transient("500"),
            Transient("dropped"),
            RejectedRequest("filtered"),
        )
        return rng.choice(kinds)

    service = Service(trouble=trouble, capacity=rng.randint(1, 80), spread=0.5)
    answers, caller, _ = run(150, CallPolicy(concurrency), service)
    answered = [answer.text for answer in answers if isinstance(answer, Reply)]
    assert len(answers) == 150
    assert sorted(answered) == sorted(service.texts)
    assert len(set(answered)) == len(answered)
    assert (caller.counters.made, caller.counters.failed) == (len(answered), 150 - len(answered))
    assert service.requests == 150 + caller.counters.retried
    assert service.most <= concurrency


@given(st.integers(0, 2**32))
def test_cancelling_at_any_moment_leaks_no_slot(seed: int) -> None:
    rng = random.Random(seed)

    async def work() -> None:
        service = Service(capacity=3, retry_after_s=rng.choice([None, 0.2]))
        caller = caller_of(CallPolicy(6), service)
        tasks = [asyncio.ensure_future(caller.call(request(number))) for number in range(60)]
        for task in rng.sample(tasks, 40):
            await asyncio.sleep(rng.random() * 0.05)
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert len(ended) == 60
        assert service.in_flight == 0
        started = asyncio.get_running_loop().time()
        after = await asyncio.gather(*(caller.call(request(number)) for number in range(30)))
        assert all(isinstance(answer, Reply) for answer in after)
        assert asyncio.get_running_loop().time() - started < 15

    simulate(work)
