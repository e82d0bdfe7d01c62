"""What opens a session with an agent from outside: the prompt and what was said before, each turn once."""

import json
from dataclasses import replace
from typing import Any

import pytest

from gate.agents.external import MOST_VALUES, AgentReply, ProtocolSession
from gate.agents.interface import AgentFailed
from gate.agents.masks import Masks
from gate.cases.case import Case
from gate.messages import Message
from gate.prompts.reading import parse
from gate.prompts.version import Prompt
from gate.values import JsonValue
from tests.support.fake_agents import question

PLAIN = Prompt((Message("system", "Be kind."),))
TALK = (Message("user", "Hi."), Message("assistant", "Hello."), Message("user", "What is due?"))


def opened(case: Case, prompt: Prompt = PLAIN) -> dict[str, Any]:
    asked = question(case)
    arm = replace(asked.arm, version=replace(asked.arm.version, prompt=prompt))
    said = ProtocolSession(replace(asked, arm=arm), Masks(), "the agent").opening("start", "s-1")
    found: dict[str, Any] = json.loads(said)["prompt"]
    return found


def turns(prompt: dict[str, Any]) -> list[tuple[str, str]]:
    return [(turn["role"], turn["content"]) for turn in prompt["messages"]]


def test_the_turns_before_the_last_are_context_and_the_last_is_sent() -> None:
    case = Case("c", messages=TALK)
    assert turns(opened(case)) == [("system", "Be kind."), ("user", "Hi."), ("assistant", "Hello.")]
    assert [one.said for one in case.steps] == ["What is due?"]


def test_a_template_around_the_question_is_context_without_it() -> None:
    prompt = parse("Answer {{ input }} for {{ id }}.", "p.j2")
    assert turns(opened(Case("c", messages=TALK), prompt)) == [
        ("user", "Hi."),
        ("assistant", "Hello."),
        ("user", "Answer {input} for c."),
    ]


def protocol(masks: Masks | None = None) -> ProtocolSession:
    return ProtocolSession(question(Case("c", "?")), masks or Masks(), "the agent")


@pytest.mark.parametrize("more", [0, 1])
def test_what_an_answer_tells_of_its_tools_has_a_limit(more: int) -> None:
    # Each call has itself, its name and its arguments beside what these hold, and the list is one, too.
    values: list[JsonValue] = [1] * (MOST_VALUES - 4 + more)
    reply: AgentReply = {"type": "answer", "text": "x", "tools": [{"name": "look", "arguments": values}]}
    if more:
        with pytest.raises(AgentFailed, match="more than 100,000 values"):
            protocol().answer(reply, 1.0)
    else:
        assert len(protocol().answer(reply, 1.0).tools) == 1


@pytest.mark.parametrize("turns", [None, 3])
def test_a_session_is_opened_with_ok_alone(turns: int | None) -> None:
    assert protocol().opened({"type": "ok", "turns": turns}) == turns
    with pytest.raises(AgentFailed, match="did not open the session with ok"):
        protocol().opened({"type": "answer", "text": "Hello!", "turns": turns})
    with pytest.raises(AgentFailed, match="failed: no"):
        protocol().opened({"type": "error", "error": "no"})
    with pytest.raises(AgentFailed, match="did not reply with a JSON object"):
        protocol().opened(None)
