"""Pages on many runs: trends, flaky cases, judges and overrides."""

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import HTMLResponse

from gate.cases.stored import Page
from gate.config.values import OVERALL
from gate.record.history import Axis
from gate.report.history import case_history, judge_history, override_view, slices_first, trend_view
from gate.store.sql.insights import Insights
from gate.web.pages.runs import LARGEST_ID
from gate.web.rendering import page
from gate.web.site import VIEWER, CurrentSite, WebSite

router = APIRouter()
AXES: tuple[Axis, ...] = ("quality", "cost", "latency")


@dataclass(frozen=True, slots=True)
class TrendQuery:
    """Which trend; an empty name means the first suite."""

    suite: str = ""
    axis: Axis = "quality"
    slice: str = OVERALL
    last: Literal["50", "200"] = "50"


@router.get("/trends", dependencies=VIEWER)
def trends(request: Request, site: CurrentSite, asked: Annotated[TrendQuery, Depends()]) -> HTMLResponse:
    """The chart and its figures."""
    names, last = site.runs.suites(), int(asked.last)
    suite = asked.suite or next(iter(names), "")
    slices = slices_first([slice for axis, slice in Insights(site.database).slices(suite, last) if axis == "quality"])
    # Cost and latency have no slices.
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


CASES = 50
PAGE = 50


@dataclass(frozen=True, slots=True)
class InsightsQuery:
    """Which runs of which suite; an empty name means the first suite."""

    suite: str = ""
    last: Literal["20", "50"] = "20"

    def of(self, site: WebSite) -> str:
        return self.suite or next(iter(site.runs.suites()), "")


@router.get("/flaky", dependencies=VIEWER)
def flaky(request: Request, site: CurrentSite, asked: Annotated[InsightsQuery, Depends()]) -> HTMLResponse:
    """Flaky cases, and cases whose arms never differ."""
    insights, suite, last = Insights(site.database), asked.of(site), int(asked.last)
    return page(
        request,
        "flaky.html.j2",
        names=site.runs.suites(),
        suite=suite,
        asked=asked,
        flaky=[case_history(one) for one in insights.cases(suite, last, "flaky", CASES)],
        mute=[case_history(one) for one in insights.cases(suite, last, "mute", CASES)],
        most=CASES,
    )


@router.get("/judges", dependencies=VIEWER)
def judges(request: Request, site: CurrentSite, asked: Annotated[InsightsQuery, Depends()]) -> HTMLResponse:
    """Agreement of judges with each other and with people."""
    suite = asked.of(site)
    found = [judge_history(one) for one in Insights(site.database).judges(suite, int(asked.last))]
    return page(request, "judges.html.j2", names=site.runs.suites(), suite=suite, asked=asked, judges=found)


@router.get("/overrides", dependencies=VIEWER)
def overrides(
    request: Request, site: CurrentSite, after: Annotated[int, Query(ge=0, le=LARGEST_ID)] = 0
) -> HTMLResponse:
    """Overrides: who, when and why, and whether they were accepted."""
    rows = Insights(site.database).overrides(Page(PAGE + 1, after))
    return page(
        request,
        "overrides.html.j2",
        overrides=[override_view(one) for one in rows[:PAGE]],
        after=after,
        next=rows[PAGE - 1].run.id if len(rows) > PAGE else None,
    )
