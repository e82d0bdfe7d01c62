"""The events of the test GitHub and the environment in which a runner starts an action for one."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.github_payloads import HTML, example
from tests.support.github_server import GitHubServer
from tests.support.github_state import Pull, Repository, account_id

RUN_ID = "19000000001"


@dataclass(frozen=True, slots=True)
class Moment:
    """What happened to a pull request.

    Args:
        action: `opened`, `synchronize`, `labeled`, …
        by: who did it.
        label: of `labeled` and `unlabeled`.
        before: the head before the last push.
        old_merge: the test merge before the last push.
    """

    action: str
    by: str
    label: str | None
    before: str
    old_merge: str | None


def payload(server: GitHubServer, repo: Repository, pull: Pull, moment: Moment) -> dict[str, Any]:
    """A real payload of that action with the repository, the pull request and the people replaced.

    The test merge is made after the event is sent: the payload names the previous one, or none.
    """
    # There is no example of an edited title; it differs from others by its `changes`.
    shape = example(f"pull_request.{'reopened' if moment.action == 'edited' else moment.action}")
    if moment.action == "edited":
        shape |= {"action": "edited", "changes": {"title": {"from": "Another title"}}}
    render = server.render
    shape.pop("installation", None)
    request = render.pull(repo, pull, shape["pull_request"])
    fresh = moment.action in ("opened", "synchronize", "reopened")
    unknown = {"mergeable": None, "mergeable_state": "unknown", "merge_commit_sha": moment.old_merge}
    event: dict[str, Any] = {
        **shape,
        "number": pull.number,
        "pull_request": {**request, **unknown} if fresh else request,
        "repository": render.repository(repo),
        "sender": render.user(moment.by),
    }
    if "label" in shape:
        if moment.label is None:
            raise ValueError(f"an event {moment.action} is about a label")
        event["label"] = render.label(repo, moment.label)
    if "before" in shape:
        event |= {"before": moment.before, "after": pull.head.sha}
    return event


def without_pull_request(server: GitHubServer, repo: Repository, name: str, sha: str) -> dict[str, Any]:
    """The payload of a `push`, `issue_comment` or `workflow_dispatch`."""
    shape = example({"issue_comment": "issue_comment.created"}.get(name, name))
    event: dict[str, Any] = server.render.rewritten(shape, "Codertocat/Hello-World", repo.full_name)
    event.pop("installation", None)
    event |= {"repository": server.render.repository(repo), "sender": server.render.user("ada")}
    if name == "push":
        event |= {"ref": "refs/heads/main", "after": sha}
    return event


def environment(
    server: GitHubServer,
    repo: Repository,
    pull: Pull,
    moment: Moment,
    runner: Path,
    where: Mapping[str, str],
    inputs: Mapping[str, str],
) -> dict[str, str]:
    """All variables of a run; writes the event and the empty files of the runner.

    Args:
        runner: a new folder for these files.
        where: GITHUB_WORKSPACE, GITHUB_SHA and GITHUB_EVENT_NAME.
        inputs: of the action.
    """
    name, sha = where["GITHUB_EVENT_NAME"], where["GITHUB_SHA"]
    on_pull = name.startswith("pull_request")
    event = payload(server, repo, pull, moment) if on_pull else without_pull_request(server, repo, name, sha)
    (runner / "event.json").write_text(json.dumps(event, indent=2), "utf-8")
    files = {f"GITHUB_{each}": runner / each.lower() for each in ("OUTPUT", "STEP_SUMMARY", "ENV", "PATH", "STATE")}
    for path in files.values():
        path.touch()
    ref = f"refs/pull/{pull.number}/merge" if name == "pull_request" else "refs/heads/main"
    kept = {each: os.environ[each] for each in ("PATH", "LD_LIBRARY_PATH", "LANG") if each in os.environ}
    return {
        **kept,
        "HOME": str(runner),
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTION": "gate",
        "GITHUB_ACTOR": moment.by,
        "GITHUB_TRIGGERING_ACTOR": moment.by,
        "GITHUB_API_URL": server.url,
        "GITHUB_GRAPHQL_URL": f"{server.url}/graphql",
        "GITHUB_SERVER_URL": HTML,
        "GITHUB_EVENT_PATH": str(runner / "event.json"),
        "GITHUB_REPOSITORY": repo.full_name,
        "GITHUB_REPOSITORY_ID": str(repo.id),
        "GITHUB_REPOSITORY_OWNER": repo.owner,
        "GITHUB_REPOSITORY_OWNER_ID": str(account_id(repo.owner)),
        "GITHUB_REF": ref,
        "GITHUB_REF_NAME": ref.removeprefix("refs/").removeprefix("heads/").removeprefix("pull/"),
        "GITHUB_REF_TYPE": "branch",
        "GITHUB_REF_PROTECTED": "false",
        "GITHUB_BASE_REF": pull.base.ref if on_pull else "",
        "GITHUB_HEAD_REF": pull.head.ref if on_pull else "",
        "GITHUB_RUN_ID": RUN_ID,
        "GITHUB_RUN_NUMBER": "12",
        "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_WORKFLOW": "gate",
        "GITHUB_WORKFLOW_REF": f"{repo.full_name}/.github/workflows/gate.yml@{ref}",
        "GITHUB_JOB": "gate",
        "GITHUB_RETENTION_DAYS": "90",
        "RUNNER_OS": "Linux",
        "RUNNER_ARCH": "X64",
        "RUNNER_ENVIRONMENT": "github-hosted",
        "RUNNER_TEMP": str(runner),
        **{key: str(path) for key, path in files.items()},
        **where,
        **{f"INPUT_{key.replace(' ', '_').upper()}": value for key, value in inputs.items()},
    }
