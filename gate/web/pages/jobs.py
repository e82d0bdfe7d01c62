"""Pages of jobs: the form that starts one, its progress and result, and trials of one case."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse

from gate.cases.reading import case_of, readable
from gate.cases.stored import Entry
from gate.config.documents import BadJson, parse_json
from gate.engine.record_parts import transcript_record
from gate.errors import GateError
from gate.report.explain import SideBySide, case_side_by_side
from gate.web import addresses
from gate.web.case_form import check_form, typed_form
from gate.web.jobs.board import Jobs
from gate.web.jobs.job import CASE_CALLS, RUN_CALLS, Job, JobFailure, Order, StoredRun, TriedCase, remedy
from gate.web.jobs.plan import JobCosts, Mistakes, can_run_jobs, expected_costs, mistakes_of, offered_choices, refs
from gate.web.jobs.trial import Choices, SuiteChoice
from gate.web.pages.cases import CasePlace, versions_of
from gate.web.rendering import fragment, page, redirect
from gate.web.requests import Form, SentForm
from gate.web.site import CurrentPerson, CurrentSite, Role, Site, log_event, needs

router = APIRouter()
Name = Annotated[str, Query(max_length=1_000)]
SAMPLES = 5


@dataclass(frozen=True, slots=True)
class TrialForm:
    """The form of a trial of one case with a suite of the configuration.

    Args:
        suite: of the store, with the case or for it.
        name: of the case, for people.
        model: of one of its suites; empty for the suite's own.
    """

    suite: str
    entry: Entry
    name: str
    target: str = ""
    model: str = ""
    samples: int = 1

    def order(self, by: str) -> Order:
        """As a job."""
        return Order(
            "try",
            (self.target,),
            case=json.dumps(dict(self.entry)),
            label=self.name,
            model=self.model,
            samples=self.samples,
            max_calls=CASE_CALLS,
            by=by,
        )


@router.get("/case/try")
@needs(Role.EDITOR)
def try_saved_case(request: Request, site: CurrentSite, person: CurrentPerson, suite: Name, name: Name) -> Response:
    """What can be tried with a case as it was saved."""
    found = versions_of(site, CasePlace(suite, name), "try")
    entry = next((version.entry for version in found if version.entry is not None), None)
    if entry is None:
        raise HTTPException(404)
    return _offer(request, site, TrialForm(suite, entry, name), person.name)


@router.post("/case/try")
@needs(Role.EDITOR)
def try_typed_case(request: Request, site: CurrentSite, person: CurrentPerson, sent: Form, suite: Name) -> Response:
    """What can be tried with a case as it is typed; nothing is saved."""
    written, mistakes = check_form(typed_form(sent))
    if mistakes:
        told = tuple((f"{one.label}: {one.message}".removeprefix(": "), one.hint) for one in mistakes)
        return page(request, "try.html.j2", 422, wish=None, suite=suite, mistakes=told)
    return _offer(request, site, TrialForm(suite, written.entry, case_of(written.entry).id), person.name)


@router.post("/case/try/begin")
@needs(Role.EDITOR)
def begin_trial(request: Request, site: CurrentSite, person: CurrentPerson, sent: Form, suite: Name) -> Response:
    """Ask once what was chosen, or only reckon what it would take."""
    wish = _chosen(sent, suite)
    jobs = site.jobs
    if jobs is None or sent.one("do") != "start":
        return _offer(request, site, wish, person.name)
    try:
        begun = _begun(jobs, wish, person.name)
    except GateError as error:
        return _offer(request, site, wish, person.name, mistakes_of(error))
    log_event(request, "job-begun", begun.order.about)
    return redirect(addresses.job(begun.id))


def _begun(jobs: Jobs, wish: TrialForm, by: str) -> Job:
    """Start the job.

    Raises:
        GateError: such a suite or model is not offered, or too many jobs wait.
    """
    known = offered_choices(jobs)
    if wish.target not in [one.name for one in known.suites]:
        raise GateError("gate.yaml has no such suite any more.", "Choose another one.")
    if wish.model and wish.model not in [one.name for one in known.models]:
        raise GateError("gate.yaml names no such model any more.", "Choose another one.")
    return jobs.begin(wish.order(by))


def _chosen(sent: SentForm, suite: str) -> TrialForm:
    try:
        entry = parse_json(sent.one("entry"))
    except BadJson:
        entry = None
    case = readable(entry) if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or case is None:
        raise HTTPException(422, "This is no case any more. Go back to its form, and try it from there.")
    samples = min(max(sent.number("samples"), 1), SAMPLES)
    return TrialForm(suite, entry, case.id, sent.one("target"), sent.one("model"), samples)


def _offer(
    request: Request, site: Site, wish: TrialForm, by: str, mistakes: tuple[tuple[str, str], ...] = ()
) -> Response:
    """The form, with the expected cost of the choice."""
    known: Choices | None = None
    reckoned: JobCosts | None = None
    if site.jobs is not None and can_run_jobs(site.jobs):
        try:
            known = offered_choices(site.jobs)
            wish = replace(wish, target=wish.target or _likeliest(known.suites, wish.suite))
            reckoned = expected_costs(site.jobs, wish.order(by))
        except GateError as error:
            mistakes = mistakes or mistakes_of(error)
    return page(
        request,
        "try.html.j2",
        422 if mistakes and request.method == "POST" else 200,
        wish=wish,
        suite=wish.suite,
        entry=json.dumps(dict(wish.entry)),
        known=known,
        costs=reckoned,
        most=CASE_CALLS,
        often=SAMPLES,
        mistakes=mistakes,
    )


def _likeliest(suites: tuple[SuiteChoice, ...], stored: str) -> str:
    """The suite with cases from this suite of the store, or else the first."""
    names = (f"store:{stored}", f"store:{stored}@")
    own = (one.name for one in suites if one.cases == names[0] or one.cases.startswith(names[1]))
    return next(own, suites[0].name if suites else "")


MOST_CALLS = 100_000
MOST_USD = 10_000.0


@dataclass(frozen=True, slots=True)
class JobForm:
    """The form of a job, as typed.

    Args:
        kind: `check` or `diff`.
        suites: names; empty for all.
        base: ref to compare with.
    """

    kind: str = "diff"
    suites: tuple[str, ...] = ()
    base: str = ""
    everything: bool = False
    calls: str = str(RUN_CALLS)
    usd: str = ""

    def order(self, by: str) -> Order:
        """As a job.

        Raises:
            GateError: a limit is not a number, or there is no base to compare with.
        """
        if self.kind not in ("check", "diff"):
            raise GateError("There is no such job.", "Choose a check or a comparison.")
        if self.kind == "diff" and not self.base.strip():
            raise GateError("There is nothing to compare with.", "Name a branch, a tag or a commit.")
        calls = self.calls.strip().replace(",", "")
        if not (calls.isascii() and calls.isdecimal() and len(calls) < 10 and 0 < int(calls) <= MOST_CALLS):
            raise GateError("The limit of calls is no number.", f"Write one from 1 to {MOST_CALLS:,}.")
        return Order(
            "check" if self.kind == "check" else "diff",
            self.suites,
            base=self.base.strip() if self.kind == "diff" else "",
            everything=self.everything and self.kind == "diff",
            max_calls=int(calls),
            max_usd=_dollars(self.usd),
            by=by,
        )


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


@router.get("/jobs")
@needs(Role.EDITOR)
def jobs(request: Request, site: CurrentSite) -> Response:
    """Every job that this server knows."""
    found = [] if site.jobs is None else [(job, site.jobs.place(job)) for job in site.jobs.all()]
    return page(request, "jobs.html.j2", jobs=found, here=can_run_jobs(site.jobs))


@router.get("/jobs/new")
@needs(Role.EDITOR)
def new_job(request: Request, site: CurrentSite) -> Response:
    """The empty form."""
    return _form(request, site, None)


@router.post("/jobs/new")
@needs(Role.EDITOR)
def begin_job(request: Request, site: CurrentSite, person: CurrentPerson, sent: Form) -> Response:
    """Begin what was chosen, or only reckon what it would take."""
    wish = _wish(sent)
    if site.jobs is None:
        return _form(request, site, wish)
    try:
        order = wish.order(person.name)
        if sent.one("do") != "start":
            return _form(request, site, wish, reckoned=expected_costs(site.jobs, order))
        known = {one.name for one in offered_choices(site.jobs).suites}
        if gone := [name for name in order.suites if name not in known]:
            raise GateError(f"gate.yaml has no suite {gone[0]} any more.", "Choose again.")
        begun = site.jobs.begin(order)
    except GateError as error:
        return _form(request, site, wish, mistakes_of(error))
    log_event(request, "job-begun", order.about)
    return redirect(addresses.job(begun.id))


def _wish(sent: SentForm) -> JobForm:
    named = {name: sent.one(name) for name in ("kind", "base", "calls", "usd")}
    return JobForm(suites=sent.every("suite"), everything=bool(sent.one("everything")), **named)


def _form(
    request: Request, site: Site, wish: JobForm | None, mistakes: Mistakes = (), reckoned: JobCosts | None = None
) -> Response:
    known: Choices | None = None
    names: tuple[str, ...] = ()
    if site.jobs is not None and can_run_jobs(site.jobs):
        names = refs(site.jobs)
        try:
            known = offered_choices(site.jobs)
        except GateError as error:
            mistakes = mistakes or mistakes_of(error)
    first = JobForm(base=names[0] if names else "", kind="diff" if names else "check")
    shown = {"wish": wish or first, "known": known, "refs": names, "costs": reckoned, "mistakes": mistakes}
    return page(request, "job_new.html.j2", 422 if mistakes and wish else 200, here=can_run_jobs(site.jobs), **shown)


JobId = Annotated[str, Path(pattern="^[0-9a-f]{1,32}$")]
EVERY_S = 0.25
AT_MOST_S = 50.0
"""Length of one stream; a browser then asks again, and its login is checked again."""


@dataclass(frozen=True, slots=True)
class TrialResult:
    """Result of a trial.

    Args:
        state: `passed`, `failed` or `unscored`.
        remedies: for missing answers or scores, each once.
    """

    case: SideBySide
    state: str
    remedies: tuple[str, ...]


@router.get("/jobs/{id}")
@needs(Role.EDITOR)
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
        stored=outcome if isinstance(outcome, StoredRun) else None,
    )


@router.get("/jobs/{id}/events")
@needs(Role.EDITOR)
async def events(request: Request, site: CurrentSite, id: JobId) -> Response:
    """How far it is, told whenever that changes (server-sent events)."""
    _found(site, id)
    return StreamingResponse(_events(request, site, id), media_type="text/event-stream")


@router.post("/jobs/{id}/cancel")
@needs(Role.EDITOR)
def cancel_job(request: Request, site: CurrentSite, sent: Form, id: JobId) -> Response:
    """End it, whoever began it; what was answered stays known."""
    found = _found(site, id)
    if site.jobs is not None and not found.over:
        site.jobs.cancel(id)
        log_event(request, "job-cancelled", f"{found.order.about}, begun by {found.order.by}")
    return redirect(addresses.job(id))


def _found(site: Site, id: str) -> Job:
    found = None if site.jobs is None else site.jobs.find(id)
    if found is None:
        raise HTTPException(404)
    return found


async def _events(request: Request, site: Site, id: str) -> AsyncIterator[str]:
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


def _shown(site: Site, found: Job) -> dict[str, Any]:
    place = 0 if site.jobs is None else site.jobs.place(found)
    return {"job": found, "place": place, "now": site.now(), "said": _sentence(site, found)}


def _sentence(site: Site, found: Job) -> str:
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
