"""Names of suites, dimensions and slices, and of suites that a store keeps."""

import re
from dataclasses import dataclass

from gate.config.policy import OVERALL
from gate.limits import NAME_CHARS


def name_complaint(name: str) -> str:
    """What is wrong with a suite's name; empty when nothing is."""
    if "/" in name:
        return "must not hold '/', which joins suite and slice"
    return _common(name)


def dimension_complaint(name: str) -> str:
    """What is wrong with a slice dimension's name; empty when nothing is."""
    if name == OVERALL:
        return f"must not be {OVERALL!r}, the slice of all cases"
    if "=" in name or "/" in name:
        return "must not hold '=' or '/', which join the parts of a slice's name"
    return _common(name)


def value_complaint(value: str) -> str:
    """What is wrong with a slice's value, an id or a cluster; empty when nothing is."""
    return _common(value)


def person_complaint(name: str) -> str:
    """What is wrong with the name of a person; empty when nothing is."""
    return _common(name)


def slice_complaint(name: str, dimensions: tuple[str, ...]) -> str:
    """What is wrong with `dimension=value`, given the dimensions that a suite tests; empty when nothing is."""
    dimension, equals, value = name.partition("=")
    if not equals or not value:
        return "must be written dimension=value"
    return "" if dimension in dimensions else f"names the dimension {dimension!r}, which 'slices' does not list"


def _common(name: str) -> str:
    if not name.strip():
        return "must not be blank"
    if name != name.strip():
        return "must not begin or end with a space"
    if len(name) > NAME_CHARS:
        return f"must not be longer than {NAME_CHARS} characters"
    if not name.isprintable():
        return "must not hold control characters"
    return ""


PREFIX = "store:"
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
        return f"{PREFIX}{self.name}" if self.version is None else f"{PREFIX}{self.name}@{self.version}"


def is_store(text: str) -> bool:
    """Is it meant to name a suite of a store, rightly or not?"""
    return text.startswith(PREFIX)


def parse(text: str) -> StoreName | None:
    """The suite that a text names; None where it names none, or not rightly."""
    if not is_store(text) or complaint(text):
        return None
    name, _, version = text.removeprefix(PREFIX).partition("@")
    return StoreName(name, int(version) if version else None)


def complaint(text: str) -> str:
    """What is wrong with the name of a store's suite; empty when nothing is."""
    name, at, version = text.removeprefix(PREFIX).partition("@")
    if reason := name_complaint(name):
        return reason
    if at and not _VERSION.fullmatch(version):
        return "must end in '@' and the number of a version, 1 or more, or leave both out"
    return ""
