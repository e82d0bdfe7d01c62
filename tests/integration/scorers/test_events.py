"""On GitHub a function scores for the repository's own changes, by the merge target's code, and for nobody else's."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.integration.scorers.repository import CONFIG, FILES, GOOD, LENIENT, MODULE, WORSE, telling
from tests.support.command import gate
from tests.support.events import checkout_of
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.model_server import ModelServer
from tests.support.privileged import keys, privileged
from tests.support.pull_request import PullRequest, PullRequestWorld


@pytest.fixture
def models() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def world(tmp_path: Path) -> Iterator[PullRequestWorld]:
    with GitHubServer() as server:
        server.state.now = datetime.now(UTC).replace(microsecond=0)
        files = {**FILES, "gate.yaml": CONFIG + "budget: {max_usd: 5}\n", MODULE: telling(tmp_path) + GOOD}
        yield PullRequestWorld.make(tmp_path, server, files)
        server.assert_clean()


def ran(world: PullRequestWorld) -> bool:
    return (world.folder / "canary").exists()


def judged(pr: PullRequest, models: ModelServer, depth: int = 2) -> ActionOutcome:
    checkout = pr.checkout("merge", depth=depth)
    return run_action(checkout, pr.environment(checkout) | keys(models))


def test_a_change_that_scores_itself_is_judged_by_the_code_of_the_merge_target(
    world: PullRequestWorld, models: ModelServer
) -> None:
    evil = f"open({str(world.folder / 'evil')!r}, 'w').close()\n{LENIENT}"
    outcome = judged(world.open({**WORSE, MODULE: evil}), models)
    assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK")
    assert ran(world)
    assert not (world.folder / "evil").exists()
    assert "edits its own exam" in outcome.summary
    assert "scorers that are code are not tried" in outcome.summary


def test_the_base_must_be_in_the_checkout(world: PullRequestWorld, models: ModelServer) -> None:
    outcome = judged(world.open(WORSE), models, depth=1)
    assert (outcome.code, outcome.outputs["verdict"]) == (3, "INCONCLUSIVE")
    assert "fetch-depth: 2" in outcome.summary
    assert not ran(world)
    assert models.ledger == []


def test_a_project_in_a_folder_of_the_repository_has_its_own_root(tmp_path: Path, models: ModelServer) -> None:
    with GitHubServer() as server:
        server.state.now = datetime.now(UTC).replace(microsecond=0)
        files = {f"apps/bot/{path}": text for path, text in FILES.items()} | {"README.md": "# All\n"}
        world = PullRequestWorld.make(tmp_path, server, files)
        pr = world.open({f"apps/bot/{path}": text for path, text in {**WORSE, MODULE: LENIENT}.items()})
        checkout = pr.checkout("merge", depth=2)
        env = pr.environment(checkout, inputs={"working-directory": "apps/bot"}) | keys(models)
        assert run_action(checkout, env).outputs["verdict"] == "BLOCK"


@pytest.mark.parametrize("event", ["pull_request", "pull_request_target", "workflow_run"])
def test_nothing_scores_for_a_fork(world: PullRequestWorld, models: ModelServer, event: str) -> None:
    pr = world.open({**WORSE, MODULE: telling(world.folder) + LENIENT}, fork=True)
    outcome = judged(pr, models) if event == "pull_request" else privileged(pr, models, event)
    assert outcome.code == 2
    assert "no code is run for a change from outside" in outcome.summary
    assert not ran(world)
    assert models.ledger == []


def test_nothing_scores_beside_secrets_for_a_branch_of_the_repository_either(
    world: PullRequestWorld, models: ModelServer
) -> None:
    outcome = privileged(world.open(WORSE), models, "pull_request_target")
    assert outcome.code == 2
    assert "no code is run for a change from outside" in outcome.summary
    assert not ran(world)


@pytest.mark.parametrize(
    ("event", "fork", "said"),
    [
        ("pull_request", True, "the pull request comes from a fork"),
        ("pull_request_target", False, "'pull_request_target' may be about a change that anybody made"),
        ("issue_comment", False, "'issue_comment' may be about a change that anybody made"),
        ("pull_request", False, ""),
    ],
)
def test_the_command_by_itself_looks_at_the_event_too(
    world: PullRequestWorld, models: ModelServer, event: str, fork: bool, said: str
) -> None:
    pr = world.open(WORSE, fork=fork)
    checkout = checkout_of(world, pr.merge_sha, depth=2)
    env = pr.environment(checkout, event=event) | keys(models)
    outcome = gate("diff", "--base", "HEAD~1", "--head", "HEAD", cwd=checkout, env=env)
    assert outcome.code == (2 if said else 1)
    assert said in outcome.err
    assert ran(world) is not bool(said)
