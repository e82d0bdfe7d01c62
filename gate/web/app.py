"""The application with its routes, and the server that runs it."""

import asyncio
import ipaddress
import socket
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import uvicorn
from fastapi import Depends, FastAPI
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from gate.errors import GateError
from gate.web import monitoring
from gate.web.api import operations
from gate.web.error_pages import API_PREFIX, EXPECTED, WatchedApp, error_response, fault_response
from gate.web.login import SESSION, SESSION_S, Oidc, TrustedProxy
from gate.web.login_settings import CHOICES
from gate.web.logs import Fault, library_logs
from gate.web.monitoring import Metrics
from gate.web.pages import access, case_files, cases, jobs, runs, suites, trends
from gate.web.rendering import STATIC, NavigationEntry
from gate.web.requests import RequestChecks
from gate.web.site import Role, WebSite, refuse_another_site

PAGES = (
    *(suites.router, cases.router, case_files.router, runs.router),
    *(trends.router, jobs.router, access.router),
)
NAVIGATION = (
    NavigationEntry("Suites", "/", ("", "suite", "new-suite", "case"), Role.VIEWER),
    NavigationEntry("Runs", "/runs", ("runs",), Role.VIEWER),
    NavigationEntry("Trends", "/trends", ("trends", "flaky", "judges", "overrides"), Role.VIEWER),
    NavigationEntry("Jobs", "/jobs", ("jobs",), Role.EDITOR),
    NavigationEntry("Tokens", "/tokens", ("tokens",), Role.EDITOR),
    NavigationEntry("Audit log", "/audit", ("audit",), Role.EDITOR),
)


def create_app(site: WebSite) -> ASGIApp:
    """The web interface of a site, with request checks and request log."""
    app = inner_app(site)
    return WatchedApp(guarded(app, site), site.now, (app.state.metrics.seen, site.log))


def guarded(app: ASGIApp, site: WebSite) -> ASGIApp:
    """An application behind the request checks of a site."""
    if isinstance(site.login, TrustedProxy):
        return RequestChecks(app, site.hosts, site.login)
    if not isinstance(site.login, Oidc):
        return RequestChecks(app, site.hosts)
    from starlette.middleware.sessions import SessionMiddleware

    secure, key = site.url.startswith("https:"), site.login.settings.secret_key
    # Browsers accept a cookie with this prefix from this host only, so no other host of the domain can set it.
    name = f"__Host-{SESSION}" if secure else SESSION
    return RequestChecks(SessionMiddleware(app, key, name, SESSION_S, https_only=secure), site.hosts)


def inner_app(site: WebSite) -> FastAPI:
    """The application without request checks."""
    app = FastAPI(title="Prompt Gate", openapi_url=f"{API_PREFIX}openapi.json", docs_url=None, redoc_url=None)
    app.state.site, app.state.metrics, app.state.navigation = site, Metrics(site.database), NAVIGATION
    for router in PAGES:
        app.include_router(router, dependencies=[Depends(refuse_another_site)], include_in_schema=False)
    app.include_router(monitoring.router, include_in_schema=False)
    for router in operations.ROUTERS:
        app.include_router(router)
    app.openapi = lambda: operations.describe(app)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    for kind in EXPECTED:
        app.add_exception_handler(kind, error_response)
    app.add_exception_handler(Exception, fault_response)
    return app


DAY_S = 24 * 60 * 60.0


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens.

    Args:
        port: 0 for any free port.
    """

    host: str = "127.0.0.1"
    port: int = 8765

    @property
    def loopback(self) -> bool:
        """Is it unreachable from other machines?"""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def host_name_of(url: str) -> str:
    """The host name in the address of a server."""
    try:
        parts = urlsplit(url)
        name, _ = parts.hostname or "", parts.port
    except ValueError:
        name = ""
    if (
        not name
        or parts.scheme not in ("http", "https")
        or parts.path not in ("", "/")
        or parts.query
        or parts.fragment
    ):
        hint = "use an address without a path, such as https://gate.example.org"
        raise GateError(f"--url {url!r} is not the address of a server", hint)
    return name


class _Server(uvicorn.Server):
    """Cancels jobs before it waits for the requests that watch them."""

    def __init__(self, config: uvicorn.Config, site: WebSite) -> None:
        super().__init__(config)
        self._site = site

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._site.jobs is not None:
            await asyncio.to_thread(self._site.jobs.close)
        await super().shutdown(sockets)


@dataclass(frozen=True, slots=True)
class ListeningServer:
    """A server with an open port; it answers after `run`."""

    door: socket.socket
    site: WebSite

    @property
    def url(self) -> str:
        """For a browser on this machine."""
        host, port = self.door.getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/"

    def run(self) -> None:
        """Serve until a signal; current requests are finished first."""
        config = uvicorn.Config(create_app(self.site), log_config=None, access_log=False, server_header=False)
        config.proxy_headers = False  # The application checks the proxy itself.
        config.timeout_graceful_shutdown = 10
        with run_daily(self.site), library_logs(self.site.log, self.site.now):
            _Server(config, self.site).run(sockets=[self.door])


def listen(site: WebSite, address: Address) -> ListeningServer:
    """Open the port."""
    if site.login is None and not address.loopback:
        message = f"{address.host} is reachable from other machines, but no login is set up"
        raise GateError(message, f"leave out --host, or set up a login: {CHOICES}")
    if not site.url and not address.loopback:
        raise GateError(
            "a server that other machines can reach needs --url", "for example --url https://gate.example.org"
        )
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        return ListeningServer(socket.create_server((address.host, address.port), family=family, backlog=128), site)
    except OSError as error:
        hint = "choose another port with --port; 0 takes any free port"
        raise GateError(f"cannot listen on {address.host}:{address.port}: {error.strerror}", hint) from None


@contextmanager
def run_daily(site: WebSite, every_s: float = DAY_S) -> Iterator[None]:
    """Runs the site's daily work now and then each day; failures are logged."""
    if site.daily is None:
        yield
        return
    work, ended = site.daily, threading.Event()

    def run() -> None:
        while True:
            try:
                work()
            except Exception as error:
                site.log(Fault(site.now(), "error", f"the daily work failed: {error}", traceback.format_exc()))
            if ended.wait(every_s):
                return

    # The server does not wait for it: the next run deletes the rest.
    thread = threading.Thread(target=run, name="daily", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(1.0)
