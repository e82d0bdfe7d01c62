from hypothesis import given
from hypothesis import strategies as st

from gate.web.differences import changed_keys, text_pieces

TEXT = st.text(st.sampled_from("ab \n.,é"), max_size=60)


@given(TEXT, TEXT)
def test_both_texts_are_in_their_differences(old: str, new: str) -> None:
    found = list(text_pieces(old, new))
    assert "".join(one.text for one in found if one.state != "added") == old
    assert "".join(one.text for one in found if one.state != "removed") == new
    assert all(one.text for one in found)


def test_what_is_the_same_is_told_word_by_word() -> None:
    found = [(one.text, one.state) for one in text_pieces("Where is my money?", "Where is my parcel?")]
    assert found == [("Where is my ", "same"), ("money", "removed"), ("parcel", "added"), ("?", "same")]


def test_long_texts_are_told_in_lines_and_very_long_ones_whole() -> None:
    lines = [f"line {number} of many words" for number in range(1_000)]
    found = list(text_pieces("\n".join(lines), "\n".join([*lines[:500], "new", *lines[501:]])))
    assert [(one.state, len(one.text.splitlines())) for one in found] == [
        ("same", 500),
        ("removed", 1),
        ("added", 1),
        ("same", 499),
    ]
    huge = [one.state for one in text_pieces("a b\n" * 200_000, "a c\n" * 200_000)]
    assert huge == ["removed", "added"]


def test_only_keys_that_changed_are_told() -> None:
    old = {"id": "a", "input": "x", "vars": {"n": 1}, "gone": True}
    found = changed_keys(old, {"id": "a", "input": "x", "vars": {"n": 1.0}, "new": [1, "two\nlines"]})
    assert [(one.key, one.old, one.new) for one in found] == [
        ("vars", '"n": 1', '"n": 1.0'),
        ("gone", "true", ""),
        ("new", "", "- 1\n- |-\n  two\n  lines"),
    ]
