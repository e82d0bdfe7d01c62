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
from gate.web import health, metrics
from gate.web.access import Asking, Refused, Role, check, from_elsewhere, site_of
from gate.web.guards import PROBES, Guards
from gate.web.metrics import Metrics
from gate.web.pages import (
    case,
    files,
    history,
    run,
    run_case,
    runs,
    suite,
    suites,
    trends,
    trends_history,
)
from gate.web.rendering import STATIC, page
from gate.web.site import Site
from gate.web.watching import Watched, failed, request_id

API = "/api/"


def create_app(site: Site) -> ASGIApp:
    """The web interface of a site, with its guards around it, and who watches around them."""
    app = inner_app(site)
    return Watched(Guards(app, site.hosts), site.now, (app.state.metrics.seen, site.log))


def inner_app(site: Site) -> FastAPI:
    """The application without its guards."""
    app = FastAPI(title="Prompt Gate", openapi_url=f"{API}openapi.json", docs_url=None, redoc_url=None)
    app.state.site, app.state.metrics = site, Metrics(site.database)
    for router in _routers():
        for route in router.routes:
            assert isinstance(route, APIRoute)  # noqa: S101
            role: Role = vars(route.endpoint)["needs"]
            # Probes wait for no thread: the store may have taken them all.
            probe = route.path in PROBES
            app.add_api_route(
                route.path,
                route.endpoint,
                methods=sorted(route.methods or ()),
                dependencies=[] if probe else [Depends(_own_page), Depends(check(role)), Depends(_noted)],
                include_in_schema=route.path.startswith(API),
                response_model=route.response_model,
                name=route.name,
            )
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    for kind in (Refused, HTTPException, RequestValidationError, GateError):
        app.add_exception_handler(kind, _told)
    app.add_exception_handler(Exception, _failed)
    return app


def _routers() -> Sequence[APIRouter]:
    of_cases = (suites.router, suite.router, case.router, history.router, files.router)
    of_machines = health.router, metrics.router
    return (*of_cases, *of_machines, runs.router, run.router, run_case.router, trends.router, trends_history.router)


def _own_page(request: Request) -> None:
    if from_elsewhere(request):
        raise Refused(403, "Another site sent this request.")


def _noted(request: Request, person: Asking) -> None:
    """For the log."""
    request.state.who = person.name


async def _failed(request: Request, error: Exception) -> Response:
    """Whoever watches is told by the exception itself."""
    return failed(request.scope)


async def _told(request: Request, error: Exception) -> Response:
    """What went wrong, as a page or as JSON."""
    status, message, hint = _explained(error)
    if status >= 500:
        request.state.trouble = message
        if site_of(request).mode == "server":
            # Where the store is, and what is wrong with it, is for the log: anybody can ask for a page.
            message, hint = "The store does not answer right now.", "Try again in a moment."
    if request.url.path.startswith(API):
        body: dict[str, Any] = {"error": message, "hint": hint}
        return JSONResponse(body, status)
    shown = {"title": _TITLES.get(status, "That did not work"), "message": message, "hint": hint}
    return page(request, "error.html.j2", status, **shown, request_id=request_id(request.scope))


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
