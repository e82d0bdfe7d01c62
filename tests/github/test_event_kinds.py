"""Events that are about commits: a merge group, a push, a dispatch, and the run of another workflow."""

import json
from dataclasses import replace
from typing import Any

import pytest

from gate.errors import InputErrors
from gate.github.events import DispatchEvent, MergeGroupEvent, PushEvent, WorkflowRunEvent, parse_event
from tests.github.payloads import SHA
from tests.support.github_payloads import example


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
