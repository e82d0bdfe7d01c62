"""API of runs."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import Response

from gate.cases.stored import Page
from gate.config.documents import printable
from gate.errors import GateError
from gate.record.comparison import Verdict
from gate.record.history import Context, RunFilter
from gate.record.run import RunRecord
from gate.store.access import Scope
from gate.store.run_folder import read_run
from gate.store.sql.runs import KeptSample, kept_samples, other_samples
from gate.values import complaint
from gate.web.api import models
from gate.web.api.http import (
    KEPT,
    ORIGIN,
    RUN,
    SAMPLES,
    SENT,
    ApiError,
    PushedRun,
    UploadedRun,
    allows,
    answers,
    api_router,
    as_sentence,
    client_has,
    json_answer,
    next_page,
    path_of,
)
from gate.web.site import CurrentPerson, CurrentSite, WebSite, log_event

router = api_router("runs")
MOST_AT_ONCE = 200


class RunQuery(BaseModel):
    """Filter of runs; fields left out match all."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    suite: Annotated[str, Field(max_length=1000, description="Suite of the run.")] = ""
    verdict: Verdict | None = None
    repository: Annotated[str, Field(max_length=1000)] = ""
    branch: Annotated[str, Field(max_length=1000)] = ""
    pull_request: Annotated[int | None, Field(ge=1, lt=2**31)] = None
    limit: Annotated[int, Field(ge=1, le=MOST_AT_ONCE, description="Runs per page.")] = 50
    after: Annotated[int, Field(ge=0, le=models.MOST, description="Last run of the previous page.")] = 0

    @property
    def wanted(self) -> RunFilter:
        """The store's filter."""
        return RunFilter(self.suite, self.verdict, self.repository, self.branch, self.pull_request)


@router.get(
    "/runs",
    response_model=models.Runs,
    dependencies=[allows(Scope.RUNS_READ)],
    responses=answers(304, own={404: "The run in 'after' no longer exists."}),
)
def runs(request: Request, site: CurrentSite, asked: Annotated[RunQuery, Query()]) -> Response:
    """List runs, newest first."""
    if asked.after and site.runs.row(asked.after) is None:
        raise ApiError(404, "The run in 'after' no longer exists.", "start with the first page")
    rows = site.runs.rows(asked.wanted, Page(asked.limit + 1, asked.after))
    shown = rows[: asked.limit]
    more = next_page(request, shown[-1].id if len(rows) > asked.limit else None)
    return json_answer(request, models.Runs.model_validate({"runs": shown}), headers=more)


_FORM: dict[str, Any] = {
    "type": "object",
    "required": [RUN],
    "additionalProperties": False,
    "properties": {
        RUN: {"type": "string", "format": "binary", "description": "run.json, schema prompt-gate/run/1"},
        SAMPLES: {"type": "string", "format": "binary", "description": "samples.jsonl from the same folder"},
        ORIGIN: {"$ref": "#/components/schemas/Origin"},
    },
}
_PUSH: dict[str, Any] = {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _FORM}}}}


@router.post(
    "/runs",
    response_model=models.Pushed,
    status_code=201,
    dependencies=[allows(Scope.RUNS_WRITE)],
    responses={
        200: {"model": models.Pushed, "description": "The run was already stored; nothing was changed."},
        **answers(*SENT, own={409: "The run is stored with other samples."}),
    },
    openapi_extra=_PUSH,
)
def push(request: Request, site: CurrentSite, person: CurrentPerson, parcel: PushedRun) -> Response:
    """Store a run with its samples. The same run is stored once, however often it is sent."""
    done = _kept(site, parcel, person.name)
    if done.new:
        log_event(request, "run-pushed", str(done.id))
    headers = {"location": path_of(request, done.id), "cache-control": "no-store"}
    return json_answer(request, done, 201 if done.new else 200, headers)


@router.get(
    "/runs/{id}",
    response_model=models.WholeRun,
    dependencies=[allows(Scope.RUNS_READ)],
    responses=answers(304, 404),
)
def run(request: Request, site: CurrentSite, id: Annotated[int, Path(ge=1, le=models.MOST)]) -> Response:
    """Get a run with its record."""
    row = site.runs.row(id)
    if row is None:
        raise ApiError(404, "There is no such run.")
    tag = f'"{row.digest.removeprefix("sha256:")}"'
    if client_has(request, tag):
        return Response(None, 304, {"etag": tag, **KEPT})
    record = site.runs.record(id)
    if record is None:
        raise ApiError(404, "The run was just deleted.")
    said = models.WholeRun.model_validate({**asdict(row), "record": record})
    return json_answer(request, said, headers={"etag": tag})


def _kept(site: WebSite, parcel: UploadedRun, name: str) -> models.Pushed:
    record = read_run(parcel.run.file.read(), "run.json")
    context = _context(parcel.origin, name)
    added = site.runs.add(record, _samples(parcel, record), context, site.now())
    if not added.new:
        if other := other_samples(site.database, added.id, record, _samples(parcel, record)):
            raise ApiError(409, as_sentence(other), "send the files as gate wrote them")
    return models.Pushed(id=added.id, new=added.new, page=f"/runs/{added.id}")


def _samples(parcel: UploadedRun, record: RunRecord) -> Iterator[KeptSample]:
    # Without an evaluation, samples are those of a broken-off run and do not count.
    if parcel.samples is None or not record.evaluated:
        return iter(())
    parcel.samples.file.seek(0)
    return kept_samples(parcel.samples.file, "samples.jsonl")


def _context(origin: str, name: str) -> Context:
    """The origin that the client sent, with the caller's name."""
    try:
        found = models.Origin.model_validate_json(origin)
    except ValidationError as error:
        raise GateError(f"{ORIGIN}: {complaint(error)}") from None
    return Context(printable(found.repository), printable(found.branch), found.event, found.pull_request, name)
