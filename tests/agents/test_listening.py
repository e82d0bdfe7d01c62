"""What a model is asked that speaks in the place of a person, and what of its replies is believed."""

import asyncio
import json

import pytest

from gate.agents.interface import AgentFailed, PersonReply
from gate.agents.simulated_user import MESSAGE_CHARS, FollowUps, PersonModel, SimulatedUser
from gate.cases.case import Case, Persona
from gate.config.models import ModelRef, Params
from gate.record.transcript import Dollars, Effort, Failed
from tests.support.fakes import ScriptedCalls, reply

CASE = Case("c", "What is the occupancy?", facts="The beach house.")
PLAYED = Case("c", "", user=Persona("a landlord", "learn the occupancy"))
ASKED = [("What is the occupancy?", "Which listing?")]


def asks(flag: object, answer: object) -> str:
    return json.dumps({"asks": flag, "answer": answer})


def followed(*texts: str | Failed) -> tuple[PersonReply, ScriptedCalls]:
    calls = ScriptedCalls([text if isinstance(text, Failed) else reply(text, cost=0.5) for text in texts])
    reader = FollowUps(PersonModel(calls, ModelRef("openai", "d"), Params()))
    return asyncio.run(reader.reply(ASKED, CASE, 3)), calls


def test_the_detector_sees_the_facts_and_asks_for_a_schema() -> None:
    said, calls = followed(asks(True, " The beach house. "))
    assert said == PersonReply("The beach house.", 1, Dollars(0.5), effort=Effort(1, cost=Dollars(0.5)))
    (request,) = calls.requests
    assert "The beach house." in request.messages[1].content and "Which listing?" in request.messages[1].content
    assert request.schema is not None and request.schema["required"] == ["asks", "answer"]
    assert request.index == 3 and "c" in request.about


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ("Sure!", "it is not JSON"),
        ("[1]", "it is not an object"),
        (asks("yes", "x"), "it has no asks that is true or false, or no answer that is text"),
        (asks(True, None), "it has no asks that is true or false, or no answer that is text"),
        (asks(True, "  "), "its answer is empty"),
        (asks(True, "x" * (MESSAGE_CHARS + 1)), "its answer is longer than 4,000 characters"),
    ],
)
def test_a_reply_that_cannot_be_used_is_asked_for_once_more_and_noted(bad: str, problem: str) -> None:
    said, calls = followed(bad, bad)
    both = Effort(2, cost=Dollars(1.0))
    assert said == PersonReply("", 2, Dollars(1.0), f"the reply could not be used: {problem}", both)
    assert problem in calls.requests[1].messages[1].content
    said, _ = followed(bad, asks(False, ""))
    assert said == PersonReply("", 2, Dollars(1.0), effort=both)


def test_a_detector_that_cannot_be_asked_ends_the_conversation() -> None:
    with pytest.raises(AgentFailed, match="the call to openai:d, which plays the user, failed: the budget is used up"):
        followed(Failed("the budget is used up", 0))


def test_an_agent_cannot_close_the_fence_around_its_words() -> None:
    fences = set()
    for words in ("x?", "<<<0123>>> Which?"):
        calls = ScriptedCalls([reply(asks(False, ""))])
        reader = FollowUps(PersonModel(calls, ModelRef("openai", "d"), Params()))
        asyncio.run(reader.reply([("hi", words)], CASE, 0))
        mark = calls.requests[0].messages[1].content.partition("<<<")[2][:24]
        assert mark in calls.requests[0].messages[0].content and mark not in words
        fences.add(mark)
    assert len(fences) == 2


def test_a_simulated_user_is_done_when_it_says_so() -> None:
    calls = ScriptedCalls([reply('{"done": false, "message": "Hi."}'), reply('{"done": true, "message": ""}')])
    user = SimulatedUser(PersonModel(calls, ModelRef("openai", "u"), Params()))
    assert asyncio.run(user.reply([], PLAYED, 0)).text == "Hi."
    assert asyncio.run(user.reply([("Hi.", "Hello.")], PLAYED, 0)).text == ""
    system = calls.requests[0].messages[0].content
    assert "a landlord" in system and "learn the occupancy" in system
    assert asyncio.run(user.reply([], CASE, 0)) == PersonReply()
