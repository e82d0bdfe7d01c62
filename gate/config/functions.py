"""Functions of a repository by their names, `python:module:function`, and which files they may lie in."""

import re
from dataclasses import dataclass

from gate.limits import PATH_CHARS

PREFIX = "python:"


SOURCES = ("", "src/")
"""Folders that modules are looked for in, in this order."""


_NAME = r"[A-Za-z_][A-Za-z0-9_]*"


_ENTRY = re.compile(rf"python:(?P<module>{_NAME}(\.{_NAME})*):(?P<function>{_NAME})", re.ASCII)


FUNCTION_PATTERN = rf"^{_NAME}(\.{_NAME})*:{_NAME}$"
"""What JSON Schemas check `module:function` with."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A function of the repository."""

    module: str
    function: str

    def __str__(self) -> str:
        return f"{PREFIX}{self.module}:{self.function}"

    @property
    def files(self) -> tuple[str, ...]:
        """Where the module can lie, the places that count first."""
        path = self.module.replace(".", "/")
        return tuple(f"{folder}{path}{end}" for folder in SOURCES for end in ("/__init__.py", ".py"))


def is_python(prompt: str) -> bool:
    """Does a suite name code, and no file?"""
    return prompt.startswith(PREFIX)


def complaint(prompt: str) -> str:
    """Why a prompt that begins with `python:` names no function; empty when it does."""
    if len(prompt) > PATH_CHARS:
        return f"is longer than {PATH_CHARS:,} characters"
    return "" if _ENTRY.fullmatch(prompt) else "is not python:module:function"


def entry_of(prompt: str) -> Entry:
    """The function that a prompt names."""
    found = _ENTRY.fullmatch(prompt)
    if found is None:
        raise ValueError(f"{prompt} is no function")
    return Entry(found["module"], found["function"])
