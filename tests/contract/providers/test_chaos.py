"""Hundreds of calls each way while one attempt in a hundred to one in five goes wrong."""

import asyncio
import random
from dataclasses import replace

import pytest

from gate.calls.caller import Caller, CallPolicy
from gate.calls.limits import RetryPolicy
from gate.calls.providers.factory import Factory
from gate.config.models import Params
from gate.config.policy import Budget
from gate.record.sample import Reply
from gate.record.transcript import Failed
from tests.contract.providers.subjects import ANTHROPIC_KEY, OPENAI_KEY, Subject
from tests.support.chaos import Chaos
from tests.support.model_server import Behaviour, ModelServer

QUICK = RetryPolicy(base_s=0.01, longest_retry_after_s=0.02)
USERS = [f"answer=word{number}" for number in range(100)]
TIMES = 2


def call_all(subject: Subject, policy: CallPolicy) -> tuple[list[tuple[str, Reply | Failed]], Caller]:
    async def work(factory: Factory) -> tuple[list[tuple[str, Reply | Failed]], Caller]:
        caller = Caller(factory.provider, policy, random.Random(1), factory.price)
        asked = [(user, index) for index in range(TIMES) for user in USERS]
        answers = await asyncio.gather(*(caller.call(subject.request(user, index)) for user, index in asked))
        return [(user, answer) for (user, _), answer in zip(asked, answers, strict=True)], caller

    return subject.use_factory(work)


@pytest.mark.parametrize("share", [0.01, 0.05, 0.2])
def test_every_call_ends_as_answered_or_failed_and_the_ledger_agrees(
    server: ModelServer, remote: Subject, share: float
) -> None:
    server.behaviour = Behaviour(latency_s=0.005, chaos=Chaos(share, seed=7))
    ended, caller = call_all(remote, CallPolicy(32, QUICK))
    answered = [(user, answer) for user, answer in ended if isinstance(answer, Reply)]
    failed = [answer for _, answer in ended if isinstance(answer, Failed)]
    assert len(ended) == TIMES * len(USERS) == len(answered) + len(failed)
    # What is answered is answered once, and rightly.
    assert sorted((user, answer.text) for user, answer in answered) == sorted((e.user, e.text) for e in server.ledger)
    assert len(failed) <= 2
    assert all(answer.reason.isprintable() and "<" not in answer.reason for answer in failed)
    counters = caller.counters
    assert (counters.made, counters.failed) == (len(answered), len(failed))
    assert server.requests == counters.made + counters.failed + counters.retried
    assert caller.exhausted() is None


def test_calls_that_hang_are_sent_again(server: ModelServer, remote: Subject) -> None:
    server.behaviour = Behaviour(chaos=Chaos(0.05, seed=3, kinds=("hang",)))
    ended, caller = call_all(replace(remote, params=Params(timeout_s=2.0)), CallPolicy(32, QUICK))
    counters = caller.counters
    assert len(ended) == TIMES * len(USERS) == counters.made + counters.failed
    assert counters.made >= len(ended) - 2
    assert counters.retried >= 5
    assert all(answer.text == user.removeprefix("answer=") for user, answer in ended if isinstance(answer, Reply))


def test_reasons_hold_neither_keys_nor_pages(server: ModelServer, remote: Subject) -> None:
    server.behaviour = Behaviour(chaos=Chaos(0.8, seed=3))
    ended, _ = call_all(remote, CallPolicy(32, replace(QUICK, max_attempts=1)))
    reasons = {answer.reason for _, answer in ended if isinstance(answer, Failed)}
    assert len(ended) == TIMES * len(USERS)
    assert len(reasons) >= 6
    for reason in reasons:
        assert reason.isprintable()
        assert "<" not in reason
        assert OPENAI_KEY not in reason
        assert ANTHROPIC_KEY not in reason


def test_a_server_of_small_capacity_is_not_run_over(server: ModelServer, remote: Subject) -> None:
    server.behaviour = Behaviour(latency_s=0.01, capacity=6, retry_after="0.01")
    ended, caller = call_all(remote, CallPolicy(32, QUICK))
    assert all(isinstance(answer, Reply) for _, answer in ended)
    assert len(server.ledger) == len(ended)
    assert caller.counters.retried <= len(ended)


def test_a_deadline_ends_a_run_against_a_server_that_hangs(server: ModelServer, remote: Subject) -> None:
    server.behaviour = Behaviour(faults=("hang",))
    budget = Budget(max_minutes=0.01)
    ended, caller = call_all(remote, CallPolicy(8, QUICK, budget))
    assert {answer.reason for _, answer in ended if isinstance(answer, Failed)} == {
        "the budget of 0.01 minutes is used up; raise budget.max_minutes, or ask for less"
    }
    assert len(ended) == TIMES * len(USERS)
    assert caller.exhausted() is not None
