"""The description in OpenAPI is what the server does: many requests that it allows, and many that it does not."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from starlette.testclient import TestClient

from gate.store.access import Scope
from gate.store.sql.access import TokenRequest, Tokens
from gate.web.api.http import API
from gate.web.app import create_app
from tests.e2e.web.test_api import SCOPES
from tests.support import browsing, stores, team_login

EXAMPLES = 1
"""Of each operation, as it is described and as it is not."""
JUDGED = {("POST", "/runs"), ("POST", "/suites"), ("POST", "/suites/{suite}/cases")}
"""No schema says what a whole run, a case or a name is: what fits this one may still be refused."""
QUIET = settings(
    max_examples=EXAMPLES,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, dict[str, str]]]:
    """The application, and the header of a token that may do everything."""
    with stores.with_tables(tmp_path_factory.mktemp("api")) as database:
        browsing.add(database, "support", {"id": "refund-1", "input": "Where?"})
        secret = Tokens(database).create(TokenRequest("ci", "Ann", frozenset(Scope)), browsing.NOW).secret
        site = replace(browsing.site(database), login=team_login.oidc())
        app = create_app(site)

        async def over_tls(scope: Any, receive: Any, send: Any) -> None:
            await app({**scope, "scheme": "https"}, receive, send)

        yield over_tls, {"Authorization": f"Bearer {secret}"}


def test_answers_are_those_of_the_description(served: tuple[Any, dict[str, str]]) -> None:
    # Its import takes a second, which no other worker needs to wait for.
    import schemathesis
    from schemathesis.checks import CHECKS

    app, headers = served
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", app)
    accepted = CHECKS.get_one("positive_data_acceptance")
    asked = set()
    for found in schema.get_all_operations():
        operation = found.ok()
        place = operation.method.upper(), operation.path.removeprefix(API)
        asked.add(place)
        # Somebody has to have seen a version for If-Match to name it.
        left_out = [accepted] if place in JUDGED or place[0] in ("PUT", "DELETE") else []
        for mode in schemathesis.GenerationMode:
            _try(operation.as_strategy(generation_mode=mode), headers, left_out)
    assert asked == {(method, path.replace(":path", "")) for method, path in SCOPES}


def _try(requests: Any, headers: dict[str, str], left_out: list[Any]) -> None:
    @QUIET
    @given(requests)
    def kept(case: Any) -> None:
        case.call_and_validate(headers=headers, excluded_checks=left_out)

    kept()


def test_the_description_has_examples_and_says_what_a_token_needs(served: tuple[Any, dict[str, str]]) -> None:
    found = TestClient(served[0]).get("/api/openapi.json").json()
    for (method, path), scope in SCOPES.items():
        operation = found["paths"][API + path.replace(":path", "")][method.lower()]
        assert operation["security"] == [{"token": [scope.value] if scope else []}]
        assert operation["summary"]
        problem = operation["responses"]["401"]["content"]
        assert list(problem) == ["application/problem+json"]
    assert found["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    schemas = found["components"]["schemas"]
    assert schemas["Entry"]["example"]["id"] == "refund-1"
    assert schemas["Run"]["properties"]["repository"]["examples"] == ["acme/shop"]
    named = set(_references(found))
    assert named <= {f"#/components/schemas/{name}" for name in schemas}


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(found := value.get("$ref"), str):
            yield found
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)
