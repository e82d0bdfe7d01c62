"""What a change makes the gate do before its first call has an end, which is told like every other."""

from pathlib import Path

import pytest

from tests.e2e.action.example import GOOD, PROMPT, SERVICE, SMALL
from tests.support.github_action import run_action
from tests.support.github_server import GitHubServer
from tests.support.github_state import CHECKS_TOKEN
from tests.support.model_server import ModelServer
from tests.support.privileged import keys
from tests.support.pull_request import PullRequestWorld

TEMPLATE = SERVICE.replace("  - name: support\n", "  - name: support\n    template: jinja2\n")
SLOW = "{% for i in range(99999) %}{% set a = 'x'*4000000 %}{% if 'y' in a ~ i %}{% endif %}{% endfor %}"


@pytest.mark.threat("endless-work")
def test_what_works_without_end_before_the_first_call_is_given_up_and_reported(
    tmp_path: Path, server: GitHubServer, models: ModelServer
) -> None:
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": TEMPLATE})
    pr = world.open({PROMPT: GOOD + SLOW + "\n"}, fork=True)
    checkout = pr.checkout("none")
    inputs = {"max-minutes": "0.01"}
    env = pr.environment(checkout, event="pull_request_target", token=CHECKS_TOKEN, inputs=inputs)
    outcome = run_action(checkout, env | keys(models))
    assert (outcome.code, outcome.outputs["verdict"]) == (3, "INCONCLUSIVE")
    said = "preparing the change took longer than 0.01 minutes, and stopped while"
    (comment,) = server.comments("acme/support-bot", pr.number)
    assert said in comment.body.replace("\n", " ")
    assert said in outcome.out.replace("\n", " ")
    assert [run.conclusion for run in world.repo.check_runs] == ["failure"]
    assert len(models.ledger) == 0
