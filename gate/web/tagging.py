"""One thing done to many cases of a suite: a slice set or removed, or all of them archived."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gate.cases.reading import put_of
from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Archive, CaseFilter, CaseVersion, Change, Entry, Page, SuiteVersion
from gate.errors import InputErrors
from gate.inputs.names import dimension_complaint, value_complaint
from gate.store.sql.suite_edits import By
from gate.web.site import Site

_PAGE = 1_000
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be done.

    Args:
        what: `set`, `remove` or `archive`.
        dimension, value: of the slice; a dimension alone is removed whatever its value.
    """

    what: str
    dimension: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class NotDone:
    """Nothing was done.

    Args:
        why: for the reader.
        field: of the form that is at fault; empty where it is none.
    """

    why: str
    field: str = ""


def done(site: Site, suite: str, chosen: tuple[Sequence[str] | None, CaseFilter], work: Work, by: By) -> int | NotDone:
    """How many cases were changed, all at once.

    Args:
        site: with the store.
        suite: name of the suite.
        chosen: names of cases, or None for all those of the filter.
        work: what to do.
        by: who.
    """
    if refusal := _refusal(work, chosen[0]):
        return refusal
    for _ in range(_TRIES):
        changes: list[Change] = []
        for version in _chosen(site, suite, *chosen):
            change = _change(version, work)
            if isinstance(change, NotDone):
                return change
            changes += [change] if change is not None else []
        if not changes:
            return 0
        if isinstance(site.suites.change(suite, changes, replace(by, what=_told(work, len(changes)))), SuiteVersion):
            return len(changes)
    return NotDone("Others change the same cases right now. Try again.")


def _refusal(work: Work, names: Sequence[str] | None) -> NotDone | None:
    if names is not None and not names:
        return NotDone("Choose the cases first.", "case")
    if work.what == "archive":
        return None
    if work.what not in ("set", "remove"):
        return NotDone("Choose what to do with the cases.")
    if complaint := dimension_complaint(work.dimension):
        return NotDone(f"The dimension {complaint}.", "dimension")
    if work.what == "set" and (complaint := value_complaint(work.value)):
        return NotDone(f"The value {complaint}.", "value")
    return None


def _chosen(site: Site, suite: str, names: Sequence[str] | None, wanted: CaseFilter) -> Iterator[CaseVersion]:
    if names is not None:
        for name in dict.fromkeys(names):
            yield from site.suites.case(suite, name)[:1]
        return
    after = 0
    while listed := site.suites.cases(suite, wanted, Page(_PAGE, after)):
        yield from (one.version for one in listed)
        after = listed[-1].place


def _change(version: CaseVersion, work: Work) -> Change | NotDone | None:
    """None where there is nothing to be done."""
    if version.entry is None:
        return None
    if work.what == "archive":
        return Archive(version.name, version.number)
    entry = _tagged(version.entry, work)
    if entry == version.entry:
        return None
    try:
        return put_of(entry, version.number)
    except InputErrors as error:
        said = error.problems[0].message
        return NotDone(f"The case {version.name!r} does not take it: {said}. No case was changed.")


def _tagged(entry: Entry, work: Work) -> Entry:
    given = entry.get("slices")
    slices: dict[str, JsonValue] = dict(given) if isinstance(given, dict) else {}
    rest = dict(entry)
    if work.what == "set":
        # 'slice: X' is short for the dimension of that name.
        if work.dimension == "slice":
            rest.pop("slice", None)
        return {**rest, "slices": {**slices, work.dimension: work.value}}
    slices.pop(work.dimension, None)
    if work.dimension == "slice":
        rest.pop("slice", None)
    if slices:
        return {**rest, "slices": slices}
    rest.pop("slices", None)
    return rest


def _told(work: Work, count: int) -> str:
    cases = f"{count:,} case{'s' if count != 1 else ''}"
    if work.what == "set":
        return f"{work.dimension}={work.value} set on {cases}"
    return f"{work.dimension} removed from {cases}" if work.what == "remove" else f"archived {cases}"
