"""Names of suites that a store keeps, as `gate.yaml` and the command line write them: `store:NAME[@version]`."""

import re
from dataclasses import dataclass

from gate.inputs.names import name_complaint

PREFIX = "store:"
_VERSION = re.compile(r"[1-9][0-9]{0,8}")


@dataclass(frozen=True, slots=True)
class StoreName:
    """A suite of a store.

    Args:
        name: of the suite.
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
    """What is wrong with the name of a store's suite; empty when nothing is.

    Args:
        text: which begins with `store:`.
    """
    name, at, version = text.removeprefix(PREFIX).partition("@")
    if reason := name_complaint(name):
        return reason
    if at and not _VERSION.fullmatch(version):
        return "must end in '@' and the number of a version, 1 or more, or leave both out"
    return ""
