"""Annotations stand on lines that were changed, within the file, and not too many of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.report.exports.sarif import MOST_ANNOTATIONS, prompt_annotations

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "d e"]), max_size=40)


def places(old: str, new: str) -> list[tuple[int, int]]:
    return [(one.first, one.last) for one in prompt_annotations("p.md", old, new, "worse")]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a\nb\nc\n", "a\nB\nc\n", [(2, 2)]),
        ("a\nb\n", "a\nb\nc\nd\n", [(3, 4)]),
        ("a\nb\nc\n", "a\nc\n", [(2, 2)]),
        ("a\nb\n", "a\n", [(1, 1)]),
        ("", "a\nb\n", [(1, 2)]),
        ("a\n", "", [(1, 1)]),
        ("a\n", "a\n", []),
        ("a\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\n", [(1, 1), (5, 5)]),
    ],
)
def test_the_changed_lines(old: str, new: str, expected: list[tuple[int, int]]) -> None:
    assert places(old, new) == expected


def test_the_longest_places_are_kept() -> None:
    old = "\n".join(str(number) for number in range(60))
    changed = [f"x{number}" if number % 4 == 0 or number in (33, 34) else str(number) for number in range(60)]
    found = places(old, "\n".join(changed))
    assert len(found) == MOST_ANNOTATIONS
    assert found == sorted(found)
    assert (33, 35) in found


@given(LINES, LINES)
def test_every_place_lies_in_the_file_and_holds_a_change(old: list[str], new: list[str]) -> None:
    found = places("\n".join(old), "\n".join(new))
    count = max(len("\n".join(new).splitlines()), 1)
    assert all(1 <= first <= last <= count for first, last in found)
    assert len(set(found)) == len(found) <= MOST_ANNOTATIONS
    assert bool(found) is ("\n".join(old).splitlines() != "\n".join(new).splitlines())


def test_a_huge_prompt_is_annotated_at_its_top() -> None:
    assert places("a\n" * 6_000, "b\n" * 6_000) == [(1, 1)]
