"""Submit, come back, collect: the ordinary way of a batch, over both services."""

from dataclasses import replace

import pytest

from gate.calls.budget import PriceList
from gate.config.models import ModelRef, Params
from gate.errors import CannotEvaluate
from gate.messages import Message
from gate.record.transcript import Dollars, Reply
from tests.e2e.batch.conftest import Gate
from tests.support.batch_server import BatchServer

ONE = pytest.mark.parametrize("gate", ["openai"], indirect=True)
"""What is the same for both services."""


def known(gate: Gate) -> list[Reply]:
    return [reply for request in gate.requests() if (reply := gate.answers.find(request)) is not None]


def test_submitted_once_collected_once_then_ready(server: BatchServer, gate: Gate) -> None:
    first = gate.run()
    assert (first.submitted, first.waiting, first.ready) == (8, 8, False)
    assert "8 answers are being prepared in a batch; run the same command again to collect" in first.reason
    again = gate.run()
    assert (again.submitted, again.waiting, again.ready) == (0, 8, False)
    assert len(server.batches) == 1
    server.finish()
    done = gate.run()
    assert (done.tally.collected, done.live, done.ready, done.reason) == (8, 0, True, "")
    assert len(known(gate)) == 8
    gate.server.gets.clear()
    assert gate.run().ready
    assert server.gets == []
    assert list(gate.folder.glob("*.json")) == []


def test_an_answer_of_a_batch_is_marked_as_one_and_costs_half(server: BatchServer, gate: Gate) -> None:
    gate.run()
    server.finish()
    outcome = gate.run()
    replies = known(gate)
    assert {reply.origin.sitting for reply in replies} == {replies[0].origin.sitting}
    assert replies[0].origin.sitting.startswith("batch:")
    assert all(reply.origin.at > 1.7e9 for reply in replies)
    assert {reply.text for reply in replies} == {"blue"}
    assert {reply.latency_s for reply in replies} == {None}
    for reply in replies:
        full = PriceList().price(gate.model, reply.model_id, reply.usage, "")
        assert isinstance(full, Dollars)
        assert isinstance(reply.cost, Dollars)
        assert reply.cost.amount == pytest.approx(full.amount / 2)
    assert outcome.tally.usd == pytest.approx(sum(r.cost.amount for r in replies if isinstance(r.cost, Dollars)))


@ONE
def test_only_what_no_answer_is_known_to_is_submitted(server: BatchServer, gate: Gate) -> None:
    gate.run(gate.requests(2))
    server.finish()
    gate.run(gate.requests(2))
    assert gate.run(gate.requests(3)).submitted == 2


def test_the_next_push_submits_only_its_own_arm(server: BatchServer, gate: Gate) -> None:
    gate.run()
    pushed = gate.run(gate.requests(candidate="newer"))
    assert (pushed.submitted, pushed.waiting) == (4, 8)
    server.finish()
    assert gate.run(gate.requests(candidate="newer")).ready
    # The first push's own answers were left where they were, and are still there for whoever asks.
    assert gate.run().ready
    assert len(known(gate)) == 8
    assert len(server.batches) == 2


@ONE
def test_both_services_in_one_run(server: BatchServer, gate: Gate) -> None:
    other = (
        ModelRef("anthropic", "claude-haiku-4-5")
        if gate.model.provider == "openai"
        else ModelRef("openai", "gpt-5-mini")
    )
    requests = [replace(request, params=Params()) for request in gate.requests(model=other)]
    gate.run(requests)
    assert {batch.kind for batch in server.batches.values()} == {"openai", "anthropic"}
    server.finish()
    assert gate.run(requests).tally.collected == 8


def test_failures_are_left_to_the_live_run(server: BatchServer, gate: Gate) -> None:
    server.failing = {0, 3}
    gate.run()
    server.finish()
    outcome = gate.run()
    assert (outcome.ready, outcome.tally.collected, outcome.live) == (True, 6, 2)
    assert any("content filter" in note for note in outcome.notes)
    # And they are not submitted by the next call either: the live run has not asked them yet, or asks them again.
    assert (gate.run().live, len(server.batches)) == (2, 1)


def test_a_batch_that_failed_says_why(server: BatchServer, gate: Gate) -> None:
    gate.run()
    server.finish("failed")
    outcome = gate.run()
    assert (outcome.ready, outcome.tally.collected, outcome.live) == (True, 0, 8)
    if gate.model.provider == "openai":
        assert any("too many tokens are waiting" in note for note in outcome.notes)


@ONE
def test_a_budget_that_does_not_suffice_is_reported_before(server: BatchServer, gate: Gate) -> None:
    with pytest.raises(CannotEvaluate, match="needs 8 calls, and the budget allows 7"):
        gate.run(max_calls=7)
    assert not server.batches
    assert gate.run(max_calls=8).submitted == 8


@ONE
def test_large_runs_are_split(server: BatchServer, gate: Gate) -> None:
    def grown(message: Message) -> Message:
        return replace(message, content=message.content + "x" * 1_700_000)

    requests = gate.requests(5)
    big = [replace(each, messages=(each.messages[0], grown(each.messages[1]))) for each in requests]
    assert gate.run(big).submitted == 10
    assert len(server.batches) == 2


@ONE
def test_answers_that_cannot_be_kept_are_collected_later(server: BatchServer, gate: Gate) -> None:
    gate.run()
    server.finish()
    gate.answers.full = 3
    with pytest.raises(CannotEvaluate, match="the disk is full"):
        gate.run()
    gate.answers.full = None
    assert gate.run().ready
    assert len(known(gate)) == 8
