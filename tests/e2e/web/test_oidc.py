"""Logging in with OpenID Connect at a real provider on this machine, and the lies that it may tell."""

import base64
import hmac
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import itsdangerous
import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey
from sqlalchemy import func, select, text
from starlette.testclient import TestClient

from gate.cases.stored import Page
from gate.store.access import EventFilter
from gate.store.sql.access import sessions
from gate.store.sql.database import Database
from gate.web import addresses
from gate.web.login import SESSION, SESSION_S
from gate.web.site import WebSite
from tests.support import browsing, oidc_provider, stores, team_login
from tests.support.oidc_provider import SECRET, Provider, keys

HELD = f"__Host-{SESSION}"
ANN = {"sub": "u-1", "email": "ann@example.org", "email_verified": True}


@pytest.fixture(scope="module")
def running() -> Iterator[Provider]:
    with oidc_provider.running() as found:
        yield found


@pytest.fixture
def provider(running: Provider) -> Provider:
    vars(running).update(vars(Provider(issuer=running.issuer, person=ANN)))
    return running


@pytest.fixture
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with stores.with_tables(tmp_path_factory.mktemp("oidc")) as found:
        yield found


@pytest.fixture
def site(database: Database, provider: Provider) -> WebSite:
    return team_login.server(database, team_login.oidc(provider.issuer))


def with_lists(database: Database, provider: Provider, *, editors: str = "", viewers: str = "") -> WebSite:
    login = team_login.oidc(provider.issuer, tuple(editors.split()), tuple(viewers.split()))
    return team_login.server(database, login)


def test_a_login_leads_to_the_page_that_was_asked_for(site: WebSite, provider: Provider) -> None:
    there = team_login.browser(site)
    asked = there.get("/suite?name=a%26b&q=%C3%BC")
    assert (asked.status_code, asked.headers["location"][:12]) == (303, "/login?next=")
    page = there.get(asked.headers["location"]).text
    assert "Log in with 127.0.0.1" in page
    assert team_login.come_in(there, "/suite?name=a%26b&q=%C3%BC") == (303, "/suite?name=a%26b&q=%C3%BC")
    assert "ann@example.org" in there.get("/runs").text
    events = [(one.who, one.what) for one in site.audit.events(EventFilter(), Page(9))]
    assert events == [("ann@example.org", "login")]
    assert provider.asked.count("/keys") == provider.asked.count("/.well-known/openid-configuration") == 1


@pytest.mark.threat("login-target")
def test_a_login_leads_to_no_other_server(site: WebSite) -> None:
    for to in ("https://evil.example", "//evil.example", "/\\evil.example"):
        there = team_login.browser(site)
        assert team_login.come_in(there, to) == (303, "/"), to
        assert there.get("/login", params={"next": to}).headers["location"] == "/", to


@pytest.mark.parametrize(
    ("lists", "claims", "statuses"),
    [
        ({"editors": "@example.net", "viewers": "@Example.org"}, ANN, (200, 403)),
        ({"editors": "group:prompts"}, {"sub": "u", "groups": ["staff", "prompts"]}, (200, 200)),
        ({"editors": "group:prompts", "viewers": "*"}, {"sub": "u", "groups": "prompts"}, (200, 403)),
    ],
)
def test_the_lists_say_who_may_do_what(
    database: Database, provider: Provider, lists: dict[str, str], claims: dict[str, Any], statuses: tuple[int, int]
) -> None:
    provider.person = claims
    there = team_login.browser(with_lists(database, provider, **lists))
    assert team_login.come_in(there) == (303, "/")
    assert (there.get("/").status_code, there.get("/new-suite").status_code) == statuses


ON_NO_LIST: tuple[dict[str, Any], ...] = (
    {**ANN, "email": "ann@example.org.evil.example"},
    {**ANN, "email_verified": False},
    {"sub": "u-1", "email": "ann@example.org"},
    {"sub": "ann@example.org", "preferred_username": "ann@example.org", "name": "ann@example.org"},
    {"sub": "u-1", "groups": ["@example.org", "*", "group:example.org"]},
)


@pytest.mark.threat("oidc-email")
def test_who_is_on_no_list_stays_outside(database: Database, provider: Provider) -> None:
    site = with_lists(database, provider, editors="@example.org ann@example.org")
    for claims in ON_NO_LIST:
        provider.person = claims
        there = team_login.browser(site)
        status, page = team_login.come_in(there)
        assert (status, "you have no access to this server" in page) == (403, True), claims
        assert there.get("/").status_code == 303, claims


def test_a_change_of_the_lists_counts_for_sessions_that_are_there(database: Database, provider: Provider) -> None:
    there = team_login.browser(with_lists(database, provider, editors="*"))
    assert team_login.come_in(there) == (303, "/")
    for viewers, status in (("@example.org", 200), ("bob@example.org", 303)):
        later = team_login.browser(with_lists(database, provider, viewers=viewers))
        later.cookies = there.cookies
        assert later.get("/").status_code == status
        assert later.get("/new-suite").status_code != 200


@pytest.mark.threat("web-session")
def test_what_the_browser_is_told_of_the_session(site: WebSite) -> None:
    there = team_login.browser(site)
    assert "set-cookie" not in there.get("/login").headers
    gone = there.get("/login/start")
    answer = there.get(team_login.sent_back(gone.headers["location"]))
    told = answer.headers["set-cookie"].lower()
    assert told.startswith(f"{HELD.lower()}=")
    assert all(f"; {word}" in told for word in ("httponly", "secure", "samesite=lax", "path=/", f"max-age={SESSION_S}"))
    assert "domain" not in told


@pytest.mark.threat("web-session")
def test_a_session_ends_after_its_time_and_with_a_logout(site: WebSite) -> None:
    there = team_login.browser(site)
    team_login.come_in(there)
    held = there.cookies[HELD]

    class Earlier(itsdangerous.TimestampSigner):
        def get_timestamp(self) -> int:
            return super().get_timestamp() - SESSION_S - 1

    signed = held.rsplit(".", 2)[0]
    for forged in (Earlier(team_login.KEY).sign(signed).decode(), f"{held[:-1]}~", signed, "null"):
        other = team_login.browser(site)
        other.cookies.set(HELD, forged)
        assert other.get("/").status_code == 303
    left = there.post("/logout")
    assert (left.status_code, left.headers["location"]) == (303, "/login?said=out")
    assert there.get("/").status_code == 303
    assert "You are logged out" in there.get("/login?said=out").text


@pytest.mark.threat("web-session")
def test_a_copied_cookie_opens_nothing_after_the_logout(site: WebSite) -> None:
    there, thief, elsewhere = (team_login.browser(site) for _ in range(3))
    team_login.come_in(there)
    team_login.come_in(elsewhere)
    thief.cookies.set(HELD, there.cookies[HELD])
    assert thief.get("/runs").status_code == 200
    there.post("/logout")
    assert (thief.get("/runs").status_code, thief.get("/runs").headers["location"][:7]) == (303, "/login?")
    assert thief.post("/new-suite", data={"name": "a"}).status_code == 401
    assert thief.get("/api/v1/suites").status_code == 401
    assert elsewhere.get("/runs").status_code == 200


@pytest.mark.threat("web-session")
def test_a_cookie_without_an_open_session_opens_nothing(site: WebSite, database: Database) -> None:
    there = team_login.browser(site)
    team_login.come_in(there)
    assert there.get("/").status_code == 200
    later = replace(site, now=lambda: browsing.NOW + timedelta(seconds=SESSION_S))
    other = team_login.browser(later)
    other.cookies = there.cookies
    assert other.get("/").status_code == 303
    team_login.come_in(team_login.browser(later))
    assert database.read(lambda db: db.execute(select(func.count()).select_from(sessions)).scalar_one()) == 1


def test_a_store_that_does_not_know_the_sessions_lets_nobody_in(site: WebSite, database: Database) -> None:
    there = team_login.browser(site)
    team_login.come_in(there)
    database.write(lambda db: db.execute(text("ALTER TABLE sessions RENAME TO away")))
    answer = there.get("/runs")
    assert (answer.status_code, "The store is not available" in answer.text) == (503, True)
    assert "ann@example.org" not in answer.text
    assert team_login.come_in(team_login.browser(site))[0] == 503
    database.write(lambda db: db.execute(text("ALTER TABLE away RENAME TO sessions")))
    assert there.get("/runs").status_code == 200


def test_what_was_typed_survives_a_session_that_ended(site: WebSite, database: Database, provider: Provider) -> None:
    there = team_login.browser(with_lists(database, provider, editors="*"))
    team_login.come_in(there)
    browsing.add(database, "support", {"name": "a", "prompt": "Hi"})
    address = addresses.case("support", "a")
    typed = {**browsing.filled(there.get(address).text), "prompt": "A long thought", "do": "save"}
    there.cookies.clear()
    late = there.post(address, data=typed)
    assert (late.status_code, "Log in in another tab" in late.text) == (401, True)
    team_login.come_in(there)
    assert there.post(address, data=typed).status_code == 303
    assert site.suites.case("support", "a")[0].entry == {"name": "a", "prompt": "A long thought"}


ENTRIES = ("ann@example.org", "@example.org", "group:team", "group:@example.org", "group:ann@example.org", "group:*")
PERSONS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "an address": (ANN, ("ann@example.org", "@example.org")),
    "its domain in upper case": ({**ANN, "email": "ann@EXAMPLE.org"}, ("ann@example.org", "@example.org")),
    "another case of the address": ({**ANN, "email": "Ann@example.org"}, ("@example.org",)),
    "another letter of the same case": ({**ANN, "email": "ann@e\u212aample.org"}, ()),
    "a domain as address": ({**ANN, "email": "@example.org"}, ()),
    "a group as address": ({**ANN, "email": "group:team"}, ()),
    "a group before an address": ({**ANN, "email": "group:ann@example.org"}, ("@example.org",)),
    "everybody as address": ({**ANN, "email": "*"}, ()),
    "a group": ({"sub": "u", "groups": ["team"]}, ("group:team",)),
    "another case of the group": ({"sub": "u", "groups": ["TEAM", "Team", "t\u212aam"]}, ()),
    "the entry of a group as group": ({"sub": "u", "groups": ["group:team"]}, ()),
    "an address as group": ({"sub": "u", "groups": ["ann@example.org"]}, ("group:ann@example.org",)),
    "a domain as group": ({"sub": "u", "groups": ["@example.org"]}, ("group:@example.org",)),
    "everybody as group": ({"sub": "u", "groups": ["*"]}, ("group:*",)),
    "a group with spaces": ({"sub": "u", "groups": [" team", "team "]}, ()),
    "no group": ({"sub": "team", "preferred_username": "team", "groups": [["team"], {"team": 1}, None]}, ()),
}


@pytest.mark.threat("oidc-lists")
@pytest.mark.parametrize("who", PERSONS)
def test_each_entry_admits_its_own_kind_alone(database: Database, provider: Provider, who: str) -> None:
    provider.person, admitting = PERSONS[who]
    admitted = []
    for entry in ENTRIES:
        site = team_login.server(database, team_login.oidc(provider.issuer, (entry,), ()))
        there = team_login.browser(site)
        if team_login.come_in(there)[0] == 303:
            admitted.append(entry)
            assert there.get("/new-suite").status_code == 200
    assert tuple(admitted) == admitting


def unsigned(claims: dict[str, Any]) -> str:
    parts = [base64.urlsafe_b64encode(json.dumps(one).encode()).rstrip(b"=") for one in ({"alg": "none"}, claims)]
    return b".".join([*parts, b""]).decode()


def with_the_public_key(claims: dict[str, Any]) -> str:
    """A shared secret that everybody knows: what a careless reader would take the public key for."""
    parts = [json.dumps(one).encode() for one in ({"alg": "HS256", "kid": "first"}, claims)]
    said = b".".join(base64.urlsafe_b64encode(one).rstrip(b"=") for one in parts)
    seal = hmac.digest(keys()[0].as_pem(private=False), said, "sha256")
    return (said + b"." + base64.urlsafe_b64encode(seal).rstrip(b"=")).decode()


def hmac_key(secret: str) -> OctKey:
    return OctKey.import_key(secret or "x")


def signed_by(key: OctKey, alg: str, claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": alg, "kid": "first"}, claims, key, algorithms=[alg])


def signed_by_another(kid: str, claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "RS256", "kid": kid}, claims, keys()[1])


LIES: dict[str, dict[str, Any]] = {
    "another issuer": {"lie": lambda claims: {**claims, "iss": "https://evil.example"}},
    "for another": {"lie": lambda claims: {**claims, "aud": "another"}},
    "asked for by another": {"lie": lambda claims: {**claims, "azp": "another"}},
    "another nonce": {"lie": lambda claims: {**claims, "nonce": "x"}},
    "no nonce": {"lie": lambda claims: {name: value for name, value in claims.items() if name != "nonce"}},
    "too old": {"lie": lambda claims: {**claims, "exp": claims["iat"] - 3600}},
    "without an end": {"lie": lambda claims: {name: value for name, value in claims.items() if name != "exp"}},
    "another key": {"signed": lambda claims: signed_by_another("second", claims)},
    "another key of its name": {"signed": lambda claims: signed_by_another("first", claims)},
    "unsigned": {"signed": unsigned},
    "signed with what all know": {"signed": with_the_public_key},
    "no proof": {"signed": lambda claims: "x"},
    "no text": {"signed": lambda claims: None},
    "no claims": {"signed": lambda claims: jwt.encode({"alg": "RS256"}, {}, keys()[0])},
}


@pytest.mark.threat("oidc-proof")
def test_a_proof_that_is_none_lets_nobody_in(site: WebSite, provider: Provider) -> None:
    honest = dict(vars(provider))
    for name, lie in LIES.items():
        vars(provider).update(honest | lie)
        there = team_login.browser(site)
        status, page = team_login.come_in(there)
        assert (status, "Try again. The administrator" in page) == (403, True), name
        assert there.get("/").status_code == 303, name
    assert site.audit.events(EventFilter(), Page(99)) == ()
    vars(provider).update(honest)
    assert team_login.come_in(team_login.browser(site))[0] == 303


@pytest.mark.threat("oidc-algorithm")
@pytest.mark.parametrize(
    ("algorithms", "signed"),
    [
        (["none"], unsigned),
        (["RS256", "none"], unsigned),
        (["NONE", "None"], unsigned),
        ("none", unsigned),
        (["HS256", "RS256"], with_the_public_key),
        (["HS256"], with_the_public_key),
        (["HS256"], lambda claims: signed_by(hmac_key(SECRET), "HS256", claims)),
        (["HS512"], lambda claims: signed_by(hmac_key(""), "HS512", claims)),
        ({"none": 1}, unsigned),
    ],
)
def test_the_provider_does_not_choose_a_weak_algorithm(
    database: Database, provider: Provider, algorithms: object, signed: Callable[[dict[str, Any]], str]
) -> None:
    provider.metadata = {"id_token_signing_alg_values_supported": algorithms}
    provider.signed = signed
    there = team_login.browser(with_lists(database, provider, editors="*"))
    assert team_login.come_in(there)[0] == 403
    assert there.get("/").status_code == 303
    provider.signed = None
    assert team_login.come_in(team_login.browser(with_lists(database, provider, editors="*")))[0] == 303


def test_a_provider_may_sign_with_any_public_key(database: Database, provider: Provider) -> None:
    key = ECKey.generate_key("P-256", {"kid": "curve"})
    for listed, alg, signing in ((["ES256", "none"], "ES256", key), (["PS256"], "PS256", keys()[0])):
        provider.published = [*keys(), key]
        provider.metadata = {"id_token_signing_alg_values_supported": listed}
        provider.signed = lambda claims, alg=alg, signing=signing: jwt.encode(
            {"alg": alg, "kid": signing.kid}, claims, signing, algorithms=[alg]
        )
        there = team_login.browser(with_lists(database, provider, editors="*"))
        assert team_login.come_in(there)[0] == 303, alg


def test_new_keys_of_the_provider_are_looked_up(site: WebSite, provider: Provider) -> None:
    assert team_login.come_in(team_login.browser(site))[0] == 303
    provider.key, provider.published = keys()[1], keys()
    assert team_login.come_in(team_login.browser(site))[0] == 303


@pytest.mark.threat("oidc-proof")
def test_an_answer_that_was_changed_on_the_way_is_none(site: WebSite) -> None:
    for part, changed in (("state=", "state=x"), ("code=", "error=access_denied&x="), ("code=", "code=x")):
        there = team_login.browser(site)
        back = team_login.sent_back(there.get("/login/start").headers["location"]).replace(part, changed)
        assert there.get(back).status_code == 403, changed
        assert there.get("/").status_code == 303, changed


@pytest.mark.threat("oidc-proof")
def test_the_code_of_somebody_else_logs_nobody_in(site: WebSite) -> None:
    """Neither in a browser that asked nothing, nor in one that asked for itself, nor a second time."""
    ann, eve = team_login.browser(site), team_login.browser(site)
    back = team_login.sent_back(eve.get("/login/start").headers["location"])
    assert ann.get(back).status_code == 403
    mine = team_login.sent_back(ann.get("/login/start").headers["location"])
    code = parse_qs(urlsplit(mine).query)["code"][0]
    assert ann.get(back.replace(parse_qs(urlsplit(back).query)["code"][0], code)).status_code == 403
    assert eve.get(back).status_code == 303
    assert eve.get(back).status_code == 403


def test_a_provider_that_is_away_or_another_is_told(database: Database, provider: Provider) -> None:
    there = team_login.browser(team_login.server(database, team_login.oidc("http://127.0.0.1:9")))
    answer = there.get("/login/start")
    assert (answer.status_code, "the server&#39;s log" in answer.text) == (403, True)
    assert there.get("/login").status_code == 200
    other = team_login.browser(team_login.server(database, team_login.oidc(provider.issuer + "/")))
    assert team_login.come_in(other)[0] == 403


ENCODINGS = ["punycode", '"punycode"', "utf-7", "nonsense", ""]
"""Reading two megabytes as punycode takes the one thread that answers everybody a quarter of an hour."""


def test_a_stranger_does_not_choose_how_a_form_is_decoded(site: WebSite) -> None:
    there = team_login.browser(site)
    body = '--edge\r\ncontent-disposition: form-data; name="a"\r\n\r\n\\ud800-é\r\n--edge--\r\n'.encode()
    kind = "multipart/form-data; boundary=edge"
    for charset in ENCODINGS:
        answer = there.post("/new-suite", content=body, headers={"content-type": f"{kind}; charset={charset}"})
        assert (answer.status_code, "UTF-8" in answer.text) == (400, True), charset
    for charset in ("", "; charset=utf-8", '; charset="UTF-8"'):
        assert there.post("/new-suite", content=body, headers={"content-type": kind + charset}).status_code == 401


@pytest.mark.threat("web-host")
def test_the_server_answers_to_its_own_names_alone(site: WebSite) -> None:
    there: TestClient = team_login.browser(site)
    for host in ("evil.example", "gate.example.org.evil.example", ""):
        assert there.get("/login", headers={"host": host}).status_code == 400
    assert there.get("/login", headers={"host": f"{team_login.HOST}:443"}).status_code == 200
