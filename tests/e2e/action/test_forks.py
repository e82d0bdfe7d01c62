"""Pull requests of forks: without secrets, and beside them: which one is found, judged and told."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.action.example import BROKEN, CONFIG, GOOD, PROMPT, REWORDED, SERVICE, SMALL, cases
from tests.support import events
from tests.support.action_in_process import act_here
from tests.support.github_action import run_action
from tests.support.github_server import GitHubServer
from tests.support.model_server import ModelServer
from tests.support.privileged import KEY, beside_secrets, keys, privileged
from tests.support.pull_request import PullRequestWorld

REPO = "acme/support-bot"


@pytest.fixture
def world(tmp_path: Path, server: GitHubServer) -> PullRequestWorld:
    return PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": SERVICE})


def test_without_secrets_the_run_says_what_is_missing(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    checkout = pr.checkout("merge")
    outcome = run_action(checkout, pr.environment(checkout, inputs={"on-missing-secrets": "skip"}))
    assert (outcome.code, outcome.outputs["verdict"]) == (0, "SKIPPED")
    said = outcome.summary.replace("\\", "")
    assert "OPENAI_API_KEY" in said
    assert "GitHub gives no secrets to a pull request from a fork" in said
    assert server.comments(REPO, pr.number) == []
    # What nobody can mend is no warning.
    assert "pull-requests: write" not in outcome.out + said


@pytest.mark.threat("outside-skip")
def test_a_change_cannot_have_its_own_run_skipped_for_want_of_a_key(tmp_path: Path, server: GitHubServer) -> None:
    world = PullRequestWorld.make(tmp_path, server, SMALL)
    pr = world.open({PROMPT: BROKEN, "gate.yaml": CONFIG.replace("fake:oracle", "openai:gpt-4o-mini")}, fork=True)
    checkout = pr.checkout("merge")
    outcome = run_action(checkout, pr.environment(checkout, inputs={"on-missing-secrets": "skip"}))
    assert (outcome.code, outcome.outputs["verdict"]) == (3, "INCONCLUSIVE")


@pytest.mark.threat("outside-checkout", "outside-record")
def test_with_secrets_a_fork_is_evaluated_and_reported(
    world: PullRequestWorld, server: GitHubServer, models: ModelServer
) -> None:
    """By either event."""
    pr = world.open({PROMPT: BROKEN}, fork=True)
    checkout = pr.checkout("none")
    # What the first workflow may have left behind is not looked at.
    forged = checkout / ".gate/action/run.json"
    forged.parent.mkdir(parents=True)
    forged.write_text(json.dumps({"schema": "prompt-gate/run/1", "verdict": "SHIP", "exit_code": 0}))
    outcome = run_action(checkout, events.workflow_run(pr, checkout) | keys(models))
    assert (outcome.code, outcome.outputs["worst-slice"]) == (1, "tier=gold")
    assert json.loads(forged.read_text())["verdict"] == "BLOCK"
    (comment,) = server.comments(REPO, pr.number)
    assert "Prompt Gate: BLOCK" in comment.body
    assert KEY not in outcome.out + outcome.err + outcome.summary + comment.body
    pr.push({PROMPT: REWORDED})
    assert privileged(pr, models, "pull_request_target").code == 0
    (comment,) = server.comments(REPO, pr.number)
    assert "Prompt Gate: PASS" in comment.body


@pytest.mark.threat("outside-which")
def test_a_run_for_no_open_pull_request_judges_nothing(
    world: PullRequestWorld, server: GitHubServer, models: ModelServer
) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    changes: tuple[dict[str, Any], ...] = (
        {"event": "push"},
        {"head_sha": "a" * 40},
        {"head_branch": "another"},
        {"head_repository": {"full_name": "eve/support-bot", "owner": {"login": "eve"}}},
    )
    for change in changes:
        outcome = privileged(pr, models, change=change)
        assert (outcome.code, outcome.outputs["verdict"]) == (0, "SKIPPED"), change
    assert models.ledger == []
    assert server.comments(REPO, pr.number) == []


def test_a_conflict_with_secrets_is_no_green(
    world: PullRequestWorld, models: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    world.commit_to_main({PROMPT: REWORDED})
    acted = act_here(beside_secrets(pr, models), monkeypatch)
    assert acted.code == 3
    assert f"the change does not merge: {PROMPT} conflicts" in " ".join(acted.log)
    assert "check the repository out" not in acted.summary
    # The label helps there too.
    pr.add_label("skip-prompt-diff")
    assert act_here(beside_secrets(pr, models), monkeypatch).code == 0


@pytest.mark.threat("may-name-model")
def test_a_fork_may_name_another_model_of_a_service(world: PullRequestWorld, models: ModelServer) -> None:
    pr = world.open({"gate.yaml": SERVICE.replace("gpt-4o-mini", "gpt-4o")}, fork=True)
    outcome = privileged(pr, models)
    assert outcome.code == 0
    assert {entry.model for entry in models.ledger} == {"gpt-4o-mini", "gpt-4o"}


@pytest.mark.threat("outside-earlier")
def test_a_merge_into_another_branch_is_not_taken(
    world: PullRequestWorld, models: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.git(world.work, "checkout", "--quiet", "--detach", world.main_sha)
    tame = world.commit({"gate.yaml": SERVICE + "policy: {mode: advisory}\n"}, "A branch of its own")
    pr = world.open({PROMPT: BROKEN}, fork=True)
    world.git(world.work, "checkout", "--quiet", "--detach", tame)
    world.git(world.work, "merge", "--quiet", "--no-ff", "-m", "old", pr.head_sha)
    pr.pull.merge_sha = world.git(world.work, "rev-parse", "HEAD")
    acted = act_here(beside_secrets(pr, models), monkeypatch)
    # The gate merges it into the main branch itself, whose policy counts.
    assert (acted.code, len(models.ledger)) == (1, 40)
    assert "The gate merged the change into `origin/main` itself" in acted.summary


@pytest.mark.threat("label-rights")
def test_the_label_of_a_fork_overrides_nothing(world: PullRequestWorld, models: ModelServer) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    pr.add_label("skip-prompt-diff", by="mallory")
    outcome = privileged(pr, models)
    assert outcome.code == 1
    assert "mallory" in outcome.summary


CODE = """\
import pathlib

pathlib.Path({mark!r}).write_text("ran")
SYSTEM = \"\"\"{prompt}\"\"\"
"""


@pytest.mark.threat("outside-code-file")
def test_a_prompt_inside_of_code_is_judged_and_nothing_of_the_code_runs(
    tmp_path: Path, server: GitHubServer, models: ModelServer
) -> None:
    mark = tmp_path / "ran"
    good, broken = (CODE.format(mark=str(mark), prompt=prompt) for prompt in (GOOD, BROKEN))
    config = SERVICE.replace(PROMPT, "app/prompts.py::SYSTEM")
    files = {**SMALL, "gate.yaml": config, "evals/support.jsonl": cases(20), "app/prompts.py": good}
    world = PullRequestWorld.make(tmp_path, server, files)
    pr = world.open({"app/prompts.py": broken}, fork=True)
    outcome = privileged(pr, models)
    assert (outcome.code, outcome.outputs["worst-slice"]) == (1, "tier=gold")
    (comment,) = server.comments(REPO, pr.number)
    assert "app/prompts.py::SYSTEM" in outcome.summary
    assert "Prompt Gate: BLOCK" in comment.body
    pr.push({"app/prompts.py": good + "print('beside the prompt')\n"})
    assert privileged(pr, models, "pull_request_target").outputs["verdict"] == "SKIPPED"
    assert not mark.exists()
