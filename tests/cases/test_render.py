"""Rendering of messages from prompt and case, and of scorers' texts."""

import pytest

from gate.cases.case import Case, fill, render
from gate.messages import Message
from gate.prompts import reading
from gate.prompts.version import Prompt
from tests.config.texts import errors

CASE = Case(
    "c1",
    "Where?",
    expected="secret",
    slices={"tier": "pro"},
    vars={"name": "Ada", "facts": ["a", {"b": None}], "items": 3},
    where="cases.jsonl:7",
)
TALK = Case("c2", messages=(Message("user", "Hi"), Message("assistant", "Yes?"), Message("user", "Where?")))


def chat(*turns: tuple[str, str], template: bool = True) -> Prompt:
    return Prompt(tuple(Message(role, text) for role, text in turns), template=template, chat=True)


def template(text: str) -> Prompt:
    return reading.parse(text, "p.j2")


def shown(messages: tuple[Message, ...]) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in messages]


def test_plain_text_is_the_system_message() -> None:
    prompt = reading.parse("Be {{ brief }}.", "p.md")
    assert shown(render(prompt, CASE)) == [("system", "Be {{ brief }}."), ("user", "Where?")]


def test_a_template_without_input_is_the_system_message() -> None:
    found = shown(render(template("{{ name }}, {{ slices.tier }}, {{ id }}"), CASE))
    assert found == [("system", "Ada, pro, c1"), ("user", "Where?")]


def test_a_template_with_input_is_the_sole_user_message() -> None:
    assert shown(render(template("Q: {{ input }}\nA:\n"), CASE)) == [("user", "Q: Where?\nA:")]


def test_a_template_with_input_holds_the_last_question_of_a_conversation() -> None:
    found = shown(render(template("Q: {{ input }}"), TALK))
    assert found == [("user", "Hi"), ("assistant", "Yes?"), ("user", "Q: Where?")]


def test_chat_prompts_end_in_the_question() -> None:
    turns = (("system", "Be {{ brief }}"), ("user", "a"), ("assistant", "b"))
    assert shown(render(chat(*turns, template=False), CASE)) == [*turns, ("user", "Where?")]


def test_a_chat_template_may_contain_the_question() -> None:
    prompt = chat(("system", "For {{ name }}"), ("user", "Q: {{ input }}"))
    assert shown(render(prompt, CASE)) == [("system", "For Ada"), ("user", "Q: Where?")]
    prompt = chat(("system", "S"), ("user", "Q: {{ input }}"), ("assistant", "A: {{ input }}"))
    roles = [("system", "S"), ("user", "Hi"), ("assistant", "Yes?"), ("user", "Q: Where?"), ("assistant", "A: Where?")]
    assert shown(render(prompt, TALK)) == roles


def test_values_that_are_not_text_are_written_as_json() -> None:
    found = render(template("{{ facts }} {{ items }} {{ slices }}"), CASE)[0].content
    assert found == '["a", {"b": null}] 3 {"tier": "pro"}'


def test_data_is_never_read_as_a_template() -> None:
    case = Case("c", "{{ id }}", vars={"name": "{{ id }}"})
    assert shown(render(template("{{ name }} {{ input }}"), case)) == [("user", "{{ id }} {{ id }}")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Hello\n{{ nmae }}",
            "p.j2:2: 'nmae' is undefined (case 'c1' at cases.jsonl:7) "
            "(add it under 'vars' of the case, or remove it from the template)",
        ),
        (
            "{{ expected }}",
            "p.j2:1: 'expected' is undefined (case 'c1' at cases.jsonl:7) "
            "(the expected answer is never shown to a prompt)",
        ),
        ("{% if not name %}x{% endif %}", "p.j2: is empty for case 'c1' at cases.jsonl:7"),
    ],
)
def test_messages(text: str, message: str) -> None:
    assert message in errors(lambda: render(template(text), CASE, "p.j2"))


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("no fields {% here %}", "no fields {% here %}"),
        ("{{ expected }}", "secret"),
        ("{{ expected|upper }} {{ input }} {{ name }} {{ slices.tier }} {{ id }}", "SECRET Where? Ada pro c1"),
        ("{{ facts }}", '["a", {"b": null}]'),
    ],
)
def test_scorers_see_every_field(text: str, filled: str) -> None:
    assert fill(text, CASE) == filled


@pytest.mark.parametrize(("expected", "filled"), [({"a": 1.0}, '{"a": 1.0}'), (0, "0"), (False, "false"), ("", "")])
def test_expected_may_be_any_json(expected: object, filled: str) -> None:
    assert fill("{{ expected }}", Case("c", "x", expected=expected)) == filled


def test_a_case_without_expected_is_named() -> None:
    text = errors(lambda: fill("{{ expected }}", Case("c", "x", where="dir:x/c.jsonl:3")))
    assert text == (
        "dir:x/c.jsonl:3: a template cannot be filled in for case 'c': 'expected' is undefined "
        "(add the field to the case, or change the template)"
    )
