"""One case of a run: the answers of both arms beside each other; and a new case made of it."""

import re
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, HTTPException, Query, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from gate.domain.record import RunRecord
from gate.domain.record_compared import SuiteRecord
from gate.domain.record_new import NewSuiteRecord
from gate.domain.sample import ArmName, Reply
from gate.errors import GateError
from gate.flows.case_of_run import Naming, case_of_run
from gate.flows.record_conversations import transcript_record
from gate.inputs import storenames
from gate.report.escape import visible
from gate.report.run_rows import run_view
from gate.report.sidebyside import case_view, record_of
from gate.store.sql.suites import By
from gate.web.access import Asking, Here, Role, check_form, needs, site_of
from gate.web.auditing import noted
from gate.web.pages.run import Number, found
from gate.web.rendering import page
from gate.web.site import Site

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
class Wish:
    """The form that makes a case of it."""

    suite: Annotated[str, Form()]
    case: Annotated[str, Form()]
    into: Annotated[str, Form()] = ""
    name: Annotated[str, Form()] = ""
    csrf: Annotated[str, Form()] = ""


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
def keep(request: Request, site: Here, person: Asking, id: Number, wish: Annotated[Wish, Depends()]) -> Response:
    """Make a new case of a suite of the store out of it."""
    check_form(request, wish.csrf)
    _, record = found(site, id)
    kept = record_of(record, wish.suite, wish.case)
    if kept is None:
        raise HTTPException(404)
    naming = Naming(wish.name.strip(), f"From run {id}, case {wish.case} of suite {wish.suite}")
    try:
        if site.suites.newest(wish.into) is None:
            raise GateError("there is no such suite any more", "choose another one for the new case")
        made = case_of_run(kept, site.runs.samples(id, wish.suite, wish.case), naming)
        by = By(person.name, site.now(), f"case {made.name} from run {id}")
        if isinstance(site.suites.change(wish.into, [made], by), tuple):
            raise GateError(f"the suite {wish.into} has a case {made.name} already", "give the new one another name")
    except GateError as error:
        return _shown(request, id, Named(wish.suite, wish.case), _Refusal(wish.into, wish.name, _sentence(error)))
    noted(request, "case-added", f"{wish.into}: {made.name}")
    query = urlencode({"suite": wish.suite, "case": wish.case, "kept": wish.into, "name": made.name})
    return RedirectResponse(f"/runs/{id}/case?{query}", 303)


def _sentence(error: GateError) -> str:
    return f"{error.message}: {error.hint}" if error.hint else error.message


def _shown(request: Request, id: int, named: Named, refusal: _Refusal | None = None) -> HTMLResponse:
    site = site_of(request)
    row, record = found(site, id)
    kept = record_of(record, named.suite, named.case)
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
        stored=_stored(site, record, named),
        names=names,
        form=refusal or _Refusal(named.suite, _proposed(named.case, id), ""),
        made=(request.query_params.get("kept", ""), request.query_params.get("name", "")),
    )


def _stored(site: Site, record: RunRecord, named: Named) -> str:
    """The suite of the store that has this case, by its own name or by that of the version that was asked; or none."""
    suites: list[SuiteRecord | NewSuiteRecord] = [*record.suites, *record.new]
    asked = (suite.exam.store for suite in suites if suite.name == named.suite)
    names = [found.name for one in asked if (found := storenames.parse(one)) is not None]
    known = site.suites.case, site.suites.renamed
    return next((name for name in (*names, named.suite) if any(find(name, named.case) for find in known)), "")


def _proposed(case: str, run: int) -> str:
    """A name that is free, mostly."""
    return f"{re.sub(r'[^a-zA-Z0-9_.-]+', '-', case)[:_ID_CHARS].strip('-')}-run-{run}".lstrip("-")
