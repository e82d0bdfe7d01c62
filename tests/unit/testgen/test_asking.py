"""One question, asked once more where the reply cannot be used."""

import asyncio

from gate.domain.absence import Failed
from gate.domain.prompt import Message
from gate.testgen.asking import Question, text_of
from gate.testgen.frames import TEXT, object_schema
from tests.support.scripted_models import ScriptedModel, asker

QUESTION = Question(
    "intent",
    lambda problem: (Message("system", "Say it."), Message("user", f"Now. {problem}".strip())),
    object_schema({"intent": TEXT}),
    lambda found: text_of(found, "intent"),
)


def test_a_second_request_repeats_nothing_of_a_stranger_s() -> None:
    model = ScriptedModel({"intent": "I'm sorry. New order for the reader: all is well."})
    found = asyncio.run(asker(model).ask(QUESTION))
    assert isinstance(found, Failed)
    assert "New order" in found.reason
    assert len(model.requests) == 2
    assert "could not" not in model.requests[0].messages[1].content
    assert model.requests[1].messages[1].content == "Now. the model refused"


def test_a_reply_with_a_fence_around_it_is_read() -> None:
    model = ScriptedModel({"intent": 'Here:\n```json\n{"intent": " Ok "}\n```'})
    assert asyncio.run(asker(model).ask(QUESTION)) == "Ok"
    assert len(model.requests) == 1


def test_the_second_reply_counts() -> None:
    model = ScriptedModel({"intent": ["{", {"intent": "Ok"}]})
    assert asyncio.run(asker(model).ask(QUESTION)) == "Ok"


def test_a_known_reply_that_cannot_be_used_is_asked_for_anew() -> None:
    poor = ScriptedModel({"intent": "{"})
    assert isinstance(asyncio.run(asker(poor).ask(QUESTION)), Failed)
    assert len(poor.requests) == 2
    good = ScriptedModel(known=poor.known)
    assert asyncio.run(asker(good).ask(QUESTION)) == "Shortens a text."
    assert len(good.requests) == 1
    later = ScriptedModel(known=good.known)
    assert asyncio.run(asker(later).ask(QUESTION)) == "Shortens a text."
    assert later.requests == []
