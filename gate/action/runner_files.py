"""What the runner reads back: workflow commands on the log, the job summary, the outputs."""

import secrets
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gate.report.escape import one_line, terminal

Level = Literal["error", "warning", "notice"]

_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = {**_DATA, **str.maketrans({":": "%3A", ",": "%2C"})}


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file of the change; line 0 is the whole file."""

    file: str
    line: int = 0


def annotation(level: Level, message: str, place: Place | None = None) -> str:
    """A line on the log that GitHub shows beside the change.

    Args:
        level: how bad.
        message: any text; it becomes one line.
        place: where, if it is about a file of the change.
    """
    where = f"file={one_line(place.file).translate(_PROPERTY)}," if place else ""
    line = f"line={place.line}," if place and place.line else ""
    return f"::{level} {where}{line}title=Prompt Gate::{terminal(message).translate(_DATA)}"


def traced(error: Exception) -> Iterator[str]:
    """The lines of an error's trace, harmless on the log: a container's files are gone after the step."""
    for line in "".join(traceback.format_exception(error)).splitlines():
        yield terminal(line, lines=True)


def write_outputs(file: Path, outputs: Mapping[str, str]) -> None:
    """Append outputs to GITHUB_OUTPUT.

    Args:
        file: the runner's.
        outputs: name to any text; a delimiter that nobody can guess keeps one output from making another.
    """
    with file.open("a", encoding="utf-8", errors="replace", newline="\n") as out:
        for name, value in outputs.items():
            delimiter = f"prompt-gate-{secrets.token_hex(16)}"
            out.write(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")


def write_summary(file: Path, markdown: str) -> None:
    """Append to GITHUB_STEP_SUMMARY."""
    with file.open("a", encoding="utf-8", errors="replace", newline="\n") as out:
        out.write(markdown)
