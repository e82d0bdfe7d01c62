"""What many runs say together: flaky and mute cases, judges, labels that set the gate aside."""

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import HTMLResponse

from gate.domain.stored_suite import Page
from gate.report.trend.cases import case_seen, judge_seen, override_seen
from gate.store.sql.run_insights import Insights
from gate.web.access import Here, Role, needs
from gate.web.pages.runs import MOST
from gate.web.rendering import page
from gate.web.site import Site

router = APIRouter()
CASES = 50
PAGE = 50


@dataclass(frozen=True, slots=True)
class Asked:
    """Which runs of which suite; without a name those of the first suite."""

    suite: str = ""
    last: Literal["20", "50"] = "20"

    def of(self, site: Site) -> str:
        """The suite that is meant."""
        return self.suite or next(iter(site.runs.suites()), "")


@router.get("/flaky")
@needs(Role.VIEWER)
def flaky(request: Request, site: Here, asked: Annotated[Asked, Depends()]) -> HTMLResponse:
    """Cases whose scores vary by themselves, and cases that never tell the arms apart."""
    insights, suite, last = Insights(site.database), asked.of(site), int(asked.last)
    return page(
        request,
        "flaky.html.j2",
        names=site.runs.suites(),
        suite=suite,
        asked=asked,
        flaky=[case_seen(one) for one in insights.cases(suite, last, "flaky", CASES)],
        mute=[case_seen(one) for one in insights.cases(suite, last, "mute", CASES)],
        most=CASES,
    )


@router.get("/judges")
@needs(Role.VIEWER)
def judges(request: Request, site: Here, asked: Annotated[Asked, Depends()]) -> HTMLResponse:
    """How far judges agree with each other and with people."""
    suite = asked.of(site)
    told = [judge_seen(one) for one in Insights(site.database).judges(suite, int(asked.last))]
    return page(request, "judges.html.j2", names=site.runs.suites(), suite=suite, asked=asked, judges=told)


@router.get("/overrides")
@needs(Role.VIEWER)
def overrides(request: Request, site: Here, after: Annotated[int, Query(ge=0, le=MOST)] = 0) -> HTMLResponse:
    """Who set the gate aside, when and why, and whether it counted."""
    rows = Insights(site.database).overrides(Page(PAGE + 1, after))
    return page(
        request,
        "overrides.html.j2",
        overrides=[override_seen(one) for one in rows[:PAGE]],
        after=after,
        next=rows[PAGE - 1].run.id if len(rows) > PAGE else None,
    )
