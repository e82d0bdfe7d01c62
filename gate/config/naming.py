"""Names of suites, dimensions and slices, of suites that a store keeps, and of functions: `python:module:function`."""

import re
from dataclasses import dataclass

from gate.limits import NAME_CHARS, PATH_CHARS

OVERALL = "overall"
"""The slice of all cases."""


def name_complaint(name: str) -> str:
    """What is wrong with a suite's name; empty when nothing is."""
    if "/" in name:
        return "must not hold '/', which joins suite and slice"
    return value_complaint(name)


def dimension_complaint(name: str) -> str:
    """What is wrong with a slice dimension's name; empty when nothing is."""
    if name == OVERALL:
        return f"must not be {OVERALL!r}, the slice of all cases"
    if "=" in name or "/" in name:
        return "must not hold '=' or '/', which join the parts of a slice's name"
    return value_complaint(name)


def slice_complaint(name: str, dimensions: tuple[str, ...]) -> str:
    """What is wrong with `dimension=value`, given the dimensions that a suite tests; empty when nothing is."""
    dimension, equals, value = name.partition("=")
    if not equals or not value:
        return "must be written dimension=value"
    return "" if dimension in dimensions else f"names the dimension {dimension!r}, which 'slices' does not list"


def value_complaint(name: str) -> str:
    """What is wrong with a slice's value, an id, a cluster or a person's name; empty when nothing is."""
    if not name.strip():
        return "must not be blank"
    if name != name.strip():
        return "must not begin or end with a space"
    if len(name) > NAME_CHARS:
        return f"must not be longer than {NAME_CHARS} characters"
    if not name.isprintable():
        return "must not hold control characters"
    return ""


STORE_PREFIX = "store:"
_VERSION = re.compile(r"[1-9][0-9]{0,8}")


@dataclass(frozen=True, slots=True)
class StoreName:
    """A suite of a store.

    Args:
        version: 1 for the first; None for the newest.
    """

    name: str
    version: int | None = None

    @property
    def text(self) -> str:
        """As it is written."""
        return f"{STORE_PREFIX}{self.name}" if self.version is None else f"{STORE_PREFIX}{self.name}@{self.version}"


def is_store(text: str) -> bool:
    """Is it meant to name a suite of a store, rightly or not?"""
    return text.startswith(STORE_PREFIX)


def parse_store_name(text: str) -> StoreName | None:
    """The suite that a text names; None where it names none, or not rightly."""
    if not is_store(text) or store_name_complaint(text):
        return None
    name, _, version = text.removeprefix(STORE_PREFIX).partition("@")
    return StoreName(name, int(version) if version else None)


def store_name_complaint(text: str) -> str:
    """What is wrong with the name of a store's suite; empty when nothing is."""
    name, at, version = text.removeprefix(STORE_PREFIX).partition("@")
    if reason := name_complaint(name):
        return reason
    if at and not _VERSION.fullmatch(version):
        return "must end in '@' and the number of a version, 1 or more, or leave both out"
    return ""


PYTHON_PREFIX = "python:"
SOURCES = ("", "src/")
"""Folders that modules are looked for in, in this order."""
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_ENTRY = re.compile(rf"python:(?P<module>{_NAME}(\.{_NAME})*):(?P<function>{_NAME})", re.ASCII)


@dataclass(frozen=True, slots=True)
class FunctionName:
    """A function of the repository."""

    module: str
    function: str

    def __str__(self) -> str:
        return f"{PYTHON_PREFIX}{self.module}:{self.function}"

    @property
    def files(self) -> tuple[str, ...]:
        """Where the module can lie, the places that count first."""
        path = self.module.replace(".", "/")
        return tuple(f"{folder}{path}{end}" for folder in SOURCES for end in ("/__init__.py", ".py"))


def is_python(prompt: str) -> bool:
    """Does a suite name code, and no file?"""
    return prompt.startswith(PYTHON_PREFIX)


def function_complaint(prompt: str) -> str:
    """Why a prompt that begins with `python:` names no function; empty when it does."""
    if len(prompt) > PATH_CHARS:
        return f"is longer than {PATH_CHARS:,} characters"
    return "" if _ENTRY.fullmatch(prompt) else "is not python:module:function"


def function_named(prompt: str) -> FunctionName:
    """The function that a prompt names."""
    found = _ENTRY.fullmatch(prompt)
    if found is None:
        raise ValueError(f"{prompt} is no function")
    return FunctionName(found["module"], found["function"])
