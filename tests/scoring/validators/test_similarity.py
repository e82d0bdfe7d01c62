import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.scoring.validators.language import edit_similarity, token_f1


@pytest.mark.parametrize(
    ("want", "got", "value"),
    [
        ("the cat sat", "The cat sat.", 1.0),
        ("the cat sat", "A cat sat!", 1.0),
        ("cat sat", "cat ran", 0.5),
        ("cat", "dog", 0.0),
        ("cat", "cat cat cat", 0.5),
        ("a b c d", "b c", 0.8),
        ("", "", 1.0),
        ("", "x", 0.0),
        ("the", "the", 1.0),
        ("Straße", "STRASSE", 1.0),
        ("我爱你", "我爱他", 2 / 3),
        ("नमस्ते दुनिया", "दुनिया", 2 / 3),
    ],
)
def test_token_f1(want: str, got: str, value: float) -> None:
    assert token_f1(want, got) == pytest.approx(value)


@pytest.mark.parametrize(
    ("want", "got", "value"),
    [
        ("kitten", "sitting", 1 - 3 / 7),
        ("abc", "abc", 1.0),
        (" abc\n", "abc", 1.0),
        ("abc", "", 0.0),
        ("", "", 1.0),
        ("abc", "xyz", 0.0),
        ("e\u0301", "é", 1.0),
        ("Abc", "abc", 2 / 3),
        ("x" * 30_000, "x" * 30_000, 1.0),
        ("x" * 30_000, "x" * 29_999 + "y", 2 / 3),
        ("x", "x" * 1_000_000, 1e-6),
    ],
)
def test_edit(want: str, got: str, value: float) -> None:
    assert edit_similarity(want, got) == pytest.approx(value, rel=1e-3)


WORDS = st.text(st.sampled_from("ab éñ我.\n"), max_size=30)


@given(WORDS, WORDS)
def test_both_are_symmetric_and_one_only_for_the_same(one: str, other: str) -> None:
    for metric in (token_f1, edit_similarity):
        assert metric(one, other) == metric(other, one)
        assert 0.0 <= metric(one, other) <= 1.0
        assert metric(one, one) == 1.0


def naive(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]


@given(st.text("abc", min_size=1, max_size=12), st.text("abc", max_size=12))
def test_the_distance_is_levenshteins(one: str, other: str) -> None:
    assert edit_similarity(one, other) == pytest.approx(1 - naive(one, other) / max(len(one), len(other)))
