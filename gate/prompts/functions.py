"""Prompts built by a Python function, `python:module:function`: their names, files and arguments."""

import re
from collections.abc import Sequence
from typing import Protocol

from gate.config.naming import PYTHON_PREFIX, FunctionName, function_complaint, function_named, is_python
from gate.errors import GateError
from gate.prompts.files import CodePlace, FileSource
from gate.record.transcript import Failed
from gate.values import JsonValue

_MADE_AT_RUN_TIME = re.compile(
    rb"\bimport[\s\\(]*\*|\b(__getattr__|__dict__|globals|locals|vars|setattr|exec|eval|sys\s*\.\s*modules)\b"
)
"""Words by which a module gets names that it does not contain."""


class CannotLoad(GateError):
    """The function is missing or cannot be loaded at one side."""


def file_of(source: FileSource, prompt: str) -> str | None:
    """The file of a prompt: the module of a function, or the path itself; None where the source has none.

    A module that does not contain the function's name does not count, so that a deleted function is noticed without
    running anything. With `import *`, or names made at run time, the module counts.
    """
    if not is_python(prompt):
        return prompt if source.fingerprint(prompt) is not None else None
    entry = function_named(prompt)
    for path in entry.files:
        if (data := source.read(path)) is not None:
            return path if _names(data, entry.function) else None
    return None


def missing(source: FileSource, prompt: str) -> str:
    """What is missing of a prompt for which `file_of` finds no file."""
    if not is_python(prompt):
        return "there is no such prompt"
    entry = function_named(prompt)
    file = next((path for path in entry.files if source.read(path) is not None), None)
    return f"there is no module {entry.module}" if file is None else f"there is no {entry.function} in {file}"


def names_of(prompt: str) -> tuple[str, ...]:
    """What a pattern may match for a prompt: its path; for a function also the files of its module."""
    return (prompt, *function_named(prompt).files) if is_python(prompt) else (prompt,)


def _names(data: bytes, function: str) -> bool:
    """May a module hold a name? True also where the text cannot tell."""
    found = re.search(rb"\b%s\b" % function.encode("ascii"), data)
    return found is not None or _MADE_AT_RUN_TIME.search(data) is not None


def moved_to(prompt: str, path: str) -> str:
    """The same function in another file; the path itself where that is no module, or the prompt is a file."""
    if not is_python(prompt):
        return path
    module = path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    moved = f"{PYTHON_PREFIX}{module}:{function_named(prompt).function}"
    return moved if path.endswith(".py") and not function_complaint(moved) else path


class PromptBuilder(Protocol):
    """Runs code of the repository, in isolation."""

    def place(self, source: FileSource, what: str) -> CodePlace:
        """The place of one side's code, for a later run.

        Args:
            what: names the code in messages.

        Raises:
            GateError: no code may run here.
            CannotEvaluate: the side is not checked out.
        """
        ...

    def build(
        self, source: FileSource, entry: FunctionName, sessions: Sequence[dict[str, JsonValue]]
    ) -> tuple[str | Failed, ...]:
        """The text that a function returns for each session, or why there is none.

        Raises:
            CannotLoad: the function is missing or cannot be loaded.
            GateError: no code may run here.
            CannotEvaluate: the files of the side are not available.
        """
        ...
