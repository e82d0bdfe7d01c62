"""Helpers for the web interface: sites, a client that submits forms as a browser does, and cases."""

import atexit
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from html import unescape
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi import FastAPI
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from gate.cases.reading import put_of
from gate.cases.stored import Entry
from gate.store.sql.database import Database
from gate.store.sql.suites import Authorship, Suites
from gate.web.app import guarded, inner_app
from gate.web.error_pages import WatchedApp
from gate.web.monitoring import Metrics
from gate.web.site import WebSite

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
ANN = Authorship("Ann", NOW, "written by hand")


def site(database: Database, person: str = "Ann") -> WebSite:
    """A local site over a store."""
    return WebSite(database, frozenset({"testserver", "localhost", "127.0.0.1"}), lambda: NOW, person=person)


def served(site: WebSite) -> ASGIApp:
    """The application of a site, as `create_app` makes it; its routes are made once for all sites, which takes long."""
    routes, metrics = _routes(), Metrics(site.database)
    app = WatchedApp(guarded(routes, site), site.now, (metrics.seen, site.log))

    async def of_this_site(scope: Scope, receive: Receive, send: Send) -> None:
        routes.state.site, routes.state.metrics = site, metrics
        await app(scope, receive, send)

    return of_this_site


@cache
def _routes() -> FastAPI:
    return inner_app(site(Database("sqlite:////dev/null")))


def browser(app: ASGIApp, address: str = "http://testserver", **how: Any) -> TestClient:
    """A client; all of them share an event loop, as all requests at a server do, and need not make one each time."""
    found = TestClient(app, address, **how)
    found.portal = _portal()
    return found


@cache
def _portal() -> BlockingPortal:
    running = start_blocking_portal()
    atexit.register(running.__exit__, None, None, None)
    return running.__enter__()


def client(database: Database, person: str = "Ann") -> TestClient:
    """A browser of somebody, which has seen the first page."""
    found = browser(served(site(database, person)))
    found.get("/")
    return found


def add(database: Database, suite: str, *entries: Entry, by: Authorship = ANN) -> None:
    """Cases into a suite."""
    Suites(database).change(suite, [put_of(entry) for entry in entries], by)


_CONTROL = re.compile(
    r'<input type="hidden" name="(?P<hidden>[^"]+)" value="(?P<kept>[^"]*)"|'
    r'<input [^>]*?name="(?P<name>[^"]+)" value="(?P<value>[^"]*)"(?P<more>[^>]*)>|'
    r'<textarea [^>]*?name="(?P<area>[^"]+)"[^>]*>\n(?P<text>.*?)</textarea>',
    re.DOTALL,
)


def filled(page: str) -> dict[str, str]:
    """The fields of the form of a case as a browser would send them back, with its line ends."""
    form = page[page.index("data-check") :]
    found: dict[str, str] = {}
    for control in _CONTROL.finditer(form):
        part: Mapping[str, str | None] = control.groupdict()
        if part["hidden"]:
            found[unescape(part["hidden"])] = unescape(part["kept"] or "")
        elif part["name"]:
            if "checkbox" not in control[0] or "checked" in (part["more"] or ""):
                found[unescape(part["name"])] = unescape(part["value"] or "")
        elif part["area"]:
            found[unescape(part["area"])] = unescape(part["text"] or "").replace("\n", "\r\n")
    return found
