"""Workflow commands: lines on a runner's log that GitHub shows beside a change."""

from dataclasses import dataclass
from typing import Literal

from gate.report.escape import one_line, terminal

Level = Literal["error", "warning", "notice"]

_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = {**_DATA, **str.maketrans({":": "%3A", ",": "%2C"})}


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
