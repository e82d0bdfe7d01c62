"""Payloads of events: the real ones, those that lack something, and those that are hostile."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.domain.pull_request import PullRequest
from gate.errors import GateError, InputErrors
from gate.inputs.event import (
    DispatchEvent,
    MergeGroupEvent,
    PullRequestEvent,
    PushEvent,
    WorkflowRunEvent,
    parse_event,
)
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


def read(value: object) -> PullRequestEvent:
    event = parse_event("pull_request", json.dumps(value), "event.json")
    assert isinstance(event, PullRequestEvent)
    return event


def parsed(value: object) -> PullRequest:
    return read(value).pull


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
    )
    assert event.pull.merge_ref == f"refs/pull/{event.pull.number}/merge"
    assert (event.action, event.retargeted, event.privileged) == (whole["action"], False, False)
    assert event.label == whole.get("label", {}).get("name", "")


def test_pull_request_target_is_the_same_beside_secrets() -> None:
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


def test_a_real_merge_group() -> None:
    whole = example("merge_group.checks_requested")
    group = whole["merge_group"]
    event = parse_event("merge_group", json.dumps(whole), "event.json")
    assert event == MergeGroupEvent(group["head_sha"], group["base_sha"], "main", 104, default_branch="main")
    whole["action"] = "destroyed"
    assert parse_event("merge_group", json.dumps(whole), "event.json") == replace(event, over=True)


@pytest.mark.parametrize(
    "ref", ["refs/heads/main", "refs/heads/pr-1-" + SHA, "gh-readonly-queue/main/pr-1-" + SHA, None, 5]
)
def test_a_group_whose_branch_does_not_say_its_pull_request(ref: object) -> None:
    whole = example("merge_group.checks_requested")
    whole["merge_group"]["head_ref"] = ref
    event = parse_event("merge_group", json.dumps(whole), "event.json")
    assert isinstance(event, MergeGroupEvent)
    assert event.number is None


@pytest.mark.parametrize(
    ("change", "branch", "deleted"),
    [
        ({}, "master", False),
        ({"ref": "refs/tags/v1"}, "", False),
        ({"ref": "refs/heads/release/1"}, "release/1", False),
        ({"deleted": True}, "master", True),
    ],
)
def test_a_real_push(change: dict[str, Any], branch: str, deleted: bool) -> None:
    whole = example("push") | change
    event = parse_event("push", json.dumps(whole), "event.json")
    assert event == PushEvent(branch, whole["after"], deleted, "master")


def test_a_real_dispatch() -> None:
    event = parse_event("workflow_dispatch", json.dumps(example("workflow_dispatch")), "event.json")
    assert event == DispatchEvent("refs/heads/main", "main")


def workflow_run(**change: Any) -> dict[str, Any]:
    whole = example("workflow_run.completed")
    whole["workflow_run"] |= {"event": "pull_request", **change}
    return whole


def test_a_real_run_of_another_workflow() -> None:
    whole = workflow_run()
    about = whole["workflow_run"]
    owner = about["head_repository"]["owner"]["login"]
    event = parse_event("workflow_run", json.dumps(whole), "event.json")
    assert event == WorkflowRunEvent("pull_request", about["head_sha"], about["head_branch"], owner)


def test_a_run_of_another_workflow_for_no_pull_request() -> None:
    event = parse_event("workflow_run", json.dumps(example("workflow_run.completed")), "event.json")
    assert event == WorkflowRunEvent("workflow_dispatch", "", "", "")


def test_a_run_of_another_workflow_whose_fork_is_gone() -> None:
    event = parse_event("workflow_run", json.dumps(workflow_run(head_repository=None)), "event.json")
    assert isinstance(event, WorkflowRunEvent)
    assert event.head_owner == ""


@pytest.mark.parametrize(
    ("name", "whole", "wrong"),
    [
        ("merge_group", {}, ["base_ref", "base_sha", "head_sha"]),
        ("push", {"ref": "refs/heads/a b"}, ["after", "ref"]),
        ("workflow_dispatch", {}, ["ref", "repository.default_branch"]),
        (
            "workflow_run",
            {"workflow_run": {"event": "pull_request", "head_repository": {"full_name": "a"}}},
            ["head_branch", "head_repository.full_name", "head_sha"],
        ),
    ],
)
def test_other_events_that_lack_something(name: str, whole: dict[str, Any], wrong: list[str]) -> None:
    with pytest.raises(InputErrors) as caught:
        parse_event(name, json.dumps(whole), "event.json")
    told = [problem.message.split()[2].removeprefix(f"{name}.") for problem in caught.value.problems]
    assert told == wrong


@pytest.mark.parametrize("name", ["issue_comment", "schedule", "", "pull_request_review", "a\nb"])
def test_events_that_the_gate_does_not_handle(name: str) -> None:
    with pytest.raises(GateError, match="does not handle the event") as caught:
        parse_event(name, json.dumps(example("issue_comment.created")), "event.json")
    assert "workflow_run" in caught.value.hint


def test_a_pull_request_event_without_a_pull_request() -> None:
    with pytest.raises(GateError, match="the event has no pull request") as caught:
        parsed(example("push"))
    assert "on: pull_request" in caught.value.hint


def test_a_small_payload() -> None:
    assert parsed(pull()) == PullRequest(7, SHA, "main", SHA[::-1], "open", ("docs",), fork=True)
    home = {"ref": "main", "sha": SHA[::-1], "repo": {"full_name": "Ada/support-bot"}}
    assert not parsed(pull(base=home)).fork


def test_a_pull_request_that_was_pointed_at_another_branch() -> None:
    edited = pull() | {"action": "edited"}
    assert not read(edited | {"changes": {"title": {"from": "x"}}}).retargeted
    assert read(edited | {"changes": {"base": {"ref": {"from": "x"}}}}).retargeted


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
        parse_event("pull_request", text, "event.json")
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


@given(st.text())
def test_any_text_is_an_event_or_a_mistake(text: str) -> None:
    with pytest.raises(GateError):
        parse_event("pull_request", text, "event.json")
