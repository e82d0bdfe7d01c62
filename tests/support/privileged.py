"""The workflow with secrets, run for a pull request from a fork."""

from pathlib import Path
from typing import Any

from tests.support import events
from tests.support.example import CONFIG
from tests.support.github_action import ActionOutcome, run_action
from tests.support.model_server import ModelServer
from tests.support.pull_request import PullRequest

SERVICE = CONFIG.replace("fake:oracle", "openai:gpt-4o-mini") + "budget: {max_usd: 5}\n"
KEY = "sk-loopback-openai"


def keys(models: ModelServer) -> dict[str, str]:
    """The variables of a step with secrets."""
    return {"OPENAI_BASE_URL": f"{models.url}/v1", "OPENAI_API_KEY": KEY}


def privileged(
    pr: PullRequest,
    models: ModelServer,
    event: str = "workflow_run",
    change: dict[str, Any] | None = None,
    inputs: dict[str, str] | None = None,
) -> ActionOutcome:
    """Run the workflow without a checkout, as required."""
    env = beside_secrets(pr, models, event, change, inputs)
    return run_action(Path(env["GITHUB_WORKSPACE"]), env)


def beside_secrets(
    pr: PullRequest,
    models: ModelServer,
    event: str = "workflow_run",
    change: dict[str, Any] | None = None,
    inputs: dict[str, str] | None = None,
) -> dict[str, str]:
    """The environment of the workflow with an empty workspace."""
    checkout = pr.checkout("none")
    if event == "workflow_run":
        env = events.workflow_run(pr, checkout, change, inputs)
    else:
        env = pr.environment(checkout, event=event, inputs=inputs)
    return env | keys(models)
