"""The application: all routes, each with the role that it needs, behind the guards."""

from collections.abc import Sequence

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.routing import APIRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from gate.web import health, metrics
from gate.web.access import Refused, Role, check, from_elsewhere
from gate.web.api.mounting import add_api
from gate.web.guards import PROBES, Guards
from gate.web.login import SESSION, SESSION_S, Oidc, TrustedProxy
from gate.web.metrics import Metrics
from gate.web.pages import (
    audit,
    case,
    files,
    history,
    job,
    jobs,
    login,
    run,
    run_case,
    runs,
    suite,
    suites,
    tokens,
    trends,
    trends_history,
    try_case,
)
from gate.web.rendering import STATIC
from gate.web.site import Site
from gate.web.telling import API, EXPECTED, tell, tell_fault
from gate.web.watching import Watched


def create_app(site: Site) -> ASGIApp:
    """The web interface of a site, with its guards around it, and who watches around them."""
    app = inner_app(site)
    return Watched(guarded(app, site), site.now, (app.state.metrics.seen, site.log))


def guarded(app: ASGIApp, site: Site) -> ASGIApp:
    """An application behind the guards of a site."""
    if isinstance(site.login, TrustedProxy):
        return Guards(app, site.hosts, site.login)
    if not isinstance(site.login, Oidc):
        return Guards(app, site.hosts)
    from starlette.middleware.sessions import SessionMiddleware

    secure, key = site.url.startswith("https:"), site.login.settings.secret_key
    # Browsers take a cookie of that prefix from this very name alone: no neighbour under the same domain plants one.
    name = f"__Host-{SESSION}" if secure else SESSION
    return Guards(SessionMiddleware(app, key, name, SESSION_S, https_only=secure), site.hosts)


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
                dependencies=[] if probe else [Depends(_own_page), Depends(check(role))],
                include_in_schema=False,
                response_model=route.response_model,
                name=route.name,
            )
    add_api(app)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    for kind in EXPECTED:
        app.add_exception_handler(kind, tell)
    app.add_exception_handler(Exception, tell_fault)
    return app


def _routers() -> Sequence[APIRouter]:
    of_cases = (suites.router, suite.router, case.router, history.router, files.router)
    of_runs = (runs.router, run.router, run_case.router, trends.router, trends_history.router)
    of_jobs = (try_case.router, jobs.router, job.router)
    of_people = (login.router, audit.router, tokens.router)
    return (*of_cases, *of_runs, *of_jobs, *of_people, health.router, metrics.router)


def _own_page(request: Request) -> None:
    if from_elsewhere(request):
        raise Refused(403, "Another site sent this request.")
