from hypothesis import given
from hypothesis import strategies as st

from gate.web.differences import changed_keys, merged_texts

TEXT = st.text(st.sampled_from("ab \n.,é"), max_size=60)


@given(TEXT, TEXT)
def test_both_texts_are_in_their_differences(old: str, new: str) -> None:
    found = list(merged_texts(old, new))
    assert "".join(one.text for one in found if one.state != "added") == old
    assert "".join(one.text for one in found if one.state != "removed") == new
    assert all(one.text for one in found)


def test_what_is_the_same_is_told_word_by_word() -> None:
    found = [(one.text, one.state) for one in merged_texts("Where is my money?", "Where is my parcel?")]
    assert found == [("Where is my ", "same"), ("money", "removed"), ("parcel", "added"), ("?", "same")]


def test_texts_with_little_in_common_are_told_whole() -> None:
    lines = [f"line {number} of many words" for number in range(400)]
    found = list(merged_texts("\n".join(lines), "\n".join([*lines[:200], "new", *lines[201:]])))
    assert [one.text for one in found if one.state != "same"] == ["line 200 of many words", "new"]
    huge = [one.state for one in merged_texts("a b\n" * 50_000, "a c\n" * 50_000)]
    assert huge == ["removed", "added"]


def test_only_keys_that_changed_are_told() -> None:
    old = {"id": "a", "input": "x", "vars": {"n": 1}, "gone": True}
    found = changed_keys(old, {"id": "a", "input": "x", "vars": {"n": 1.0}, "new": [1, "two\nlines"]})
    assert [(one.key, one.old, one.new) for one in found] == [
        ("vars", '"n": 1', '"n": 1.0'),
        ("gone", "true", ""),
        ("new", "", "- 1\n- |-\n  two\n  lines"),
    ]
