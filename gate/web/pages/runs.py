"""Pages of runs: the list, the report of a run, and the answers to one of its cases."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from gate.cases.case import Case
from gate.cases.reading import readable
from gate.cases.stored import Page
from gate.config.values import parse_store_name as parse_suite_name
from gate.engine.record_parts import transcript_record
from gate.engine.run_cases import NewCaseName, case_of_run
from gate.errors import GateError
from gate.record.comparison import Verdict
from gate.record.history import RunFilter, RunRow
from gate.record.parts import ExamRecord
from gate.record.run import CaseRecord, NewCaseRecord, RunRecord
from gate.record.transcript import ArmName, Reply
from gate.report.escape import visible
from gate.report.explain import case_record, case_side_by_side
from gate.report.history import run_view
from gate.report.markdown import preview
from gate.report.view.cases import CaseChoice, CaseFilter, CaseOrder, case_table
from gate.store.sql.retention import last_removal
from gate.store.sql.suites import Suites
from gate.web import addresses
from gate.web.rendering import page, redirect
from gate.web.requests import Form
from gate.web.site import EDITOR, VIEWER, CurrentPerson, CurrentSite, WebSite, log_event, site_of

router = APIRouter()
RUNS_A_PAGE = 50
LARGEST_ID = 2**63 - 1
"""Largest id of a row in a database."""
_DIGITS = 9
"""Longest number of a pull request."""


@dataclass(frozen=True, slots=True)
class RunsQuery:
    """Filter of the list; empty fields match all."""

    suite: str = ""
    verdict: str = ""
    repository: str = ""
    branch: str = ""
    pull_request: str = ""

    @property
    def wanted(self) -> RunFilter:
        """The store's filter."""
        if self.verdict and self.verdict not in list(Verdict):
            raise GateError("There is no such verdict.", f"Choose one of {', '.join(Verdict)}.")
        number = self.pull_request.strip().removeprefix("#")
        if number and not (number.isascii() and number.isdecimal() and len(number) <= _DIGITS):
            raise GateError("The pull request must be a number.", "Enter a number such as 12.")
        return RunFilter(
            suite=self.suite,
            verdict=Verdict(self.verdict) if self.verdict else None,
            repository=self.repository.strip(),
            branch=self.branch.strip(),
            pull_request=int(number) if number else None,
        )


@router.get("/runs", dependencies=VIEWER)
def runs(
    request: Request,
    site: CurrentSite,
    asked: Annotated[RunsQuery, Depends()],
    after: Annotated[int, Query(ge=0, le=LARGEST_ID)] = 0,
) -> HTMLResponse:
    """Runs, newest first; `after` is the last one of the previous page."""
    rows = site.runs.rows(asked.wanted, Page(RUNS_A_PAGE + 1, after))
    kept = {name: value for name in RunsQuery.__slots__ if (value := getattr(asked, name))}
    return page(
        request,
        "runs.html.j2",
        runs=[run_view(row) for row in rows[:RUNS_A_PAGE]],
        asked=asked,
        kept=kept,
        suites=site.runs.suites(),
        verdicts=list(Verdict),
        after=after,
        removal=last_removal(site.database),
        next=rows[RUNS_A_PAGE - 1].id if len(rows) > RUNS_A_PAGE else None,
    )


CASES_A_PAGE = 100
RunId = Annotated[int, Path(ge=1, le=LARGEST_ID)]


@dataclass(frozen=True, slots=True)
class RunCasesQuery:
    """Filter of a suite's cases; an empty name means the first suite."""

    suite: str = ""
    which: CaseChoice = "all"
    slice: str = ""
    sort: CaseOrder = "worst"


@router.get("/runs/{id}", dependencies=VIEWER)
def run(request: Request, site: CurrentSite, id: RunId) -> HTMLResponse:
    """The report, with links to the cases of each suite."""
    row, record = find_run(site, id)
    return page(request, "run.html.j2", run=run_view(row), report=preview.preview_body(record), suites=_suites(record))


@router.get("/runs/{id}/cases", dependencies=VIEWER)
def cases_of_run(
    request: Request,
    site: CurrentSite,
    id: RunId,
    asked: Annotated[RunCasesQuery, Depends()],
    number: Annotated[int, Query(ge=1, le=LARGEST_ID, alias="page")] = 1,
) -> HTMLResponse:
    """Cases of one suite, a page at a time."""
    row, record = find_run(site, id)
    names = [name for name, _ in _suites(record)]
    suite = asked.suite or next(iter(names), "")
    table = case_table(record, suite, CaseFilter(asked.which, asked.slice, asked.sort))
    if table is None:
        raise HTTPException(404)
    start = (number - 1) * CASES_A_PAGE
    return page(
        request,
        "run_cases.html.j2",
        run=run_view(row),
        table=table,
        rows=table.rows[start : start + CASES_A_PAGE],
        names=names,
        asked=asked,
        number=number,
        pages=max(1, -(-len(table.rows) // CASES_A_PAGE)),
    )


def find_run(site: WebSite, id: int) -> tuple[RunRow, RunRecord]:
    row = site.runs.row(id)
    record = None if row is None else site.runs.record(id)
    if row is None or record is None:
        raise HTTPException(404)
    return row, record


def _suites(record: RunRecord) -> list[tuple[str, int]]:
    """Suite names with their numbers of cases."""
    compared = [(suite.name, len(suite.cases)) for suite in record.suites]
    return compared + [(suite.name, len(suite.cases)) for suite in record.new]


def asked_case(suites: Suites, run: RunRecord, suite: str, case: str) -> CaseRecord | NewCaseRecord | None:
    """A case of a run; None if there is no such suite or case.

    A record holds the inputs of the most informative cases only. Others come from the store, if it has the version with
    the digest of the run's eval set.
    """
    kept = case_record(run, suite, case)
    if kept is None or kept.input is not None:
        return kept
    read = next((found for exam in _exams(run, suite) if (found := _stored(suites, exam, case)) is not None), None)
    return kept if read is None else kept.model_copy(update={"input": read.question, "expected": read.expected})


def suite_with(suites: Suites, run: RunRecord, suite: str, case: str) -> str:
    """The stored suite that has a case of a run: the one named in the record, or one with the name of the run's
    suite; empty if there is none.
    """
    asked = (parse_suite_name(exam.store) for exam in _exams(run, suite))
    names = (*(found.name for found in asked if found is not None), suite)
    return next((name for name in names if suites.case(name, case) or suites.renamed(name, case)), "")


def _exams(run: RunRecord, suite: str) -> Iterator[ExamRecord]:
    yield from (found.exam for found in run.suites if found.name == suite)
    yield from (found.exam for found in run.new if found.name == suite)


def _stored(suites: Suites, exam: ExamRecord, case: str) -> Case | None:
    """The case in the evaluated version."""
    asked = parse_suite_name(exam.store)
    if asked is None or asked.version is None:
        return None
    version = suites.version(asked.name, asked.version)
    if version is None or version.digest != exam.store_digest:
        return None
    for one in suites.case(asked.name, case):
        if one.entry is not None and one.first <= version.number <= (one.last or version.number):
            return readable(one.entry)
    return None


_ID_CHARS = 60


@dataclass(frozen=True, slots=True)
class CaseOfRunQuery:
    """A case of a run."""

    suite: str
    case: str


@dataclass(frozen=True, slots=True)
class AnswerQuery:
    """One answer to a case."""

    arm: ArmName
    index: Annotated[int, Query(ge=0)]


@router.get("/runs/{id}/case", dependencies=VIEWER)
def run_case(
    request: Request, site: CurrentSite, id: RunId, named: Annotated[CaseOfRunQuery, Depends()]
) -> HTMLResponse:
    """The input, and every answer with its scores."""
    return _shown(request, id, named)


@router.get("/runs/{id}/text", dependencies=VIEWER)
def answer_text(
    site: CurrentSite, id: RunId, named: Annotated[CaseOfRunQuery, Depends()], answer: Annotated[AnswerQuery, Depends()]
) -> PlainTextResponse:
    """One whole answer as a file."""
    for one in site.runs.samples(id, named.suite, named.case):
        if one.arm is answer.arm and one.index == answer.index and isinstance(one.reply, Reply):
            file = f"run-{id}-{answer.arm.value}-{answer.index + 1}.txt"
            disposition = {"content-disposition": f'attachment; filename="{file}"'}
            return PlainTextResponse(visible(one.reply.text), headers=disposition)
    raise HTTPException(404)


@router.post("/runs/{id}/case", dependencies=EDITOR)
def keep_as_case(request: Request, site: CurrentSite, person: CurrentPerson, id: RunId, sent: Form) -> Response:
    """Save a case of a run as a new case in a stored suite."""
    suite, case, into, name = (sent.one(field) for field in ("suite", "case", "into", "name"))
    _, record = find_run(site, id)
    kept = asked_case(site.suites, record, suite, case)
    if kept is None:
        raise HTTPException(404)
    naming = NewCaseName(name.strip(), f"From run {id}, case {case} of suite {suite}")
    try:
        made = case_of_run(kept, site.runs.samples(id, suite, case), naming)
        outcome = site.case_set(into, person.name).change([made], f"case {made.name} from run {id}")
        if not isinstance(outcome, str):
            raise GateError(f"the suite {into} already has a case {made.name}", "choose another name")
    except GateError as error:
        problem = f"{error.message}: {error.hint}" if error.hint else error.message
        return _shown(request, id, CaseOfRunQuery(suite, case), {"into": into, "name": name, "problem": problem})
    log_event(request, "case-added", f"{into}: {made.name}")
    return redirect(f"{addresses.case_of_run(id, suite, case)}&{addresses.query(kept=into, name=made.name)}")


def _shown(request: Request, id: int, named: CaseOfRunQuery, refused: dict[str, str] | None = None) -> HTMLResponse:
    site = site_of(request)
    row, record = find_run(site, id)
    kept = asked_case(site.suites, record, named.suite, named.case)
    if kept is None:
        raise HTTPException(404)
    samples = site.runs.samples(id, named.suite, named.case)
    transcripts = {place: transcript_record(sample) for place, sample in enumerate(samples)}
    names = [one.suite for one in site.suites.names()]
    return page(
        request,
        "run_case.html.j2",
        200 if refused is None else 422,
        run=run_view(row),
        suite=named.suite,
        case=case_side_by_side(kept, samples, transcripts),
        stored=suite_with(site.suites, record, named.suite, named.case),
        names=names,
        form=refused or {"into": named.suite, "name": _proposed(named.case, id), "problem": ""},
        made=(request.query_params.get("kept", ""), request.query_params.get("name", "")),
    )


def _proposed(case: str, run: int) -> str:
    """A suggestion that is probably free."""
    return f"{re.sub(r'[^a-zA-Z0-9_.-]+', '-', case)[:_ID_CHARS].strip('-')}-run-{run}".lstrip("-")
