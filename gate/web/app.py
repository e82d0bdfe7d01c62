"""The application: all routes, each with the role that it needs, behind the guards."""

from collections.abc import Sequence

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from gate.errors import CannotEvaluate, GateError
from gate.web import addresses
from gate.web.access import Refused, Role, check, from_elsewhere
from gate.web.api.mounting import add_api, told
from gate.web.api.problems import ApiError
from gate.web.guards import Guards
from gate.web.pages import (
    account,
    accounts,
    audit,
    case,
    files,
    history,
    login,
    login_elsewhere,
    run,
    run_case,
    runs,
    suite,
    suites,
    tokens,
    trends,
    trends_history,
)
from gate.web.rendering import STATIC, page
from gate.web.site import Site

API = "/api/"


def create_app(site: Site) -> ASGIApp:
    """The web interface of a site, with its guards around it."""
    return guarded(inner_app(site), site)


def guarded(app: ASGIApp, site: Site) -> ASGIApp:
    """An application behind the guards of a site."""
    tls = site.mode == "server" and not site.entrance.plain_http
    proxies = list(site.entrance.proxies)
    behind = Guards(app, site.hosts, tls)
    return ProxyHeadersMiddleware(behind, proxies) if proxies else behind  # type: ignore[arg-type,return-value]


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
                include_in_schema=False,
                response_model=route.response_model,
                name=route.name,
            )
    add_api(app)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    for kind in (ApiError, Refused, HTTPException, RequestValidationError, GateError):
        app.add_exception_handler(kind, _told)
    return app


def _routers() -> Sequence[APIRouter]:
    of_cases = (suites.router, suite.router, case.router, history.router, files.router)
    of_people = (login.router, login_elsewhere.router, account.router, accounts.router, audit.router, tokens.router)
    return (*of_cases, *of_people, runs.router, run.router, run_case.router, trends.router, trends_history.router)


def _own_page(request: Request) -> None:
    if from_elsewhere(request):
        raise Refused(403, "Another site sent this request.")


async def _told(request: Request, error: Exception) -> Response:
    """What went wrong, as a page or for a program."""
    if request.url.path.startswith(API) or isinstance(error, ApiError):
        return told(error)
    status, message, hint = _explained(error)
    if isinstance(error, Refused) and error.first and request.method in ("GET", "HEAD"):
        return RedirectResponse(addresses.after(error.first, request.url.path, request.url.query), 303)
    title = _TITLES.get(status, "That did not work")
    return page(request, "error.html.j2", status, title=title, message=message, hint=hint, logged_out=status == 401)


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
        case Refused(status=401):
            return 401, "You are not logged in, or no longer.", "Log in in another tab, then reload this page."
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
