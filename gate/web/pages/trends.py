"""A figure of a suite over its newest runs."""

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse

from gate.config.policy import OVERALL
from gate.domain.history import Axis
from gate.report.trend.lines import slices_first, trend_view
from gate.store.sql.run_insights import Insights
from gate.web.access import Here, Role, needs
from gate.web.rendering import page

router = APIRouter()
AXES: tuple[Axis, ...] = ("quality", "cost", "latency")


@dataclass(frozen=True, slots=True)
class Asked:
    """Which trend; without a name that of the first suite."""

    suite: str = ""
    axis: Axis = "quality"
    slice: str = OVERALL
    last: Literal["50", "200"] = "50"


@router.get("/trends")
@needs(Role.VIEWER)
def trends(request: Request, site: Here, asked: Annotated[Asked, Depends()]) -> HTMLResponse:
    """The chart, and its figures in a table."""
    names, last = site.runs.suites(), int(asked.last)
    suite = asked.suite or next(iter(names), "")
    slices = slices_first([slice for axis, slice in Insights(site.database).slices(suite, last) if axis == "quality"])
    # Cost and latency are not told apart by slice.
    slice = asked.slice if asked.axis == "quality" else OVERALL
    return page(
        request,
        "trends.html.j2",
        names=names,
        suite=suite,
        asked=asked,
        slice=slice,
        slices=slices,
        axes=AXES,
        trend=trend_view(site.runs.trend(suite, asked.axis, slice, last), asked.axis),
    )
