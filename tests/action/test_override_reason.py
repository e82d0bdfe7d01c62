"""The reason for an override: a line in the newest comment of the same person."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.action.override import LONGEST_REASON, reason_by
from gate.github.events import PostedComment


def said(body: str, author: str = "olivia") -> PostedComment:
    return PostedComment(1, author, body, "https://github.test/c/1")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("/gate override: the old answers were wrong", "the old answers were wrong"),
        ("  /Gate  Override :  tabs \t", "tabs"),
        ("/gate override: first\n/gate override: second", "second"),
        ("/gate override: kept\n/gate override:   ", "kept"),
        ("/gate override", ""),
        ("please /gate override: x", ""),
        ("> /gate override: quoted", ""),
        ("/gate override: \ud800 half", "? half"),
        ("", ""),
    ],
)
def test_a_line_gives_the_reason(body: str, reason: str) -> None:
    assert reason_by("olivia", [said(body)]) == reason


def test_only_the_same_person_is_heard() -> None:
    words = [said("/gate override: own", "OLIVIA"), said("/gate override: another's", "mallory")]
    assert reason_by("olivia", words) == "own"
    assert reason_by("ada", words) == ""
    assert reason_by(None, [said("/gate override: x", "")]) == ""
    assert reason_by("", [said("/gate override: x", "")]) == ""


def test_it_is_bounded() -> None:
    assert reason_by("olivia", [said("/gate override: " + "x" * 70_000)]) == "x" * LONGEST_REASON
    assert reason_by("olivia", [said(" " * 65_000 + "/gate override: x")]) == ""


@given(st.text(max_size=300))
def test_any_text_gives_one_line_that_can_be_written(text: str) -> None:
    found = reason_by("olivia", [said(f"/gate override:{text}")])
    assert len(found.splitlines()) <= 1
    assert len(found) <= LONGEST_REASON
    found.encode()
