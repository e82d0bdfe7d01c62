"""Many calls through retries: what the gate saw is what the server answered."""

import asyncio
import random
from dataclasses import replace

import pytest

from gate.calls.caller import Caller, CallPolicy
from gate.calls.limits import RetryPolicy
from gate.calls.providers.factory import Factory
from gate.record.sample import Reply
from gate.record.transcript import Failed
from gate.record.usage import Dollars, Usage
from tests.contract.providers.subjects import Subject
from tests.support.model_server import Behaviour, ModelServer

QUICK = RetryPolicy(base_s=0.001, longest_retry_after_s=0.001)
SYSTEM = "quality=0.8 quality[hard]=0.3"
USERS = [f"answer=word{number} slice={'hard' if number % 3 == 0 else 'easy'}" for number in range(60)]


def call_all(subject: Subject) -> tuple[list[Reply | Failed], Caller]:
    async def work(factory: Factory) -> tuple[list[Reply | Failed], Caller]:
        caller = Caller(factory.provider, CallPolicy(8, QUICK), random.Random(1), factory.price)
        return list(await asyncio.gather(*(caller.call(subject.request(user)) for user in USERS))), caller

    return subject.use_factory(work)


def test_every_answer_is_in_the_ledger_and_counted_once(server: ModelServer, remote: Subject) -> None:
    server.behaviour = Behaviour(faults=("429", "drop", "truncated"))
    replies, caller = call_all(replace(remote, system=SYSTEM))
    answered = [reply for reply in replies if isinstance(reply, Reply)]
    ledger = {entry.user: entry for entry in server.ledger}
    assert len(answered) == len(USERS) == len(ledger) == len(server.ledger)
    assert [reply.text for reply in answered] == [ledger[user].text for user in USERS]
    assert [reply.usage for reply in answered] == [
        Usage(entry.input_tokens, entry.cache_read_tokens, entry.cache_write_tokens, entry.output_tokens)
        for entry in (ledger[user] for user in USERS)
    ]
    assert {reply.attempts for reply in answered} == {4}
    assert {reply.model_id for reply in answered} == {remote.model.name}
    assert (caller.counters.made, caller.counters.retried, caller.counters.failed) == (60, 180, 0)
    # From Python 3.12 on, `sum` rounds once and not after each answer.
    spent = sum(reply.cost.amount for reply in answered if isinstance(reply.cost, Dollars))
    assert caller.spent_usd == pytest.approx(spent, rel=1e-12)
    assert server.requests == 240
    assert server.most_in_flight <= 8
