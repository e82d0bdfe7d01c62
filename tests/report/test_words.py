import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.report.differences import MOST_EDITS, joined_marks, word_differences

TEXTS = st.text(alphabet="ab \nß\u202e.", max_size=40)


@given(TEXTS, TEXTS)
def test_the_pieces_make_up_both_texts_and_what_is_common_is_the_same(before: str, after: str) -> None:
    found = word_differences(before, after)
    assert "".join(piece.text for piece in found.before) == before
    assert "".join(piece.text for piece in found.after) == after
    common = ["".join(piece.text for piece in side if not piece.differs) for side in (found.before, found.after)]
    assert common[0] == common[1]
    for side in (found.before, found.after):
        assert all(piece.text for piece in side)
        assert all(one.differs != other.differs for one, other in zip(side, side[1:], strict=False))


@given(TEXTS)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert not any(piece.differs for piece in word_differences(text, text).before)


@given(TEXTS, TEXTS, TEXTS)
def test_what_is_put_in_between_is_all_that_differs(head: str, put: str, tail: str) -> None:
    before, after = f"{head}|{tail}", f"{head}|{put}|{tail}"
    assert not any(piece.differs for piece in word_differences(before, after).before)


def test_words_are_marked() -> None:
    found = word_differences("Reply with the label alone.", "Reply with one label alone, please.")
    assert found.unit == "words"
    assert [piece.text for piece in found.before if piece.differs] == ["the"]
    assert [piece.text for piece in found.after if piece.differs] == ["one", ", please"]


@given(TEXTS, TEXTS)
def test_joined_marks_keep_the_text_and_what_differs(before: str, after: str) -> None:
    for side in (word_differences(before, after).before, word_differences(before, after).after):
        pieces = joined_marks(side)
        assert "".join(piece.text for piece in pieces) == "".join(piece.text for piece in side)
        marked = "".join("".join(piece.text.split()) for piece in pieces if piece.differs)
        assert marked == "".join("".join(piece.text.split()) for piece in side if piece.differs)


def test_texts_with_many_other_words_are_compared_by_lines() -> None:
    same = "this line stays\n"
    before = same + "".join(f"a{i} " for i in range(MOST_EDITS)) + "\n" + same
    after = same + "".join(f"b{i} " for i in range(MOST_EDITS)) + "\n" + same
    found = word_differences(before, after)
    assert found.unit == "lines"
    assert [piece.differs for piece in found.before] == [False, True, False]


@pytest.mark.parametrize("unlike", [("x ", "y "), ("x\n", "y\n")])
def test_long_texts_that_are_unlike_differ_as_a_whole(unlike: tuple[str, str]) -> None:
    """A search for the smallest difference of these would not end."""
    before, after = (sign * 20_000 if "\n" in sign else sign * 20_000 + "\n" * (MOST_EDITS + 1) for sign in unlike)
    found = word_differences(before, after.replace("\n\n", "\nz\n"))
    assert found.unit in ("texts", "lines")
    assert found.before[0].differs
