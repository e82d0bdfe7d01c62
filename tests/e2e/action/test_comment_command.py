"""`gate comment`: runs that the action did not make are told on the pull request, by the same rules."""

import json
from pathlib import Path

import pytest

from gate.store.run_folder import dump_run
from tests.e2e.action.example import BROKEN, PROMPT, REWORDED
from tests.golden.runs import runs
from tests.support.command import Outcome, gate
from tests.support.github_server import SECONDARY_LIMIT, GitHubServer
from tests.support.github_state import WORKFLOW_TOKEN
from tests.support.pull_request import PullRequest, PullRequestWorld

REPO = "acme/support-bot"


def judged(pr: PullRequest, checkout: Path) -> Path:
    """The folder of a run of the test merge, as a workflow has it."""
    gate("diff", "--base", "HEAD^1", "--head", "HEAD", "--out", "merged", cwd=checkout)
    return checkout / "merged"


def publish(server: GitHubServer, run: Path, *arguments: str, **env: str) -> Outcome:
    known = {"GITHUB_API_URL": server.url, "GITHUB_TOKEN": WORKFLOW_TOKEN, **env}
    return gate("comment", str(run), *arguments, cwd=run.parent, env=known)


def test_a_workflow_keeps_one_comment(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: BROKEN})
    workflow = {"GITHUB_REPOSITORY": REPO, "GITHUB_REF": f"refs/pull/{pr.number}/merge", "GITHUB_RUN_ID": "12"}
    first = publish(server, judged(pr, pr.checkout("merge", depth=2)), **workflow)
    assert first.code == 0, first.err
    (comment,) = server.comments(REPO, pr.number)
    assert first.out.strip().endswith(f"/pull/{pr.number}#issuecomment-{comment.id}")
    assert "BLOCK: `tier=gold` dropped" in comment.body
    assert f"Commit `{pr.head_sha[:12]}` against `main`" in comment.body
    assert "/actions/runs/12" in comment.body
    assert "label" not in comment.body.rsplit("<sub>", 1)[1], "a label that nobody would look at is promised"

    pr.push({PROMPT: REWORDED})
    second = publish(server, judged(pr, pr.checkout("merge", depth=2)), **workflow)
    assert (second.code, second.out) == (0, first.out)
    (comment,) = server.comments(REPO, pr.number)
    assert "Prompt Gate: PASS" in comment.body


def test_a_wait_is_announced(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: BROKEN})
    server.limit("POST", "/comments$", SECONDARY_LIMIT, {"Retry-After": "1"})
    done = publish(server, judged(pr, pr.checkout("merge", depth=2)), "--repo", REPO, "--pull", str(pr.number))
    assert (done.code, done.err.strip()) == (0, "GitHub cannot answer now; waiting 1 s.")
    assert len(server.comments(REPO, pr.number)) == 1


@pytest.mark.threat("comment-record")
def test_a_run_of_an_older_commit_is_not_published(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: BROKEN})
    run = judged(pr, pr.checkout("merge", depth=2))
    pr.push({PROMPT: REWORDED})
    done = publish(server, run, "--repo", REPO, "--pull", str(pr.number))
    assert done.code == 3
    assert f"because {pr.head_sha[:12]} is newer" in done.err
    assert server.comments(REPO, pr.number) == []


def test_the_merge_target_may_have_moved_on(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: BROKEN})
    run = judged(pr, pr.checkout("merge", depth=2))
    world.commit_to_main({"README.md": "More.\n"})
    done = publish(server, run, "--repo", REPO, "--pull", str(pr.number), "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert len(server.comments(REPO, pr.number)) == 1


@pytest.mark.parametrize(
    ("arguments", "env", "code", "said"),
    [
        ([], {}, 2, "no repository is named"),
        (["--repo", REPO], {}, 2, "no pull request is named"),
        (["--repo", REPO, "--pull", "7"], {"GITHUB_TOKEN": ""}, 3, "there is no token"),
        (["--repo", REPO, "--pull", "7"], {"GITHUB_API_URL": "here"}, 2, "GITHUB_API_URL"),
    ],
)
def test_what_is_missing_is_named(
    tmp_path: Path, server: GitHubServer, arguments: list[str], env: dict[str, str], code: int, said: str
) -> None:
    done = publish(server, record(tmp_path, {"commit": "a" * 40}), *arguments, **env)
    assert (done.code, done.out) == (code, "")
    assert said in done.err


@pytest.mark.threat("comment-record")
def test_a_record_that_cannot_be_believed_is_refused(
    world: PullRequestWorld, server: GitHubServer, tmp_path: Path
) -> None:
    pr = world.open({PROMPT: BROKEN})
    wrong: tuple[tuple[dict[str, object], str], ...] = (
        ({"commit": None}, "has no commit"),
        ({"commit": "../../user"}, "has no commit"),
        ({"schema": "other/1"}, "run.json"),
    )
    for changes, said in wrong:
        run = record(tmp_path, {"commit": pr.head_sha, **changes})
        done = publish(server, run, "--repo", REPO, "--pull", str(pr.number))
        assert done.code == 2
        assert said in done.err
        assert "Traceback" not in done.err
    assert server.comments(REPO, pr.number) == []


def record(folder: Path, changes: dict[str, object]) -> Path:
    """A run.json with other values at its top."""
    whole = json.loads(dump_run(runs()["block"])) | changes
    path = folder / "run.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path
