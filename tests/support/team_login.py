"""A site with a login by proxy or by OpenID Connect, and browsers of its members."""

import ipaddress
import urllib.error
import urllib.request

from starlette.testclient import TestClient

from gate.store.access import Members
from gate.store.sql.database import Database
from gate.web.login import Login, Oidc, TrustedProxy
from gate.web.login_settings import OidcSettings, ProxySettings
from gate.web.requests import LOOPBACK_NAMES
from gate.web.site import WebSite
from tests.support import browsing
from tests.support.browsing import NOW
from tests.support.oidc_provider import CLIENT, SECRET

HOST = "gate.example.org"
URL = f"https://{HOST}"
PROXY = "192.0.2.1"
HEADER = "X-Forwarded-User"
KEY = "k" * 32


def oidc(
    issuer: str = "https://login.example.org",
    editors: tuple[str, ...] = (),
    viewers: tuple[str, ...] = ("*",),
    groups_claim: str = "groups",
) -> Oidc:
    """A login at a provider, which is not contacted before somebody logs in."""
    return Oidc(OidcSettings(issuer, CLIENT, SECRET, KEY, groups_claim, Members(editors, viewers)))


def server(database: Database, login: Login, url: str = URL) -> WebSite:
    """A site where people log in."""
    return WebSite(database, LOOPBACK_NAMES | {HOST}, lambda: NOW, login=login, url=url)


def proxy(
    editors: tuple[str, ...] = ("Ann",), viewers: tuple[str, ...] = ("Bob",), address: str = PROXY
) -> TrustedProxy:
    """A proxy that names people in `HEADER`."""
    return TrustedProxy(ProxySettings(HEADER, (ipaddress.ip_network(address),), Members(editors, viewers)))


def browser(site: WebSite, name: str = "", address: str = PROXY) -> TestClient:
    """A browser that follows no redirects; the proxy adds the name to each request."""
    headers = {HEADER: name} if name else {}
    return browsing.browser(
        browsing.served(site), URL, client=(address, 50000), headers=headers, follow_redirects=False
    )


class _Stays(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object, **__: object) -> None:
        return None


def sent_back(address: str) -> str:
    """Log in at the provider; returns the address of its redirect."""
    try:
        urllib.request.build_opener(_Stays).open(address)
    except urllib.error.HTTPError as answer:
        return str(answer.headers["location"])
    raise AssertionError(address)


def come_in(there: TestClient, to: str = "/") -> tuple[int, str]:
    """Log in at the provider; returns the status, and the redirect or the page."""
    gone = there.get("/login/start", params={"next": to})
    assert gone.status_code == 302, gone.text
    answer = there.get(sent_back(gone.headers["location"]))
    return answer.status_code, answer.headers.get("location", answer.text)
