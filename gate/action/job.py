"""What the action works with: the job's environment, its inputs, GitHub, the log and the clock."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from gate.calls.interface import Progress
from gate.environment.action import Inputs, Runner
from gate.environment.settings import Settings
from gate.github.client import GitHub
from gate.record.run import RunRecord
from gate.report.escape import terminal_text
from gate.report.exports.sarif import annotation_command


@dataclass(frozen=True, slots=True)
class EventServices:
    """The action's log, clock and services."""

    say: Callable[[str], None]
    show: Callable[[RunRecord], None]
    progress: Callable[[], Progress]
    now: Callable[[], datetime]
    wait: Callable[[float], None]
    settings: Settings


@dataclass(frozen=True, slots=True)
class ActionJob:
    """One job of a workflow that runs the action.

    Args:
        warnings: problems that do not decide, also for the job summary.
    """

    runner: Runner
    inputs: Inputs
    github: GitHub
    services: EventServices
    warnings: list[str] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        """The folder of the run's files and of the answers."""
        return self.runner.workspace / self.inputs.working_directory

    def warn(self, message: str) -> None:
        """Report a problem that does not decide."""
        self.warnings.append(message)
        self.services.say(annotation_command("warning", message))

    def say_trace(self, error: Exception) -> None:
        """Print a traceback, safe for the log: a container's files are gone after the step."""
        for line in "".join(traceback.format_exception(error)).splitlines():
            self.services.say(terminal_text(line, lines=True))
