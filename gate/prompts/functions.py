"""Prompts that a Python function builds, `python:module:function`: their names, their files, what they are called with.

Nothing here runs or even parses the code.
"""

import re
from collections.abc import Sequence
from typing import Protocol

from gate.config.functions import PREFIX, Entry, complaint, entry_of, is_python
from gate.errors import GateError
from gate.prompts.files import CodePlace, FileSource
from gate.record.transcript import Failed
from gate.values import JsonValue

_MADE_AT_RUN_TIME = re.compile(
    rb"\bimport[\s\\(]*\*|\b(__getattr__|__dict__|globals|locals|vars|setattr|exec|eval|sys\s*\.\s*modules)\b"
)
"""Words by which a module gets names that do not stand in it."""


class CannotLoad(GateError):
    """The function cannot be had at one side: no case can be put into the prompt there."""


def file_of(source: FileSource, prompt: str) -> str | None:
    """The file that a prompt stands in: its module, or the path itself; None where the source has none.

    A module that does not hold the function's name is none: what is deleted is told without running anything. What it
    takes over from another by `import *`, or names while it runs, cannot be told so: there the module counts.
    """
    if not is_python(prompt):
        return prompt if source.fingerprint(prompt) is not None else None
    entry = entry_of(prompt)
    for path in entry.files:
        if (data := source.read(path)) is not None:
            return path if _names(data, entry.function) else None
    return None


def missing(source: FileSource, prompt: str) -> str:
    """What is not there of a prompt that `file_of` knows no file of.

    Args:
        source: the side.
        prompt: a path, or a function.
    """
    if not is_python(prompt):
        return "there is no such prompt"
    entry = entry_of(prompt)
    file = next((path for path in entry.files if source.read(path) is not None), None)
    return f"there is no module {entry.module}" if file is None else f"there is no {entry.function} in {file}"


def names_of(prompt: str) -> tuple[str, ...]:
    """What a pattern may mean by a prompt: the path; of a function also the files that its module can be in."""
    return (prompt, *entry_of(prompt).files) if is_python(prompt) else (prompt,)


def _names(data: bytes, function: str) -> bool:
    """May a module hold a name? Also where it is made in a way that no text tells."""
    found = re.search(rb"\b%s\b" % function.encode("ascii"), data)
    return found is not None or _MADE_AT_RUN_TIME.search(data) is not None


def moved_to(prompt: str, path: str) -> str:
    """The same function in another file; the path itself where that is no module, or the prompt is a file."""
    if not is_python(prompt):
        return path
    module = path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    moved = f"{PREFIX}{module}:{entry_of(prompt).function}"
    return moved if path.endswith(".py") and not complaint(moved) else path


class PromptBuilder(Protocol):
    """Runs code of the repository, apart from everything else."""

    def place(self, source: FileSource, what: str) -> CodePlace:
        """Where the code of one side lies, for what is run later.

        Args:
            source: the side.
            what: is to be run.

        Raises:
            GateError: no code may run here.
            CannotEvaluate: the side is in no checkout.
        """
        ...

    def build(
        self, source: FileSource, entry: Entry, sessions: Sequence[dict[str, JsonValue]]
    ) -> tuple[str | Failed, ...]:
        """The text that a function makes of each session, or why it makes none.

        Args:
            source: the side whose code is run.
            entry: the function.
            sessions: what it is called with.

        Raises:
            CannotLoad: the function cannot be had.
            GateError: no code may run here.
            CannotEvaluate: the files of the side cannot be had.
        """
        ...
