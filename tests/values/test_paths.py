"""Paths: what is refused, and what a pattern matches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.files import escapes, is_glob, matches, normal, path_complaint


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/etc/passwd", "is absolute"),
        ("a/../../b", "leaves the repository ('..')"),
        (".git/config", "is inside .git"),
        ("sub/.GIT/config", "is inside .git"),
        ("a\0b", "contains a NUL character"),
        ("", "is empty"),
    ],
)
def test_paths_that_escape(path: str, reason: str) -> None:
    assert escapes(path) == reason
    assert path_complaint(path) != ""


@pytest.mark.parametrize(
    "path",
    [
        "a.md",
        "./a/b.md",
        ".github/x.md",
    ],
)
def test_paths_that_stay(path: str) -> None:
    assert escapes(path) == ""


def test_configuration_is_stricter_than_git() -> None:
    assert path_complaint("a\nb.md") == "contains a control character"
    assert path_complaint("a\u2028b.md") == "contains a control character"
    assert path_complaint("x" * 1025) == "is longer than 1,024 characters"
    assert path_complaint("D:/a.md") == "is absolute"


def test_normal_paths_are_those_of_git() -> None:
    assert normal("./a//b/./c.md") == "a/b/c.md"


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("prompts/*.md", ["prompts/a.md"], ["prompts/b/a.md", "a.md", "prompts/a.txt", "prompts/.a.md"]),
        ("**/*.md", ["a.md", "x/a.md", "x/y/a.md"], ["a.txt", ".x/a.md", "x/.y/z/a.md"]),
        ("p/**", ["p/a", "p/b/c"], ["q/a", "p/.x/c"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["b", "a/b/c"]),
        ("a?.md", ["ab.md"], ["a.md", "abc.md"]),
        ("[ab].md", ["a.md", "b.md"], ["c.md"]),
        (".x/*", [".x/a"], ["x/a"]),
        ("a.md", ["a.md"], ["b.md"]),
    ],
)
def test_patterns(pattern: str, yes: list[str], no: list[str]) -> None:
    assert [path for path in yes + no if matches(path, pattern)] == yes
    assert is_glob(pattern) == any(char in pattern for char in "*?[")


def test_a_hostile_pattern_is_no_work() -> None:
    assert not matches("a" * 2000, "*a" * 400 + "b")
    assert not matches("a/" * 200 + "c", "**/a/" * 200 + "b")


@given(st.text("ab/.*?[]", max_size=12), st.text("ab/.*?[]!-", max_size=12))
def test_any_path_and_pattern_get_an_answer(path: str, pattern: str) -> None:
    assert matches(path, pattern) in (True, False)
