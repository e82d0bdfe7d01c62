"""What opens a session with an agent from outside: the prompt and what was said before, each turn once."""

import json
from dataclasses import replace
from typing import Any

import pytest

from gate.domain.case import Case
from gate.domain.prompt import Message, Prompt
from gate.inputs.prompts import parse
from gate.providers.untrusted import Cleaner
from gate.targets.conversation import rounds_of
from gate.targets.external.protocol import Tongue
from tests.support.conversing import question

PLAIN = Prompt((Message("system", "Be kind."),))
TALK = (Message("user", "Hi."), Message("assistant", "Hello."), Message("user", "What is due?"))


def opened(case: Case, prompt: Prompt = PLAIN) -> dict[str, Any]:
    asked = question(case)
    arm = replace(asked.arm, version=replace(asked.arm.version, prompt=prompt))
    said = Tongue(replace(asked, arm=arm), Cleaner(()), "the agent").opening("start", "s-1")
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
    assert [one.said for one in rounds_of(case)] == ["What is due?"]


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
