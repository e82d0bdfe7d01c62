"""The pull requests of the test world are real in git, and its events and workspaces are those of a runner."""

import json
from pathlib import Path

import pytest

from tests.contract.github_server.conftest import FILES, REPO
from tests.support.github_payloads import example
from tests.support.github_server import GitHubServer
from tests.support.github_state import READ_ONLY_TOKEN, WORKFLOW_TOKEN
from tests.support.pull_request import Kind, PullRequest, PullRequestWorld

ACTIONS = ("opened", "synchronize", "reopened", "ready_for_review", "labeled", "unlabeled", "closed")


def has(world: PullRequestWorld, folder: Path, sha: str) -> bool:
    try:
        world.git(folder, "cat-file", "-e", sha)
    except RuntimeError:
        return False
    return True


@pytest.mark.parametrize(
    ("kind", "depth", "shallow", "with_main", "with_start"),
    [
        ("merge", 1, "true", False, False),
        ("merge", 2, "true", True, False),
        ("merge", 0, "false", True, True),
        ("head", 1, "true", False, False),
        ("head", 2, "true", False, True),
        ("head", 0, "false", True, True),
    ],
)
def test_checkouts_hold_what_a_runner_would_have(
    world: PullRequestWorld, kind: Kind, depth: int, shallow: str, with_main: bool, with_start: bool
) -> None:
    start = world.main_sha
    pr = world.open({"prompts/support.md": "Be brief.\n"})
    world.commit_to_main({"README.md": "New\n"})
    space = pr.checkout(kind, depth)
    head = world.git(space, "rev-parse", "HEAD")
    assert head == (pr.merge_sha if kind == "merge" else pr.head_sha)
    assert world.git(space, "rev-parse", "--is-shallow-repository") == shallow
    assert (has(world, space, world.main_sha), has(world, space, start)) == (with_main, with_start)
    named = [line for line in world.git(space, "cat-file", "commit", head).splitlines() if line.startswith("parent ")]
    parents = [world.main_sha, pr.head_sha] if kind == "merge" else [start]
    assert named == [f"parent {sha}" for sha in parents]
    assert (space / "prompts/support.md").read_text() == "Be brief.\n"
    assert (space / "README.md").read_text("utf-8") == ("New\n" if kind == "merge" else FILES["README.md"])
    with pytest.raises(RuntimeError):
        world.git(space, "symbolic-ref", "HEAD")


def test_a_push_moves_head_and_merge(pr: PullRequest) -> None:
    head, merge = pr.head_sha, pr.merge_sha
    event = pr.push({"README.md": None, "new.md": "x\n"}) and pr.event("synchronize")
    assert (event["before"], event["after"]) == (head, pr.head_sha)
    assert event["pull_request"]["head"]["sha"] == pr.head_sha != head
    assert pr.merge_sha != merge
    # GitHub sends the event before it makes the test merge.
    assert event["pull_request"]["merge_commit_sha"] == merge
    space = pr.checkout()
    assert ((space / "README.md").exists(), (space / "new.md").read_text()) == (False, "x\n")


def test_a_conflict_has_no_merge(world: PullRequestWorld, pr: PullRequest, server: GitHubServer) -> None:
    world.commit_to_main({"prompts/support.md": "Be rude.\n"})
    assert (pr.pull.merge_sha, server.render.pull(world.repo, pr.pull)["mergeable"]) == (None, False)
    with pytest.raises(ValueError, match="conflict"):
        pr.checkout()
    pr.push({"prompts/support.md": "Be rude.\n"})
    assert (pr.checkout() / "prompts/support.md").read_text() == "Be rude.\n"


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("fork", [False, True])
def test_events_are_real_payloads_of_this_pull_request(world: PullRequestWorld, action: str, fork: bool) -> None:
    pr = world.open({"README.md": "x"}, title="Shorter", fork=fork)
    pr.add_label("skip-prompt-diff")
    event, shape = pr.event(action, label="skip-prompt-diff", by="olivia"), example(f"pull_request.{action}")
    assert event.keys() == shape.keys() - {"installation"}
    assert event["pull_request"].keys() >= shape["pull_request"].keys()
    assert (event["action"], event["number"], event["repository"]["full_name"]) == (action, 7, REPO)
    request = event["pull_request"]
    assert (request["title"], request["number"], request["head"]["sha"]) == ("Shorter", 7, pr.head_sha)
    assert request["head"]["repo"]["fork"] is fork
    assert [label["name"] for label in request["labels"]] == ["skip-prompt-diff"]
    assert event["sender"]["login"] == "olivia"
    assert event.get("label", {"name": "skip-prompt-diff"})["name"] == "skip-prompt-diff"
    text = json.dumps(event)
    assert "Codertocat" not in text
    assert "https://api.github.com" not in text
    assert request["issue_url"].endswith(f"/repos/{REPO}/issues/7")


def test_the_environment_of_a_run(pr: PullRequest, server: GitHubServer) -> None:
    space = pr.checkout()
    env = pr.environment(space, action="opened", inputs={"fail-on": "hold"})
    assert (env["GITHUB_REPOSITORY"], env["GITHUB_EVENT_NAME"], env["GITHUB_API_URL"]) == (
        REPO,
        "pull_request",
        server.url,
    )
    assert (env["GITHUB_SHA"], env["GITHUB_REF"], env["GITHUB_WORKSPACE"]) == (
        pr.merge_sha,
        "refs/pull/7/merge",
        str(space),
    )
    assert (env["INPUT_FAIL-ON"], env["INPUT_GITHUB-TOKEN"]) == ("hold", WORKFLOW_TOKEN)
    assert json.loads(Path(env["GITHUB_EVENT_PATH"]).read_text())["action"] == "opened"
    again = pr.environment(space)
    files = ("GITHUB_EVENT_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
    assert {env[name] for name in files}.isdisjoint({again[name] for name in files})
    assert not any(Path(env[name]).read_text() for name in files[1:])
    assert not any(name in env for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "PYTHONPATH"))


def test_a_fork_gets_a_token_that_may_only_read(world: PullRequestWorld) -> None:
    pr = world.open({"a": "b"}, fork=True)
    space = pr.checkout("none")
    assert pr.environment(space)["INPUT_GITHUB-TOKEN"] == READ_ONLY_TOKEN
    target = pr.environment(space, event="pull_request_target")
    assert (target["INPUT_GITHUB-TOKEN"], target["GITHUB_SHA"]) == (WORKFLOW_TOKEN, world.main_sha)
    assert target["GITHUB_REF"] == "refs/heads/main"


@pytest.mark.parametrize("name", ["push", "issue_comment", "workflow_dispatch"])
def test_events_without_a_pull_request(world: PullRequestWorld, pr: PullRequest, name: str) -> None:
    env = pr.environment(pr.checkout("none"), event=name)
    event = json.loads(Path(env["GITHUB_EVENT_PATH"]).read_text())
    assert "pull_request" not in event
    assert (event["repository"]["full_name"], event["sender"]["login"]) == (REPO, "ada")
    assert (env["GITHUB_SHA"], env["GITHUB_HEAD_REF"]) == (world.main_sha, "")
