"""The application: all routes, each with the role that it needs, behind the guards."""

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from gate.errors import CannotEvaluate, GateError
from gate.web.access import Refused, Role, check, from_elsewhere
from gate.web.guards import Guards
from gate.web.pages import (
    case,
    files,
    history,
    job,
    jobs,
    run,
    run_case,
    runs,
    suite,
    suites,
    trends,
    trends_history,
    try_case,
)
from gate.web.rendering import STATIC, page
from gate.web.site import Site

API = "/api/"


def create_app(site: Site) -> ASGIApp:
    """The web interface of a site, with its guards around it."""
    return Guards(inner_app(site), site.hosts)


def inner_app(site: Site) -> FastAPI:
    """The application without its guards."""
    app = FastAPI(title="Prompt Gate", openapi_url=f"{API}openapi.json", docs_url=None, redoc_url=None)
    app.state.site = site
    for router in _routers():
        for route in router.routes:
            assert isinstance(route, APIRoute)  # noqa: S101
            role: Role = vars(route.endpoint)["needs"]
            app.add_api_route(
                route.path,
                route.endpoint,
                methods=sorted(route.methods or ()),
                dependencies=[Depends(_own_page), Depends(check(role))],
                include_in_schema=route.path.startswith(API),
                response_model=route.response_model,
                name=route.name,
            )
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    for kind in (Refused, HTTPException, RequestValidationError, GateError):
        app.add_exception_handler(kind, _told)
    return app


def _routers() -> Sequence[APIRouter]:
    of_cases = (suites.router, suite.router, case.router, history.router, files.router)
    of_jobs = (try_case.router, jobs.router, job.router)
    return (*of_cases, *of_jobs, runs.router, run.router, run_case.router, trends.router, trends_history.router)


def _own_page(request: Request) -> None:
    if from_elsewhere(request):
        raise Refused(403, "Another site sent this request.")


async def _told(request: Request, error: Exception) -> Response:
    """What went wrong, as a page or as JSON."""
    status, message, hint = _explained(error)
    if request.url.path.startswith(API):
        body: dict[str, Any] = {"error": message, "hint": hint}
        return JSONResponse(body, status)
    return page(
        request, "error.html.j2", status, title=_TITLES.get(status, "That did not work"), message=message, hint=hint
    )


_TITLES = {
    401: "Log in first",
    403: "That is not allowed",
    404: "There is no such page",
    405: "There is no such page",
    413: "That is too much at once",
    503: "The store does not answer",
}


def _explained(error: Exception) -> tuple[int, str, str]:
    match error:
        case Refused():
            return error.status, error.message, ""
        case HTTPException(status_code=404 | 405):
            return error.status_code, "Nothing is here any more, or it never was.", "Go back, and reload the list."
        case HTTPException():
            return error.status_code, str(error.detail), ""
        case RequestValidationError():
            return 422, "The request is not what this address takes.", ""
        case CannotEvaluate():
            return 503, error.message, error.hint
        case GateError():
            return 422, error.message, error.hint
    raise error
