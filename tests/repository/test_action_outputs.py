"""The test reader of GITHUB_OUTPUT accepts the runner's heredoc form and nothing that can be forged."""

import pytest

from tests.support.github_action import parse_outputs

END = "gate-0123456789abcdef"


def written(name: str, value: str, end: str = END) -> str:
    return f"{name}<<{end}\n{value}\n{end}\n"


@pytest.mark.parametrize("value", ["", "PASS", "two\nlines", "ends with one\n", "a=b", "x<<y", "sep\u2028\x0bmid\rdle"])
def test_values_are_read_unchanged(value: str) -> None:
    assert parse_outputs(written("verdict", value) + written("cost-usd", "1")) == {"verdict": value, "cost-usd": "1"}


def test_an_empty_file_has_no_outputs() -> None:
    assert parse_outputs("") == {}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("verdict=PASS\n", "heredoc"),
        ("verdict<<EOF\nPASS\nEOF\n", "heredoc"),
        (f"verdict<<{END}\nPASS\n", "no end"),
        (f"verdict<<{END}\nPASS\n{END}x\n", "no end"),
        (f"verdict<<{END}", "heredoc"),
        (written("a", "1") + "stray\n", "heredoc"),
        (written("a", "1") + "\n", "heredoc"),
        (written("a", "1") + written("a", "2"), "twice"),
        (written("a", f"1\n{END}\nb=2"), "heredoc"),
    ],
)
def test_every_other_form_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse_outputs(text)
