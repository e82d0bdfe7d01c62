"""Logging in by way of another service, which is a real one on this machine, and the lies that it may tell."""

import base64
import hmac
import json
import socket
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from starlette.testclient import TestClient

from gate.domain.api_token import Scope
from gate.domain.people import Actor, EventFilter, Role
from gate.domain.stored_suite import Page
from gate.errors import GateError, MissingKey
from gate.settings.storage import oidc_secret
from gate.store.sql.engine import Database
from gate.store.sql.tokens import Tokens, Wish
from gate.web.access import SESSION
from gate.web.oidc import Client, Flow, NotProven, Service
from gate.web.site import Site
from tests.support import oidc_provider, people, stores
from tests.support.browsing import NOW
from tests.support.oidc_provider import CLIENT, KEYS, SECRET, Provider

HELD = f"__Host-{SESSION}"
MAIL = {"sub": "u-1", "email": "ann@example.org", "email_verified": True}


@pytest.fixture(scope="module")
def running() -> Iterator[Provider]:
    with oidc_provider.running() as found:
        yield found


@pytest.fixture
def provider(running: Provider) -> Provider:
    fresh = Provider(issuer=running.issuer)
    vars(running).update(vars(fresh))
    return running


@pytest.fixture
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with stores.with_tables(tmp_path_factory.mktemp("oidc")) as found:
        yield found


def site(database: Database, provider: Provider, newcomers: Role | None = Role.VIEWER, clock: Any = None) -> Site:
    service = Service(Client(provider.issuer, CLIENT, SECRET))
    return people.server(database, clock, service=service, newcomers=newcomers)


class _Stays(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def sent_back(address: str) -> str:
    """Log in at the provider; the address to which it sends the browser back."""
    try:
        urllib.request.build_opener(_Stays).open(address)
    except urllib.error.HTTPError as answer:
        return answer.headers["location"]
    raise AssertionError(address)


def come_in(there: TestClient, to: str = "/") -> tuple[int, str]:
    """The whole way; where it ends, or what the page says."""
    gone = there.get("/login/elsewhere", params={"next": to})
    assert gone.status_code == 303, gone.text
    answer = there.get(sent_back(gone.headers["location"]))
    return answer.status_code, answer.headers.get("location", answer.text)


def events(found: Site) -> list[tuple[str, str, str]]:
    kept = found.audit.events(EventFilter(), Page(99))
    return [(one.by.name, one.event.what, one.event.about) for one in reversed(kept)]


def test_a_newcomer_gets_an_account_and_finds_it_again(database: Database, provider: Provider) -> None:
    found = site(database, provider)
    provider.person = {**MAIL, "email_verified": False, "preferred_username": "Ann"}
    there = people.browser(found)
    assert "Log in with 127.0.0.1" in there.get("/login").text
    assert come_in(there, "/runs") == (303, "/runs")
    assert there.get("/runs").status_code == 200
    assert "New password" not in there.get("/account").text
    provider.person = {"sub": "u-1", "preferred_username": "Somebody else"}
    assert come_in(people.browser(found)) == (303, "/")
    assert [(one.name, one.role) for one in found.accounts.all()] == [("Ann", Role.VIEWER)]
    by = f"by {provider.issuer}"
    assert events(found) == [("", "account-made", f"Ann: viewer, {by}"), ("Ann", "login", by), ("Ann", "login", by)]
    assert provider.asked.count("/keys") == provider.asked.count("/.well-known/openid-configuration") == 1


def test_nobody_comes_in_under_the_name_of_another(database: Database, provider: Provider) -> None:
    found = site(database, provider)
    people.add(found, "Ann", Role.ADMIN)
    people.add(found, "ann@example.org", Role.ADMIN)
    for person in (
        {"sub": "u-1", "preferred_username": "ANN"},
        {"sub": "u-2", "email": "ann@example.org", "email_verified": False, "name": "Ann"},
        {"sub": "u-3", "email": "ann@example.org", "email_verified": "true", "name": "a\nb"},
        {"sub": "u-4", "email": "ann@example.org", "name": 7},
    ):
        provider.person = person
        assert come_in(people.browser(found))[0] == 303
    names = {one.name: one.role for one in found.accounts.all()}
    assert names.pop("Ann") is names.pop("ann@example.org") is Role.ADMIN
    assert names == dict.fromkeys(("ANN 2", "Ann 3", "u-3", "u-4"), Role.VIEWER)


def test_a_newcomer_does_not_become_the_owner_of_tokens(database: Database, provider: Provider) -> None:
    """Whoever is called like their owner could revoke them, or take from them what that account may not do."""
    found = site(database, provider)
    secret = Tokens(database).create(Wish("ci", "Build", frozenset(Scope), None), NOW).secret
    provider.person = {"sub": "u-1", "preferred_username": "BUILD"}
    assert come_in(people.browser(found))[0] == 303
    assert [one.name for one in found.accounts.all()] == ["BUILD 2"]
    asked = {"authorization": f"Bearer {secret}", "content-type": "application/json"}
    assert people.browser(found).post("/api/v1/suites", content='{"name": "s"}', headers=asked).status_code == 201


def test_an_account_waits_for_whoever_has_the_verified_address(database: Database, provider: Provider) -> None:
    found = site(database, provider, None)
    people.add(found, "Ann@example.org", Role.EDITOR, must_change=True)
    provider.person = MAIL
    there = people.browser(found)
    assert come_in(there) == (303, "/")
    assert there.get("/new-suite").status_code == 200
    assert [one.has_password for one in found.accounts.all()] == [False]
    provider.person = {**MAIL, "sub": "u-2"}
    status, page = come_in(people.browser(found))
    assert (status, "Nobody has made an account for you" in page) == (403, True)
    provider.person = {"sub": "u-1"}
    assert come_in(people.browser(found)) == (303, "/")
    assert len(found.accounts.all()) == 1


def test_who_is_disabled_or_unknown_stays_outside(database: Database, provider: Provider) -> None:
    found = site(database, provider)
    there = people.browser(found)
    assert come_in(there)[0] == 303
    account = found.accounts.all()[0]
    found.accounts.set_disabled(account.id, True, Actor("Root", "", NOW))
    assert there.get("/").status_code == 303
    status, page = come_in(there)
    assert (status, "disabled" in page) == (403, True)
    assert there.get("/").status_code == 303


def unsigned(claims: dict[str, Any]) -> str:
    parts = [base64.urlsafe_b64encode(json.dumps(one).encode()).rstrip(b"=") for one in ({"alg": "none"}, claims)]
    return b".".join([*parts, b""]).decode()


def with_the_public_key(claims: dict[str, Any]) -> str:
    """A shared secret that everybody knows: what a careless reader would take the public key for."""
    parts = [json.dumps(one).encode() for one in ({"alg": "HS256", "kid": "first"}, claims)]
    said = b".".join(base64.urlsafe_b64encode(one).rstrip(b"=") for one in parts)
    seal = hmac.digest(KEYS[0].as_pem(private=False), said, "sha256")
    return (said + b"." + base64.urlsafe_b64encode(seal).rstrip(b"=")).decode()


LIES: dict[str, dict[str, Any]] = {
    "another issuer": {"lie": lambda claims: {**claims, "iss": "https://evil.example"}},
    "for another": {"lie": lambda claims: {**claims, "aud": "another"}},
    "for several": {"lie": lambda claims: {**claims, "aud": [CLIENT, "another"]}},
    "asked for by another": {"lie": lambda claims: {**claims, "azp": "another"}},
    "another nonce": {"lie": lambda claims: {**claims, "nonce": "x"}},
    "no nonce": {"lie": lambda claims: {name: value for name, value in claims.items() if name != "nonce"}},
    "too old": {"lie": lambda claims: {**claims, "exp": claims["iat"] - 3600}},
    "without an end": {"lie": lambda claims: {name: value for name, value in claims.items() if name != "exp"}},
    "of tomorrow": {"lie": lambda claims: {**claims, "iat": claims["iat"] + 86_400}},
    "nobody": {"person": {}},
    "nobody by name": {"person": {"sub": ""}},
    "a number": {"person": {"sub": 7}},
    "a long one": {"person": {"sub": "x" * 501}},
    "another key": {"key": KEYS[1]},
    "another key of its name": {"signed": lambda claims: jwt.encode({"alg": "RS256", "kid": "first"}, claims, KEYS[1])},
    "unsigned": {"signed": unsigned},
    "signed with what all know": {"signed": with_the_public_key},
    "no proof": {"signed": lambda claims: "x"},
    "no text": {"signed": lambda claims: None},
    "no claims": {"signed": lambda claims: jwt.encode({"alg": "RS256"}, {}, KEYS[0])},
    "no keys": {"published": []},
}


@pytest.mark.parametrize("name", LIES)
def test_a_proof_that_is_none_lets_nobody_in(database: Database, provider: Provider, name: str) -> None:
    vars(provider).update(LIES[name])
    found = site(database, provider)
    there = people.browser(found)
    status, page = come_in(there)
    assert (status, "did not say who you are" in page) == (403, True)
    assert HELD not in there.cookies and found.accounts.all() == ()
    assert [what for _, what, _ in events(found)] == ["login-failed"]
    vars(provider).update(vars(Provider(issuer=provider.issuer)))
    assert come_in(there)[0] == 303


def test_new_keys_of_the_service_are_looked_up_once(database: Database, provider: Provider) -> None:
    found = site(database, provider)
    assert come_in(people.browser(found))[0] == 303
    provider.key, provider.published = KEYS[1], KEYS
    assert come_in(people.browser(found))[0] == 303
    assert come_in(people.browser(found))[0] == 303
    assert provider.asked.count("/keys") == 2


Turn = Callable[[str], str]


@pytest.mark.parametrize(
    "turned",
    [
        lambda back: back.replace("state=", "state=x"),
        lambda back: back.partition("&state=")[0],
        lambda back: back.replace("code=", "error=access_denied&x="),
        lambda back: back.replace("code=", "code=x"),
        lambda back: back.replace("iss=", "iss=https%3A%2F%2Fevil.example%2F"),
    ],
)
def test_an_answer_that_was_turned_on_the_way_is_none(database: Database, provider: Provider, turned: Turn) -> None:
    there = people.browser(site(database, provider))
    back = turned(sent_back(there.get("/login/elsewhere").headers["location"]))
    assert (there.get(back).status_code, HELD in there.cookies) == (403, False)


def test_the_code_of_somebody_else_logs_nobody_in(database: Database, provider: Provider) -> None:
    """Neither in a browser that asked nothing, nor in one that asked for itself, nor a second time."""
    found = site(database, provider)
    ann, eve = people.browser(found), people.browser(found)
    back = sent_back(eve.get("/login/elsewhere").headers["location"])
    assert ann.get(back).status_code == 403
    mine = sent_back(ann.get("/login/elsewhere").headers["location"])
    code = parse_qs(urlsplit(mine).query)["code"][0]
    assert ann.get(back.replace(parse_qs(urlsplit(back).query)["code"][0], code)).status_code == 403
    assert eve.get(back).status_code == 303
    assert eve.get(back).status_code == 403


def test_an_answer_that_comes_late_or_with_a_forged_cookie_is_none(database: Database, provider: Provider) -> None:
    clock = people.Clock()
    there = people.browser(site(database, provider, clock=clock))
    back = sent_back(there.get("/login/elsewhere").headers["location"])
    clock.forward(minutes=11)
    assert there.get(back).status_code == 403
    back = sent_back(there.get("/login/elsewhere").headers["location"])
    name = "__Host-prompt-gate-flow"
    text, _, seal = there.cookies[name].partition(".")
    for forged in (f"{text}.", f"{text[4:]}.{seal}", "x", f"é.{seal}"[1:]):
        there.cookies.clear()
        there.cookies.set(name, forged)
        assert there.get(back).status_code == 403


def test_a_stranger_cannot_fill_the_log_with_answers_to_nothing(database: Database, provider: Provider) -> None:
    found = site(database, provider)
    there = people.browser(found)
    answers = [there.get("/login/back?state=x&code=y") for _ in range(40)]
    assert {one.status_code for one in answers} == {403, 429}
    assert answers[-1].headers["retry-after"].isdecimal()
    assert len(events(found)) < 25
    assert come_in(people.browser(found, address="192.0.2.99"))[0] == 303


def test_a_place_from_which_many_come_in_is_not_held_up(database: Database, provider: Provider) -> None:
    found = site(database, provider)
    assert {come_in(people.browser(found))[0] for _ in range(25)} == {303}


def test_a_service_that_is_away_fills_no_log(database: Database) -> None:
    found = people.server(database, service=Service(Client("http://127.0.0.1:9", CLIENT, SECRET)))
    assert people.browser(found).get("/login/elsewhere").status_code == 403
    assert events(found) == []


def test_the_way_back_leads_to_no_other_server(database: Database, provider: Provider) -> None:
    for to in ("https://evil.example", "//evil.example", "/\\evil.example"):
        assert come_in(people.browser(site(database, provider)), to) == (303, "/")


def test_a_service_that_is_away_or_another_is_told(database: Database, provider: Provider) -> None:
    people_in = people.server(database, service=Service(Client("http://127.0.0.1:9", CLIENT, SECRET)))
    there = people.browser(people_in)
    assert there.get("/login/elsewhere").status_code == 403
    assert there.get("/login").status_code == 200
    other = people.server(database, service=Service(Client(provider.issuer + "/", CLIENT, SECRET)))
    assert people.browser(other).get("/login/elsewhere").status_code == 403
    assert SECRET not in repr(other) and SECRET not in str(events(other))
    without = people.browser(people.server(database))
    assert without.get("/login/elsewhere").status_code == without.get("/login/back").status_code == 404


def test_a_service_without_tls_or_a_secret_is_refused() -> None:
    for issuer in ("http://login.example.org", "login.example.org", "", "ftp://x", "https"):
        with pytest.raises(GateError, match="--oidc-issuer"):
            Service(Client(issuer, CLIENT, SECRET))
    with pytest.raises(MissingKey, match="GATE_OIDC_SECRET"):
        oidc_secret({})


def test_a_service_that_falls_silent_keeps_one_waiting_and_nobody_else() -> None:
    with socket.create_server(("127.0.0.1", 0)) as door, ThreadPoolExecutor(1) as pool:
        service = Service(Client(f"http://127.0.0.1:{door.getsockname()[1]}", CLIENT, SECRET))
        first = pool.submit(service.address, Flow(), "https://here/back")
        line, _ = door.accept()
        with pytest.raises(NotProven, match="does not answer yet"):
            service.address(Flow(), "https://here/back")
        assert not first.done()
        line.close()
        with pytest.raises(NotProven, match="does not answer"):
            first.result()
