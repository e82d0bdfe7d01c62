"""How the parts of an input become what is sent, and what a model may not write."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.specification import GeneratedTest
from gate.testgen.cases.inputs import PART_CHARS, WrittenInput, shape_of, shown_input
from gate.testgen.effort import EffortSettings
from gate.testgen.prompt_under_test import PromptSubject
from gate.testgen.questions import MalformedAnswer
from tests.support.scripted_tests import SUBJECT, specification

TEST = GeneratedTest("R1-rule-1", "rule", "R1")
ONE = EffortSettings()
TEMPLATE = PromptSubject("{{ tone }} {{ input }}", ("input", "tone"), "d")


def given_parts(**parts: object) -> dict[str, Any]:
    return {"components": [{"name": name, "text": text} for name, text in parts.items()]}


def filled(subject: PromptSubject, names: tuple[str, ...], settings: EffortSettings, **reply: Any) -> GeneratedTest:
    shape = shape_of(subject, specification(1, *names), settings)
    return shape.fill(TEST, shape.read(reply))


def test_one_component_is_its_text_alone() -> None:
    test = filled(SUBJECT, ("sentence",), ONE, **given_parts(sentence=" Hi\n"))
    assert test.input == " Hi\n", "white space may be what a test is about"
    assert test.components == {"sentence": " Hi\n"} and test.vars == {}


def test_variables_are_values_and_input_is_the_message() -> None:
    test = filled(TEMPLATE, ("input", "tone"), ONE, **given_parts(input="Hello", tone="calm"))
    assert (test.input, test.vars) == ("Hello", {"tone": "calm"})


def test_a_template_gets_all_its_variables_whatever_the_specification_names() -> None:
    shape = shape_of(TEMPLATE, specification(1, "tone", "city"), ONE)
    assert shape.names == ("input", "tone", "city")


def test_turns_take_the_place_of_the_message() -> None:
    talk = EffortSettings(turns=2)
    test = filled(TEMPLATE, ("input", "tone"), talk, **given_parts(tone="calm"), turns=["Hi", "Bye"])
    assert (test.input, test.turns, test.vars) == ("", ("Hi", "Bye"), {"tone": "calm"})
    plain = shape_of(SUBJECT, specification(1, "sentence"), talk)
    assert plain.parts == () and list(plain.schema()) == ["turns"]


@pytest.mark.parametrize("name", ["context", "sourcePassages"])
def test_retrieved_context_is_known_by_its_name_and_marked_only_where_wanted(name: str) -> None:
    wanted = shape_of(SUBJECT, specification(1, name, "question"), EffortSettings(documents=True))
    assert wanted.retrieved == (name,)
    assert shape_of(SUBJECT, specification(1, name, "question"), ONE).retrieved == ()


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (given_parts(sentence="a", word="b", more="c"), "components does not hold each component exactly once"),
        (given_parts(sentence="a", word=7), "a part of an input is no text"),
        (given_parts(sentence="a\0", word="b"), "a part of an input holds a zero character"),
        (
            given_parts(sentence="a" * (PART_CHARS + 1), word=""),
            "a part of an input is longer than 50,000 characters",
        ),
    ],
)
def test_what_is_not_each_component_once_is_malformed(reply: dict[str, Any], problem: str) -> None:
    with pytest.raises(MalformedAnswer, match=problem):
        shape_of(SUBJECT, specification(1, "sentence", "word"), ONE).read(reply)


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), st.text(min_size=1), min_size=1))
def test_what_is_shown_is_what_was_written(parts: dict[str, str]) -> None:
    test = shape_of(SUBJECT, specification(1, *parts), ONE).fill(TEST, WrittenInput(parts))
    assert dict(shown_input(test)) == parts
    assert all(text in test.input for text in parts.values())
