"""Which role each address needs: a new one has to be written down here before it is served to anybody."""

from collections.abc import Iterator, Mapping

import pytest
from fastapi.routing import APIRoute, iter_route_contexts
from httpx2 import Response

from gate.store.sql.database import Database
from gate.web import monitoring
from gate.web.api.http import API
from gate.web.app import PAGES, inner_app
from gate.web.login import Oidc
from gate.web.site import RequiredRole, Role, WebSite
from tests.e2e.web.test_api import SCOPES
from tests.support import browsing, oidc_provider, stores, team_login
from tests.support.oidc_provider import Provider

NOBODY, VIEWER, EDITOR = Role
ROLES = {
    ("GET", "/healthz"): NOBODY,
    ("GET", "/readyz"): NOBODY,
    # It asks for a token itself.
    ("GET", "/metrics"): NOBODY,
    ("GET", "/login"): NOBODY,
    ("GET", "/login/start"): NOBODY,
    ("GET", "/login/back"): NOBODY,
    ("POST", "/logout"): VIEWER,
    ("GET", "/audit"): EDITOR,
    ("GET", "/"): VIEWER,
    ("GET", "/new-suite"): EDITOR,
    ("POST", "/new-suite"): EDITOR,
    ("GET", "/suite"): VIEWER,
    ("POST", "/suite/tag"): EDITOR,
    ("GET", "/suite/history"): VIEWER,
    ("GET", "/suite/export"): VIEWER,
    ("GET", "/suite/import"): EDITOR,
    ("POST", "/suite/import"): EDITOR,
    ("GET", "/case"): VIEWER,
    ("POST", "/case"): EDITOR,
    ("GET", "/case/new"): EDITOR,
    ("POST", "/case/new"): EDITOR,
    ("GET", "/case/duplicate"): EDITOR,
    ("POST", "/case/check"): EDITOR,
    ("GET", "/case/history"): VIEWER,
    ("POST", "/case/archive"): EDITOR,
    ("POST", "/case/restore"): EDITOR,
    ("GET", "/case/try"): EDITOR,
    ("POST", "/case/try"): EDITOR,
    ("POST", "/case/try/begin"): EDITOR,
    ("GET", "/jobs"): EDITOR,
    ("GET", "/jobs/new"): EDITOR,
    ("POST", "/jobs/new"): EDITOR,
    ("GET", "/jobs/{id}"): EDITOR,
    ("GET", "/jobs/{id}/events"): EDITOR,
    ("POST", "/jobs/{id}/cancel"): EDITOR,
    ("GET", "/runs"): VIEWER,
    ("GET", "/runs/{id}"): VIEWER,
    ("GET", "/runs/{id}/cases"): VIEWER,
    ("GET", "/runs/{id}/case"): VIEWER,
    ("POST", "/runs/{id}/case"): EDITOR,
    ("GET", "/runs/{id}/text"): VIEWER,
    ("GET", "/trends"): VIEWER,
    ("GET", "/flaky"): VIEWER,
    ("GET", "/judges"): VIEWER,
    ("GET", "/overrides"): VIEWER,
    ("GET", "/tokens"): EDITOR,
    ("POST", "/tokens"): EDITOR,
    ("POST", "/tokens/revoke"): EDITOR,
}
OPEN = {"/api/openapi.json", "/static"}
"""What everybody may read: nothing of a store is in it."""


@pytest.mark.threat("web-role")
def test_every_address_needs_the_role_of_the_table() -> None:
    found = {
        (method, route.path): max((_role(one.dependency) for one in route.dependencies), default=NOBODY)
        for router in (*PAGES, monitoring.router)
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    }
    assert found == ROLES


def _role(dependency: object) -> Role:
    assert isinstance(dependency, RequiredRole)
    return dependency.role


def test_nothing_is_served_beside_the_table(database: Database) -> None:
    served = {route.path for route in iter_route_contexts(inner_app(browsing.site(database)).routes)}
    assert served == {path for _, path in ROLES} | OPEN | {API + path for _, path in SCOPES}


FIELDS = {"suite": "support", "case": "a", "into": "support", "name": "x"}
"""Of every form at once; no form makes anything of them."""
PEOPLE = {NOBODY: "eve@example.net", VIEWER: "bob@example.org", EDITOR: "ann@example.org"}
LISTS = {"editors": ("ann@example.org",), "viewers": ("@example.org",)}


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with oidc_provider.running() as found:
        yield found


@pytest.fixture(scope="module", params=["proxy", "oidc"])
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, provider: Provider
) -> Iterator[WebSite]:
    """A server for a team, with either way to log in."""
    with stores.with_tables(tmp_path_factory.mktemp("routes")) as database:
        browsing.add(database, "support", {"id": "a", "input": "Hi"})
        login = team_login.proxy(**LISTS) if request.param == "proxy" else team_login.oidc(provider.issuer, **LISTS)
        yield team_login.server(database, login)


class Somebody:
    """A browser of somebody of a role, who logs in again once they were logged out."""

    def __init__(self, site: WebSite, role: Role, provider: Provider) -> None:
        self._site, self._role, self._provider = site, role, provider
        self.oidc = isinstance(site.login, Oidc)
        self._browser = team_login.browser(site, "" if self.oidc else PEOPLE[role])
        self._log_in()

    def ask(self, method: str, path: str, headers: Mapping[str, str] | None = None) -> Response:
        """One request."""
        address = f"{path.replace('{id}', '999999')}?suite=support&case=a&name=a&version=1&arm=baseline&index=0"
        data = FIELDS if method == "POST" else None
        answer = self._browser.request(method, address, data=data, headers=headers)
        if path == "/logout" and answer.status_code == 303:
            self._log_in()
        return answer

    def _log_in(self) -> None:
        if self.oidc:
            self._provider.person = {"sub": "u", "email": PEOPLE[self._role], "email_verified": True}
            assert team_login.come_in(self._browser)[0] == (303 if self._role is not NOBODY else 403)


@pytest.mark.threat("web-roles-tried")
@pytest.mark.parametrize(("site", "role"), [*(("proxy", role) for role in Role), ("oidc", VIEWER)], indirect=["site"])
def test_each_address_lets_exactly_those_pass_whom_the_table_names(
    site: WebSite, provider: Provider, role: Role
) -> None:
    somebody, wrong = Somebody(site, role, provider), {}
    for (method, path), needed in ROLES.items():
        answer = somebody.ask(method, path)
        to_login = answer.status_code == 303 and answer.headers["location"].startswith("/login?next=")
        if path in ("/login/start", "/login/back"):
            fine = answer.status_code in ((302, 403) if somebody.oidc else (404,))
        elif role >= needed:
            asks_for_a_token = path == "/metrics" and answer.status_code == 401
            fine = asks_for_a_token or (answer.status_code in (200, 303, 404, 422) and not to_login)
        elif role is NOBODY and somebody.oidc:
            fine = (to_login if method == "GET" else answer.status_code == 401) and "support" not in answer.text
        elif role is NOBODY:
            fine = answer.status_code == 403 and "has no access to this server" in answer.text
        else:
            fine = answer.status_code == 403 and f"needs the role {needed.label}" in answer.text
        if not fine:
            wrong[method, path] = answer.status_code
    assert wrong == {}
    assert site.suites.newest("support").number == 1


FORGED: Mapping[str, Mapping[str, str]] = {
    "another site": {"sec-fetch-site": "cross-site"},
    "a neighbour of the domain": {"sec-fetch-site": "same-site"},
    "another origin": {"origin": "https://evil.example"},
    "no origin that has a name": {"origin": "null"},
}


@pytest.mark.threat("web-form-site", "web-form-neighbour", "job-site")
def test_no_address_takes_a_form_that_another_page_sent(site: WebSite, provider: Provider) -> None:
    ann = Somebody(site, EDITOR, provider)
    writes = [path for method, path in ROLES if method == "POST"]
    forgeries = list(FORGED.values())
    for number, path in enumerate(writes):
        # All of them at one address, and each at every fourth.
        for headers in forgeries if path == "/case" else [forgeries[number % len(forgeries)]]:
            answer = ann.ask("POST", path, headers)
            assert (answer.status_code, "Another site sent this" in answer.text) == (403, True), (path, headers)
    own = {"sec-fetch-site": "same-origin", "origin": team_login.URL}
    assert ann.ask("POST", "/new-suite", own).status_code == 422
