"""The fields of a pull request in an event: which values are taken, and which are mistakes."""

import pytest

from gate.errors import InputErrors
from tests.github.payloads import SHA, parsed, pull


def mistakes(value: object) -> list[str]:
    """The fields that are wrong."""
    with pytest.raises(InputErrors) as caught:
        parsed(value)
    assert caught.value.exit_code == 2
    assert {problem.file for problem in caught.value.problems} == {"event.json"}
    assert all("GITHUB_EVENT_PATH" in problem.hint for problem in caught.value.problems)
    return [problem.message.removeprefix("the event's pull_request.").split()[0] for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (None, ()),
        ("docs", ()),
        ({"name": "docs"}, ()),
        ([None, 5, "docs", {}, {"name": None}, {"name": ""}], ()),
        (
            [{"name": "[skip-prompt-diff]"}, {"name": "ü\U0001f600"}, {"name": "a\nb"}],
            ("[skip-prompt-diff]", "ü\U0001f600", "a\nb"),
        ),
    ],
)
def test_labels(labels: object, names: tuple[str, ...]) -> None:
    assert parsed(pull(labels=labels)).labels == names


@pytest.mark.parametrize("empty", [{}, {"number": None, "head": None, "base": None}, {"head": [], "base": "main"}])
def test_all_that_is_missing_is_reported_at_once(empty: dict[str, object]) -> None:
    assert mistakes({"pull_request": empty}) == ["base.ref", "base.sha", "head.sha", "number"]


@pytest.mark.parametrize(
    "sha",
    [None, 5, "", "main", SHA[:-1], SHA + "0", SHA.upper(), f" {SHA}", f"{SHA}\n", f"--{SHA[2:]}", "g" * 40, "٣" * 40],
)
def test_a_sha_that_is_invalid(sha: object) -> None:
    assert mistakes(pull(head={"sha": sha})) == ["head.sha"]
    assert mistakes(pull(base={"sha": sha, "ref": "main"})) == ["base.sha"]


@pytest.mark.parametrize(
    "ref",
    [
        None,
        5,
        "",
        "a b",
        "a\nb",
        "a\0b",
        "a\x1b[31m",
        "a\x7fb",
        "a~1",
        "a^",
        "a:b",
        "a?",
        "a*",
        "a[b]",
        "a\\b",
        "x" * 256,
    ],
)
def test_names_that_git_does_not_take(ref: object) -> None:
    assert mistakes(pull(base={"sha": SHA, "ref": ref})) == ["base.ref"]
