"""Payloads of events: the real ones, those that lack something, and those that are hostile."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import GateError, InputErrors
from gate.inputs.event import PullRequestEvent, parse_event
from tests.support.github_payloads import PAYLOADS, example

SHA = "0123456789abcdef0123456789abcdef01234567"
ABOUT_PULLS = sorted(path.stem for path in PAYLOADS.glob("pull_request.*.json"))
OTHERS = sorted({path.stem for path in PAYLOADS.glob("*.json")} - set(ABOUT_PULLS))


def pull(**change: Any) -> dict[str, Any]:
    """A small payload; None takes a field away."""
    fields = {
        "number": 7,
        "state": "open",
        "head": {"sha": SHA, "ref": "change", "repo": {"full_name": "ada/support-bot"}},
        "base": {"sha": SHA[::-1], "ref": "main"},
        "labels": [{"name": "docs"}],
        **change,
    }
    return {"action": "opened", "pull_request": fields}


def parsed(value: object) -> PullRequestEvent:
    return parse_event(json.dumps(value), "event.json")


def mistakes(value: object) -> list[str]:
    """The fields that are wrong."""
    with pytest.raises(InputErrors) as caught:
        parsed(value)
    assert caught.value.exit_code == 2
    assert {problem.file for problem in caught.value.problems} == {"event.json"}
    assert all("GITHUB_EVENT_PATH" in problem.hint for problem in caught.value.problems)
    return [problem.message.removeprefix("the event's pull_request.").split()[0] for problem in caught.value.problems]


@pytest.mark.parametrize("name", ABOUT_PULLS)
def test_real_payloads(name: str) -> None:
    whole = example(name)
    event, about = parsed(whole), whole["pull_request"]
    assert event == PullRequestEvent(
        number=about["number"],
        state="closed" if name.endswith("closed") else "open",
        head_sha=about["head"]["sha"],
        base_ref=about["base"]["ref"],
        base_sha=about["base"]["sha"],
        labels=tuple(label["name"] for label in about["labels"]),
    )
    assert event.merge_ref == f"refs/pull/{event.number}/merge"


def test_there_are_real_payloads_of_both_kinds() -> None:
    assert len(ABOUT_PULLS) == 7
    assert OTHERS == ["issue_comment.created", "push", "workflow_dispatch"]


@pytest.mark.parametrize("name", OTHERS)
def test_real_payloads_that_are_about_no_pull_request(name: str) -> None:
    with pytest.raises(GateError, match="the event has no pull request") as caught:
        parsed(example(name))
    assert "on: pull_request" in caught.value.hint


def test_a_small_payload() -> None:
    assert parsed(pull()) == PullRequestEvent(7, "open", SHA, "main", SHA[::-1], ("docs",))


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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "invalid JSON"),
        ("{", "invalid JSON"),
        ('{"a": 1, "a": 2}', "given twice"),
        ("[" * 100_000, "nested"),
        ('{"pull_request": NaN}', "not a JSON number"),
        ('"\\ud800"', "surrogate"),
    ],
)
def test_what_is_no_json(text: str, said: str) -> None:
    with pytest.raises(InputErrors, match=said) as caught:
        parse_event(text, "event.json")
    assert caught.value.problems[0].message.startswith("the event is not JSON: ")


@pytest.mark.parametrize("value", [None, 5, "pull_request", [], ["pull_request"], {}, {"pull_request": 5}])
def test_json_without_a_pull_request(value: object) -> None:
    with pytest.raises(GateError, match="the event has no pull request"):
        parsed(value)


_LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from([SHA, "main", "open"])
_KEYS = st.text(max_size=5) | st.sampled_from(
    ["action", "pull_request", "number", "state", "head", "base", "sha", "ref", "repo", "full_name", "labels", "name"]
)
_JSON = st.recursive(_LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=6))


@given(_JSON)
def test_any_json_is_an_event_or_a_mistake(value: object) -> None:
    for text in (json.dumps(value), json.dumps({"pull_request": value})):
        try:
            event = parse_event(text, "event.json")
        except GateError as error:
            assert str(error).replace("\n", " ").isprintable()
        else:
            assert event.number > 0


@given(st.dictionaries(st.sampled_from(["number", "state", "head", "base", "labels"]), _JSON, max_size=2))
def test_any_field_may_be_anything(change: dict[str, object]) -> None:
    try:
        assert isinstance(parsed(pull(**change)), PullRequestEvent)
    except InputErrors as error:
        assert all(problem.message.isprintable() for problem in error.problems)


@given(st.text())
def test_any_text_is_an_event_or_a_mistake(text: str) -> None:
    with pytest.raises(GateError):
        parse_event(text, "event.json")
