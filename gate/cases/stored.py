"""Eval sets that a store keeps: cases with versions and authors, and what may be done to them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from gate.values import JsonValue

Entry: TypeAlias = Mapping[str, JsonValue]
"""A case as it stands in a case file, whatever its form; nothing of it is lost on the way through the store."""


@dataclass(frozen=True, slots=True)
class SuiteVersion:
    """One state of a suite, which never changes again.

    Args:
        suite: its name.
        number: 1 for the first.
        digest: SHA-256 of its cases and their order, as `sha256:…`.
        cases: how many it has.
        author: who made it.
        made: when.
        what: what was done, for readers.
    """

    suite: str
    number: int
    digest: str
    cases: int
    author: str
    made: datetime
    what: str = ""

    @property
    def label(self) -> str:
        """As `gate.yaml` names it."""
        return f"store:{self.suite}@{self.number}"


@dataclass(frozen=True, slots=True)
class CaseVersion:
    """One state of a case.

    Args:
        name: its id in the suite.
        number: 1 for the first.
        entry: None where it was archived.
        author, made: who, and when.
        first: the version of the suite that brought it.
        last: the last version of the suite in which it stands; None while it does.
        case: what the store knows the case by, whatever its name; 0 outside of one.
    """

    name: str
    number: int
    entry: Entry | None
    author: str
    made: datetime
    first: int
    last: int | None = None
    case: int = 0


@dataclass(frozen=True, slots=True)
class Put:
    """A new case, or a new version of one.

    Args:
        name: its id.
        entry: what it is from now on; its reader found nothing wrong with it.
        slices: dimension to value, to search by.
        text: what people search in.
        base: the version of the case that was changed; 0 for a new one.
        was: the name that it had before, where that is another one; its history stays with it.
    """

    name: str
    entry: Entry
    slices: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    base: int = 0
    was: str = ""


@dataclass(frozen=True, slots=True)
class Archive:
    """The case is no longer asked; its versions stay.

    Args:
        name: its id.
        base: the version that somebody saw and archived.
    """

    name: str
    base: int


Change: TypeAlias = Put | Archive


def name_before(change: Change) -> str:
    """The name that a case has until it is changed."""
    return change.was or change.name if isinstance(change, Put) else change.name


@dataclass(frozen=True, slots=True)
class Conflict:
    """Somebody else was quicker.

    Args:
        change: what was not done.
        current: what stands there now; None where there is no such case.
    """

    change: Change
    current: CaseVersion | None


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a list.

    Args:
        size: entries, 1 or more.
        after: the place of the last entry before it; nothing stands before 0.
    """

    size: int = 50
    after: int = 0


@dataclass(frozen=True, slots=True)
class CaseFilter:
    """Which cases of a suite somebody wants to see.

    Args:
        words: all must occur in the case, in any letters.
        slices: dimension to value; all must be the case's own.
        archived: the archived ones instead of those that are asked.
    """

    words: tuple[str, ...] = ()
    slices: Mapping[str, str] = field(default_factory=dict)
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """A case in a list.

    Args:
        place: for the next page.
        version: what it is.
    """

    place: int
    version: CaseVersion
