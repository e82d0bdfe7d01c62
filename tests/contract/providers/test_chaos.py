"""Sixty calls each way while one attempt in five goes wrong."""

import asyncio
import random

from gate.calls.caller import Caller, CallPolicy
from gate.calls.limits import RetryPolicy
from gate.calls.providers.factory import Factory
from gate.record.transcript import Failed, Reply
from tests.contract.providers.subjects import Subject
from tests.support.chaos import Chaos
from tests.support.model_server import Behaviour, ModelServer

QUICK = RetryPolicy(base_s=0.01, longest_retry_after_s=0.02)
USERS = [f"answer=word{number}" for number in range(60)]


def call_all(subject: Subject, policy: CallPolicy) -> tuple[list[tuple[str, Reply | Failed]], Caller]:
    async def work(factory: Factory) -> tuple[list[tuple[str, Reply | Failed]], Caller]:
        caller = Caller(factory.provider, policy, random.Random(1), factory.price)
        answers = await asyncio.gather(*(caller.call(subject.request(user, 0)) for user in USERS))
        return list(zip(USERS, answers, strict=True)), caller

    return subject.use_factory(work)


def test_every_call_ends_as_answered_or_failed_and_the_ledger_agrees(server: ModelServer, remote: Subject) -> None:
    server.behaviour = Behaviour(latency_s=0.005, chaos=Chaos(0.2, seed=7))
    ended, caller = call_all(remote, CallPolicy(32, QUICK))
    answered = [(user, answer) for user, answer in ended if isinstance(answer, Reply)]
    failed = [answer for _, answer in ended if isinstance(answer, Failed)]
    assert len(ended) == len(USERS) == len(answered) + len(failed)
    # What is answered is answered once, and rightly.
    assert sorted((user, answer.text) for user, answer in answered) == sorted((e.user, e.text) for e in server.ledger)
    assert len(failed) <= 2
    assert all(answer.reason.isprintable() and "<" not in answer.reason for answer in failed)
    counters = caller.counters
    assert (counters.made, counters.failed) == (len(answered), len(failed))
    assert server.requests == counters.made + counters.failed + counters.retried
    assert caller.exhausted() is None
