"""Tokens and accounts: a token does no more than its owner may, and what it does is in the log."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.domain.api_token import Scope
from gate.domain.people import Actor, EventFilter, Role
from gate.domain.stored_suite import Page
from gate.store.run_folder import dump_run
from gate.store.sql.tokens import Tokens, Wish
from gate.web.site import Site
from tests.integration.web.test_api import AT, CASE, RUN, Program
from tests.support import people, stores
from tests.support.browsing import token


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with stores.with_tables(tmp_path) as database:
        yield people.server(database)


def of(site: Site, owner: str) -> Program:
    program = Program(site)
    program.client.base_url = f"https://{people.HOST}"
    secret = Tokens(site.database).create(Wish("ci", owner, frozenset(Scope)), site.now()).secret
    program.client.headers["authorization"] = f"Bearer {secret}"
    return program


def test_a_token_does_no_more_than_its_owner_may_now(site: Site) -> None:
    by = Actor("Root", "command line", site.now())
    people.add(site, "Ann", Role.ADMIN)
    bob = people.add(site, "Bob", Role.EDITOR)
    program = of(site, "Bob")
    program.ask("POST", "/suites", 201, {"name": "one"})
    site.accounts.set_role(bob.id, Role.VIEWER, by)
    program.ask("GET", "/suites", 200)
    assert "the role is viewer" in program.ask("POST", "/suites", 403, {"name": "two"})["detail"]
    site.accounts.set_disabled(bob.id, True, by)
    program.ask("GET", "/suites", 401)
    site.accounts.set_disabled(bob.id, False, by)
    site.accounts.set_role(bob.id, Role.EDITOR, by)
    program.ask("POST", "/suites", 201, {"name": "two"})
    of(site, "command line").ask("POST", "/suites", 201, {"name": "three"})


def test_what_a_program_changes_is_in_the_log(site: Site) -> None:
    people.add(site, "Ann", Role.EDITOR)
    before = len(site.audit.events(EventFilter(), Page(99)))
    program = of(site, "Ann")
    program.ask("POST", "/suites", 201, {"name": "support"})
    program.ask("POST", "/suites/support/cases", 201, CASE)
    program.ask("PUT", AT, 200, CASE | {"input": "When?"}, if_match="*")
    program.ask("PUT", AT, 412, CASE, if_match='"x"')
    program.ask("DELETE", AT, 204, if_match="*")
    program.push(201, dump_run(RUN).encode())
    program.push(200, dump_run(RUN).encode())
    ann = people.log_in(people.browser(site), "Ann")
    csrf = token(ann.get("/tokens").text)
    ann.post("/tokens", data={"csrf": csrf, "name": "page", "scope": "runs:read", "days": "30"})
    ann.post("/tokens/revoke", data={"csrf": csrf, "id": "2"})
    events = list(reversed(site.audit.events(EventFilter(), Page(99))))[before:]
    assert [(one.event.what, one.event.about) for one in events if one.event.what != "login"] == [
        ("suite-made", "support"),
        ("case-added", "support: a/b 1"),
        ("case-edited", "support: a/b 1"),
        ("case-archived", "support: a/b 1"),
        ("run-pushed", "1"),
        ("token-made", "2, page: runs:read"),
        ("token-revoked", "2"),
    ]
    assert [one.by.name for one in events][:5] == ["Ann (token ci)"] * 5
