"""What the runner reads back: traces on the log, the job summary, the outputs."""

import secrets
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path

from gate.report.escape import terminal


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
