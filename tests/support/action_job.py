"""A job of the action whose log, summary and outputs a test can read."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from gate.action.job import ActionJob, EventServices
from gate.environment.action import Inputs, Runner
from gate.environment.settings import Settings
from gate.github.client import GitHub
from tests.support.fakes import Memory

NEEDED = {
    "GITHUB_EVENT_NAME": "pull_request",
    "GITHUB_EVENT_PATH": "event.json",
    "GITHUB_REPOSITORY": "acme/support-bot",
    "GITHUB_SHA": "a" * 40,
}


def action_job(
    say: Callable[[str], None], summary: Path | None = None, output: Path | None = None, github: GitHub | None = None
) -> ActionJob:
    """One without a token unless GitHub is given."""
    files = {"GITHUB_STEP_SUMMARY": str(summary or ""), "GITHUB_OUTPUT": str(output or "")}
    runner = Runner.from_environ(NEEDED | files)
    nowhere = GitHub(None, "http://127.0.0.1:9", "acme/support-bot")
    now = datetime(2026, 3, 2, tzinfo=UTC)
    services = EventServices(
        say, lambda run: None, Memory, lambda: now, lambda seconds: None, Settings.from_environ({})
    )
    return ActionJob(runner, Inputs(), github or nowhere, services)
