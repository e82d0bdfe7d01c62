"""A suite: its cases, found by words and slices, and what is done to many of them at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from gate.cases.reading import readable
from gate.domain.stored_suite import CaseFilter, CaseVersion, Listed, Page, SuiteVersion
from gate.store.sql.suite_edits import By
from gate.web import addresses, tagging
from gate.web.access import Asking, Here, Role, needs, noted
from gate.web.forms import Form
from gate.web.rendering import page, seen_next
from gate.web.site import Site

router = APIRouter()
SIZE = 50
MOST_SLICES = 50
"""That can be asked for at once."""
_DIMENSIONS = 1_000
"""Of one suite, each of which is a field of the form, mostly empty."""
_EXCERPT = 160


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody looks for in a suite.

    Args:
        name: of the suite.
        q: words.
        slice: as `dimension=value`; empty ones ask for nothing.
        archived: those that are no longer asked.
        after: place of the last case on the page before.
        said: what was just done.
    """

    name: Annotated[str, Query(max_length=1_000)]
    q: Annotated[str, Query(max_length=1_000)] = ""
    slice: Annotated[tuple[str, ...], Query(max_length=_DIMENSIONS)] = ()
    archived: bool = False
    after: Annotated[int, Query(ge=0, lt=2**31)] = 0
    said: str = ""

    def __post_init__(self) -> None:
        if len(self.chosen) > MOST_SLICES:
            raise HTTPException(422, f"Choose {MOST_SLICES} slices or fewer at once.")

    @property
    def wanted(self) -> CaseFilter:
        """As the store takes it."""
        return CaseFilter(tuple(self.q.split()[:20]), dict(self.chosen), self.archived)

    @property
    def chosen(self) -> Mapping[str, str]:
        """Dimension to value."""
        pairs = (one.partition("=") for one in self.slice if "=" in one)
        return {dimension: value for dimension, _, value in pairs}

    @property
    def filtered(self) -> bool:
        """Not all cases are wanted."""
        return bool(self.q.strip() or self.chosen or self.archived)


@dataclass(frozen=True, slots=True)
class Row:
    """A case in the list.

    Args:
        version: what it is.
        question: how it begins.
        rounds: how often the user speaks.
        slices: dimension to value.
        description: for readers.
    """

    version: CaseVersion
    question: str
    rounds: int
    slices: Mapping[str, str]
    description: str


@router.get("/suite")
@needs(Role.VIEWER)
def suite(request: Request, site: Here, asked: Annotated[Asked, Depends()]) -> Response:
    """Cases of a suite, fifty at a time."""
    return shown(request, site, asked)


@router.post("/suite/tag")
@needs(Role.EDITOR)
def tag(request: Request, site: Here, person: Asking, sent: Form, asked: Annotated[Asked, Depends()]) -> Response:
    """Sets or removes a slice of the chosen cases, or archives them: all of them, or none."""
    suite_of(site, asked.name)
    work = tagging.Work(sent.one("do"), sent.one("dimension").strip(), sent.one("value").strip())
    chosen = None if sent.one("all") else sent.every("case")
    done = tagging.done(site, asked.name, (chosen, asked.wanted), work, By(person.name, site.now()))
    if isinstance(done, tagging.NotDone):
        return shown(request, site, asked, (done, work, chosen), 422)
    noted(request, "cases-tagged", f"{asked.name}: {work.what}, {done} cases")
    query = {"q": asked.q} if asked.q else {}
    address = addresses.suite(asked.name, "", **query, said=f"{work.what}-{done}")
    return seen_next(address + "".join(f"&{addresses.query(slice=one)}" for one in asked.slice if one))


def shown(
    request: Request,
    site: Site,
    asked: Asked,
    failed: tuple[tagging.NotDone, tagging.Work, Sequence[str] | None] | None = None,
    status: int = 200,
) -> Response:
    """The page of a suite, with what could not be done and what was chosen for it."""
    version = suite_of(site, asked.name)
    found = site.suites.cases(asked.name, asked.wanted, Page(SIZE + 1, asked.after))
    rows = list(_rows(site, found[:SIZE]))
    return page(
        request,
        "suite.html.j2",
        status,
        suite=version,
        asked=asked,
        rows=rows,
        count=site.suites.count(asked.name, asked.wanted),
        dimensions=site.suites.dimensions(asked.name),
        following=found[SIZE - 1].place if len(found) > SIZE else 0,
        failed=failed,
    )


def suite_of(site: Site, name: str) -> SuiteVersion:
    """The newest version of a suite.

    Raises:
        HTTPException: there is none.
    """
    found = site.suites.newest(name)
    if found is None:
        raise HTTPException(404)
    return found


def _rows(site: Site, listed: Sequence[Listed]) -> Iterator[Row]:
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
        cut = question[:_EXCERPT] + ("…" if len(question) > _EXCERPT else "")
        yield Row(version, cut, rounds, slices, description[:_EXCERPT])
