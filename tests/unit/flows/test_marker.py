"""The line by which the gate knows its comment: one HTML comment, and another one for each key."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gate.flows.commenttext import marker


@given(st.text(max_size=200))
@example("a--b")
@example("--> <b>@octocat</b>")
@example("\udcff")
def test_a_marker_is_one_whole_html_comment(key: str) -> None:
    line = marker(key)
    assert line.isascii()
    assert line.isprintable()
    assert line.startswith("<!-- prompt-gate: ")
    assert line.endswith(" -->")
    inner = line.removeprefix("<!--").removesuffix("-->")
    assert "--" not in inner
    assert not set("<>&") & set(inner)
    assert not inner.startswith((">", "->"))
    assert line == marker(key)


@given(st.text(max_size=20), st.text(max_size=20))
def test_different_keys_have_different_markers(one: str, other: str) -> None:
    assert (marker(one) == marker(other)) is (one == other)


@pytest.mark.parametrize(
    ("one", "other"), [("支持", "分类"), ("ü.yaml", "ö.yaml"), ("a b", "a-b"), ("a--b", "a-b"), ("-", "default")]
)
def test_like_keys_have_different_markers(one: str, other: str) -> None:
    assert marker(one) != marker(other)


def test_a_path_is_its_own_key() -> None:
    assert marker("teams/support/gate.yaml") == "<!-- prompt-gate: teams/support/gate.yaml -->"


def test_a_key_may_be_long() -> None:
    assert len(marker("x" * 100_000)) < 2_000
