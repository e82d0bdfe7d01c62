"""Pages of jobs: the form, progress and result, and trials of one case."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Query, Request
from fastapi import Path as InPath
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse

from gate.cases.reading import case_of, readable
from gate.cases.stored import Entry
from gate.config.documents import BadJson, parse_json
from gate.engine.record_parts import transcript_record
from gate.environment.settings import Settings
from gate.errors import GateError
from gate.report.explain import SideBySide, case_side_by_side
from gate.web import addresses
from gate.web.case_form import check_form, typed_form
from gate.web.jobs.job import CASE_CALLS, RUN_CALLS, Job, JobFailure, JobRequest, StoredJobRun, TriedCase, remedy
from gate.web.jobs.plan import JobCosts, expected_costs
from gate.web.jobs.trial import Choices, SuiteChoice, branches, choices, has_configuration
from gate.web.pages.cases import CasePlace, versions_of
from gate.web.rendering import fragment, page, redirect
from gate.web.requests import Form, SentForm
from gate.web.site import EDITOR, CurrentPerson, CurrentSite, WebSite, log_event

router = APIRouter()
Name = Annotated[str, Query(max_length=1_000)]
SAMPLES = 5
JobErrors: TypeAlias = tuple[tuple[str, str], ...]


@router.get("/case/try", dependencies=EDITOR)
def try_saved_case(request: Request, site: CurrentSite, person: CurrentPerson, suite: Name, name: Name) -> Response:
    """The form to try a saved case."""
    found = versions_of(site, CasePlace(suite, name), "try")
    entry = next((version.entry for version in found if version.entry is not None), None)
    if entry is None:
        raise HTTPException(404)
    return _offer(request, site, _trial(entry, name, person.name), suite)


@router.post("/case/try", dependencies=EDITOR)
def try_typed_case(request: Request, site: CurrentSite, person: CurrentPerson, sent: Form, suite: Name) -> Response:
    """The form to try a case as typed; nothing is saved."""
    entry, errors = check_form(typed_form(sent))
    if errors:
        told = tuple((f"{one.label}: {one.message}".removeprefix(": "), one.hint) for one in errors)
        return page(request, "try.html.j2", 422, order=None, suite=suite, errors=told)
    return _offer(request, site, _trial(entry, case_of(entry).id, person.name), suite)


@router.post("/case/try/begin", dependencies=EDITOR)
def begin_trial(request: Request, site: CurrentSite, person: CurrentPerson, sent: Form, suite: Name) -> Response:
    """Start the trial, or only estimate its cost."""
    order = _chosen(sent, person.name)
    jobs = site.jobs
    if jobs is None or sent.one("do") != "start":
        return _offer(request, site, order, suite)
    try:
        known = choices(jobs.directory, Settings.from_environ())
        if order.suites[0] not in [one.name for one in known.suites]:
            raise GateError("gate.yaml no longer has this suite.", "Choose another suite.")
        if order.model and order.model not in [one.name for one in known.models]:
            raise GateError("gate.yaml no longer has this model.", "Choose another model.")
        begun = jobs.begin(order)
    except GateError as error:
        return _offer(request, site, order, suite, JobFailure.of(error).errors)
    log_event(request, "job-started", order.about)
    return redirect(addresses.job(begun.id))


def _trial(entry: Entry, name: str, by: str) -> JobRequest:
    """The trial of a case, without a suite yet."""
    return JobRequest("try", ("",), case=json.dumps(dict(entry)), label=name, max_calls=CASE_CALLS, by=by)


def _chosen(sent: SentForm, by: str) -> JobRequest:
    try:
        entry = parse_json(sent.one("entry"))
    except BadJson:
        entry = None
    case = readable(entry) if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or case is None:
        raise HTTPException(422, "The case is not valid. Go back to its form and try again.")
    samples = min(max(sent.number("samples"), 1), SAMPLES)
    order = _trial(entry, case.id, by)
    return replace(order, suites=(sent.one("target"),), model=sent.one("model"), samples=samples)


def _offer(request: Request, site: WebSite, order: JobRequest, suite: str, errors: JobErrors = ()) -> Response:
    """The form with the estimated cost."""
    known: Choices | None = None
    costs: JobCosts | None = None
    if (directory := _directory(site)) is not None:
        try:
            known = choices(directory, Settings.from_environ())
            order = replace(order, suites=(order.suites[0] or _likeliest(known.suites, suite),))
            costs = expected_costs(order, directory)
        except GateError as error:
            errors = errors or JobFailure.of(error).errors
    status = 422 if errors and request.method == "POST" else 200
    shown = {"order": order, "suite": suite, "known": known, "costs": costs, "often": SAMPLES, "errors": errors}
    return page(request, "try.html.j2", status, **shown)


def _likeliest(suites: tuple[SuiteChoice, ...], stored: str) -> str:
    """The suite that uses this stored suite, else the first."""
    name = f"store:{stored}"
    own = (one.name for one in suites if one.cases == name or one.cases.startswith(f"{name}@"))
    return next(own, suites[0].name if suites else "")


MOST_CALLS = 100_000
MOST_USD = 10_000.0


@dataclass(frozen=True, slots=True)
class JobForm:
    """The form of a job, as typed; no suites means all."""

    kind: str = "diff"
    suites: tuple[str, ...] = ()
    base: str = ""
    everything: bool = False
    calls: str = str(RUN_CALLS)
    usd: str = ""

    def order(self, by: str) -> JobRequest:
        """As a job."""
        if self.kind not in ("check", "diff"):
            raise GateError("Unknown kind of job.", "Choose Compare or Check.")
        calls, usd = _calls(self.calls), _dollars(self.usd)
        if self.kind == "check":
            return JobRequest("check", self.suites, max_calls=calls, max_usd=usd, by=by)
        if not self.base.strip():
            raise GateError("There is nothing to compare with.", "Enter a branch, tag or commit.")
        return JobRequest("diff", self.suites, self.base.strip(), self.everything, max_calls=calls, max_usd=usd, by=by)


def _calls(text: str) -> int:
    calls = text.strip().replace(",", "")
    if not (calls.isascii() and calls.isdecimal() and len(calls) < 10 and 0 < int(calls) <= MOST_CALLS):
        raise GateError("The maximum of calls is not a valid number.", f"Enter a number from 1 to {MOST_CALLS:,}.")
    return int(calls)


def _dollars(text: str) -> float | None:
    if not text.strip():
        return None
    try:
        found = float(text.strip().removeprefix("$"))
    except ValueError:
        found = -1.0
    if not 0 < found <= MOST_USD:
        raise GateError(
            "The maximum of dollars is not a valid number.", "Enter a number such as 2.50, or leave the field empty."
        )
    return found


@router.get("/jobs", dependencies=EDITOR)
def jobs(request: Request, site: CurrentSite) -> Response:
    """All jobs of this server."""
    found = [] if site.jobs is None else [(job, site.jobs.place(job)) for job in site.jobs.all()]
    return page(request, "jobs.html.j2", jobs=found, here=_directory(site) is not None)


@router.get("/jobs/new", dependencies=EDITOR)
def new_job(request: Request, site: CurrentSite) -> Response:
    """The empty form."""
    return _form(request, site, None)


@router.post("/jobs/new", dependencies=EDITOR)
def begin_job(request: Request, site: CurrentSite, person: CurrentPerson, sent: Form) -> Response:
    """Start a job, or only estimate its cost."""
    named = {name: sent.one(name) for name in ("kind", "base", "calls", "usd")}
    typed = JobForm(suites=sent.every("suite"), everything=bool(sent.one("everything")), **named)
    if site.jobs is None:
        return _form(request, site, typed)
    directory = site.jobs.directory
    try:
        order = typed.order(person.name)
        if sent.one("do") != "start":
            return _form(request, site, typed, costs=expected_costs(order, directory))
        known = {one.name for one in choices(directory, Settings.from_environ()).suites}
        if gone := [name for name in order.suites if name not in known]:
            raise GateError(f"gate.yaml no longer has the suite {gone[0]}.", "Choose another suite.")
        begun = site.jobs.begin(order)
    except GateError as error:
        return _form(request, site, typed, JobFailure.of(error).errors)
    log_event(request, "job-started", order.about)
    return redirect(addresses.job(begun.id))


def _directory(site: WebSite) -> Path | None:
    """The folder in which this server runs jobs; None if it cannot."""
    return site.jobs.directory if site.jobs is not None and has_configuration(site.jobs.directory) else None


def _form(
    request: Request, site: WebSite, typed: JobForm | None, errors: JobErrors = (), costs: JobCosts | None = None
) -> Response:
    known: Choices | None = None
    refs: tuple[str, ...] = ()
    if (directory := _directory(site)) is not None:
        refs = branches(directory)
        try:
            known = choices(directory, Settings.from_environ())
        except GateError as error:
            errors = errors or JobFailure.of(error).errors
    first = JobForm(base=refs[0] if refs else "", kind="diff" if refs else "check")
    shown = {"typed": typed or first, "known": known, "refs": refs, "costs": costs, "errors": errors}
    status = 422 if errors and typed else 200
    return page(request, "job_new.html.j2", status, here=directory is not None, **shown)


JobId = Annotated[str, InPath(pattern="^[0-9a-f]{1,32}$")]
EVERY_S = 0.25
AT_MOST_S = 50.0
"""Length of one stream. The browser then reconnects, and its login is checked again."""


@dataclass(frozen=True, slots=True)
class TrialResult:
    """Result of a trial."""

    case: SideBySide
    state: str
    remedies: tuple[str, ...]


@router.get("/jobs/{id}", dependencies=EDITOR)
def job(request: Request, site: CurrentSite, id: JobId) -> Response:
    """Progress or result of a job."""
    found = None if site.jobs is None else site.jobs.find(id)
    if found is None:
        return page(request, "job_gone.html.j2", 404)
    outcome = found.outcome
    return page(
        request,
        "job.html.j2",
        **_shown(site, found),
        result=_result(outcome) if isinstance(outcome, TriedCase) else None,
        failure=outcome if isinstance(outcome, JobFailure) else None,
        stored=outcome if isinstance(outcome, StoredJobRun) else None,
    )


@router.get("/jobs/{id}/events", dependencies=EDITOR)
async def events(request: Request, site: CurrentSite, id: JobId) -> Response:
    """Progress as server-sent events."""
    _found(site, id)
    return StreamingResponse(_events(request, site, id), media_type="text/event-stream")


@router.post("/jobs/{id}/cancel", dependencies=EDITOR)
def cancel_job(request: Request, site: CurrentSite, sent: Form, id: JobId) -> Response:
    """Cancel a job, whoever started it; its answers stay cached."""
    found = _found(site, id)
    if site.jobs is not None and not found.over:
        site.jobs.cancel(id)
        log_event(request, "job-cancelled", f"{found.order.about}, started by {found.order.by}")
    return redirect(addresses.job(id))


def _found(site: WebSite, id: str) -> Job:
    found = None if site.jobs is None else site.jobs.find(id)
    if found is None:
        raise HTTPException(404)
    return found


async def _events(request: Request, site: WebSite, id: str) -> AsyncIterator[str]:
    loop = asyncio.get_running_loop()
    until, last = loop.time() + AT_MOST_S, None
    yield "retry: 1000\n\n"
    while loop.time() < until and site.jobs is not None:
        found = site.jobs.find(id)
        if found is None or found.over:
            yield "event: over\ndata: {}\n\n"
            return
        now = found.changes, site.jobs.place(found), int((site.now() - found.queued).total_seconds())
        if now != last:
            last = now
            data = {"html": fragment("job_state.html.j2", **_shown(site, found)), "said": _sentence(site, found)}
            yield f"data: {json.dumps(data)}\n\n"
        await asyncio.sleep(EVERY_S)


def _shown(site: WebSite, found: Job) -> dict[str, Any]:
    place = 0 if site.jobs is None else site.jobs.place(found)
    return {"job": found, "place": place, "now": site.now(), "said": _sentence(site, found)}


def _sentence(site: WebSite, found: Job) -> str:
    """Text for screen readers."""
    if found.phase == "waiting" and site.jobs is not None:
        place = site.jobs.place(found)
        return "Waiting: next in the queue." if place == 1 else f"Waiting: {place - 1} ahead in the queue."
    words = {"ending": "Cancelling", "done": "Finished", "failed": "Failed", "cancelled": "Cancelled"}
    return words.get(found.phase, "Running")


def _result(tried: TriedCase) -> TrialResult | None:
    kept = next((case for suite in tried.record.new for case in suite.cases), None)
    if kept is None:
        return None
    samples = [one for one in tried.samples if one.case_id == kept.id]
    transcripts = {place: transcript_record(sample) for place, sample in enumerate(samples)}
    view = case_side_by_side(kept, samples, transcripts)
    given = [one.candidate for one in view.pairs if one.candidate is not None]
    reasons = [text for one in given for text in (one.failure, *(score.reason for score in one.scores)) if text]
    state = kept.check.state if kept.check is not None else ""
    return TrialResult(view, state, tuple(dict.fromkeys(filter(None, map(remedy, reasons)))))
