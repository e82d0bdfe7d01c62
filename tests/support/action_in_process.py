"""Runs the action in the test's process, without waiting and with the log in a list.

acted = act_here(pr.environment(checkout), monkeypatch)
acted.code, acted.log, acted.waits, acted.outputs, acted.summary
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gate.action.entry import act
from gate.action.job import EventServices
from gate.calls.interface import Progress
from gate.environment.settings import Settings
from gate.record.run import RunRecord
from tests.support.fakes import Memory
from tests.support.github_action import parse_outputs


@dataclass(frozen=True, slots=True)
class Acted:
    """The result of the action.

    Args:
        code: exit code.
        log: its log lines.
        shown: the records that it would print.
        waits: the seconds that it would wait, in order.
        outputs: its outputs in GITHUB_OUTPUT.
        summary: its text in GITHUB_STEP_SUMMARY.
    """

    code: int
    log: list[str]
    shown: list[RunRecord]
    waits: list[float]
    outputs: dict[str, str]
    summary: str


def act_here(env: Mapping[str, str], patch: pytest.MonkeyPatch, progress: Callable[[], Progress] = Memory) -> Acted:
    """Run the action to its end.

    Args:
        env: the environment from the runner.
        patch: restores environment and working directory.
        progress: creates a progress display.
    """
    for name in [name for name in os.environ if name.startswith(("GITHUB_", "INPUT_"))]:
        patch.delenv(name)
    for name, value in env.items():
        patch.setenv(name, value)
    patch.chdir(env["GITHUB_WORKSPACE"])  # restored later, because the action changes it
    log, shown, waits = list[str](), list[RunRecord](), list[float]()
    services = Settings.from_environ(env)
    code = act(EventServices(log.append, shown.append, progress, lambda: datetime.now(UTC), waits.append, services))
    outputs = parse_outputs(Path(env["GITHUB_OUTPUT"]).read_bytes().decode())
    return Acted(code, log, shown, waits, outputs, Path(env["GITHUB_STEP_SUMMARY"]).read_text("utf-8"))
