from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from gate.domain.people import Event, EventFilter, Role
from gate.domain.stored_suite import Page
from gate.errors import GateError
from gate.store.sql import people_tables as tables
from gate.store.sql.accounts import Accounts
from gate.store.sql.audit import Audit
from gate.store.sql.engine import Database
from gate.store.sql.logins import Attempt, Entered, Logins, Wrong
from gate.store.sql.outside import Identity, NotKnown, Outsiders
from gate.store.sql.sessions import IDLE, WHOLE, Sessions
from gate.store.sql.shared_secrets import shared_secret
from tests.support.logins import BY, CHEAP, NOW, WORD, add, at, entered, told


@pytest.fixture
def accounts(database: Database) -> Accounts:
    return Accounts(database, CHEAP)


@pytest.fixture
def logins(database: Database) -> Logins:
    return Logins(database, CHEAP)


def test_whoever_knows_the_password_gets_in_whatever_the_case_of_the_name(accounts: Accounts, logins: Logins) -> None:
    ann = add(accounts)
    found = entered(logins.enter(Attempt("aNN", WORD), at(0)))
    assert found.account.id == ann.id
    assert Sessions(accounts.database).account(found.token, NOW) == replace(ann, seen=NOW)
    assert isinstance(logins.enter(Attempt("Ann", WORD + " "), at(1)), Wrong)
    assert isinstance(logins.enter(Attempt("Bob", WORD), at(1)), Wrong)
    assert Sessions(accounts.database).account("", NOW) is None


def test_neither_password_nor_token_is_in_the_store(accounts: Accounts, logins: Logins) -> None:
    add(accounts)
    token = entered(logins.enter(Attempt("Ann", WORD), at(0))).token
    rows = accounts.database.read(
        lambda db: str([db.execute(select(table)).all() for table in (tables.accounts, tables.sessions, tables.events)])
    )
    assert "$argon2id$" in rows
    assert WORD not in rows and token not in rows


def test_a_session_ends_when_idle_and_when_it_is_old(accounts: Accounts, logins: Logins, database: Database) -> None:
    add(accounts)
    sessions, tick = Sessions(database), timedelta(seconds=1)
    idle = entered(logins.enter(Attempt("Ann", WORD), at(0))).token
    assert sessions.account(idle, NOW + IDLE - tick) is not None
    assert sessions.account(idle, NOW + 2 * IDLE) is None
    used, step = NOW, IDLE - tick
    busy = entered(logins.enter(Attempt("Ann", WORD), at(0))).token
    while used + step < NOW + WHOLE:
        used += step
        assert sessions.account(busy, used) is not None
    assert sessions.account(busy, NOW + WHOLE) is None


def test_admins_who_demote_each_other_at_once_leave_one(accounts: Accounts) -> None:
    both = [add(accounts, name, Role.ADMIN) for name in ("Ann", "Bob")]

    def demoted(id: int) -> None:
        with suppress(GateError):
            accounts.set_role(id, Role.VIEWER, BY)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(demoted, (one.id for one in both)))
    assert sorted(one.role for one in accounts.all()) == [Role.VIEWER, Role.ADMIN]


def test_a_name_is_taken_once(accounts: Accounts) -> None:
    add(accounts, "Ann")
    for name in ("Ann", "ann", "ＡＮＮ"):
        with pytest.raises(GateError, match="already"):
            add(accounts, name)
    for name in ("", " Ann", "A\nnn", "x" * 201):
        with pytest.raises(GateError, match="the name must"):
            add(accounts, name)


def test_of_many_tries_at_once_none_slips_through(accounts: Accounts, logins: Logins) -> None:
    add(accounts)
    with ThreadPoolExecutor(4) as pool:
        tries = pool.map(lambda number: logins.enter(Attempt("Ann", "?"), at(0, f"192.0.2.{number}")), range(16))
        assert sum(isinstance(one, Wrong) for one in tries) <= 5


def test_what_was_done_is_in_the_log_and_what_was_refused_is_not(accounts: Accounts, logins: Logins) -> None:
    ann = add(accounts, role=Role.ADMIN)
    logins.enter(Attempt("ann", WORD), at(0))
    logins.enter(Attempt("ann", "?"), at(1))
    logins.enter(Attempt(WORD, "?"), at(1))
    with pytest.raises(GateError):
        accounts.set_disabled(ann.id, True, BY)
    database = accounts.database
    assert told(database) == [
        ("Root", "account-made", "Ann: admin"),
        ("Ann", "login", ""),
        ("", "login-failed", "Ann"),
        ("", "login-failed", "an unknown name"),
    ]
    assert told(database, who="Ann") == [("Ann", "login", "")]
    assert told(database, what="login-failed", about="Ann") == [("", "login-failed", "Ann")]
    assert told(database, about="%") == []
    assert Audit(database).kinds() == ("account-made", "login", "login-failed")


def test_the_log_is_read_page_by_page_while_it_grows(database: Database) -> None:
    audit = Audit(database)
    for number in range(7):
        audit.add(Event("edited", str(number)), BY)
    first = audit.events(EventFilter(), Page(3))
    audit.add(Event("edited", "later\0" + "x" * 9000), BY)
    rest = audit.events(EventFilter(), Page(9, first[-1].id))
    assert [one.event.about for one in (*first, *rest)] == ["6", "5", "4", "3", "2", "1", "0"]
    assert len(audit.events(EventFilter(), Page(1))[0].event.about) == 500


def test_servers_that_start_at_once_share_a_secret(database: Database) -> None:
    with ThreadPoolExecutor(3) as pool:
        found = set(pool.map(lambda _: shared_secret(database, "forms"), range(3)))
    assert len(found) == 1
    assert len(found.pop()) == 32
    assert shared_secret(database, "other") not in found


def test_a_newcomer_who_comes_twice_at_once_is_one_person(accounts: Accounts) -> None:
    door, newcomer = Outsiders(accounts.database, Role.VIEWER), Identity("https://login.example.org", "u-1", "", "Ann")
    add(accounts, "Ann")
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda _: door.enter(newcomer, at(0)), range(3)))
    assert {one.account.name for one in found if isinstance(one, Entered)} == {"Ann 2"}
    assert all(Sessions(accounts.database).account(one.token, NOW) for one in found if isinstance(one, Entered))
    assert [(one.name, one.has_password) for one in accounts.all()] == [("Ann", True), ("Ann 2", False)]
    assert isinstance(Outsiders(accounts.database, None).enter(replace(newcomer, subject="u-2"), at(0)), NotKnown)
