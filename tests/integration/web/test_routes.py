"""Which role each address needs: a new one has to be written down here before it is served to anybody."""

from fastapi.routing import APIRoute

from gate.store.sql.engine import Database
from gate.web.access import Role
from gate.web.app import _routers, inner_app
from tests.support import browsing

VIEWER, EDITOR = Role.VIEWER, Role.EDITOR
ROLES = {
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
}
OPEN = {"/api/openapi.json", "/static"}
"""What everybody may read: nothing of a store is in it."""


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
    assert served == {path for _, path in ROLES} | OPEN


def test_who_may_only_look_changes_nothing() -> None:
    assert {role for (method, _), role in ROLES.items() if method != "GET"} == {EDITOR}
