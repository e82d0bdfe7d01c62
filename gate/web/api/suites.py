"""Suites, for programs."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from gate.domain.api_token import Scope
from gate.domain.stored_suite import SuiteVersion
from gate.errors import GateError
from gate.inputs.names import name_complaint
from gate.store.sql.suite_edits import By
from gate.web.access import Here, noted
from gate.web.api import models
from gate.web.api.answers import More, answered
from gate.web.api.bodies import JsonBody, read
from gate.web.api.callers import Caller, allows
from gate.web.api.problems import ApiError
from gate.web.site import Site

router = APIRouter(tags=["cases"])
SuiteName = Annotated[str, Path(max_length=1000, description="Name of the suite.", examples=["support"])]


def body_of(name: str, example: Any) -> dict[str, Any]:
    """How the description of an operation says what is sent."""
    content = {"schema": {"$ref": f"#/components/schemas/{name}"}, "example": example}
    return {"requestBody": {"required": True, "content": {"application/json": content}}}


@router.get("/suites", response_model=models.Suites)
@allows(Scope.CASES_READ)
def suites(request: Request, site: Here) -> Response:
    """List all suites, by name."""
    return answered(request, models.Suites.model_validate({"suites": site.suites.names()}))


@router.post(
    "/suites",
    response_model=models.Suite,
    status_code=201,
    responses={409: {"description": "There is a suite of this name."}},
    openapi_extra=body_of("NewSuite", {"name": "support"}),
)
@allows(Scope.CASES_WRITE)
def begin(request: Request, site: Here, caller: Caller, body: JsonBody) -> Response:
    """Begin an empty suite."""
    name = read(models.NewSuite, body).name
    if complaint := name_complaint(name):
        raise GateError(f"the name {complaint}", "choose another name")
    if site.suites.newest(name) is not None:
        raise ApiError(409, "There is a suite of this name already.")
    site.suites.change(name, [], By(caller.name, site.now(), "began"))
    noted(request, "suite-made", name)
    return answered(request, models.Suite.model_validate(suite_of(site, name)), More(201))


@router.get("/suites/{suite}", response_model=models.Suite)
@allows(Scope.CASES_READ)
def suite(request: Request, site: Here, suite: SuiteName) -> Response:
    """Get the newest version of a suite."""
    return answered(request, models.Suite.model_validate(suite_of(site, suite)))


def suite_of(site: Site, name: str) -> SuiteVersion:
    """The newest version of a suite.

    Raises:
        ApiError: there is none.
    """
    found = site.suites.newest(name)
    if found is None:
        raise ApiError(404, "There is no such suite.")
    return found
