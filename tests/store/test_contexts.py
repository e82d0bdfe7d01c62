"""The origin of a run, from the event or the repository."""

import json
from pathlib import Path
from typing import Any

import pytest

from gate.environment.action import Runner
from gate.errors import GateError
from gate.github.events import DispatchEvent, Event, MergeGroupEvent, PushEvent, WorkflowRunEvent
from gate.record.history import Context
from gate.store.push import context_here, context_of
from tests.support.command import git

SHA = "a" * 40


def runner(event: str, head_ref: str = "") -> Runner:
    return Runner(event, Path("e"), "acme/shop", SHA, Path(), "", "", None, None, actor="ada", head_ref=head_ref)


@pytest.mark.parametrize(
    ("name", "event", "branch", "number"),
    [
        ("push", PushEvent("main", SHA), "main", None),
        ("workflow_dispatch", DispatchEvent("refs/heads/a/b", "main"), "a/b", None),
        ("merge_group", MergeGroupEvent(SHA, SHA, "main", 12), "main", 12),
        ("workflow_run", WorkflowRunEvent("pull_request", SHA, "patch-1", "mallory"), "patch-1", 7),
    ],
)
def test_every_event_has_its_branch(name: str, event: Event, branch: str, number: int | None) -> None:
    known = 7 if name == "workflow_run" else None
    assert context_of(runner(name), event, known) == Context("acme/shop", branch, name, number, "ada")


def test_a_hostile_branch_name_is_cut_to_one_line() -> None:
    event = WorkflowRunEvent("pull_request", SHA, "\x1b[31mred\n" + "x" * 500, "mallory")
    branch = context_of(runner("workflow_run"), event).branch
    assert branch.isprintable()
    assert len(branch) <= 200


def payload(**more: Any) -> dict[str, Any]:
    return {"ref": "refs/heads/main", "after": SHA, "repository": {"default_branch": "main"}, **more}


def test_a_workflow_is_known_by_its_environment(tmp_path: Path) -> None:
    file = tmp_path / "event.json"
    env = {
        **{"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(file), "GITHUB_REPOSITORY": "acme/shop"},
        **{"GITHUB_SHA": SHA, "GITHUB_ACTOR": "ada"},
    }
    with pytest.raises(GateError, match="cannot read the event"):
        context_here(tmp_path, env)
    file.write_text(json.dumps(payload()))
    assert context_here(tmp_path, env) == Context("acme/shop", "main", "push", None, "ada")


@pytest.mark.parametrize(
    ("remote", "name"),
    [
        ("git@github.com:acme/shop.git", "acme/shop"),
        ("https://user:token@github.com/acme/shop", "acme/shop"),
        ("https://git.example.org/group/acme/shop.git/", "acme/shop"),
        ("", "here"),
    ],
)
def test_outside_ci_the_repository_is_named_after_the_remote_or_the_folder(
    tmp_path: Path, remote: str, name: str
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch", "work")
    git(folder, "config", "user.name", "Ann")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    assert context_here(folder, {}) == Context(name, "work", "local", None, "Ann")
