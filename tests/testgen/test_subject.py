"""The prompt as the stages read it, and where its messages are."""

import pytest

from gate.errors import GateError
from gate.messages import Message, Part, Parts
from gate.prompts import reading
from gate.prompts.version import FunctionTexts, Prompt
from gate.testgen.prompt_under_test import subject_of

CHAT = "messages:\n- {role: system, content: 'Be kind.'}\n- {role: user, content: 'Be brief.'}\n"


def test_messages_are_told_apart_by_their_places() -> None:
    subject = subject_of(reading.parse(CHAT, "p.yaml"))
    assert subject.text == "[system]\nBe kind.\n\n[user]\nBe brief."
    assert [(one.role, subject.text[one.start : one.end]) for one in subject.pieces] == [
        ("system", "Be kind."),
        ("user", "Be brief."),
    ]


def test_files_that_a_template_pulls_in_are_pieces_of_it() -> None:
    parts = Parts("p.j2", (Part("tone.md", "Be kind."),))
    subject = subject_of(Prompt((Message("user", "{% include 'tone.md' %}"),), template=True, parts=parts))
    assert subject.text == "{% include 'tone.md' %}\n\n[file tone.md]\nBe kind."
    assert [(one.role, one.template, subject.text[one.start : one.end]) for one in subject.pieces] == [
        ("user", True, "{% include 'tone.md' %}"),
        ("file tone.md", False, "Be kind."),
    ]


def test_code_has_no_text() -> None:
    with pytest.raises(GateError, match="Python function"):
        subject_of(Prompt((), built=FunctionTexts({})))
