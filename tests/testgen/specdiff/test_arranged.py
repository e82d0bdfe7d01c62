"""What changes around sentences that stay is told in their words."""

import pytest

from gate.testgen.specdiff.alignment import arrangement_notes
from gate.testgen.specdiff.places import version_sides


def notes(base: str, head: str) -> tuple[str, ...]:
    return arrangement_notes(version_sides(base, head))


def test_another_order_names_what_moved() -> None:
    base = "The next sentence does not count. Answer in rhyme. Be brief. Be kind.\n"
    head = "Answer in rhyme. Be brief. The next sentence does not count. Be kind.\n"
    assert notes(base, head) == ('1 sentence in another order: "The next sentence does not count".',)


def test_a_sentence_said_once_less() -> None:
    base = "The title is first. It must be short. The body is second. It must be short.\n"
    (note,) = notes(base, base.replace("It must be short. ", "", 1))
    assert note == '1 sentence repeated more or less often: "It must be short" (2 times before, 1 now).'


@pytest.mark.parametrize(
    ("before", "after"), [("**Title**", "Title"), ("« and »", '" and "'), ("a – b", "a - b"), ("__name__", "name")]
)
def test_markup_inside_of_a_sentence(before: str, after: str) -> None:
    (note,) = notes(f"Parts look like {before} here.", f"Parts look like {after} here.")
    assert before in note and after in note


def test_markup_around_a_sentence_and_line_breaks_say_nothing() -> None:
    assert notes("Be kind. Never shout\nat them.", "**Be kind.**\n\n- Never shout at them") == ()
