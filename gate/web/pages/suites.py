"""Pages of suites: their list, a suite with its cases, and edits of many cases at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from gate.cases.reading import put_of, readable
from gate.cases.stored import Archive, CaseFilter, CaseListItem, CaseVersion, Change, Entry, Page, SuiteVersion
from gate.config.values import dimension_complaint, name_complaint, value_complaint
from gate.errors import InputErrors
from gate.store.case_sets import StoreCases
from gate.store.sql.suites import Authorship
from gate.values import JsonValue, clipped
from gate.web import addresses
from gate.web.rendering import page, redirect
from gate.web.requests import Form
from gate.web.site import EDITOR, VIEWER, CurrentPerson, CurrentSite, WebSite, log_event

router = APIRouter()


@router.get("/", dependencies=VIEWER)
def suites(request: Request, site: CurrentSite) -> Response:
    """All suites with their latest change."""
    return page(request, "suites.html.j2", suites=site.suites.names(), runs=site.runs.suites())


@router.get("/new-suite", dependencies=EDITOR)
def new_suite(request: Request) -> Response:
    """The form."""
    return page(request, "suite_new.html.j2", typed="", complaint="")


@router.post("/new-suite", dependencies=EDITOR)
def make_suite(request: Request, site: CurrentSite, person: CurrentPerson, sent: Form) -> Response:
    """Create an empty suite."""
    name = sent.one("suite")
    complaint = name_complaint(name)
    if not complaint and site.suites.newest(name) is not None:
        complaint = "is already used by another suite"
    if complaint:
        return page(request, "suite_new.html.j2", 422, typed=name, complaint=f"The name {complaint}.")
    site.suites.change(name, [], Authorship(person.name, site.now(), "created"))
    log_event(request, "suite-created", name)
    return redirect(addresses.suite(name, said="made"))


_TRIES = 5


@dataclass(frozen=True, slots=True)
class BulkEdit:
    """An edit of many cases.

    Args:
        what: `set`, `remove` or `archive`.
        dimension, value: the slice; `remove` needs no value.
    """

    what: str
    dimension: str = ""
    value: str = ""


class BulkEditRefused(Exception):
    """Nothing was changed; `field` names the form field with the error, if there is one."""

    def __init__(self, why: str, field: str = "") -> None:
        super().__init__(why)
        self.why, self.field = why, field


def edit_many(cases: StoreCases, chosen: Sequence[str] | CaseFilter, work: BulkEdit) -> int:
    """Change all cases with these names or that match the filter, or none. Returns their number.

    Raises:
        BulkEditRefused: no case was changed.
    """
    _check(work, chosen)
    for _ in range(_TRIES):
        if isinstance(chosen, CaseFilter):
            found = list(cases.cases(chosen))
        else:
            found = [version for name in dict.fromkeys(chosen) for version in cases.case(name)[:1]]
        changes = [change for version in found if (change := _change(version, work)) is not None]
        if not changes or isinstance(cases.change(changes, _told(work, len(changes))), str):
            return len(changes)
    raise BulkEditRefused("Someone else is changing the same cases. Try again.")


def _check(work: BulkEdit, chosen: Sequence[str] | CaseFilter) -> None:
    if not chosen:
        raise BulkEditRefused("Select one or more cases first.", "case")
    if work.what not in ("set", "remove", "archive"):
        raise BulkEditRefused("Choose an action: set a slice, remove a slice, or archive.")
    if work.what != "archive" and (complaint := dimension_complaint(work.dimension)):
        raise BulkEditRefused(f"The dimension {complaint}.", "dimension")
    if work.what == "set" and (complaint := value_complaint(work.value)):
        raise BulkEditRefused(f"The value {complaint}.", "value")


def _change(version: CaseVersion, work: BulkEdit) -> Change | None:
    """The change; None if the case stays the same."""
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
        raise BulkEditRefused(f"The case {version.name!r} would be invalid: {said}. No case was changed.") from None


def _tagged(entry: Entry, work: BulkEdit) -> Entry:
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


def _told(work: BulkEdit, count: int) -> str:
    cases = f"{count:,} case{'s' if count != 1 else ''}"
    if work.what == "set":
        return f"{work.dimension}={work.value} set on {cases}"
    return f"{work.dimension} removed from {cases}" if work.what == "remove" else f"archived {cases}"


PAGE_SIZE = 50
MOST_SLICES = 50
"""Limit of slices in one filter."""
_DIMENSIONS = 1_000
"""Limit of dimensions of a suite; each is a field of the filter form."""
_EXCERPT = 160


@dataclass(frozen=True, slots=True)
class SuiteQuery:
    """Filter of a suite's cases.

    Args:
        slice: `dimension=value`; empty ones are ignored.
        after: place of the last case on the previous page.
    """

    name: Annotated[str, Query(max_length=1_000)]
    q: Annotated[str, Query(max_length=1_000)] = ""
    slice: Annotated[tuple[str, ...], Query(max_length=_DIMENSIONS)] = ()
    archived: bool = False
    after: Annotated[int, Query(ge=0, lt=2**31)] = 0
    said: str = ""

    def __post_init__(self) -> None:
        if len(self.chosen) > MOST_SLICES:
            raise HTTPException(422, f"Filter by {MOST_SLICES} slices or fewer.")

    @property
    def wanted(self) -> CaseFilter:
        """The store's filter."""
        return CaseFilter(tuple(self.q.split()[:20]), dict(self.chosen), self.archived)

    @property
    def chosen(self) -> Mapping[str, str]:
        """Dimension to value."""
        pairs = (one.partition("=") for one in self.slice if "=" in one)
        return {dimension: value for dimension, _, value in pairs}

    @property
    def filtered(self) -> bool:
        return bool(self.q.strip() or self.chosen or self.archived)


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case in the list."""

    version: CaseVersion
    question: str
    rounds: int
    slices: Mapping[str, str]
    description: str


@router.get("/suite", dependencies=VIEWER)
def suite(request: Request, site: CurrentSite, asked: Annotated[SuiteQuery, Depends()]) -> Response:
    """Cases of a suite, a page at a time."""
    return suite_page(request, site, asked)


@router.post("/suite/tag", dependencies=EDITOR)
def edit_cases(
    request: Request, site: CurrentSite, person: CurrentPerson, sent: Form, asked: Annotated[SuiteQuery, Depends()]
) -> Response:
    """Set or remove a slice of the selected cases, or archive them: all or none."""
    suite_of(site, asked.name)
    work = BulkEdit(sent.one("do"), sent.one("dimension").strip(), sent.one("value").strip())
    named = sent.every("case")
    try:
        done = edit_many(site.case_set(asked.name, person.name), asked.wanted if sent.one("all") else named, work)
    except BulkEditRefused as refused:
        return suite_page(request, site, asked, (refused, work, () if sent.one("all") else named), 422)
    log_event(request, "cases-tagged", f"{asked.name}: {work.what}, {done} cases")
    query = {"q": asked.q} if asked.q else {}
    address = addresses.suite(asked.name, "", **query, said=f"{work.what}-{done}")
    return redirect(address + "".join(f"&{addresses.query(slice=one)}" for one in asked.slice if one))


def suite_page(
    request: Request,
    site: WebSite,
    asked: SuiteQuery,
    failed: tuple[BulkEditRefused, BulkEdit, Sequence[str]] | None = None,
    status: int = 200,
) -> Response:
    """The page of a suite, with a rejected edit and the cases selected for it."""
    version = suite_of(site, asked.name)
    found = site.suites.cases(asked.name, asked.wanted, Page(PAGE_SIZE + 1, asked.after))
    rows = list(_rows(site, found[:PAGE_SIZE]))
    return page(
        request,
        "suite.html.j2",
        status,
        suite=version,
        asked=asked,
        rows=rows,
        count=site.suites.count(asked.name, asked.wanted),
        dimensions=site.suites.dimensions(asked.name),
        following=found[PAGE_SIZE - 1].place if len(found) > PAGE_SIZE else 0,
        failed=failed,
    )


def suite_of(site: WebSite, name: str) -> SuiteVersion:
    """The newest version of a suite."""
    found = site.suites.newest(name)
    if found is None:
        raise HTTPException(404)
    return found


def _rows(site: WebSite, listed: Sequence[CaseListItem]) -> Iterator[CaseRow]:
    for one in listed:
        version = one.version
        entry = version.entry or {}
        case = readable(entry)
        if case is not None:
            question = " ".join(case.steps[0].said.split()) if not case.only_vars else case.question
            slices, description = case.slices, case.description
            rounds = len(case.rounds)
        else:
            question, slices, description, rounds = "", {}, "", 0
        yield CaseRow(version, clipped(question, _EXCERPT), rounds, slices, description[:_EXCERPT])
