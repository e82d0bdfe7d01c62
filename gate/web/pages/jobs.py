"""Pages of jobs: the form that starts one, its progress and result, and trials of one case."""

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
Mistakes: TypeAlias = tuple[tuple[str, str], ...]


@router.get("/case/try", dependencies=EDITOR)
def try_saved_case(request: Request, site: CurrentSite, person: CurrentPerson, suite: Name, name: Name) -> Response:
    """What can be tried with a case as it was saved."""
    found = versions_of(site, CasePlace(suite, name), "try")
    entry = next((version.entry for version in found if version.entry is not None), None)
    if entry is None:
        raise HTTPException(404)
    return _offer(request, site, _trial(entry, name, person.name), suite)


@router.post("/case/try", dependencies=EDITOR)
def try_typed_case(request: Request, site: CurrentSite, person: CurrentPerson, sent: Form, suite: Name) -> Response:
    """What can be tried with a case as it is typed; nothing is saved."""
    entry, mistakes = check_form(typed_form(sent))
    if mistakes:
        told = tuple((f"{one.label}: {one.message}".removeprefix(": "), one.hint) for one in mistakes)
        return page(request, "try.html.j2", 422, order=None, suite=suite, mistakes=told)
    return _offer(request, site, _trial(entry, case_of(entry).id, person.name), suite)


@router.post("/case/try/begin", dependencies=EDITOR)
def begin_trial(request: Request, site: CurrentSite, person: CurrentPerson, sent: Form, suite: Name) -> Response:
    """Ask once what was chosen, or only say what it would take."""
    order = _chosen(sent, person.name)
    jobs = site.jobs
    if jobs is None or sent.one("do") != "start":
        return _offer(request, site, order, suite)
    try:
        known = choices(jobs.directory, Settings.from_environ())
        if order.suites[0] not in [one.name for one in known.suites]:
            raise GateError("gate.yaml has no such suite any more.", "Choose another one.")
        if order.model and order.model not in [one.name for one in known.models]:
            raise GateError("gate.yaml names no such model any more.", "Choose another one.")
        begun = jobs.begin(order)
    except GateError as error:
        return _offer(request, site, order, suite, JobFailure.of(error).mistakes)
    log_event(request, "job-begun", order.about)
    return redirect(addresses.job(begun.id))


def _trial(entry: Entry, name: str, by: str) -> JobRequest:
    """The trial of a case, with the suite still to be chosen."""
    return JobRequest("try", ("",), case=json.dumps(dict(entry)), label=name, max_calls=CASE_CALLS, by=by)


def _chosen(sent: SentForm, by: str) -> JobRequest:
    try:
        entry = parse_json(sent.one("entry"))
    except BadJson:
        entry = None
    case = readable(entry) if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or case is None:
        raise HTTPException(422, "This is no case any more. Go back to its form, and try it from there.")
    samples = min(max(sent.number("samples"), 1), SAMPLES)
    order = _trial(entry, case.id, by)
    return replace(order, suites=(sent.one("target"),), model=sent.one("model"), samples=samples)


def _offer(request: Request, site: WebSite, order: JobRequest, suite: str, mistakes: Mistakes = ()) -> Response:
    """The form, with the expected cost of the choice."""
    known: Choices | None = None
    costs: JobCosts | None = None
    if (directory := _directory(site)) is not None:
        try:
            known = choices(directory, Settings.from_environ())
            order = replace(order, suites=(order.suites[0] or _likeliest(known.suites, suite),))
            costs = expected_costs(order, directory)
        except GateError as error:
            mistakes = mistakes or JobFailure.of(error).mistakes
    status = 422 if mistakes and request.method == "POST" else 200
    shown = {"order": order, "suite": suite, "known": known, "costs": costs, "often": SAMPLES, "mistakes": mistakes}
    return page(request, "try.html.j2", status, **shown)


def _likeliest(suites: tuple[SuiteChoice, ...], stored: str) -> str:
    """The suite with cases from this suite of the store, or else the first."""
    name = f"store:{stored}"
    own = (one.name for one in suites if one.cases == name or one.cases.startswith(f"{name}@"))
    return next(own, suites[0].name if suites else "")


MOST_CALLS = 100_000
MOST_USD = 10_000.0


@dataclass(frozen=True, slots=True)
class JobForm:
    """The form of a job, as typed; no suites are all of them."""

    kind: str = "diff"
    suites: tuple[str, ...] = ()
    base: str = ""
    everything: bool = False
    calls: str = str(RUN_CALLS)
    usd: str = ""

    def order(self, by: str) -> JobRequest:
        """As a job."""
        if self.kind not in ("check", "diff"):
            raise GateError("There is no such job.", "Choose a check or a comparison.")
        calls, usd = _calls(self.calls), _dollars(self.usd)
        if self.kind == "check":
            return JobRequest("check", self.suites, max_calls=calls, max_usd=usd, by=by)
        if not self.base.strip():
            raise GateError("There is nothing to compare with.", "Name a branch, a tag or a commit.")
        return JobRequest("diff", self.suites, self.base.strip(), self.everything, max_calls=calls, max_usd=usd, by=by)


def _calls(text: str) -> int:
    calls = text.strip().replace(",", "")
    if not (calls.isascii() and calls.isdecimal() and len(calls) < 10 and 0 < int(calls) <= MOST_CALLS):
        raise GateError("The limit of calls is no number.", f"Write one from 1 to {MOST_CALLS:,}.")
    return int(calls)


def _dollars(text: str) -> float | None:
    if not text.strip():
        return None
    try:
        found = float(text.strip().removeprefix("$"))
    except ValueError:
        found = -1.0
    if not 0 < found <= MOST_USD:
        raise GateError("The limit of dollars is no number.", "Write one such as 2.50, or leave it empty.")
    return found


@router.get("/jobs", dependencies=EDITOR)
def jobs(request: Request, site: CurrentSite) -> Response:
    """Every job that this server knows."""
    found = [] if site.jobs is None else [(job, site.jobs.place(job)) for job in site.jobs.all()]
    return page(request, "jobs.html.j2", jobs=found, here=_directory(site) is not None)


@router.get("/jobs/new", dependencies=EDITOR)
def new_job(request: Request, site: CurrentSite) -> Response:
    """The empty form."""
    return _form(request, site, None)


@router.post("/jobs/new", dependencies=EDITOR)
def begin_job(request: Request, site: CurrentSite, person: CurrentPerson, sent: Form) -> Response:
    """Begin what was chosen, or only say what it would take."""
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
            raise GateError(f"gate.yaml has no suite {gone[0]} any more.", "Choose again.")
        begun = site.jobs.begin(order)
    except GateError as error:
        return _form(request, site, typed, JobFailure.of(error).mistakes)
    log_event(request, "job-begun", order.about)
    return redirect(addresses.job(begun.id))


def _directory(site: WebSite) -> Path | None:
    """Where this server runs jobs; None where it cannot."""
    return site.jobs.directory if site.jobs is not None and has_configuration(site.jobs.directory) else None


def _form(
    request: Request, site: WebSite, typed: JobForm | None, mistakes: Mistakes = (), costs: JobCosts | None = None
) -> Response:
    known: Choices | None = None
    refs: tuple[str, ...] = ()
    if (directory := _directory(site)) is not None:
        refs = branches(directory)
        try:
            known = choices(directory, Settings.from_environ())
        except GateError as error:
            mistakes = mistakes or JobFailure.of(error).mistakes
    first = JobForm(base=refs[0] if refs else "", kind="diff" if refs else "check")
    shown = {"typed": typed or first, "known": known, "refs": refs, "costs": costs, "mistakes": mistakes}
    status = 422 if mistakes and typed else 200
    return page(request, "job_new.html.j2", status, here=directory is not None, **shown)


JobId = Annotated[str, InPath(pattern="^[0-9a-f]{1,32}$")]
EVERY_S = 0.25
AT_MOST_S = 50.0
"""Length of one stream; a browser then asks again, and its login is checked again."""


@dataclass(frozen=True, slots=True)
class TrialResult:
    """Result of a trial."""

    case: SideBySide
    state: str
    remedies: tuple[str, ...]


@router.get("/jobs/{id}", dependencies=EDITOR)
def job(request: Request, site: CurrentSite, id: JobId) -> Response:
    """How far it is, or what came of it."""
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
    """How far it is, told whenever that changes (server-sent events)."""
    _found(site, id)
    return StreamingResponse(_events(request, site, id), media_type="text/event-stream")


@router.post("/jobs/{id}/cancel", dependencies=EDITOR)
def cancel_job(request: Request, site: CurrentSite, sent: Form, id: JobId) -> Response:
    """End it, whoever began it; what was answered stays known."""
    found = _found(site, id)
    if site.jobs is not None and not found.over:
        site.jobs.cancel(id)
        log_event(request, "job-cancelled", f"{found.order.about}, begun by {found.order.by}")
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
        return "Waiting: it is the next one." if place == 1 else f"Waiting: {place - 1} are before it."
    words = {"ending": "Cancelling", "done": "Finished", "failed": "It did not work", "cancelled": "Cancelled"}
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
