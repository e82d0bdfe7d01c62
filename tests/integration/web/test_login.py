import re
from collections.abc import Iterator
from http.cookies import SimpleCookie

import pytest
from sqlalchemy import text
from starlette.testclient import TestClient

from gate.domain.people import Actor, EventFilter, Role
from gate.domain.stored_suite import Page
from gate.store.sql.engine import Database
from gate.web import addresses
from gate.web.access import SESSION
from gate.web.site import Site
from tests.support import browsing, people, stores
from tests.support.browsing import token
from tests.support.people import HOST, WORD, Clock

HELD = f"__Host-{SESSION}"


@pytest.fixture
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with stores.with_tables(tmp_path_factory.mktemp("login")) as found:
        yield found


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def site(database: Database, clock: Clock) -> Site:
    found = people.server(database, clock)
    people.add(found, "Ann", Role.ADMIN)
    people.add(found, "Bob", Role.EDITOR)
    return found


@pytest.fixture
def ann(site: Site) -> TestClient:
    return people.log_in(people.browser(site), "ann")


def sent(there: TestClient, **typed: str) -> tuple[int, str]:
    """What comes of the form of the login."""
    answer = there.post("/login", data={"csrf": token(there.get("/login").text), **typed})
    return answer.status_code, answer.text


def told(site: Site) -> list[tuple[str, str, str]]:
    events = site.audit.events(EventFilter(), Page(99))
    return [(one.by.name, one.event.what, one.event.about) for one in reversed(events)]


def test_a_login_leads_to_the_page_that_was_asked_for(site: Site) -> None:
    there = people.browser(site)
    asked = there.get("/suite?name=a%26b&q=%C3%BC")
    assert asked.status_code == 303
    page = there.get(asked.headers["location"]).text
    to = re.search(r'name="next" value="([^"]+)"', page)
    assert to is not None
    people.log_in(there, "Ann", next=to[1].replace("&amp;", "&"))
    assert "Ann" in there.get("/").text
    again = there.get("/login", params={"next": "/suite?name=a%26b&q=%C3%BC"})
    assert (again.status_code, again.headers["location"]) == (303, "/suite?name=a%26b&q=%C3%BC")


ELSEWHERE = [
    *("https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example", ""),
    *("javascript:alert(1)", "/a\r\nset-cookie: x=1", "/a\nb", "evil.example", "/é", "/" + "a" * 4001, "///evil"),
    *(" //evil.example", "/\x00", "http:/evil.example", "?x", "."),
]


def test_a_login_leads_to_no_other_server(site: Site) -> None:
    there = people.browser(site)
    csrf = token(there.get("/login").text)
    for to in ELSEWHERE:
        there.cookies.delete(HELD) if HELD in there.cookies else None
        answer = there.post("/login", data={"csrf": csrf, "name": "Ann", "password": WORD, "next": to})
        assert (answer.status_code, answer.headers["location"]) == (303, "/"), to
        assert there.get("/login", params={"next": to}).headers["location"] == "/", to


def test_neither_names_nor_passwords_are_told_apart(site: Site) -> None:
    site.accounts.set_disabled(site.accounts.find("Bob").id, True, Actor("Root", "", site.now()))  # type: ignore[union-attr]
    there = people.browser(site)
    pages = set()
    for name, password in (("Ann", "?"), ("Bob", WORD), ("Eve", WORD), ("Ann", ""), ("x" * 5000, "y" * 90_000)):
        status, page = sent(there, name=name, password=password)
        assert status == 422
        pages.add(re.sub(r'value="[^"]*"', "", page))
        assert WORD not in page
    assert len(pages) == 1
    assert there.get("/").status_code == 303


def test_who_tries_too_often_is_told_how_long_to_wait(site: Site, clock: Clock) -> None:
    there = people.browser(site)
    for _ in range(5):
        assert sent(there, name="Ann", password="?")[0] == 422
    status, page = sent(there, name="ann", password=WORD)
    assert (status, "Wait 1 second, then" in page) == (429, True)
    csrf = token(page)
    assert there.post("/login", data={"csrf": csrf, "name": "Ann"}).headers["retry-after"] == "1"
    clock.forward(seconds=1)
    assert sent(there, name="Ann", password=WORD)[0] == 303


def test_strangers_do_not_keep_somebody_out_of_their_own_browser(site: Site, ann: TestClient) -> None:
    ann.post("/logout", data={"csrf": token(ann.get("/").text)})
    strangers = people.browser(site, address="198.51.100.1")
    for _ in range(6):
        sent(strangers, name="Ann", password="?")
    assert sent(strangers, name="Ann", password=WORD)[0] == 429
    assert sent(ann, name="Ann", password=WORD)[0] == 303
    ann.post("/logout", data={"csrf": token(ann.get("/").text)})
    known = ann.cookies["__Host-prompt-gate-known"]
    strangers.cookies.set("__Host-prompt-gate-known", known[:-1] + ("0" if known[-1] != "0" else "1"))
    assert sent(strangers, name="Ann", password=WORD)[0] == 429
    assert sent(ann, name="Bob", password="?")[0] == 422


def test_what_a_browser_held_before_the_login_is_worth_nothing_after_it(site: Site) -> None:
    there = people.browser(site)
    there.cookies.set(HELD, "planted")
    people.log_in(there, "Ann")
    cookies = [one.value for one in there.cookies.jar if one.name == HELD and one.value != "planted"]
    assert len(cookies) == 1
    stranger = people.browser(site)
    stranger.cookies.set(HELD, "planted")
    assert stranger.get("/").status_code == 303


def test_each_login_is_another_session_and_ends_the_one_before(site: Site, ann: TestClient) -> None:
    before = ann.cookies[HELD]
    csrf = token(ann.get("/").text)
    ann.post("/logout", data={"csrf": csrf})
    assert HELD not in ann.cookies
    copied = people.browser(site)
    copied.cookies.set(HELD, before)
    assert copied.get("/").status_code == 303
    people.log_in(ann, "Ann")
    assert ann.cookies[HELD] != before


def test_what_the_browser_is_told_of_the_session(site: Site) -> None:
    there = people.browser(site)
    csrf = token(there.get("/login").text)
    answer = there.post("/login", data={"csrf": csrf, "name": "Ann", "password": WORD})
    found = SimpleCookie[str]()
    for line in answer.headers.get_list("set-cookie"):
        found.load(line)
    held = found[HELD]
    attributes = {name: held[name] for name in ("httponly", "secure", "samesite", "path", "domain", "max-age")}
    assert attributes == {
        **{"httponly": True, "secure": True, "samesite": "lax", "path": "/", "domain": ""},
        "max-age": str(7 * 24 * 3600),
    }
    assert answer.headers["cache-control"] == "no-store"


def test_on_this_machine_a_login_works_without_tls(site: Site) -> None:
    there = people.log_in(people.browser(site, "http://127.0.0.1:8765"), "Ann")
    assert SESSION in there.cookies and HELD not in there.cookies
    assert there.get("/").status_code == 200


def test_from_other_machines_nothing_is_answered_without_tls(site: Site, database: Database) -> None:
    there = people.browser(site, f"http://{HOST}")
    for address in ("/login", "/", "/api/openapi.json"):
        answer = there.get(address, headers={"x-forwarded-proto": "https", "x-forwarded-for": "127.0.0.1"})
        assert (answer.status_code, "HTTPS alone" in answer.text) == (400, True)
    open_one = people.server(database, plain_http=True)
    assert people.log_in(people.browser(open_one, f"http://{HOST}"), "Ann").get("/").status_code == 200


def test_only_the_proxy_is_believed(database: Database, site: Site) -> None:
    behind = people.server(database, proxies=("192.0.2.0/24",))
    said = {"x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.9, 198.51.100.7, 192.0.2.44"}
    there = people.log_in(people.behind_proxy(behind, "192.0.2.1", said), "Ann")
    assert HELD in there.cookies
    assert site.audit.events(EventFilter(), Page(1))[0].by.where == "198.51.100.7"
    assert people.behind_proxy(behind, "192.0.2.1", {"x-forwarded-proto": "http"}).get("/login").status_code == 400
    assert people.behind_proxy(behind, "198.51.100.9", said).get("/login").status_code == 400
    itself = people.browser(behind, address="198.51.100.9")
    itself.headers.update(said)
    sent(itself, name="Ann", password="?")
    assert site.audit.events(EventFilter(), Page(1))[0].by.where == "198.51.100.9"


@pytest.mark.parametrize(
    "name", ["evil.example", "gate.example.org.evil.example", "", "gate.example.org:x@evil.example"]
)
def test_the_server_answers_to_its_own_names_alone(site: Site, name: str) -> None:
    answer = people.browser(site).get("/login", headers={"host": name, "x-forwarded-host": HOST})
    assert (answer.status_code, "set-cookie" in answer.headers) == (400, False)
    forwarded = people.browser(site).get("/", headers={"x-forwarded-host": "evil.example"})
    assert forwarded.headers["location"] == "/login?next=%2F"


def test_a_password_that_others_know_is_changed_before_anything_else(site: Site) -> None:
    people.add(site, "Eve", Role.EDITOR, must_change=True)
    there = people.browser(site)
    csrf = token(there.get("/login").text)
    answer = there.post("/login", data={"csrf": csrf, "name": "Eve", "password": WORD, "next": "/runs"})
    assert answer.headers["location"] == "/account?next=%2Fruns"
    for address in ("/", "/runs", "/case/new?suite=a"):
        assert there.get(address).headers["location"].startswith("/account?next=")
    csrf = token(there.get("/account").text)
    refused = there.post("/new-suite", data={"csrf": csrf, "suite": "mine"})
    assert (refused.status_code, site.suites.names()) == (403, ())
    typed = {"csrf": csrf, "current": WORD, "new": "another one of mine", "again": "another one of mine"}
    changed = there.post("/account", data={**typed, "next": "/runs"})
    assert changed.headers["location"] == "/runs"
    assert there.get("/runs").status_code == 200


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ({"current": "?"}, "not your password so far"),
        ({"new": "short", "again": "short"}, "at least 12 characters"),
        ({"again": "something else"}, "not what you typed above"),
        ({"new": WORD, "again": WORD}, "another one than so far"),
        ({}, "at least 12 characters"),
    ],
)
def test_a_password_that_is_not_changed_stays(site: Site, ann: TestClient, typed: dict[str, str], told: str) -> None:
    whole = {"current": WORD, "new": "another one of mine", "again": "another one of mine", **typed} if typed else {}
    answer = ann.post("/account", data={"csrf": token(ann.get("/account").text), **whole})
    assert (answer.status_code, told in answer.text) == (422, True)
    people.log_in(people.browser(site), "Ann")


def test_a_changed_password_ends_the_other_sessions(site: Site, ann: TestClient) -> None:
    elsewhere = people.log_in(people.browser(site), "Ann")
    before = ann.cookies[HELD]
    csrf = token(ann.get("/account").text)
    new = {"new": "another one of mine", "again": "another one of mine"}
    assert ann.post("/account", data={"csrf": csrf, "current": WORD, **new}).status_code == 303
    assert (elsewhere.get("/").status_code, ann.get("/").status_code) == (303, 200)
    assert ann.cookies[HELD] != before
    assert sent(people.browser(site), name="Ann", password=WORD)[0] == 422
    assert ann.post("/account/leave", data={"csrf": token(ann.get("/account").text)}).status_code == 303
    assert ann.get("/").status_code == 303


def test_who_guesses_the_password_in_a_session_that_is_not_theirs_has_to_wait(ann: TestClient) -> None:
    csrf = token(ann.get("/account").text)
    new = {"csrf": csrf, "new": "another one of mine", "again": "another one of mine"}
    statuses = [ann.post("/account", data={**new, "current": f"guess {number}"}).status_code for number in range(7)]
    assert statuses == [422] * 5 + [429] * 2


def test_what_was_typed_survives_a_session_that_ended(site: Site, ann: TestClient, clock: Clock) -> None:
    browsing.add(site.database, "support", {"name": "a", "prompt": "Hi"})
    address = addresses.case("support", "a")
    typed = {**browsing.filled(ann.get(address).text), "prompt": "A long thought", "do": "save"}
    clock.forward(hours=13)
    late = ann.post(address, data=typed)
    assert (late.status_code, "Log in in another tab" in late.text) == (401, True)
    people.log_in(ann, "Ann")
    assert ann.post(address, data=typed).status_code == 303
    assert site.suites.case("support", "a")[0].entry == {"name": "a", "prompt": "A long thought"}


def test_a_form_outlives_the_server_that_made_it(database: Database, ann: TestClient) -> None:
    csrf = token(ann.get("/new-suite").text)
    later = people.browser(people.server(database))
    later.cookies = ann.cookies
    assert later.post("/new-suite", data={"csrf": csrf, "suite": "mine"}).status_code == 303


def test_a_store_that_fails_is_told_on_a_page(database: Database, ann: TestClient) -> None:
    csrf = token(ann.get("/new-suite").text)
    database.write(lambda db: db.execute(text("ALTER TABLE sessions RENAME TO gone")))
    answer = ann.get("/")
    assert (answer.status_code, "does not answer" in answer.text) == (503, True)
    assert "not lost" not in answer.text
    sent = ann.post("/new-suite", data={"csrf": csrf, "suite": "mine"})
    assert (sent.status_code, "reload this page then, and it is sent again" in sent.text) == (503, True)


def test_where_nobody_logs_in_there_are_no_accounts(database: Database) -> None:
    alone = browsing.client(database)
    for address in ("/login", "/account", "/accounts", "/audit"):
        assert alone.get(address).status_code == 404
    page = alone.get("/").text
    assert "Log out" not in page and "/accounts" not in page


def test_an_admin_invites_somebody(site: Site, ann: TestClient) -> None:
    csrf = token(ann.get("/accounts").text)
    page = ann.post("/accounts", data={"csrf": csrf, "name": " <b>Eve ", "role": "editor"}).text
    first = re.search(r'class="once">([^<]+)<', page)
    assert first is not None and "<b>" not in page
    assert first[1] not in ann.get("/accounts").text
    there = people.browser(site)
    assert sent(there, name="<B>eve", password=first[1])[0] == 303
    assert there.get("/").headers["location"].startswith("/account")
    again = ann.post("/accounts", data={"csrf": csrf, "name": "<b>EVE", "role": "editor"})
    assert (again.status_code, "already" in again.text) == (422, True)
    assert told(site)[-2:] == [("Ann", "account-made", "<b>Eve: editor"), ("<b>Eve", "login", "")]


@pytest.mark.parametrize("role", ["owner", "nobody", "", "ADMIN", "3"])
def test_there_are_no_other_roles(site: Site, ann: TestClient, role: str) -> None:
    csrf, bob = token(ann.get("/accounts").text), site.accounts.find("Bob")
    assert bob is not None
    for address in ("/accounts", f"/accounts/{bob.id}"):
        data = {"csrf": csrf, "name": "Eve", "do": "role", "role": role}
        assert ann.post(address, data=data).status_code == 422
    assert [(one.name, one.role) for one in site.accounts.all()] == [("Ann", Role.ADMIN), ("Bob", Role.EDITOR)]


def test_what_an_admin_does_to_an_account_works_at_once(site: Site, ann: TestClient) -> None:
    bob = site.accounts.find("Bob")
    assert bob is not None
    there = people.log_in(people.browser(site), "Bob")
    csrf = token(ann.get("/accounts").text)
    address = f"/accounts/{bob.id}"
    assert there.get("/").status_code == 200
    assert ann.post(address, data={"csrf": csrf, "do": "role", "role": "viewer"}).status_code == 303
    assert there.get("/").status_code == 303
    people.log_in(there, "Bob")
    assert there.get("/new-suite").status_code == 403
    ann.post(address, data={"csrf": csrf, "do": "leave"})
    assert there.get("/").status_code == 303
    ann.post(address, data={"csrf": csrf, "do": "disable"})
    assert sent(there, name="Bob", password=WORD)[0] == 422
    ann.post(address, data={"csrf": csrf, "do": "enable"})
    people.log_in(there, "Bob")
    page = ann.post(address, data={"csrf": csrf, "do": "password"}).text
    assert there.get("/").status_code == 303
    first = re.search(r'class="once">([^<]+)<', page)
    assert first is not None
    assert sent(there, name="Bob", password=first[1])[0] == 303
    assert ann.post(address, data={"csrf": csrf, "do": "burn"}).status_code == 422
    assert ann.post("/accounts/999", data={"csrf": csrf, "do": "disable"}).status_code == 422


def test_the_last_admin_does_not_lock_everybody_out(site: Site, ann: TestClient) -> None:
    csrf, me = token(ann.get("/accounts").text), site.accounts.find("Ann")
    assert me is not None
    for data in ({"do": "disable"}, {"do": "role", "role": "viewer"}):
        answer = ann.post(f"/accounts/{me.id}", data={"csrf": csrf, **data})
        assert (answer.status_code, "the last admin" in answer.text) == (422, True)
    assert ann.get("/accounts").status_code == 200


ENCODINGS = [
    *(
        "punycode",
        '"punycode"',
        "PUNYCODE",
        "unicode_escape",
        "raw_unicode_escape",
        "utf-7",
        "utf-16",
        "latin-1",
        "idna",
    ),
    *("nonsense", "utf-8\x00", ""),
]
"""Reading two megabytes as punycode takes the one thread that answers everybody a quarter of an hour."""


@pytest.mark.parametrize("path", ["/login", "/runs/1/case"])
def test_a_stranger_does_not_choose_how_a_form_is_decoded(site: Site, path: str) -> None:
    there = people.browser(site)
    body = '--edge\r\ncontent-disposition: form-data; name="csrf"\r\n\r\n\\ud800-é\r\n--edge--\r\n'.encode()
    kind = "multipart/form-data; boundary=edge"
    for charset in ENCODINGS:
        answer = there.post(path, content=body, headers={"content-type": f"{kind}; charset={charset}"})
        assert (answer.status_code, "UTF-8" in answer.text) == (400, True), charset
    for charset in ("", "; charset=utf-8", '; charset="UTF-8"'):
        assert there.post(path, content=body, headers={"content-type": kind + charset}).status_code in (401, 403)
