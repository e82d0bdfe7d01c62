"""Two runs of the gate at the same time, as processes of their own: the newest commit has the last word."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.action.example import BROKEN, CONFIG, PROMPT, REWORDED, SMALL
from tests.support import forked
from tests.support.forked import Fork
from tests.support.github_action import run_action
from tests.support.github_server import GitHubServer
from tests.support.model_server import Behaviour, ModelServer
from tests.support.pull_request import PullRequest, PullRequestWorld

REPO = "acme/support-bot"
ROOT = Path(__file__).parents[3]


@pytest.fixture
def world(tmp_path: Path, server: GitHubServer) -> PullRequestWorld:
    config = CONFIG.replace("fake:oracle", "openai:gpt-4o-mini")
    return PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": config})


@pytest.fixture
def slow() -> Iterator[ModelServer]:
    with ModelServer(Behaviour(latency_s=60.0)) as models:
        yield models


def keys(models: ModelServer) -> dict[str, str]:
    return {"OPENAI_BASE_URL": f"{models.url}/v1", "OPENAI_API_KEY": "x", "PYTHONPATH": str(ROOT)}


def begun(pr: PullRequest, slow: ModelServer) -> Fork:
    """A run that has asked its first question and has many more to ask."""
    checkout = pr.checkout("merge", depth=2)
    env = pr.environment(checkout) | keys(slow)
    process = forked.start(["action"], checkout, env)
    while not slow.requests:
        assert process.running
        time.sleep(0.05)
    return process


def test_two_runs_on_a_github_that_knows_pull_requests_files_comments_and_labels_alone(
    world: PullRequestWorld, server: GitHubServer, slow: ModelServer
) -> None:
    """At the same time, and one after the other: one comment, right and current."""
    for method in ("GET", "POST", "PATCH"):
        server.fail(method, r"^/(?!repos/[^/]+/[^/]+/(pulls|issues|git|contents)/)", 404, times=999)
        server.fail(method, r"/timeline$", 404, times=999)
    pr = world.open({PROMPT: BROKEN})
    with ModelServer() as quick:
        old = begun(pr, slow)
        pr.push({PROMPT: REWORDED})
        checkout = pr.checkout("merge", depth=2)
        first = run_action(checkout, pr.environment(checkout) | keys(quick))
        assert (first.code, first.outputs["comment-url"]) == (0, url(server))
        assert old.running
        slow.behaviour = Behaviour()
        assert old.wait() == 1
        assert_about(pr, server, "PASS")

        # The label is set, and nobody tells who did: it does not count, the reason is told, and the comment is current.
        pr.add_label("skip-prompt-diff")
        pr.push({PROMPT: BROKEN})
        checkout = pr.checkout("merge", depth=2)
        assert run_action(checkout, pr.environment(checkout) | keys(quick)).code == 1
    assert_about(pr, server, "BLOCK")
    assert "does not count: cannot read who set the label" in server.comments(REPO, 7)[0].body
    assert first.outputs["comment-url"] == url(server)


def test_two_first_runs_at_the_same_time_leave_one_comment(
    world: PullRequestWorld, server: GitHubServer, slow: ModelServer
) -> None:
    """Both have read that there is no comment before either posts one."""
    server.hold("POST", "/issues/7/comments$", 2)
    pr = world.open({PROMPT: BROKEN})
    both = [begun(pr, slow), begun(pr, slow)]
    slow.behaviour = Behaviour()
    assert [one.wait() for one in both] == [1, 1]
    assert len(server.requests("POST", "/issues/7/comments$")) == 2
    assert_about(pr, server, "BLOCK")


def assert_about(pr: PullRequest, server: GitHubServer, verdict: str) -> None:
    """There is one comment, with this verdict on the newest commit."""
    (comment,) = server.comments(REPO, 7)
    assert f"Prompt Gate: {verdict}" in comment.body
    assert f"Commit `{pr.head_sha[:12]}`" in comment.body


def url(server: GitHubServer) -> str:
    """The address of the first comment."""
    return f"https://github.com/{REPO}/pull/7#issuecomment-{server.comments(REPO, 7)[0].id}"
