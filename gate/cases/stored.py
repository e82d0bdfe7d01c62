"""Eval sets in a store: cases with versions and authors, and changes to them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from gate.cases.case import Entry as Entry


@dataclass(frozen=True, slots=True)
class SuiteVersion:
    """One version of a suite; never changed.

    Args:
        digest: SHA-256 of its cases and their order, as `sha256:…`.
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
        """As written in `gate.yaml`."""
        return f"store:{self.suite}@{self.number}"


@dataclass(frozen=True, slots=True)
class CaseVersion:
    """One version of a case.

    Args:
        entry: None where it was archived.
        first: the version of the suite that brought it.
        last: the last version of the suite that has it; None for the current one.
        case: key in the store, independent of the name; 0 outside of one.
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
class CaseWrite:
    """A new case, or a new version of one.

    Args:
        entry: the new one, already checked.
        slices: dimension to value, to search by.
        base: the version of the case that was changed; 0 for a new one.
        was: its name before, if it is renamed; the history stays with it.
    """

    name: str
    entry: Entry
    slices: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    base: int = 0
    was: str = ""


@dataclass(frozen=True, slots=True)
class Archive:
    """Archive a case: it is no longer asked; its versions stay.

    Args:
        base: the version that its reader saw.
    """

    name: str
    base: int


Change: TypeAlias = CaseWrite | Archive


def name_before(change: Change) -> str:
    """The name of a case before the change."""
    return change.was or change.name if isinstance(change, CaseWrite) else change.name


@dataclass(frozen=True, slots=True)
class Conflict:
    """Somebody else changed the case first.

    Args:
        change: the one that was not made.
        current: None where there is no such case.
    """

    change: Change
    current: CaseVersion | None


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a list.

    Args:
        after: place of the last entry of the previous page; 0 for the first page.
    """

    size: int = 50
    after: int = 0


@dataclass(frozen=True, slots=True)
class CaseFilter:
    """Filter of the cases of a suite.

    Args:
        words: all must occur in the case, in upper or lower case.
        slices: dimension to value; all must match.
        archived: archived cases instead of current ones.
    """

    words: tuple[str, ...] = ()
    slices: Mapping[str, str] = field(default_factory=dict)
    archived: bool = False


@dataclass(frozen=True, slots=True)
class CaseListItem:
    """A case in a list.

    Args:
        place: for the next page.
    """

    place: int
    version: CaseVersion
