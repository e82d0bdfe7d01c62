"""Payloads of events: the real ones, those that lack something, and those that are hostile."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import GateError, InputErrors
from gate.github.events import PullRequest, PullRequestEvent, parse_event
from tests.github.payloads import SHA, parsed, pull, read
from tests.support.github_payloads import PAYLOADS, example

ABOUT_PULLS = sorted(path.stem for path in PAYLOADS.glob("pull_request.*.json"))
OTHERS = sorted({path.stem for path in PAYLOADS.glob("*.json")} - set(ABOUT_PULLS))


@pytest.mark.parametrize("name", ABOUT_PULLS)
def test_real_payloads(name: str) -> None:
    whole = example(name)
    event, about = read(whole), whole["pull_request"]
    assert event.pull == PullRequest(
        number=about["number"],
        state="closed" if name.endswith("closed") else "open",
        head_sha=about["head"]["sha"],
        base_ref=about["base"]["ref"],
        base_sha=about["base"]["sha"],
        labels=tuple(label["name"] for label in about["labels"]),
        author=about["user"]["login"],
        fork=about["head"]["repo"]["full_name"] != about["base"]["repo"]["full_name"],
        default_branch=whole["repository"]["default_branch"],
        head_repository=about["head"]["repo"]["full_name"],
        head_ref=about["head"]["ref"],
    )
    assert event.pull.merge_ref == f"refs/pull/{event.pull.number}/merge"
    assert (event.action, event.privileged) == (whole["action"], False)
    assert event.label == whole.get("label", {}).get("name", "")


def test_pull_request_target_is_the_same_with_secrets() -> None:
    text = json.dumps(example("pull_request.opened"))
    event = parse_event("pull_request_target", text, "event.json")
    assert isinstance(event, PullRequestEvent)
    assert event.privileged
    assert event.pull == parsed(json.loads(text))


def test_there_are_real_payloads_of_all_kinds() -> None:
    assert len(ABOUT_PULLS) == 9
    assert OTHERS == [
        "issue_comment.created",
        "merge_group.checks_requested",
        "push",
        "workflow_dispatch",
        "workflow_run.completed",
        "workflow_run.requested",
    ]


def test_a_pull_request_event_without_a_pull_request() -> None:
    with pytest.raises(GateError, match="the event has no pull request") as caught:
        parsed(example("push"))
    assert "on: pull_request" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "invalid JSON"),
        ("{", "invalid JSON"),
        ('{"a": 1, "a": 2}', "set twice"),
        ("[" * 100_000, "nested"),
        ('{"pull_request": NaN}', "not a JSON number"),
        ('"\\ud800"', "surrogate"),
    ],
)
def test_what_is_no_json(text: str, said: str) -> None:
    with pytest.raises(InputErrors, match=said) as caught:
        parse_event("pull_request", text, "event.json")
    assert caught.value.problems[0].message.startswith("the event is not JSON: ")


_LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from([SHA, "main", "open"])
_KEYS = st.text(max_size=5) | st.sampled_from(
    ["action", "pull_request", "number", "state", "head", "base", "sha", "ref", "repo", "full_name", "labels", "name"]
)
_JSON = st.recursive(_LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=6))


@given(_JSON)
def test_any_json_is_an_event_or_an_error(value: object) -> None:
    for text in (json.dumps(value), json.dumps({"pull_request": value})):
        try:
            event = parse_event("pull_request", text, "event.json")
        except GateError as error:
            assert str(error).replace("\n", " ").isprintable()
        else:
            assert isinstance(event, PullRequestEvent)
            assert event.pull.number > 0


@given(st.dictionaries(st.sampled_from(["number", "state", "head", "base", "labels"]), _JSON, max_size=2))
def test_any_field_may_be_anything(change: dict[str, object]) -> None:
    try:
        assert isinstance(parsed(pull(**change)), PullRequest)
    except InputErrors as error:
        assert all(problem.message.isprintable() for problem in error.problems)
