"""API of suites and cases; a conflicting edit is refused, so that none is lost."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import Depends, Header, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import Response

from gate.cases.reading import put_of
from gate.cases.stored import Archive, CaseFilter, CaseVersion, CaseWrite, Change, Page, SuiteVersion
from gate.config.values import name_complaint
from gate.errors import GateError
from gate.store.access import Person, Scope
from gate.store.sql.suites import Authorship
from gate.values import complaint
from gate.web.api import models
from gate.web.api.http import (
    SENT,
    ApiError,
    JsonBody,
    allows,
    answers,
    api_router,
    json_answer,
    next_page,
    path_of,
    tag_matches,
)
from gate.web.site import CurrentPerson, CurrentSite, WebSite, log_event

router = api_router("cases")
READS, WRITES = [allows(Scope.CASES_READ)], [allows(Scope.CASES_WRITE)]
SuiteName = Annotated[str, Path(max_length=1000, description="Name of the suite.", examples=["support"])]


def body_of(name: str, example: Any) -> dict[str, Any]:
    """The body of an operation for the OpenAPI description."""
    content = {"schema": {"$ref": f"#/components/schemas/{name}"}, "example": example}
    return {"requestBody": {"required": True, "content": {"application/json": content}}}


@router.get("/suites", response_model=models.Suites, dependencies=READS, responses=answers(304))
def suites(request: Request, site: CurrentSite) -> Response:
    """List all suites, by name."""
    return json_answer(request, models.Suites.model_validate({"suites": site.suites.names()}))


@router.post(
    "/suites",
    response_model=models.Suite,
    status_code=201,
    dependencies=WRITES,
    responses=answers(*SENT, own={409: "A suite with this name exists."}),
    openapi_extra=body_of("NewSuite", {"name": "support"}),
)
def begin(request: Request, site: CurrentSite, person: CurrentPerson, body: JsonBody) -> Response:
    """Create an empty suite."""
    try:
        name = models.NewSuite.model_validate(body).name
    except ValidationError as error:
        raise GateError(complaint(error)) from None
    if wrong := name_complaint(name):
        raise GateError(f"the name {wrong}", "choose another name")
    if site.suites.newest(name) is not None:
        raise ApiError(409, "A suite with this name already exists.")
    site.suites.change(name, [], Authorship(person.name, site.now(), "created"))
    log_event(request, "suite-created", name)
    return json_answer(request, models.Suite.model_validate(suite_of(site, name)), 201)


@router.get("/suites/{suite}", response_model=models.Suite, dependencies=READS, responses=answers(304, 404))
def suite(request: Request, site: CurrentSite, suite: SuiteName) -> Response:
    """Get the newest version of a suite."""
    return json_answer(request, models.Suite.model_validate(suite_of(site, suite)))


def suite_of(site: WebSite, name: str) -> SuiteVersion:
    """The newest version of a suite."""
    found = site.suites.newest(name)
    if found is None:
        raise ApiError(404, "There is no such suite.")
    return found


_ONE = "/suites/{suite}/cases/{case:path}"
CaseName = Annotated[str, Path(max_length=1000, description="Id of the case.", examples=["refund-1"])]
IfMatch = Annotated[str | None, Header(include_in_schema=False)]
_NEEDED = {
    "parameters": [
        {
            "name": "If-Match",
            "in": "header",
            "required": True,
            "description": "The ETag of the version that was read, or * for any version.",
            "schema": {"type": "string"},
            "example": '"3-0f1e2d3c4b5a"',
        }
    ]
}
"""Checked in the operation, whose message is better than that of a missing parameter."""
_BODY = body_of("Entry", models.EXAMPLE_CASE)
_CHANGED = answers(
    *SENT,
    own={
        404: "There is no such case, or it was archived.",
        412: "The case was changed: If-Match names an older version. Nothing was saved.",
        428: "The header If-Match is missing.",
    },
)


class CaseQuery(BaseModel):
    """Filter of cases."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    q: Annotated[str, Field(max_length=1000, description="Words that must all occur in a case.")] = ""
    slice: Annotated[
        list[Annotated[str, Field(pattern="=", max_length=1000)]],
        Field(max_length=20, description="dimension=value; a case must match all.", examples=[["tier=free"]]),
    ] = []
    archived: Annotated[bool, Field(description="List archived cases instead.")] = False
    limit: Annotated[int, Field(ge=1, le=200, description="Cases per page.")] = 50
    after: Annotated[int, Field(ge=0, lt=2**31, description="Taken from the header Link.")] = 0

    @property
    def wanted(self) -> CaseFilter:
        """The store's filter."""
        slices = {name: value for name, _, value in (one.partition("=") for one in self.slice)}
        return CaseFilter(tuple(self.q.split()[:20]), slices, self.archived)


@router.get("/suites/{suite}/cases", response_model=models.Cases, dependencies=READS, responses=answers(304, 404))
def cases(request: Request, site: CurrentSite, suite: SuiteName, asked: Annotated[CaseQuery, Query()]) -> Response:
    """List the cases of a suite in order."""
    suite_of(site, suite)
    found = site.suites.cases(suite, asked.wanted, Page(asked.limit + 1, asked.after))
    shown = found[: asked.limit]
    more = next_page(request, shown[-1].place if len(found) > asked.limit else None)
    said = models.Cases.model_validate({"cases": [one.version for one in shown]})
    return json_answer(request, said, headers=more)


@router.post(
    "/suites/{suite}/cases",
    response_model=models.Case,
    status_code=201,
    dependencies=WRITES,
    responses=answers(*SENT, 404, own={409: "A case with this id exists."}),
    openapi_extra=_BODY,
)
def add(request: Request, site: CurrentSite, person: CurrentPerson, suite: SuiteName, body: JsonBody) -> Response:
    """Add a case; an archived case with the same id is restored with the new content."""
    suite_of(site, suite)
    put = put_of(body)
    known = next(iter(site.suites.case(suite, put.name)), None)
    taken = ApiError(409, "A case with this id already exists.", "to change it, PUT it with its ETag")
    if known is not None and known.entry is not None:
        raise taken
    change = CaseWrite(put.name, put.entry, put.slices, put.text, known.number if known else 0)
    made = _done(site, suite, change, (person, f"added {put.name}"))
    if made is None:
        raise taken
    log_event(request, "case-added", f"{suite}: {put.name}")
    where = {"location": path_of(request, put.name)}
    return _told(request, made, 201, where)


@router.get(_ONE, response_model=models.Case, dependencies=READS, responses=answers(304, 404))
def case(request: Request, site: CurrentSite, suite: SuiteName, case: CaseName) -> Response:
    """Get a case; its ETag identifies this version."""
    return _told(request, _standing(site, suite, case))


@dataclass(frozen=True, slots=True)
class EditedCase:
    """A case and the version that is edited."""

    suite: SuiteName
    case: CaseName
    if_match: IfMatch = None


@router.put(_ONE, response_model=models.Case, dependencies=WRITES, responses=_CHANGED, openapi_extra=_NEEDED | _BODY)
def edit(
    request: Request, site: CurrentSite, person: CurrentPerson, at: Annotated[EditedCase, Depends()], body: JsonBody
) -> Response:
    """Replace a case; its id cannot change."""
    put = put_of(body)
    if put.name != at.case:
        raise GateError("the id in the body differs from the address", "to add a case with another id, use POST")
    put = replace(put, base=_seen(site, at).number)
    made = _done(site, at.suite, put, (person, f"edited {put.name}"))
    if made is None:
        raise _quicker()
    log_event(request, "case-edited", f"{at.suite}: {at.case}")
    return _told(request, made)


@router.delete(
    _ONE,
    status_code=204,
    response_class=Response,
    dependencies=WRITES,
    responses=_CHANGED,
    openapi_extra=_NEEDED,
)
def archive(
    request: Request, site: CurrentSite, person: CurrentPerson, at: Annotated[EditedCase, Depends()]
) -> Response:
    """Archive a case: runs no longer use it, and its versions stay."""
    seen = _seen(site, at)
    if _done(site, at.suite, Archive(at.case, seen.number), (person, f"archived {at.case}")) is None:
        raise _quicker()
    log_event(request, "case-archived", f"{at.suite}: {at.case}")
    return Response(None, 204)


def _standing(site: WebSite, suite: str, case: str) -> CaseVersion:
    found = next(iter(site.suites.case(suite, case)), None)
    if found is None or found.entry is None:
        raise ApiError(404, "There is no such case, or it was archived.")
    return found


def _seen(site: WebSite, at: EditedCase) -> CaseVersion:
    """The current version of a case, if the client has read it."""
    found = _standing(site, at.suite, at.case)
    if at.if_match is None:
        hint = "GET the case and send its ETag as If-Match, so that no edit is lost"
        raise ApiError(428, "The header If-Match is missing.", hint)
    if not tag_matches(at.if_match, models.Case.model_validate(found).etag):
        raise _quicker()
    return found


def _quicker() -> ApiError:
    hint = "GET the case again and repeat your edit"
    return ApiError(412, "Someone changed the case in the meantime. Nothing was saved.", hint)


def _done(site: WebSite, suite: str, change: Change, by: tuple[Person, str]) -> CaseVersion | None:
    """The new version; None if someone else changed the case first."""
    person, what = by
    outcome = site.suites.change(suite, [change], Authorship(person.name, site.now(), what))
    if isinstance(outcome, tuple):
        return None
    # The newest version may already be someone else's; its tag would allow a blind overwrite.
    return next(one for one in site.suites.case(suite, change.name) if one.first <= outcome.number)


def _told(
    request: Request, version: CaseVersion, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    said = models.Case.model_validate(version)
    return json_answer(request, said, status, {**(headers or {}), "etag": said.etag})
