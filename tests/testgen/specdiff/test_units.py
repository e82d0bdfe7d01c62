"""Sentences of a prompt, and what they hang on."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.testgen.specdiff.sentences import sentences_of
from gate.testgen.specdiff.structure import plain_text


def said(text: str) -> list[str]:
    return [unit.words for unit in sentences_of(text)]


def test_sentences_items_and_headings_are_units() -> None:
    text = "# Title\nBe kind. Be brief!\n1. First thing\n2) Second; third\n\n## Tone\n- *warm* and **clear**"
    assert said(text) == [
        "Title",
        "Be kind",
        "Be brief",
        "First thing",
        "Second",
        "third",
        "Tone",
        "warm and clear",
    ]


def test_a_sentence_may_go_on_in_the_next_line() -> None:
    assert said("Answer in at most\neighty words.\nBe kind") == ["Answer in at most eighty words", "Be kind"]
    assert said("Be brief\nBe kind") == ["Be brief", "Be kind"]


@pytest.mark.parametrize(
    "text", ["Say e.g. hello to them.", "Use 3.5 points.", "Name A. Miller first.", "Give z.B. eins."]
)
def test_points_inside_a_sentence_do_not_end_it(text: str) -> None:
    assert len(said(text)) == 1


def test_a_lead_in_holds_for_the_list_below_it() -> None:
    never, always = (
        sentences_of("Never:\n\n- shout\n- joke\n\nBe kind."),
        sentences_of("Always:\n\n- shout\n- joke\n\nBe kind."),
    )
    assert [unit.under for unit in never] == ["", "Never:", "Never:", ""]
    assert [unit.words for unit in never if unit.key in {other.key for other in always}] == ["Be kind"]


def test_a_heading_is_a_scope_and_a_title_is_none() -> None:
    assert [unit.under for unit in sentences_of("# Bot\nBe kind.\n## Never\nShout.")] == ["", "", "", "Never"]


@pytest.mark.parametrize("other", ["- Be  kind.", "**Be kind**", "3. Be\n kind", "_Be_ kind", "Be kind;"])
def test_markup_and_blanks_say_nothing(other: str) -> None:
    assert plain_text(other) == plain_text("Be kind")


@pytest.mark.parametrize("other", ["be kind", "Be kind?", "Be kin", "Be 3 kind"])
def test_capitals_questions_and_digits_say_something(other: str) -> None:
    assert plain_text(other) != plain_text("Be kind")


@pytest.mark.parametrize("marks", ["- ", "> ", "1. ", "> - "])
def test_a_sentence_below_more_levels_than_a_parser_takes_is_there(marks: str) -> None:
    assert [words.removeprefix("> ") for words in said(f"Be kind.\n\n{marks * 60}Name a price.")][-1].endswith("price")


@given(st.text(alphabet=st.sampled_from("aB .:\n-#*1)`!。\t"), max_size=80) | st.text(max_size=80))
def test_any_text_is_taken_apart_without_a_loss(text: str) -> None:
    place = 0
    for unit in sentences_of(text):
        assert unit.start >= place
        assert _empty(text[place : unit.start])
        assert unit.words == plain_text(text[unit.start : unit.end]) != ""
        place = unit.end
    assert _empty(text[place:])


def _empty(gap: str) -> bool:
    """Nothing but stops, marks and the numbers of empty items."""
    return not re.sub(r"\d{1,3}[.)]|[a-zA-Z][.)]|[-=#*_`+•–.;!。；！\s]", "", gap)
