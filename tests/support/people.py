"""A server of many people in tests: accounts, browsers that log in, and a clock that somebody may turn."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from argon2 import profiles
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from gate.domain.people import Account, Actor, Role
from gate.store.sql.accounts import First
from gate.store.sql.engine import Database
from gate.store.sql.passwords import Passwords
from gate.web.guards import LOOPBACK_NAMES
from gate.web.site import Entrance, Site
from tests.support import browsing
from tests.support.browsing import NOW, token

HOST = "gate.example.org"
WORD = "correct horse battery"


@dataclass
class Clock:
    """The time, which stands still."""

    at: datetime = NOW

    def __call__(self) -> datetime:
        return self.at

    def forward(self, **by: float) -> None:
        """Turn it."""
        self.at += timedelta(**by)


def server(database: Database, clock: Clock | None = None, **entrance: object) -> Site:
    """A site that knows accounts; its passwords cost nothing."""
    door = Entrance(Passwords(profiles.CHEAPEST), **entrance)  # type: ignore[arg-type]
    hosts = LOOPBACK_NAMES | {HOST}
    return Site(database, hosts, b"k" * 32, clock or Clock(), mode="server", person="", entrance=door)


def add(site: Site, name: str, role: Role, *, must_change: bool = False) -> Account:
    """Somebody who may log in with `WORD`."""
    return site.accounts.add(name, role, First(WORD, must_change), Actor("Root", "command line", site.now()))


def browser(site: Site, base: str = f"https://{HOST}", address: str = "192.0.2.7") -> TestClient:
    """A browser that nobody has logged in with; it follows no redirect by itself."""
    return TestClient(browsing.served(site), base, client=(address, 50000), follow_redirects=False)


def behind_proxy(site: Site, proxy: str, said: dict[str, str]) -> TestClient:
    """A browser whose requests a proxy takes over TLS and hands on without, with what it says of them."""
    app = browsing.served(site)

    async def handed_on(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "scheme": "http"}, receive, send)

    base = f"https://{HOST}"
    return TestClient(handed_on, base, client=(proxy, 50000), headers=said, follow_redirects=False)


def log_in(there: TestClient, name: str, password: str = WORD, **more: str) -> TestClient:
    """Fill the form in and send it; the browser again."""
    csrf = token(there.get("/login").text)
    answer = there.post("/login", data={"csrf": csrf, "name": name, "password": password, **more})
    assert answer.status_code == 303, answer.text
    return there
