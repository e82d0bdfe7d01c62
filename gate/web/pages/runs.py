"""The list of runs."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import HTMLResponse

from gate.domain.history import RunFilter
from gate.domain.stored_suite import Page
from gate.domain.verdict import Verdict
from gate.errors import GateError
from gate.report.trend.runs import run_view
from gate.store.sql.retention import last_removal
from gate.web.access import Here, Role, needs
from gate.web.rendering import page

router = APIRouter()
PAGE = 50
MOST = 2**63 - 1
"""Of what a database takes as the number of a row."""
_DIGITS = 9
"""Of the number of a pull request."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The form above the list; what is empty is whatever it is."""

    suite: str = ""
    verdict: str = ""
    repository: str = ""
    branch: str = ""
    pull_request: str = ""

    @property
    def wanted(self) -> RunFilter:
        """As the store asks.

        Raises:
            GateError: the verdict, or the number of the pull request, is none.
        """
        if self.verdict and self.verdict not in list(Verdict):
            raise GateError("There is no such verdict.", f"Choose one of {', '.join(Verdict)}.")
        number = self.pull_request.strip().removeprefix("#")
        if number and not (number.isascii() and number.isdecimal() and len(number) <= _DIGITS):
            raise GateError("The pull request is not a number.", "Write a number such as 12.")
        return RunFilter(
            suite=self.suite,
            verdict=Verdict(self.verdict) if self.verdict else None,
            repository=self.repository.strip(),
            branch=self.branch.strip(),
            pull_request=int(number) if number else None,
        )


@router.get("/runs")
@needs(Role.VIEWER)
def runs(
    request: Request,
    site: Here,
    asked: Annotated[Asked, Depends()],
    after: Annotated[int, Query(ge=0, le=MOST)] = 0,
) -> HTMLResponse:
    """Runs, the newest first; `after` is the last one of the page before."""
    rows = site.runs.rows(asked.wanted, Page(PAGE + 1, after))
    kept = {name: value for name in Asked.__slots__ if (value := getattr(asked, name))}
    return page(
        request,
        "runs.html.j2",
        runs=[run_view(row) for row in rows[:PAGE]],
        asked=asked,
        kept=kept,
        suites=site.runs.suites(),
        verdicts=list(Verdict),
        after=after,
        removal=last_removal(site.database),
        next=rows[PAGE - 1].id if len(rows) > PAGE else None,
    )
