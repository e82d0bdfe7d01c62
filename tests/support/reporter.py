"""An outcome reporter whose log, summary and outputs a test can read."""

from collections.abc import Callable
from pathlib import Path

from gate.action.outcome import OutcomeReporter
from gate.environment.action import Inputs, Runner
from gate.github.client import GitHub

NEEDED = {
    "GITHUB_EVENT_NAME": "pull_request",
    "GITHUB_EVENT_PATH": "event.json",
    "GITHUB_REPOSITORY": "acme/support-bot",
    "GITHUB_SHA": "a" * 40,
}


def reporter(
    say: Callable[[str], None],
    summary: Path | None = None,
    output: Path | None = None,
    inputs: Inputs | None = None,
    github: GitHub | None = None,
) -> OutcomeReporter:
    """One without a pull request, and without a token unless GitHub is given."""
    files = {"GITHUB_STEP_SUMMARY": str(summary or ""), "GITHUB_OUTPUT": str(output or "")}
    runner = Runner.from_environ(NEEDED | files)
    nowhere = GitHub(None, "http://127.0.0.1:9", "acme/support-bot")
    return OutcomeReporter(say, runner, inputs or Inputs(), github or nowhere)
