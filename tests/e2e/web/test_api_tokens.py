"""The page of tokens: a secret is on one page, once, and what somebody revokes is refused at once."""

import re
from dataclasses import replace
from html import unescape

import pytest
from starlette.testclient import TestClient

from gate.store.access import Scope
from gate.store.sql.access import TokenRequest, Tokens
from gate.store.sql.database import Database
from tests.e2e.web.test_api import BASE
from tests.e2e.web.test_api import database as database  # SQLite alone
from tests.support import browsing, team_login
from tests.support.browsing import NOW

SECRET = re.compile(r"pgate_[0-9A-Za-z]{49}")


@pytest.fixture
def ann(database: Database) -> TestClient:
    return browsing.client(database)


def send(client: TestClient, address: str, **fields: object) -> str:
    answer = client.post(address, data=fields)
    assert answer.status_code in (200, 404, 422), answer.text
    return unescape(answer.text)


def test_a_token_is_shown_once_and_is_good_until_it_is_revoked(ann: TestClient, database: Database) -> None:
    shown = send(ann, "/tokens", name="ci <b>", scope=["runs:read", "cases:read"], days="30")
    (secret,) = set(SECRET.findall(shown))
    assert not SECRET.search(ann.get("/tokens").text)
    assert "ci &lt;b&gt;" in ann.get("/tokens").text
    asking = {"authorization": f"Bearer {secret}"}
    api = browsing.browser(
        browsing.served(replace(browsing.site(database), login=team_login.oidc())), BASE, headers=asking
    )
    assert api.get("/api/v1/runs").status_code == 200
    assert api.post("/api/v1/suites", json={"name": "x"}).status_code == 403
    (token,) = Tokens(database).all()
    assert (token.owner, (token.expires - NOW).days, token.used) == ("Ann", 30, NOW)
    assert "Token revoked" in send(ann, "/tokens/revoke", id=str(token.id))
    assert api.get("/api/v1/runs").status_code == 401
    assert "Page not found" in send(ann, "/tokens/revoke", id=str(token.id))


def test_what_is_no_token_is_told_and_the_form_stays(ann: TestClient, database: Database) -> None:
    Tokens(database).create(TokenRequest("there", "Ann", frozenset(Scope)), NOW)
    for fields, said in (
        ({"name": "a", "days": "90"}, "a token needs a scope"),
        ({"name": "a", "scope": "runs:everything", "days": "90"}, "no scope"),
        ({"name": "a", "scope": "runs:read", "days": "x"}, "1 to 3650 days"),
        ({"name": "there", "scope": "runs:read", "days": "90"}, "already"),
    ):
        shown = send(ann, "/tokens", **fields)
        assert said in shown
        assert f'value="{fields["name"]}"' in shown
        assert not SECRET.search(shown)
        assert len(Tokens(database).all()) == 1
