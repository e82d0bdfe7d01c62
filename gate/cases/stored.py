"""Eval sets in a store: cases with versions and authors, and changes to them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from gate.cases.case import Entry as Entry


@dataclass(frozen=True, slots=True)
class SuiteVersion:
    """One immutable version of a suite.

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
        entry: None if the case was archived.
        first: the version of the suite that added it.
        last: the last version of the suite that has it; None if current.
        case: key in the store, independent of the name; 0 outside a store.
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
        entry: the new one, valid.
        slices: dimension to value, for searching.
        base: version of the case that was edited; 0 for a new case.
        was: previous name, if the case is renamed; it keeps its history.
    """

    name: str
    entry: Entry
    slices: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    base: int = 0
    was: str = ""


@dataclass(frozen=True, slots=True)
class Archive:
    """Archive a case: it is no longer run, but its versions stay.

    Args:
        base: the version that the user saw.
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
        change: the rejected change.
        current: None if the case does not exist.
    """

    change: Change
    current: CaseVersion | None


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list.

    Args:
        after: place of the last entry of the previous page; 0 for the first page.
    """

    size: int = 50
    after: int = 0


@dataclass(frozen=True, slots=True)
class CaseFilter:
    """Filter of the cases of a suite.

    Args:
        words: all must occur in the case; upper and lower case are the same.
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
        place: for `Page.after`.
    """

    place: int
    version: CaseVersion
