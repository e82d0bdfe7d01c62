"""What opens a session with an agent from outside: the prompt and what was said before, each turn once."""

import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.agents.external import MOST_VALUES, AgentReply, ProtocolSession
from gate.agents.interface import AgentFailed
from gate.agents.masks import Masks
from gate.cases.case import Case
from gate.messages import Message
from gate.prompts.reading import parse
from gate.prompts.version import Prompt
from gate.values import JsonValue, more_than
from tests.support.conversing import question

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


@pytest.mark.parametrize("case", [Case("c", "What is due?"), Case("c", messages=TALK[-1:])])
def test_what_is_sent_first_is_not_told_before(case: Case) -> None:
    assert turns(opened(case)) == [("system", "Be kind.")]
    assert opened(case)["text"] == "Be kind."


def test_the_turns_before_the_last_are_told_and_the_last_is_sent() -> None:
    case = Case("c", messages=TALK)
    assert turns(opened(case)) == [("system", "Be kind."), ("user", "Hi."), ("assistant", "Hello.")]
    assert [one.said for one in case.steps] == ["What is due?"]


def test_a_question_that_was_asked_before_in_the_same_words_stays() -> None:
    case = Case("c", messages=(TALK[-1], TALK[1], TALK[-1]))
    assert turns(opened(case)) == [("system", "Be kind."), ("user", "What is due?"), ("assistant", "Hello.")]


def test_a_template_around_the_question_is_told_without_it() -> None:
    prompt = parse("Answer {{ input }} for {{ id }}.", "p.j2")
    assert turns(opened(Case("c", messages=TALK), prompt)) == [
        ("user", "Hi."),
        ("assistant", "Hello."),
        ("user", "Answer {input} for c."),
    ]


def tongue(masks: Masks | None = None) -> ProtocolSession:
    return ProtocolSession(question(Case("c", "?")), masks or Masks(), "the agent")


@dataclass(frozen=True, slots=True)
class Counted(Masks):
    """Counts the texts that are looked at."""

    seen: list[str] = field(default_factory=list)

    def text(self, text: str) -> str:
        self.seen.append(text)
        return Masks.text(self, text)


def test_what_nobody_uses_of_a_reply_is_not_looked_at() -> None:
    masks = Counted()
    tools: list[JsonValue] = [{"name": "look", "arguments": {"a": "b"}, "note": "c"}]
    log: list[JsonValue] = ["d"] * 50
    answer = tongue(masks).answer({"type": "answer", "text": "x", "log": log, "tools": tools}, 1.0)
    assert (answer.text, answer.tools[0].arguments) == ("x", '{"a": "b"}')
    assert not {"c", "d"} & set(masks.seen)


@pytest.mark.parametrize("more", [0, 1])
def test_what_an_answer_tells_of_its_tools_has_a_limit(more: int) -> None:
    # Each call has itself, its name and its arguments beside what these hold, and the list is one, too.
    values: list[JsonValue] = [1] * (MOST_VALUES - 4 + more)
    reply: AgentReply = {"type": "answer", "text": "x", "tools": [{"name": "look", "arguments": values}]}
    if more:
        with pytest.raises(AgentFailed, match="more than 100,000 values"):
            tongue().answer(reply, 1.0)
    else:
        assert len(tongue().answer(reply, 1.0).tools) == 1


@pytest.mark.parametrize("turns", [None, 0, 3])
def test_a_session_is_opened_with_ok_alone(turns: int | None) -> None:
    assert tongue().opened({"type": "ok", "turns": turns}) == turns
    with pytest.raises(AgentFailed, match="did not open the session with ok"):
        tongue().opened({"type": "answer", "text": "Hello!", "turns": turns})
    with pytest.raises(AgentFailed, match="failed: no"):
        tongue().opened({"type": "error", "error": "no"})
    with pytest.raises(AgentFailed, match="did not answer with a JSON object"):
        tongue().opened(None)


@given(st.recursive(st.none() | st.text(max_size=3), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_values_are_counted_as_deep_as_they_are(value: JsonValue) -> None:
    def number(one: JsonValue) -> int:
        inner = one if isinstance(one, list) else list(one.values()) if isinstance(one, dict) else []
        return 1 + sum(map(number, inner))

    assert [more_than(number(value) + step, value) for step in (-1, 0, 1)] == [True, False, False]
