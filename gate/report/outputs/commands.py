"""Workflow commands: lines on a runner's log that GitHub, Gitea and Forgejo show beside a change."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from gate.domain.record import RunRecord
from gate.domain.verdict import Verdict
from gate.report.escape import one_line, terminal
from gate.report.outputs.findings import Lines, findings
from gate.report.verdict.headline import plain_first_line

Level = Literal["error", "warning", "notice"]

_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = {**_DATA, **str.maketrans({":": "%3A", ",": "%2C"})}
_TOLD = (Verdict.BLOCK, Verdict.INCONCLUSIVE, Verdict.HOLD)


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file of the change; line 0 is the whole file, and `last` 0 is the first line alone."""

    file: str
    line: int = 0
    last: int = 0


def annotation(level: Level, message: str, place: Place | None = None) -> str:
    """A line on the log that GitHub shows beside the change.

    Args:
        level: how bad.
        message: any text; it becomes one line.
        place: where, if it is about a file of the change.
    """
    where = f"file={one_line(place.file).translate(_PROPERTY)}," if place else ""
    line = f"line={place.line}," if place and place.line else ""
    last = f"endLine={place.last}," if place and place.line and place.last > place.line else ""
    return f"::{level} {where}{line}{last}title=Prompt Gate::{terminal(message).translate(_DATA)}"


def render(run: RunRecord, lines: Lines) -> str:
    """The verdict, and each finding on the changed lines of its prompt.

    Args:
        run: finished.
        lines: changed ones, by path; a file without any is marked as a whole.
    """
    return "".join(f"{line}\n" for line in _told(run, lines))


def _told(run: RunRecord, lines: Lines) -> Iterator[str]:
    if run.verdict in _TOLD:
        level: Level = "error" if run.exit_code else "notice" if run.waived else "warning"
        yield annotation(level, plain_first_line(run))
    else:
        yield annotation("notice", plain_first_line(run))
    for found in findings(run):
        for first, last in lines.get(found.path, ()) or ((0, 0),):
            yield annotation(found.level, found.message, Place(found.path, first, last))
