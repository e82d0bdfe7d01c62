"""Merge commits of another base, of an older base, and none: the gate merges head and base itself."""

from typing import Any

import pytest

from tests.e2e.action.example import BROKEN, PROMPT, REWORDED, SERVICE, SMALL, cases
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.github_state import CHECKS_TOKEN
from tests.support.model_server import ModelServer
from tests.support.privileged import privileged
from tests.support.pull_request import Kind, PullRequest, PullRequestWorld

REPO = "acme/support-bot"
KINDS = ["merge", "head", "none"]


def into_release(world: PullRequestWorld, pr: PullRequest, files: dict[str, str]) -> str:
    """Change the base of a pull request to a branch with other files; GitHub keeps the merge into the old one."""
    world.git(world.work, "checkout", "--quiet", "--detach", world.main_sha)
    release = world.commit(files, "Release")
    world.set_ref("refs/heads/release", release)
    pr.pull.base.ref, pr.pull.base.sha = "release", release
    return release


def run(pr: PullRequest, kind: Kind, action: str = "edited", depth: int = 2, **more: Any) -> ActionOutcome:
    checkout = pr.checkout(kind, depth=depth)
    return run_action(checkout, pr.environment(checkout, action=action, **more))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("late", [False, True])
def test_after_a_change_of_the_base_the_new_one_gives_baseline_and_cases(
    world: PullRequestWorld, server: GitHubServer, kind: Kind, late: bool
) -> None:
    pr = world.open({PROMPT: REWORDED})
    checkout = pr.checkout(kind, depth=2)
    before = pr.environment(checkout, action="edited")
    into_release(world, pr, {PROMPT: "Help. Be kind. quality=1.0\n", "evals/support.jsonl": cases(30)})
    env = before if late else pr.environment(checkout, action="edited")
    outcome = run_action(checkout, env)
    # Both sides edited the prompt's only line.
    assert outcome.code == 3
    assert f"the change does not merge: {PROMPT} conflicts" in " ".join(outcome.out.split())


@pytest.mark.threat("stale-base")
@pytest.mark.parametrize("kind", KINDS)
def test_a_stale_merge_does_not_hide_what_the_change_does_to_the_new_base(
    world: PullRequestWorld, server: GitHubServer, kind: Kind
) -> None:
    pr = world.open({PROMPT: BROKEN})
    into_release(world, pr, {"evals/support.jsonl": cases(30), "README.md": "# Release\n"})
    outcome = run(pr, kind)
    assert (outcome.code, outcome.outputs["verdict"], outcome.outputs["calls"]) == (1, "BLOCK", "60")
    body = server.comments(REPO, 7)[0].body
    assert "The gate merged the change into `origin/release` itself" in body
    assert "origin/main" not in body


@pytest.mark.parametrize("kind", KINDS)
def test_a_branch_that_has_gone_another_way_is_not_taken_for_the_base(
    world: PullRequestWorld, server: GitHubServer, kind: Kind
) -> None:
    start = world.main_sha
    world.commit_to_main({"main.md": "x\n"})
    pr = world.open({PROMPT: BROKEN})
    world.git(world.work, "checkout", "--quiet", "--detach", start)
    release = world.commit({"evals/support.jsonl": cases(30)}, "Release")
    world.set_ref("refs/heads/release", release)
    pr.pull.base.ref = "release"
    outcome = run(pr, kind)
    assert (outcome.code, outcome.outputs["calls"]) == (1, "60")
    server.fail("GET", "/compare/", 404, times=9)
    assert run(pr, "none").code == 3


@pytest.mark.threat("outside-earlier")
@pytest.mark.parametrize("event", ["pull_request_target", "workflow_run"])
@pytest.mark.parametrize("fault", ["old", "none"])
def test_with_secrets_a_merge_that_github_did_not_renew_is_made_here(
    world: PullRequestWorld, models: ModelServer, event: str, fault: str
) -> None:
    world.commit_to_main({"gate.yaml": SERVICE})
    pr = world.open({PROMPT: BROKEN}, fork=True)
    old = pr.pull.merge_sha
    world.commit_to_main({"evals/support.jsonl": cases(24), "other.md": "x\n"})
    pr.pull.merge_sha = old if fault == "old" else None
    outcome = privileged(pr, models, event)
    assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK")
    assert outcome.outputs["calls"] == "48"
    assert "The gate merged the change into `origin/main` itself" in outcome.summary


def test_a_base_that_only_moved_on_keeps_githubs_merge(world: PullRequestWorld) -> None:
    pr = world.open({PROMPT: REWORDED})
    checkout = pr.checkout("merge", depth=2)
    env = pr.environment(checkout)
    world.commit_to_main({"other.md": "x\n"})
    outcome = run_action(checkout, env)
    assert outcome.code == 0
    assert "merged the change" not in outcome.summary


@pytest.mark.threat("stale-base")
@pytest.mark.parametrize("kind", ["merge", "head"])
@pytest.mark.parametrize("depth", [0, 2])
@pytest.mark.parametrize("private", [False, True])
def test_without_a_token_a_stale_merge_is_not_taken_for_one_into_the_new_base(
    world: PullRequestWorld, kind: Kind, depth: int, private: bool
) -> None:
    start = world.main_sha
    world.commit_to_main({"main.md": "x\n"})
    pr = world.open({PROMPT: BROKEN})
    world.check_out(start)
    release = world.commit({"evals/support.jsonl": cases(30)}, "Release")
    world.set_ref("refs/heads/release", release)
    pr.pull.base.ref, pr.pull.base.sha = "release", release
    world.repo.private = private
    outcome = run(pr, kind, depth=depth, token="")
    if private and depth:
        # Nobody can be asked for the base.
        assert (outcome.code, outcome.outputs["verdict"]) == (3, "INCONCLUSIVE")
    else:
        assert (outcome.code, outcome.outputs["calls"]) == (1, "60")
        assert "The gate merged the change into `origin/release` itself" in outcome.summary


def test_a_whole_clone_answers_where_github_compares_nothing(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: BROKEN})
    into_release(world, pr, {"evals/support.jsonl": cases(30)})
    server.fail("GET", "/compare/", 403, times=99)
    outcome = run(pr, "merge", depth=0)
    assert (outcome.code, outcome.outputs["calls"]) == (1, "60")
    assert run(pr, "merge", depth=2).code == 3


@pytest.mark.parametrize(("kind", "depth"), [("merge", 0), ("merge", 2), ("head", 0), ("none", 0)])
def test_a_conflict_in_a_file_that_no_suite_needs_stops_nothing(
    world: PullRequestWorld, kind: Kind, depth: int
) -> None:
    pr = world.open({PROMPT: BROKEN, "README.md": "# Mine\n"})
    into_release(world, pr, {"README.md": "# Theirs\n", "evals/support.jsonl": cases(30)})
    outcome = run(pr, kind, depth=depth)
    assert (outcome.code, outcome.outputs["verdict"], outcome.outputs["calls"]) == (1, "BLOCK", "60")


@pytest.mark.threat("outside-check-branch")
def test_an_old_event_is_reported_as_one_of_the_base_of_now(world: PullRequestWorld, server: GitHubServer) -> None:
    """A check of one branch must not answer for another."""
    pr = world.open({PROMPT: BROKEN})
    checkout = pr.checkout("merge", depth=2)
    env = pr.environment(checkout, token=CHECKS_TOKEN)
    into_release(world, pr, {"evals/support.jsonl": cases(30)})
    outcome = run_action(checkout, env)
    assert (outcome.code, outcome.outputs["calls"]) == (1, "60")
    (check,) = world.repo.check_runs
    assert "release" in check.name
    body = server.comments(REPO, 7)[0].body
    assert "against `origin/release`" in body
    assert "origin/main" not in body


def test_a_folder_that_both_sides_changed_is_a_working_directory(world: PullRequestWorld) -> None:
    world.commit_to_main({f"apps/{path}": text for path, text in SMALL.items()})
    pr = world.open({f"apps/{PROMPT}": BROKEN})
    into_release(world, pr, {"apps/evals/support.jsonl": cases(30)})
    outcome = run(pr, "none", inputs={"working-directory": "apps"})
    assert (outcome.code, outcome.outputs["calls"]) == (1, "60"), outcome.summary
