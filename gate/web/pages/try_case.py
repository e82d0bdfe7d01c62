"""One case is tried on a prompt and a model of `gate.yaml`, as it is saved or as it is typed."""

import json
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from gate.bootstrap.trying import Choice, Choices
from gate.cases.reading import case_of, readable
from gate.domain.stored_suite import Entry
from gate.errors import GateError
from gate.inputs.jsontext import BadJson, parse_json
from gate.web import addresses
from gate.web.access import Asking, Here, Role, needs, noted
from gate.web.casecheck import check
from gate.web.forms import Form, Sent
from gate.web.jobs.asking import Costs, costs, here, offered, told_by
from gate.web.jobs.board import Jobs
from gate.web.jobs.order import CASE_CALLS, Order
from gate.web.jobs.state import Job
from gate.web.pages.case import Place, versions_of
from gate.web.rendering import page, seen_next
from gate.web.site import Site
from gate.web.typed import case_form

router = APIRouter()
Name = Annotated[str, Query(max_length=1_000)]
SAMPLES = 5


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants to try.

    Args:
        suite: of the store, in which the case is or will be.
        entry: the case.
        name: of the case, for people.
        target: suite of the configuration.
        model: of one of its suites; empty for the suite's own.
        samples: how often.
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
def saved(request: Request, site: Here, person: Asking, suite: Name, name: Name) -> Response:
    """What can be tried with a case as it was saved."""
    found = versions_of(site, Place(suite, name), "try")
    entry = next((version.entry for version in found if version.entry is not None), None)
    if entry is None:
        raise HTTPException(404)
    return _offer(request, site, Wish(suite, entry, name), person.name)


@router.post("/case/try")
@needs(Role.EDITOR)
def typed(request: Request, site: Here, person: Asking, sent: Form, suite: Name) -> Response:
    """What can be tried with a case as it is typed; nothing is saved."""
    written, mistakes = check(case_form(sent))
    if mistakes:
        told = tuple((f"{one.label}: {one.message}".removeprefix(": "), one.hint) for one in mistakes)
        return page(request, "try.html.j2", 422, wish=None, suite=suite, mistakes=told)
    return _offer(request, site, Wish(suite, written.entry, case_of(written.entry).id), person.name)


@router.post("/case/try/begin")
@needs(Role.EDITOR)
def begin(request: Request, site: Here, person: Asking, sent: Form, suite: Name) -> Response:
    """Ask once what was chosen, or only reckon what it would take."""
    wish = _chosen(sent, suite)
    jobs = site.jobs
    if jobs is None or sent.one("do") != "start":
        return _offer(request, site, wish, person.name)
    try:
        begun = _begun(jobs, wish, person.name)
    except GateError as error:
        return _offer(request, site, wish, person.name, told_by(error))
    noted(request, "job-begun", begun.order.about)
    return seen_next(addresses.job(begun.id))


def _begun(jobs: Jobs, wish: Wish, by: str) -> Job:
    """The job.

    Raises:
        GateError: such a suite or model is not offered, or too many jobs wait.
    """
    known = offered(jobs)
    if wish.target not in [one.name for one in known.suites]:
        raise GateError("gate.yaml has no such suite any more.", "Choose another one.")
    if wish.model and wish.model not in [one.name for one in known.models]:
        raise GateError("gate.yaml names no such model any more.", "Choose another one.")
    return jobs.begin(wish.order(by))


def _chosen(sent: Sent, suite: str) -> Wish:
    try:
        entry = parse_json(sent.one("entry"))
    except BadJson:
        entry = None
    case = readable(entry) if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or case is None:
        raise HTTPException(422, "This is no case any more. Go back to its form, and try it from there.")
    samples = min(max(sent.number("samples"), 1), SAMPLES)
    return Wish(suite, entry, case.id, sent.one("target"), sent.one("model"), samples)


def _offer(request: Request, site: Site, wish: Wish, by: str, mistakes: tuple[tuple[str, str], ...] = ()) -> Response:
    """The choice, with what the chosen one would take."""
    known: Choices | None = None
    reckoned: Costs | None = None
    if site.jobs is not None and here(site.jobs):
        try:
            known = offered(site.jobs)
            wish = replace(wish, target=wish.target or _likeliest(known.suites, wish.suite))
            reckoned = costs(site.jobs, wish.order(by))
        except GateError as error:
            mistakes = mistakes or told_by(error)
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


def _likeliest(suites: tuple[Choice, ...], stored: str) -> str:
    """The suite that has its cases from this suite of the store, or else the first."""
    names = (f"store:{stored}", f"store:{stored}@")
    own = (one.name for one in suites if one.cases == names[0] or one.cases.startswith(names[1]))
    return next(own, suites[0].name if suites else "")
