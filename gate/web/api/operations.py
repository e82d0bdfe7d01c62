"""The API below `/api/v1`, and its OpenAPI description."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from starlette.responses import Response

from gate.web.api import models, runs, suites
from gate.web.api.http import ErrorDetail, Problem, allows, answers, api_router, json_answer
from gate.web.requests import RUN_BYTES
from gate.web.site import CurrentPerson

router = api_router("about")


@router.get("", response_model=models.ServerInfo, dependencies=[allows()], responses=answers(304))
def about(request: Request, person: CurrentPerson) -> Response:
    """Describe this server and the caller's scopes."""
    said = models.ServerInfo(caller=person.name, scopes=sorted(request.state.scopes), run_bytes=RUN_BYTES)
    return json_answer(request, said)


ROUTERS = (router, runs.router, suites.router)


def describe(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description, with the schemas of bodies and problems."""
    if app.openapi_schema is None:
        said = "All operations. Errors are problems (RFC 9457); edits need the ETag of the version that was read."
        found = get_openapi(title=app.title, version="1", summary=said, routes=app.routes)
        schemas = found["components"]["schemas"]
        for model in (Problem, ErrorDetail, models.NewSuite, models.Origin):
            schemas[model.__name__] = _schema(model)
        schemas["Entry"] = {
            "type": "object",
            "description": "A case as in a case file.",
            "properties": {"id": {"type": "string"}},
            "example": models.EXAMPLE_CASE,
        }
        app.openapi_schema = found
    return app.openapi_schema


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    found = model.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
    return {name: value for name, value in found.items() if name != "$defs"}
