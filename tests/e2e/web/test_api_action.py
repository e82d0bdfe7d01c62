"""The action's `push-to`: a run goes to a server after its verdict, which stands whatever becomes of that."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.store.access import Scope
from tests.e2e.web.test_api_push import Place
from tests.e2e.web.test_api_push import place as place  # a server in a process of its own
from tests.support import example
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequest, PullRequestWorld


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with GitHubServer() as running:
        yield running
        running.assert_clean()


@pytest.fixture
def world(tmp_path: Path, server: GitHubServer) -> PullRequestWorld:
    return PullRequestWorld.make(tmp_path, server, example.FILES)


def act(pr: PullRequest, to: str, token: str) -> ActionOutcome:
    checkout = pr.checkout("merge", depth=2)
    env = pr.environment(checkout, action="opened", inputs={"push-to": to})
    return run_action(checkout, env | ({"GATE_TOKEN": token} if token else {}))


def test_a_run_is_sent_after_its_verdict(world: PullRequestWorld, place: Place) -> None:
    token = place.token(Scope.RUNS_WRITE)
    pr = world.open({example.PROMPT: example.BROKEN})
    outcome = act(pr, place.url, token)
    assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK")
    (row,) = place.rows
    assert f"The run is at {place.url}/runs/{row.id}" in outcome.out
    assert (row.context.pull_request, row.context.pushed_by) == (pr.number, "Ann (token t1)")
    assert row.samples == 80
    assert token not in outcome.out + outcome.summary


def test_a_failure_is_a_warning_in_the_summary_and_changes_no_verdict(world: PullRequestWorld, place: Place) -> None:
    token = place.token(Scope.RUNS_READ)
    outcome = act(world.open({example.PROMPT: example.BROKEN}), place.url, token)
    assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK")
    assert "⚠️" in outcome.summary
    assert "needs the scope runs:write" in outcome.summary.replace("\\", "")
    assert "needs the scope runs:write" in outcome.out
    assert token not in outcome.out + outcome.summary
    assert place.rows == ()


def test_a_run_of_a_fork_has_no_token_and_says_nothing(world: PullRequestWorld, place: Place) -> None:
    outcome = act(world.open({example.PROMPT: example.BROKEN}, fork=True), place.url, "")
    assert "GATE_TOKEN" not in outcome.out + outcome.summary
    assert place.rows == ()
