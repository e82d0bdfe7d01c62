"""One run: the report as the pull request shows it, and all of its cases."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request
from starlette.responses import HTMLResponse

from gate.domain.history import RunRow
from gate.domain.record import RunRecord
from gate.report.cases.rows import Order, Wanted, Which, case_table
from gate.report.markdown import preview
from gate.report.trend.runs import run_view
from gate.web.access import Here, Role, needs
from gate.web.pages.runs import MOST
from gate.web.rendering import page
from gate.web.site import Site

router = APIRouter()
PAGE = 100
Number = Annotated[int, Path(ge=1, le=MOST)]


@dataclass(frozen=True, slots=True)
class Asked:
    """Which cases of which suite somebody wants to see; without a name those of the first suite."""

    suite: str = ""
    which: Which = "all"
    slice: str = ""
    sort: Order = "worst"


@router.get("/runs/{id}")
@needs(Role.VIEWER)
def run(request: Request, site: Here, id: Number) -> HTMLResponse:
    """The report, and a way to the cases of each suite."""
    row, record = found(site, id)
    return page(request, "run.html.j2", run=run_view(row), report=preview.body(record), suites=_suites(record))


@router.get("/runs/{id}/cases")
@needs(Role.VIEWER)
def cases(
    request: Request,
    site: Here,
    id: Number,
    asked: Annotated[Asked, Depends()],
    number: Annotated[int, Query(ge=1, le=MOST, alias="page")] = 1,
) -> HTMLResponse:
    """The cases of one suite, a page of them."""
    row, record = found(site, id)
    names = [name for name, _ in _suites(record)]
    suite = asked.suite or next(iter(names), "")
    table = case_table(record, suite, Wanted(asked.which, asked.slice, asked.sort))
    if table is None:
        raise HTTPException(404)
    start = (number - 1) * PAGE
    return page(
        request,
        "run_cases.html.j2",
        run=run_view(row),
        table=table,
        rows=table.rows[start : start + PAGE],
        names=names,
        asked=asked,
        number=number,
        pages=max(1, -(-len(table.rows) // PAGE)),
    )


def found(site: Site, id: int) -> tuple[RunRow, RunRecord]:
    """A run of the store.

    Raises:
        HTTPException: there is none.
    """
    row = site.runs.row(id)
    record = None if row is None else site.runs.record(id)
    if row is None or record is None:
        raise HTTPException(404)
    return row, record


def _suites(record: RunRecord) -> list[tuple[str, int]]:
    """Names, each with how many cases were asked."""
    compared = [(suite.name, len(suite.cases)) for suite in record.suites]
    return compared + [(suite.name, len(suite.cases)) for suite in record.new]
