"""Two runs of the gate at the same time, as processes of their own: the newer one has the last word."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import forked
from tests.support.example import BROKEN, CONFIG, FILES, PROMPT, REWORDED
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
    return PullRequestWorld.make(tmp_path, server, {**FILES, "gate.yaml": config})


@pytest.fixture
def slow() -> Iterator[ModelServer]:
    with ModelServer(Behaviour(latency_s=1.0)) as models:
        yield models


def keys(models: ModelServer) -> dict[str, str]:
    return {"OPENAI_BASE_URL": f"{models.url}/v1", "OPENAI_API_KEY": "x", "PYTHONPATH": str(ROOT)}


def begun(pr: PullRequest, slow: ModelServer) -> Fork:
    """A run that has asked its first question and has many more to ask."""
    checkout = pr.checkout("merge", depth=2)
    env = pr.environment(checkout, inputs={"concurrency": "2"}) | keys(slow)
    process = forked.start(["action"], checkout, env)
    while not slow.ledger:
        assert process.running
        time.sleep(0.05)
    return process


def test_a_run_of_an_older_commit_that_ends_later_changes_nothing(
    world: PullRequestWorld, server: GitHubServer, slow: ModelServer
) -> None:
    pr = world.open({PROMPT: BROKEN})
    old = begun(pr, slow)
    pr.push({PROMPT: REWORDED})
    checkout = pr.checkout("merge", depth=2)
    with ModelServer() as quick:
        assert run_action(checkout, pr.environment(checkout) | keys(quick)).code == 0
    assert old.running
    slow.behaviour = Behaviour()
    assert old.wait() == 1
    (comment,) = server.comments(REPO, 7)
    assert "Prompt Gate: PASS" in comment.body
    assert pr.head_sha[:12] in comment.body


def test_a_run_of_the_same_commit_that_started_earlier_changes_nothing(
    world: PullRequestWorld, server: GitHubServer, slow: ModelServer
) -> None:
    pr = world.open({PROMPT: BROKEN})
    evaluating = begun(pr, slow)
    pr.add_label("skip-prompt-diff")
    checkout = pr.checkout("merge", depth=2)
    env = pr.environment(checkout, action="labeled", label="skip-prompt-diff", by="olivia")
    assert run_action(checkout, env | keys(slow)).outputs["verdict"] == "SKIPPED"
    assert evaluating.running
    slow.behaviour = Behaviour()
    assert evaluating.wait() == 1
    (comment,) = server.comments(REPO, 7)
    assert "Prompt Gate: SKIPPED" in comment.body
