"""Events of commits without a pull request, and the runner's environment for them.

env = merge_group(world, [pr], checkout)
outcome = run_action(checkout, env)
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support.github_action import declared_inputs
from tests.support.github_events import RUN_ID
from tests.support.github_payloads import HTML, example
from tests.support.github_state import WORKFLOW_TOKEN
from tests.support.pull_request import PullRequest, PullRequestWorld


def checkout_of(world: PullRequestWorld, sha: str, depth: int = 1) -> Path:
    """A new workspace with one commit, as `actions/checkout` leaves it."""
    return world.workspace(sha, depth=depth)


def queued(world: PullRequestWorld, *pulls: PullRequest, squash: bool = False, rebase: bool = False) -> str:
    """The branch that a merge queue makes of pull requests, in their order; the commit at its end."""
    world.git(world.work, "checkout", "--quiet", "--detach", world.main_sha)
    for pull in pulls:
        if rebase:
            commits = world.git(world.work, "rev-list", "--reverse", f"{world.main_sha}..{pull.head_sha}").split()
            world.git(world.work, "cherry-pick", "--allow-empty", *commits)
        elif squash:
            world.git(world.work, "merge", "--quiet", "--squash", pull.head_sha)
            world.git(world.work, "commit", "--quiet", "--allow-empty", "-m", f"Change (#{pull.number})")
        else:
            message = f"Merge pull request #{pull.number}"
            world.git(world.work, "merge", "--quiet", "--no-ff", "-m", message, pull.head_sha)
    world.set_ref(f"refs/heads/{queue_branch(world, pulls[-1])}", world.head)
    return world.head


def queue_branch(world: PullRequestWorld, newest: PullRequest) -> str:
    return f"gh-readonly-queue/main/pr-{newest.number}-{world.main_sha}"


def merge_group(
    world: PullRequestWorld,
    pulls: Sequence[PullRequest],
    checkout: Path,
    head: str,
    inputs: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The environment of a `merge_group` event for a branch that `queued` has made."""
    event = _of_world(world, "merge_group.checks_requested")
    event["merge_group"] |= {
        "head_sha": head,
        "head_ref": f"refs/heads/{queue_branch(world, pulls[-1])}",
        "base_sha": world.main_sha,
        "base_ref": "refs/heads/main",
    }
    return environment(world, "merge_group", event, checkout, {"sha": head, "inputs": inputs})


def push(
    world: PullRequestWorld, checkout: Path, ref: str = "refs/heads/main", inputs: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The environment of a push to the main branch, or to another ref."""
    event = _of_world(world, "push") | {"ref": ref, "after": world.main_sha, "deleted": False}
    return environment(world, "push", event, checkout, {"sha": world.main_sha, "inputs": inputs})


def dispatch(
    world: PullRequestWorld, checkout: Path, sha: str, ref: str, inputs: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The environment of a workflow that was started by hand on a ref."""
    event = _of_world(world, "workflow_dispatch") | {"ref": ref}
    return environment(world, "workflow_dispatch", event, checkout, {"sha": sha, "inputs": inputs})


def workflow_run(
    pr: PullRequest,
    checkout: Path,
    change: Mapping[str, Any] | None = None,
    inputs: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The environment of the second workflow of a fork's pull request: it runs on main, with secrets."""
    world = pr.world
    event = _of_world(world, "workflow_run.completed")
    head = {"full_name": pr.pull.head.repo, "owner": {"login": pr.pull.head.owner}} if pr.pull.head.repo else None
    event["workflow_run"] |= {
        "event": "pull_request",
        "head_sha": pr.head_sha,
        "head_branch": pr.pull.head.ref,
        "head_repository": head,
        "pull_requests": [],
        **(change or {}),
    }
    return environment(world, "workflow_run", event, checkout, {"sha": world.main_sha, "inputs": inputs})


def environment(
    world: PullRequestWorld, name: str, event: Mapping[str, Any], checkout: Path, run: Mapping[str, Any]
) -> dict[str, str]:
    """All variables of a run that is not about a pull request of its own; writes the event and the runner's files.

    Args:
        run: `sha` that the workflow runs for, `inputs` of the action, and `attempt`.
    """
    runner = world.folder / f"runner-{len(list(world.folder.glob('runner-*')))}"
    runner.mkdir()
    (runner / "event.json").write_text(json.dumps(event), "utf-8")
    files = {f"GITHUB_{each}": runner / each.lower() for each in ("OUTPUT", "STEP_SUMMARY", "ENV", "PATH", "STATE")}
    for path in files.values():
        path.touch()
    given = {**declared_inputs(), **(run.get("inputs") or {}), "github-token": WORKFLOW_TOKEN}
    kept = {each: os.environ[each] for each in ("PATH", "LD_LIBRARY_PATH", "LANG") if each in os.environ}
    return {
        **kept,
        "HOME": str(runner),
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTOR": "ada",
        "GITHUB_API_URL": world.server.url,
        "GITHUB_GRAPHQL_URL": f"{world.server.url}/graphql",
        "GITHUB_SERVER_URL": HTML,
        "GITHUB_EVENT_NAME": name,
        "GITHUB_EVENT_PATH": str(runner / "event.json"),
        "GITHUB_REPOSITORY": world.repo.full_name,
        "GITHUB_SHA": run["sha"],
        "GITHUB_RUN_ID": RUN_ID,
        "GITHUB_RUN_ATTEMPT": run.get("attempt", "1"),
        "GITHUB_WORKSPACE": str(checkout),
        **{key: str(path) for key, path in files.items()},
        **{f"INPUT_{key.upper()}": value for key, value in given.items()},
    }


def _of_world(world: PullRequestWorld, name: str) -> dict[str, Any]:
    """A real payload with this repository and its people in it."""
    shape = example(name)
    shape.pop("installation", None)
    server = world.server
    return {**shape, "repository": server.render.repository(world.repo), "sender": server.render.user("ada")}
