"""The action in this process, on a stage of the test's own: nobody waits, and the log is a list.

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
from gate.action.evaluation import EventServices
from gate.calls.interface import Progress
from gate.environment.settings import Settings
from gate.record.run import RunRecord
from tests.support.fakes import Memory
from tests.support.github_action import parse_outputs


@dataclass(frozen=True, slots=True)
class Acted:
    """What the action did.

    Args:
        code: exit code.
        log: its lines.
        shown: the runs that it would have printed.
        waits: seconds that it would have waited, one after the other.
        outputs: what it wrote to GITHUB_OUTPUT.
        summary: what it wrote to GITHUB_STEP_SUMMARY.
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
        env: what a runner gives it.
        patch: puts environment and folder back.
        progress: makes a progress display.
    """
    for name in [name for name in os.environ if name.startswith(("GITHUB_", "INPUT_"))]:
        patch.delenv(name)
    for name, value in env.items():
        patch.setenv(name, value)
    patch.chdir(env["GITHUB_WORKSPACE"])  # and back: the action enters it
    log, shown, waits = list[str](), list[RunRecord](), list[float]()
    services = Settings.from_environ(env)
    code = act(EventServices(log.append, shown.append, progress, lambda: datetime.now(UTC), waits.append, services))
    outputs = parse_outputs(Path(env["GITHUB_OUTPUT"]).read_bytes().decode())
    return Acted(code, log, shown, waits, outputs, Path(env["GITHUB_STEP_SUMMARY"]).read_text("utf-8"))
