"""Which role each address needs: a new one has to be written down here before it is served to anybody."""

from collections.abc import Callable, Iterator, Mapping

import pytest
from fastapi.routing import APIRoute
from httpx2 import Response

from gate.domain.people import ROLES as ROLES_OF_ACCOUNTS
from gate.store.sql.engine import Database
from gate.web.access import Role
from gate.web.api.mounting import API
from gate.web.app import _routers, inner_app
from gate.web.site import Site
from tests.integration.web.test_api import SCOPES
from tests.support import browsing, people, stores

NOBODY, VIEWER, EDITOR, ADMIN = Role
ROLES = {
    ("GET", "/healthz"): NOBODY,
    ("GET", "/readyz"): NOBODY,
    # It asks for a token itself.
    ("GET", "/metrics"): NOBODY,
    ("GET", "/login"): NOBODY,
    ("POST", "/login"): NOBODY,
    ("GET", "/login/elsewhere"): NOBODY,
    ("GET", "/login/back"): NOBODY,
    ("POST", "/logout"): VIEWER,
    ("GET", "/account"): VIEWER,
    ("POST", "/account"): VIEWER,
    ("POST", "/account/leave"): VIEWER,
    ("GET", "/accounts"): ADMIN,
    ("POST", "/accounts"): ADMIN,
    ("POST", "/accounts/{id}"): ADMIN,
    ("GET", "/audit"): ADMIN,
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
LEAVING = {"/logout", "/account/leave"}
OWN = {"/account", *LEAVING}
"""Whoever is logged in changes their own things alone."""


def test_every_address_needs_the_role_of_the_table() -> None:
    found = {
        (method, route.path): vars(route.endpoint)["needs"]
        for router in _routers()
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    }
    assert found == ROLES


def test_nothing_is_served_beside_the_table(database: Database) -> None:
    app = inner_app(browsing.site(database))
    served = {str(getattr(route, "path", route)) for route in app.routes}
    assert served == {path for _, path in ROLES} | OPEN | {API + path for _, path in SCOPES}


def test_who_may_only_look_changes_nothing() -> None:
    changing = {address: role for (method, address), role in ROLES.items() if method != "GET"}
    assert {role for address, role in changing.items() if address not in OWN | {"/login"}} == {EDITOR, ADMIN}


FIELDS = {"suite": "support", "case": "a", "into": "support", "name": "x"}
"""Of every form at once; no form makes anything of them."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server with somebody of each role."""
    with stores.with_tables(tmp_path_factory.mktemp("routes")) as database:
        browsing.add(database, "support", {"id": "a", "input": "Hi"})
        found = people.server(database)
        for role in ROLES_OF_ACCOUNTS:
            people.add(found, role.label, role)
        yield found


class Somebody:
    """A browser of somebody of a role, who logs in again once they were logged out."""

    def __init__(self, site: Site, role: Role) -> None:
        self._browser, self._role = people.browser(site), role
        self._log_in()
        self.token = browsing.token(self._browser.get("/login" if role is NOBODY else "/account").text)

    def ask(self, method: str, path: str, csrf: str = "", headers: Mapping[str, str] | None = None) -> Response:
        """One request."""
        address = f"{path.replace('{id}', '999999')}?suite=support&case=a&name=a&version=1&arm=baseline&index=0"
        data = {**FIELDS, "csrf": csrf} if method == "POST" else None
        answer = self._browser.request(method, address, data=data, headers=headers)
        if path in LEAVING and answer.status_code == 303:
            self._log_in()
        return answer

    def _log_in(self) -> None:
        if self._role is not NOBODY:
            people.log_in(self._browser, self._role.label)


@pytest.mark.parametrize("role", Role)
def test_each_address_lets_exactly_those_pass_whom_the_table_names(site: Site, role: Role) -> None:
    somebody, wrong = Somebody(site, role), {}
    for (method, path), needed in ROLES.items():
        answer = somebody.ask(method, path, somebody.token)
        to_login = answer.status_code == 303 and answer.headers["location"].startswith("/login?next=")
        if role >= needed:
            asks_for_a_token = path == "/metrics" and answer.status_code == 401
            fine = asks_for_a_token or (answer.status_code in (200, 303, 404, 422) and not to_login)
        elif role is NOBODY:
            fine = (to_login if method == "GET" else answer.status_code == 401) and "support" not in answer.text
        else:
            fine = answer.status_code == 403 and f"needs the role {needed.label}" in answer.text
        if not fine:
            wrong[method, path] = answer.status_code
    assert wrong == {}
    assert site.suites.newest("support").number == 1  # type: ignore[union-attr]


FORGED: Mapping[str, tuple[Mapping[str, str], Callable[[str], str]]] = {
    "no token": ({}, lambda csrf: ""),
    "another token": ({}, lambda csrf: csrf[::-1]),
    "no text": ({}, lambda csrf: "é" * 64),
    "another site": ({"sec-fetch-site": "cross-site"}, lambda csrf: csrf),
    "a neighbour of the domain": ({"sec-fetch-site": "same-site"}, lambda csrf: csrf),
    "another origin": ({"origin": "https://evil.example"}, lambda csrf: csrf),
    "no origin that has a name": ({"origin": "null"}, lambda csrf: csrf),
}


@pytest.mark.parametrize("name", FORGED)
def test_no_address_takes_a_form_that_another_page_sent(site: Site, name: str) -> None:
    headers, forged = FORGED[name]
    admin = Somebody(site, ADMIN)
    csrf = forged(admin.token)
    writes = [path for method, path in ROLES if method == "POST"]
    answers = {path: admin.ask("POST", path, csrf, headers) for path in writes}
    assert {path: answer.status_code for path, answer in answers.items()} == dict.fromkeys(writes, 403)
    assert all("another" in answer.text.lower() for answer in answers.values())


def test_the_token_of_one_browser_is_none_in_another(site: Site) -> None:
    ann, bob = Somebody(site, ADMIN), Somebody(site, ADMIN)
    assert ann.ask("POST", "/new-suite", bob.token).status_code == 403
    assert ann.ask("POST", "/new-suite", ann.token).status_code == 422
