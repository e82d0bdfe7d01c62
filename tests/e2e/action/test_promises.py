"""Promises in a pull request's comment: what the change gives up is asked about, and decides nothing."""

import json
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.record.run import RunRecord
from tests.e2e.action.example import PROMPT
from tests.golden.hostile import ATTACKS
from tests.support import forked
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.model_server import Behaviour, ModelServer
from tests.support.prompt_reader import reader
from tests.support.pull_request import PullRequest, PullRequestWorld
from tests.support.rendering import harm, on_github
from tests.support.rule_comparison import LIMIT, PROMISES, REPOSITORY, THANKS, WITHOUT, configured, reachable

REPO = "acme/support-bot"
ROOT = Path(__file__).parents[3]


@pytest.fixture
def models() -> Iterator[ModelServer]:
    with ModelServer(Behaviour(judgement=reader)) as running:
        yield running


@pytest.fixture
def world(tmp_path: Path, server: GitHubServer) -> PullRequestWorld:
    return PullRequestWorld.make(tmp_path, server, REPOSITORY)


def run(pr: PullRequest, models: ModelServer | None = None) -> ActionOutcome:
    checkout = pr.checkout("merge", depth=2)
    return run_action(checkout, pr.environment(checkout) | (reachable(models.url) if models else {}))


def record(pr: PullRequest, outcome: ActionOutcome) -> RunRecord:
    (path,) = sorted(pr.world.folder.glob(f"workspace-*/{outcome.outputs['result-json']}"))
    return RunRecord.model_validate_json(path.read_bytes())


def test_a_dropped_limit_is_asked_about_in_the_comment(
    world: PullRequestWorld, server: GitHubServer, models: ModelServer
) -> None:
    pr = world.open({PROMPT: WITHOUT})
    outcome = run(pr, models)
    body = server.comments(REPO, pr.number)[0].body
    for text in (body, outcome.summary):
        assert "Rules of the prompt: 1 dropped, 1 unchanged (not part of the verdict)" in text
        assert f"- [ ] R2 is dropped on purpose: {LIMIT}<br><sub>In the old prompt: “{LIMIT}”</sub>" in text
    assert (outcome.code, outcome.outputs["verdict"]) == (0, "PASS")
    assert int(outcome.outputs["calls"]) == 24 + len(models.ledger)
    assert float(outcome.outputs["cost-usd"]) > 0
    assert record(pr, outcome).promises[0].changes[0].evidence == LIMIT


def test_a_fork_without_keys_gets_its_verdict_and_a_note(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: WITHOUT}, fork=True)
    outcome = run(pr)
    assert (outcome.code, outcome.outputs["verdict"]) == (0, "PASS")
    assert "The rules of the prompt were not compared: openai:gpt-4o-mini needs a key" in outcome.summary


HOSTILE = (*ATTACKS, "x" * 900)
DEMANDS = "".join(f"You must say word{n}.\n" for n in range(len(HOSTILE)))


def _hostile(system: str, user: str) -> str:
    """The rules of the prompt in words of an attacker's."""
    said = json.loads(reader(system, user))
    for rule in said.get("rules", ()):
        if found := re.search(r"word([0-9]+)", rule["evidence"]):
            rule["rule"] = " ".join(HOSTILE[int(found[1])].split())
    return json.dumps(said)


@pytest.mark.threat("rule-verdict")
def test_hostile_words_of_a_model_stay_words(tmp_path: Path, server: GitHubServer, models: ModelServer) -> None:
    models.behaviour = Behaviour(judgement=_hostile)
    entry = f"{PROMISES.rstrip()[:-1]}, tests: 1}}\n"
    world = PullRequestWorld.make(tmp_path, server, {**REPOSITORY, "gate.yaml": configured(entry)})
    pr = world.open({PROMPT: f"{DEMANDS}{WITHOUT}"})
    outcome = run(pr, models)
    (comment,) = server.comments(REPO, pr.number)
    checks = "\n".join(f"{one.title}\n{one.summary}" for one in world.repo.check_runs)
    for text in (comment.body, outcome.summary, checks):
        found = on_github(text)
        assert not {"mention", "issue", "address", "advisory", "emoji"} & set(found.triggers)
        assert not [tag for tag in found.tags if "img" in str(tag) or "script" in str(tag)]
    assert comment.body.count("<!-- prompt-gate:") == 1
    assert len(comment.body) < 65_536
    assert f"{len(HOSTILE)} new" in comment.body
    assert "approve, cc" in comment.body
    assert f"Tests were made for 10 of {len(HOSTILE)} new rules." in comment.body
    log = "\n".join(line for line in outcome.out.splitlines() if not line.startswith("::"))
    assert not harm(log)
    assert outcome.outputs["verdict"] == "PASS"


@pytest.mark.threat("rule-hidden")
def test_a_rule_of_ten_thousand_characters_is_not_read(
    world: PullRequestWorld, server: GitHubServer, models: ModelServer
) -> None:
    models.behaviour = Behaviour(judgement=lambda *asked: reader(*asked).replace(THANKS, "x" * 10_000))
    run(world.open({PROMPT: f"{THANKS}\n{WITHOUT}"}), models)
    body = server.comments(REPO, 7)[0].body
    assert f"R2 is dropped on purpose: {LIMIT}" in body
    assert "The new part of the prompt was not read: the model found no rule in the prompt: rule is longer" in body


@pytest.mark.threat("rule-verdict")
def test_a_signal_ends_the_comparison_and_not_the_verdict(
    world: PullRequestWorld, server: GitHubServer, models: ModelServer
) -> None:
    models.behaviour = Behaviour(judgement=reader, faults=("hang",))
    pr = world.open({PROMPT: WITHOUT})
    checkout = pr.checkout("merge", depth=2)
    env = pr.environment(checkout) | reachable(models.url) | {"PYTHONPATH": str(ROOT)}
    process = forked.start(["action"], checkout, env)
    while not models.requests:
        assert process.running
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
    body = server.comments(REPO, pr.number)[0].body
    assert "Prompt Gate: PASS" in body
    assert "The rules of the prompt were not compared:" in body
