"""Counts of paragraphs, lines, items, tags and marks are those that plain code finds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.testgen.compile.support import compiled, kept

BOUNDS = st.sampled_from(
    [("exactly 2", 2, 2), ("at least 2", 2, 99), ("at most 2", 0, 2), ("between 1 and 3", 1, 3), ("fewer than 2", 0, 1)]
)


def pieces(*parts: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(parts), max_size=12).map("".join)


@given(BOUNDS, pieces("a", " ", "\n", "\n\n", "\t", "b c", "\r\n"))
def test_lines_are_those_that_are_not_empty(bound, output):
    lines = [line for line in output.split("\n") if line.strip()]
    assert kept(f"The output must have {bound[0]} lines.", output) == (bound[1] <= len(lines) <= bound[2])


@given(BOUNDS, pieces("a", " ", "\n", "\n\n", "\n \n", "b c"))
def test_paragraphs_end_at_an_empty_line(bound, output):
    found = [part for part in re.split(r"\n[^\S\n]*\n", output) if part.strip()]
    assert kept(f"The output must have {bound[0]} paragraphs.", output) == (bound[1] <= len(found) <= bound[2])


@given(BOUNDS, pieces("- a\n", "* b\n", "  • c\n", "-d\n", "text\n", "1. e\n", "**f**\n", "---\n"))
def test_bullet_points_are_marks_with_a_blank_behind(bound, output):
    found = len(re.findall(r"^ *[-*•] \S", output, re.MULTILINE))
    assert kept(f"The output must contain {bound[0]} bullet points.", output) == (bound[1] <= found <= bound[2])


@given(BOUNDS, pieces("<p>", "</p>", '<p class="x">', "<P>", "<pre>", "<p", "`<p>`", "<br/>", "a > b"))
def test_tags_are_opening_ones_that_no_code_span_quotes(bound, output):
    found = len(re.findall(r"(?<!`)<p(?: [^<>]*)?>(?!`)", output, re.IGNORECASE))
    assert kept(f"The output must contain {bound[0]} <p> tags.", output) == (bound[1] <= found <= bound[2])


@given(BOUNDS, pieces("?", "a", "!", "??"))
def test_marks_are_counted_one_by_one(bound, output):
    assert kept(f"The output must contain {bound[0]} question marks.", output) == (
        bound[1] <= output.count("?") <= bound[2]
    )


@given(BOUNDS, st.lists(st.integers(0, 4), max_size=5))
def test_elements_are_looked_at_one_by_one(bound, counts):
    output = "Here:\n" + "\n".join(f"<p>a {'<em>b</em> ' * count}</p>" for count in counts) + "\n<em>outside</em>"
    expected = all(bound[1] <= count <= bound[2] for count in counts)
    assert kept(f"Each <p> tag must contain {bound[0]} <em> tags.", output) == expected


def test_an_element_without_its_end_tag_ends_where_the_next_begins():
    text = "Each <p> tag must contain exactly one <strong> tag."
    assert kept(text, "<p><strong>a</strong><p><strong>b</strong>")
    assert not kept(text, "<p>a<p><strong>b</strong><strong>c</strong>")


def test_an_output_without_the_element_keeps_what_is_said_of_each():
    assert kept("Each <p> tag must contain exactly one <strong> tag.", "plain")


def test_two_demands_on_each_element():
    text = "Each <p> tag must contain exactly one <strong> tag and multiple <em> tags."
    assert kept(text, "<p><strong>a</strong> <em>b</em> <em>c</em></p>")
    assert not kept(text, "<p><strong>a</strong> <em>b</em></p>")
    assert not kept(text, "<p><em>b</em> <em>c</em></p>")


def test_occurrences_of_a_text_are_taken_literally():
    text = 'The output must contain exactly two occurrences of ".*".'
    assert kept(text, "a.*b.*")
    assert not kept(text, "abc")


@pytest.mark.parametrize(
    "text",
    [
        "The output must contain three bullet points.",
        "The output must contain at least 5000 bullet points.",
        "The output must contain at least three arguments.",
        "Each <p> tag must contain one <strong> tag.",
        "Each <p> tag must contain at least one <p> tag.",
        "Each <p> tag must not contain exactly one <em> tag.",
    ],
)
def test_what_has_no_sure_count_is_left_alone(text):
    assert compiled(text) is None
