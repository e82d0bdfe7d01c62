"""Adds the interface for programs to the application, each operation with its scope, and describes it in OpenAPI."""

from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import Response

from gate.errors import CannotEvaluate, GateError
from gate.store.access import Scope
from gate.web.api import models, runs, suites
from gate.web.api.http import (
    MEDIA_TYPE,
    ApiError,
    Caller,
    Problem,
    Wrong,
    admits,
    allows,
    invalid_input,
    json_answer,
    scopes_of,
)
from gate.web.requests import RUN_BYTES
from gate.web.site import Refused

about_router = APIRouter(tags=["about"])


@about_router.get("", response_model=models.About)
@allows(None)
def about(request: Request, caller: Caller) -> Response:
    """Say what this server is, and what the caller may do."""
    said = models.About(caller=caller.name, scopes=sorted(scopes_of(request)), run_bytes=RUN_BYTES)
    return json_answer(request, said)


API = "/api/v1"
_BEARER = "token"
_USUAL = {
    401: "Nobody is known to ask: the token is missing, not known, revoked or expired.",
    403: "The token does not have the scope, or another site sent the request.",
    422: "What was sent holds mistakes; each is told.",
    503: "The store does not answer. Nothing was written.",
}
_SENT = {400: "The body cannot be read.", 413: "The body is too large.", 415: "The body is of another type."}


def add_api(app: FastAPI) -> None:
    """Serve the interface for programs below `/api/v1`."""
    for route in operations():
        scope: Scope | None = vars(route.endpoint)["scope"]
        app.add_api_route(
            f"{API}{route.path}",
            route.endpoint,
            methods=sorted(route.methods or ()),
            dependencies=[Depends(admits(scope))],
            name=route.name,
            tags=route.tags,
            response_model=route.response_model,
            response_class=route.response_class,
            status_code=route.status_code,
            responses=_responses(route),
            openapi_extra=_extra(route, scope),
        )
    app.openapi = lambda: _described(app)  # type: ignore[method-assign]


def operations() -> Iterator[APIRoute]:
    """All of them."""
    routers: tuple[APIRouter, ...] = (about_router, runs.router, suites.router)
    for router in routers:
        for route in router.routes:
            assert isinstance(route, APIRoute)  # noqa: S101
            yield route


def api_error_of(error: Exception) -> ApiError:
    """What went wrong, for a program.

    Args:
        error: one that the application tells.
    """
    match error:
        case ApiError():
            return error
        case Refused():
            return ApiError(error.status, error.message)
        case RequestValidationError():
            found = [Wrong(where=".".join(map(str, one["loc"])), message=one["msg"]) for one in error.errors()]
            return ApiError(422, "The request is not what this operation takes.", errors=found)
        case HTTPException(status_code=404):
            return ApiError(404, "There is no such operation.", "see /api/openapi.json")
        case HTTPException():
            return ApiError(error.status_code, error.detail, headers=error.headers or {})
        case CannotEvaluate():
            return ApiError(503, error.message, error.hint, headers={"retry-after": "10"})
        case GateError():
            return invalid_input(error)
    raise error


def _responses(route: APIRoute) -> dict[int | str, dict[str, Any]]:
    """Those that every operation may have, and its own."""
    usual = _USUAL | (_SENT if route.methods in ({"POST"}, {"PUT"}) else {})
    if "{" in route.path:
        usual |= {404: "There is none."}
    described: dict[int | str, dict[str, Any]] = {status: {"description": said} for status, said in usual.items()}
    described |= route.responses
    if route.methods == {"GET"}:
        described[304] = {"description": "It is what If-None-Match names."}
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    for status, one in described.items():
        if int(status) >= 400:
            described[status] = {**one, "content": {MEDIA_TYPE: schema}}
    return described


def _extra(route: APIRoute, scope: Scope | None) -> dict[str, Any]:
    scopes = [] if scope is None else [scope.value]
    return {**(route.openapi_extra or {}), "security": [{_BEARER: scopes}]}


def _described(app: FastAPI) -> dict[str, Any]:
    """The description in OpenAPI, with what only a body or a problem is."""
    if app.openapi_schema is None:
        said = "Everything that a program may do. Errors are problems (RFC 9457); edits need the ETag of what was seen."
        found = get_openapi(title=app.title, version="1", summary=said, routes=app.routes)
        parts = found.setdefault("components", {})
        parts["securitySchemes"] = {_BEARER: {"type": "http", "scheme": "bearer", "bearerFormat": "pgate_…"}}
        schemas = parts.setdefault("schemas", {})
        for model in (Problem, Wrong, models.NewSuite, models.Origin):
            schemas[model.__name__] = _schema(model)
        schemas["Entry"] = {
            "type": "object",
            "description": "A case as it stands in a case file.",
            "properties": {"id": {"type": "string"}},
            "example": models.EXAMPLE_CASE,
        }
        app.openapi_schema = found
    return app.openapi_schema


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    found = model.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
    return {name: value for name, value in found.items() if name != "$defs"}
