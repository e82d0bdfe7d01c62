"""What changes around sentences that stay is told in their words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.testgen.specdiff.alignment import arrangement_notes
from gate.testgen.specdiff.places import version_sides


def notes(base: str, head: str) -> tuple[str, ...]:
    return arrangement_notes(version_sides(base, head))


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ("Answer with a letter:\n\nA. Refund\nB. None\n", "Answer with a letter:\n\nA. None\nB. Refund\n"),
        ("Rate it:\n\n1. bad\n2. fair\n3. good\n", "Rate it:\n\n3. bad\n2. fair\n1. good\n"),
        ("Rate it:\n\n1. bad\n2. good\n", "Rate it:\n\n0. bad\n1. good\n"),
        ("One of these. A) is spam. B) is ham.", "One of these. B) is spam. A) is ham."),
    ],
)
def test_a_label_that_names_something_else(base: str, head: str) -> None:
    (note,) = notes(base, head)
    assert note.startswith("2 sentences with another number or letter") or "3 sentences" in note


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ("Do this:\n\n1. warn\n2. ask\n", "Do this:\n\n1. greet\n2. warn\n3. ask\n"),
        ("Do this:\n\n1. warn\n2. ask\n", "Do this:\n\na) warn\nb) ask\n"),
        ("Do this:\n\n- warn\n- ask\n", "Do this:\n\n1. warn\n2. ask\n"),
    ],
)
def test_a_list_that_is_numbered_anew_says_what_it_said(base: str, head: str) -> None:
    assert notes(base, head) == ()


def test_another_order_names_what_moved() -> None:
    base = "The next sentence does not count. Answer in rhyme. Be brief. Be kind.\n"
    head = "Answer in rhyme. Be brief. The next sentence does not count. Be kind.\n"
    assert notes(base, head) == ('1 sentence in another order: "The next sentence does not count".',)


@given(st.permutations(range(6)))
def test_any_other_order_is_told(order: list[int]) -> None:
    said = [f"Demand {number} counts." for number in range(6)]
    found = notes(" ".join(said), " ".join(said[number] for number in order))
    assert len(found) == int(list(order) != sorted(order))


def test_a_sentence_said_once_less() -> None:
    base = "The title is first. It must be short. The body is second. It must be short.\n"
    (note,) = notes(base, base.replace("It must be short. ", "", 1))
    assert note == '1 sentence repeated more or less often: "It must be short" (was there 2 times, is 1).'


@pytest.mark.parametrize(
    ("before", "after"), [("**Title**", "Title"), ("« and »", '" and "'), ("a – b", "a - b"), ("__name__", "name")]
)
def test_markup_inside_of_a_sentence(before: str, after: str) -> None:
    (note,) = notes(f"Parts look like {before} here.", f"Parts look like {after} here.")
    assert before in note and after in note


def test_markup_around_a_sentence_and_line_breaks_say_nothing() -> None:
    assert notes("Be kind. Never shout\nat them.", "**Be kind.**\n\n- Never shout at them") == ()


def test_of_many_sentences_the_shortest_are_quoted_and_the_rest_is_counted() -> None:
    said = ["x" * length + "." for length in (300, 40, 30, 20, 10)]
    (note,) = notes(" ".join(f"*a* {one}" for one in said), " ".join(f"a {one}" for one in said))
    assert note.startswith("5 sentences with other markup") and note.endswith("and 2 more.")
    assert "x" * 41 not in note
