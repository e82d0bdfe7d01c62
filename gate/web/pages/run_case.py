"""One case of a run: the answers of both arms beside each other; and a new case made of it."""

import re
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from gate.domain.sample import ArmName, Reply
from gate.errors import GateError
from gate.flows.case_of_run import Naming, case_of_run
from gate.flows.record_conversations import transcript_record
from gate.report.cases.sidebyside import case_view
from gate.report.escape import visible
from gate.report.trend.runs import run_view
from gate.store.sql.suite_edits import By
from gate.web import addresses
from gate.web.access import Asking, Here, Role, needs, noted, site_of
from gate.web.asked_cases import asked_case, suite_with
from gate.web.forms import Form
from gate.web.pages.run import Number, found
from gate.web.rendering import page, seen_next

router = APIRouter()
_ID_CHARS = 60


@dataclass(frozen=True, slots=True)
class Named:
    """A case of a run, by the query of its address."""

    suite: str
    case: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to it."""

    arm: ArmName
    index: Annotated[int, Query(ge=0)]


@dataclass(frozen=True, slots=True)
class _Refusal:
    """What the form said, and why nothing came of it."""

    into: str
    name: str
    problem: str


@router.get("/runs/{id}/case")
@needs(Role.VIEWER)
def case(request: Request, site: Here, id: Number, named: Annotated[Named, Depends()]) -> HTMLResponse:
    """The question, and every answer with what the scorers said."""
    return _shown(request, id, named)


@router.get("/runs/{id}/text")
@needs(Role.VIEWER)
def text(
    site: Here, id: Number, named: Annotated[Named, Depends()], answer: Annotated[Answer, Depends()]
) -> PlainTextResponse:
    """One whole answer as a file."""
    for one in site.runs.samples(id, named.suite, named.case):
        if one.arm is answer.arm and one.index == answer.index and isinstance(one.reply, Reply):
            file = f"run-{id}-{answer.arm.value}-{answer.index + 1}.txt"
            disposition = {"content-disposition": f'attachment; filename="{file}"'}
            return PlainTextResponse(visible(one.reply.text), headers=disposition)
    raise HTTPException(404)


@router.post("/runs/{id}/case")
@needs(Role.EDITOR)
def keep(request: Request, site: Here, person: Asking, id: Number, sent: Form) -> Response:
    """Make a new case of a suite of the store out of it."""
    suite, case, into, name = (sent.one(field) for field in ("suite", "case", "into", "name"))
    _, record = found(site, id)
    kept = asked_case(site.suites, record, suite, case)
    if kept is None:
        raise HTTPException(404)
    naming = Naming(name.strip(), f"From run {id}, case {case} of suite {suite}")
    try:
        if site.suites.newest(into) is None:
            raise GateError("there is no such suite any more", "choose another one for the new case")
        made = case_of_run(kept, site.runs.samples(id, suite, case), naming)
        by = By(person.name, site.now(), f"case {made.name} from run {id}")
        if isinstance(site.suites.change(into, [made], by), tuple):
            raise GateError(f"the suite {into} has a case {made.name} already", "give the new one another name")
    except GateError as error:
        return _shown(request, id, Named(suite, case), _Refusal(into, name, _sentence(error)))
    noted(request, "case-added", f"{into}: {made.name}")
    return seen_next(f"{addresses.case_of_run(id, suite, case)}&{addresses.query(kept=into, name=made.name)}")


def _sentence(error: GateError) -> str:
    return f"{error.message}: {error.hint}" if error.hint else error.message


def _shown(request: Request, id: int, named: Named, refusal: _Refusal | None = None) -> HTMLResponse:
    site = site_of(request)
    row, record = found(site, id)
    kept = asked_case(site.suites, record, named.suite, named.case)
    if kept is None:
        raise HTTPException(404)
    samples = site.runs.samples(id, named.suite, named.case)
    transcripts = {place: transcript_record(sample) for place, sample in enumerate(samples)}
    names = [one.suite for one in site.suites.names()]
    return page(
        request,
        "run_case.html.j2",
        200 if refusal is None else 422,
        run=run_view(row),
        suite=named.suite,
        case=case_view(kept, samples, transcripts),
        stored=suite_with(site.suites, record, named.suite, named.case),
        names=names,
        form=refusal or _Refusal(named.suite, _proposed(named.case, id), ""),
        made=(request.query_params.get("kept", ""), request.query_params.get("name", "")),
    )


def _proposed(case: str, run: int) -> str:
    """A name that is free, mostly."""
    return f"{re.sub(r'[^a-zA-Z0-9_.-]+', '-', case)[:_ID_CHARS].strip('-')}-run-{run}".lstrip("-")
