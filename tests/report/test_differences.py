"""Both answers as one difference of lines."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.report.differences import WIDE, answer_diff
from gate.report.escape import code_block, visible
from tests.golden.hostile import ATTACKS
from tests.report.reading import tokens
from tests.support.rendering import on_github

PLAIN = st.text("ab .\n", max_size=60)
ANY = st.one_of(st.sampled_from(ATTACKS), st.text(max_size=60))
LEAD = re.compile(r"[-+ ] |[-+]?\Z|@@ [\d,]+ lines alike @@\Z")


def test_lines_that_differ_have_their_sign_and_others_a_blank() -> None:
    assert answer_diff("one\ntwo\nthree", "one\n2\nthree").text == "  one\n- two\n+ 2\n  three"


def test_words_that_differ_are_bracketed_where_the_lines_are_kin() -> None:
    found = answer_diff("It takes 3 days in all.", "It takes 5 to 7 days in all.")
    assert found.text == "- It takes ⟦3⟧ days in all.\n+ It takes ⟦5 to 7⟧ days in all."
    assert found.marked


def test_lines_with_little_in_common_are_not_bracketed() -> None:
    found = answer_diff("Ja, bis zu 30 Tage.", "Yes, within a month.")
    assert (found.text, found.marked) == ("- Ja, bis zu 30 Tage.\n+ Yes, within a month.", False)


def test_brackets_of_an_answers_own_are_not_mixed_up_with_ours() -> None:
    assert not answer_diff("The sum is ⟦3⟧ in all cases.", "The sum is ⟦4⟧ in all cases.").marked


def test_a_long_line_breaks_at_its_sentences_so_that_one_change_is_one_line() -> None:
    before = "Thank you for the order. " * 6 + "It comes on Monday. " + "Have a nice day. " * 6
    text = answer_diff(before, before.replace("Monday", "Friday")).text
    assert [line for line in text.splitlines() if line[0] in "-+"] == [
        "- It comes on ⟦Monday⟧.",
        "+ It comes on ⟦Friday⟧.",
    ]
    assert "@@" in text
    assert max(map(len, answer_diff("word " * 200, "").text.splitlines())) <= WIDE + 2


def test_many_lines_alike_are_counted() -> None:
    same = "\n".join(f"line {n}" for n in range(20))
    text = answer_diff(f"{same}\nold", f"{same}\nnew").text
    assert text == "@@ 18 lines alike @@\n  line 18\n  line 19\n- old\n+ new"


@given(PLAIN, PLAIN)
def test_both_answers_can_be_read_from_it(before: str, after: str) -> None:
    lines = answer_diff(before, after).text.replace("⟦", "").replace("⟧", "").split("\n")
    if not any(line.startswith("@@") for line in lines):
        for sign, text in (("-", before), ("+", after)):
            kept = [line[2:] for line in lines if line[:1] in (sign, " ", "")]
            assert [line.rstrip() for line in kept] == [line.rstrip() for line in text.rstrip("\n").split("\n")]


@given(ANY, ANY)
def test_no_text_of_a_models_leaves_the_fence(before: str, after: str) -> None:
    shown = answer_diff(visible(before), visible(after)).text
    assert all(LEAD.match(line) for line in shown.split("\n"))
    text = f"Before.\n\n{code_block(shown, 'diff')}\n\nAfter."
    assert [token.type for token in tokens(text) if token.type not in ("text", "inline")] == [
        *("paragraph_open", "paragraph_close", "fence", "paragraph_open", "paragraph_close"),
    ]
    assert on_github(text) == on_github("Before.\n\n```diff\n- a\n```\n\nAfter.")


@pytest.mark.parametrize("sign", ["a", "\n", "a\n", "a b. "])
def test_answers_of_any_length_are_compared_in_little_time(sign: str) -> None:
    assert answer_diff(sign * 4_000, (sign + "b") * 4_000).text
