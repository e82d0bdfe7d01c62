"""The fields of a pull request in an event: which values are taken, and which are mistakes."""

import pytest

from gate.errors import InputErrors
from gate.github.events import PullRequest
from tests.github.payloads import SHA, parsed, pull


def mistakes(value: object) -> list[str]:
    """The fields that are wrong."""
    with pytest.raises(InputErrors) as caught:
        parsed(value)
    assert caught.value.exit_code == 2
    assert {problem.file for problem in caught.value.problems} == {"event.json"}
    assert all("GITHUB_EVENT_PATH" in problem.hint for problem in caught.value.problems)
    return [problem.message.removeprefix("the event's pull_request.").split()[0] for problem in caught.value.problems]


def test_a_small_payload() -> None:
    assert parsed(pull()) == PullRequest(7, SHA, "main", SHA[::-1], "open", ("docs",), fork=True)
    home = {"ref": "main", "sha": SHA[::-1], "repo": {"full_name": "Ada/support-bot"}}
    assert not parsed(pull(base=home)).fork


@pytest.mark.parametrize("repo", [None, {}, {"full_name": None}, {"full_name": ""}, 5, []])
def test_a_fork_that_was_deleted(repo: object) -> None:
    assert parsed(pull(head={"sha": SHA, "ref": "change", "repo": repo})) == parsed(pull())


def test_a_sha256_repository() -> None:
    assert parsed(pull(head={"sha": "a" * 64})).head_sha == "a" * 64


@pytest.mark.parametrize("state", [None, 5, ""])
def test_a_state_that_is_not_given_is_open(state: object) -> None:
    assert parsed(pull(state=state)).state == "open"


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
def test_all_that_is_missing_is_told_at_once(empty: dict[str, object]) -> None:
    assert mistakes({"pull_request": empty}) == ["base.ref", "base.sha", "head.sha", "number"]


@pytest.mark.parametrize("number", [None, 0, -1, True, 7.0, 7.5, "7", [7]])
def test_a_number_that_is_none(number: object) -> None:
    assert mistakes(pull(number=number)) == ["number"]


@pytest.mark.parametrize(
    "sha",
    [None, 5, "", "main", SHA[:-1], SHA + "0", SHA.upper(), f" {SHA}", f"{SHA}\n", f"--{SHA[2:]}", "g" * 40, "٣" * 40],
)
def test_a_sha_that_is_none(sha: object) -> None:
    assert mistakes(pull(head={"sha": sha})) == ["head.sha"]
    assert mistakes(pull(base={"sha": sha, "ref": "main"})) == ["base.sha"]


@pytest.mark.parametrize(
    "ref", ["main", "release/1.0", "-x", "ünï", "a@b", "#12", "$(id)", "`id`", "a;b", "a'b\"c", "<b>"]
)
def test_names_that_git_takes(ref: str) -> None:
    assert parsed(pull(base={"sha": SHA, "ref": ref})).base_ref == ref


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


@pytest.mark.parametrize("ref", ["a..b", "main@{1}", "main@{upstream}"])
def test_names_that_would_be_more_than_a_branch(ref: str) -> None:
    assert mistakes(pull(base={"sha": SHA, "ref": ref})) == ["base.ref"]


@pytest.mark.parametrize("ref", ["a\x85b", "a\u2028b", "a\u202eb", "a\u200bb", "a\u00a0b"])
def test_names_that_look_like_something_else(ref: str) -> None:
    """Git takes them; whoever shows them escapes them."""
    assert parsed(pull(base={"sha": SHA, "ref": ref})).base_ref == ref
