"""Every error the gate raises on purpose.

GateError                exit 2: the user's own mistake (configuration, usage, a ref typed wrong)
 ├── InputErrors         exit 2: several mistakes in input files, all reported at once
 ├── MissingKey          exit 3: the evaluation cannot start, because a provider's key is absent
 ├── CannotEvaluate      exit 3: the evaluation cannot be finished, through nobody's typing mistake
 └── Interrupted         exit 130: the user pressed Ctrl-C
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

SHOWN = 20
"""Mistakes that are spelled out; more are counted."""

_LINES_NAMED = 3


class GateError(Exception):
    """A mistake that its reader can mend."""

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
    """How to install an extra: from where the gate itself came, since an index may hold another package of its name.

    Args:
        name: of the extra, as `pyproject.toml` has it.
    """
    return f"install it with its extra {name}: pip install '.[{name}]', or 'prompt-gate[{name}] @ git+https://…'"


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One mistake in one input file."""

    file: str
    line: int
    message: str
    hint: str = ""

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" + (f" ({self.hint})" if self.hint else "")


class InputErrors(GateError):
    """All mistakes found in the input files, sorted by file and line."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(str(problem) for problem in self.shown))

    @property
    def shown(self) -> tuple[Problem, ...]:
        """What a reader sees: equal mistakes of one file as one that names the first lines, and a count of the rest."""
        alike: dict[tuple[str, bool, str, str], list[Problem]] = {}
        for one in self.problems:
            alike.setdefault((one.file, one.line > 0, one.message, one.hint), []).append(one)
        groups = list(alike.values())
        told = [_as_one(group) for group in groups[:SHOWN]]
        if rest := [one for group in groups[SHOWN:] for one in group]:
            more = f"… and {len(rest):,} more mistake{'s' if len(rest) > 1 else ''}"
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
    """A provider is asked for, and its key is not in the environment."""

    exit_code = 3


class CannotEvaluate(GateError):
    """The evaluation cannot be finished; nothing is green by accident."""

    exit_code = 3


class Interrupted(GateError):
    """The user ended the run; what was finished is kept."""

    exit_code = 130
