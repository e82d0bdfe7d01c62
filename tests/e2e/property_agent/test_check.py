"""`gate check` on the example: a real MCP server, rounds, questions that are answered, revival, and the database."""

import json
from collections.abc import Iterator

import pytest

from evals.property_agent.seed import TOKEN
from gate.record.comparison import Verdict
from tests.e2e.property_agent.estate import Estate, build
from tests.e2e.property_agent.landlord import BEHAVIOUR, WHICH
from tests.support.command import Outcome
from tests.support.model_server import ModelServer

CASES = 20


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Estate, Outcome]]:
    """One run over all cases, for tests that only read what it left."""
    folder = tmp_path_factory.mktemp("checked")
    with ModelServer(BEHAVIOUR) as models:
        estate = build(folder / "repo", models, f"sqlite:///{folder / 'property.db'}")
        yield estate, estate.gate("check", "--json")


def test_all_cases_pass_and_nothing_is_left_running(checked: tuple[Estate, Outcome]) -> None:
    estate, outcome = checked
    assert outcome.code == 0, outcome.err + outcome.out
    (new,) = outcome.record.new
    assert outcome.record.verdict is Verdict.PASS
    assert [case.id for case in new.cases if case.check is None or case.check.state != "passed"] == []
    assert len(new.cases) == CASES == estate.count("conversations")
    # Each step of the agent is a call, as is each question of the judge, the finder of questions and the landlord.
    assert (outcome.record.calls.made, outcome.record.calls.retried) == (estate.models.requests, 0)
    assert new.spending is not None and new.spent_usd is not None
    parts = (new.spending.answers, new.spending.aside, new.spending.judges)
    assert sum(part.calls for part in parts) == estate.models.requests
    asides = [entry for entry in estate.models.ledger if '"asks"' in entry.system or "You play a" in entry.system]
    assert new.spending.aside.calls == len(asides) > 0
    assert sum(part.usd or 0 for part in parts) == pytest.approx(new.spent_usd)
    assert estate.quiet()


def test_a_question_of_the_agent_is_answered_from_the_facts(checked: tuple[Estate, Outcome]) -> None:
    estate, _ = checked
    turns = estate.samples()["which_one", "candidate"]["reply"]["transcript"]["turns"]
    assert [(turn["by"], turn["round"], turn["said"]) for turn in turns] == [
        ("case", 0, "How full is it this month?"),
        ("follow-up", 0, "The Mountain Cabin."),
    ]
    assert turns[0]["answer"] == WHICH
    assert '"percent": 47' in turns[1]["answer"]
    facts = [entry.user for entry in estate.models.ledger if '"asks"' in entry.system]
    assert any("the place that is meant: the Mountain Cabin" in user for user in facts)
    # The agent itself never sees them.
    assert not any("that is meant" in json.dumps(body) for body in estate.models.bodies if body.get("tools"))


def test_a_session_that_was_closed_goes_on(checked: tuple[Estate, Outcome]) -> None:
    estate, _ = checked
    transcript = estate.samples()["after_a_break", "candidate"]["reply"]["transcript"]
    assert transcript["revived"] == [0]
    assert [turn["round"] for turn in transcript["turns"]] == [0, 1]
    (use,) = transcript["turns"][1]["tools"]
    # Only who remembers the first round knows which place came first.
    assert json.loads(use["arguments"]) == {"listing": "Beach House", "month": "2026-10"}


def test_every_round_is_scored_and_every_call_is_reported(checked: tuple[Estate, Outcome]) -> None:
    estate, _ = checked
    row = estate.samples()["biggest_then_its_address", "candidate"]
    (judge,) = [score for score in row["scores"] if score["scorer"] == "judge"]
    assert [(part["kind"], part["value"]) for part in judge["parts"]] == [("round", 0.9), ("round", 0.9)]
    names = [[use["name"] for use in turn["tools"]] for turn in row["reply"]["transcript"]["turns"]]
    assert names == [["get_listings"], ["get_listing_details"]]
    (turn,) = estate.samples()["fuller_than_before", "candidate"]["reply"]["transcript"]["turns"]
    assert [use["name"] for use in turn["tools"]] == ["get_occupancy", "get_occupancy"]
    assert all(use["latency_s"] > 0 for use in turn["tools"])


def test_the_token_is_with_the_server_alone(checked: tuple[Estate, Outcome]) -> None:
    estate, _ = checked
    sent = json.dumps(estate.models.bodies)
    assert "get_revenue" in sent
    for hidden in (TOKEN, "session_id"):
        assert hidden not in sent
    written = [file for file in (estate.root / ".gate").rglob("*") if file.is_file()]
    assert written
    assert [file for file in written if TOKEN.encode() in file.read_bytes()] == []
