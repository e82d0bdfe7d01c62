from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from argon2 import Parameters, profiles
from sqlalchemy import select, update

from gate.domain.people import Account, Actor, Event, EventFilter, Role
from gate.domain.stored_suite import Page
from gate.errors import GateError
from gate.store.sql import people_tables as tables
from gate.store.sql.accounts import Accounts, First
from gate.store.sql.audit import Audit
from gate.store.sql.engine import Database
from gate.store.sql.logins import Attempt, Entered, Logins, Outcome, Wait, Wrong
from gate.store.sql.passwords import Passwords
from gate.store.sql.sessions import IDLE, WHOLE, Sessions
from gate.store.sql.shared_secrets import shared_secret

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
BY = Actor("Root", "command line", NOW)
CHEAP = Passwords(profiles.CHEAPEST)
WORD = "correct horse battery"


@pytest.fixture
def accounts(database: Database) -> Accounts:
    return Accounts(database, CHEAP)


@pytest.fixture
def logins(database: Database) -> Logins:
    return Logins(database, CHEAP)


def add(accounts: Accounts, name: str = "Ann", role: Role = Role.EDITOR) -> Account:
    return accounts.add(name, role, First(WORD), BY)


def at(seconds: float, where: str = "192.0.2.1") -> Actor:
    return Actor("", where, NOW + timedelta(seconds=seconds))


def entered(outcome: Outcome) -> Entered:
    assert isinstance(outcome, Entered), outcome
    return outcome


def told(database: Database, **wanted: str) -> list[tuple[str, str, str]]:
    events = Audit(database).events(EventFilter(**wanted), Page(100))
    return [(one.by.name, one.event.what, one.event.about) for one in reversed(events)]


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


Ending = Callable[[Accounts, Account], object]
ENDINGS: dict[str, Ending] = {
    "role": lambda accounts, ann: accounts.set_role(ann.id, Role.VIEWER, BY),
    "disabled": lambda accounts, ann: accounts.set_disabled(ann.id, True, BY),
    "password": lambda accounts, ann: accounts.set_password(ann.id, First("another one of mine"), BY),
    "logged out": lambda accounts, ann: accounts.log_out(ann.id, BY),
    "own password": lambda accounts, ann: Logins(accounts.database, CHEAP).change_password(
        Attempt("Ann", WORD), "another one of mine", at(1)
    ),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_what_ends_every_session(accounts: Accounts, logins: Logins, name: str) -> None:
    ann, bob = add(accounts), add(accounts, "Bob")
    tokens = [entered(logins.enter(Attempt("Ann", WORD), at(0))).token for _ in range(2)]
    other = entered(logins.enter(Attempt("Bob", WORD), at(0))).token
    ENDINGS[name](accounts, ann)
    sessions = Sessions(accounts.database)
    assert [sessions.account(token, NOW) for token in tokens] == [None, None]
    found = sessions.account(other, NOW)
    assert found is not None and found.id == bob.id


def test_a_login_that_a_change_overtakes_is_none(accounts: Accounts, database: Database) -> None:
    ann = add(accounts)

    @dataclass(frozen=True, slots=True)
    class Overtaken(Passwords):
        strength: Parameters = field(default_factory=lambda: profiles.CHEAPEST)

        def fits(self, password: str, kept: str | None) -> bool:
            accounts.set_password(ann.id, First("another one of mine"), BY)
            return True

    assert isinstance(Logins(database, Overtaken()).enter(Attempt("Ann", WORD), at(0)), Wrong)


def test_the_last_admin_stays_one(accounts: Accounts) -> None:
    ann, bob = add(accounts, role=Role.ADMIN), add(accounts, "Bob", Role.ADMIN)
    accounts.set_disabled(bob.id, True, BY)
    for change in (
        lambda: accounts.set_role(ann.id, Role.EDITOR, BY),
        lambda: accounts.set_disabled(ann.id, True, BY),
    ):
        with pytest.raises(GateError, match="Ann is the last admin"):
            change()
    accounts.set_role(ann.id, Role.ADMIN, BY)
    accounts.set_disabled(bob.id, False, BY)
    assert accounts.set_role(ann.id, Role.VIEWER, BY).role is Role.VIEWER
    assert accounts.has_admin()


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


@pytest.mark.parametrize("text", ["", "short", "aaaaaaaaaaaaaaaa", "wolfeschlegel1", "x1y2z" * 300])
def test_a_weak_password_is_refused(accounts: Accounts, text: str) -> None:
    with pytest.raises(GateError, match="the password must"):
        accounts.add("Wolfeschlegel", Role.VIEWER, First(text), BY)
    ann = add(accounts)
    if text != "wolfeschlegel1":
        with pytest.raises(GateError, match="the password must"):
            accounts.set_password(ann.id, First(text), BY)


def test_a_stronger_hash_takes_the_place_of_a_weak_one_at_the_next_login(accounts: Accounts) -> None:
    add(accounts)
    stronger = Passwords(replace(profiles.CHEAPEST, time_cost=2))
    kept = select(tables.accounts.c.password)
    before = accounts.database.read(lambda db: db.execute(kept).scalar_one())
    found = entered(Logins(accounts.database, stronger).enter(Attempt("Ann", WORD), at(0)))
    after = accounts.database.read(lambda db: db.execute(kept).scalar_one())
    assert ("t=1" in before, "t=2" in after) == (True, True)
    assert Sessions(accounts.database).account(found.token, NOW) is not None
    assert isinstance(Logins(accounts.database, stronger).enter(Attempt("Ann", WORD), at(1)), Entered)


def test_an_unknown_name_costs_as_much_as_a_known_one(accounts: Accounts, database: Database) -> None:
    ann = add(accounts)
    add(accounts, "Bob")
    accounts.set_disabled(accounts.find("Bob").id, True, BY)  # type: ignore[union-attr]
    assert ann.id
    checked: list[bool] = []

    class Watched(Passwords):
        def fits(self, password: str, kept: str | None) -> bool:
            checked.append(kept is not None)
            return super().fits(password, kept)

    for name in ("Ann", "Bob", "nobody", "\ud800\0", "x" * 5000):
        assert isinstance(Logins(database, Watched(profiles.CHEAPEST)).enter(Attempt(name, "?"), at(0)), Wrong)
    assert checked == [True, False, False, False, False]


def test_failures_double_the_wait_of_an_account_up_to_a_minute(accounts: Accounts, logins: Logins) -> None:
    add(accounts)
    waits, clock = [], 0.0
    for number in range(13):
        while isinstance(outcome := logins.enter(Attempt("Ann", "?"), at(clock, f"192.0.2.{number}")), Wait):
            waits.append(outcome.seconds)
            clock += outcome.seconds
        assert isinstance(outcome, Wrong)
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60]
    right = Attempt("Ann", WORD)
    assert logins.enter(right, at(clock, "198.51.100.1")) == Wait(60)
    assert isinstance(logins.enter(right, at(clock + 61, "198.51.100.1")), Entered)
    assert isinstance(logins.enter(Attempt("Ann", "?"), at(clock + 62)), Wrong)


def test_strangers_keep_nobody_out_of_a_known_browser(accounts: Accounts, logins: Logins) -> None:
    add(accounts)
    for number in range(6):
        logins.enter(Attempt("Ann", "?"), at(0, f"192.0.2.{number}"))
    assert isinstance(logins.enter(Attempt("Ann", WORD), at(0)), Wait)
    assert isinstance(logins.enter(Attempt("Ann", WORD, "her own"), at(0)), Entered)
    for _ in range(6):
        logins.enter(Attempt("Ann", "?", "her own"), at(0))
    assert isinstance(logins.enter(Attempt("Ann", WORD, "her own"), at(0)), Wait)


def test_an_address_waits_whatever_names_it_tries_and_whatever_works_between(
    accounts: Accounts, logins: Logins
) -> None:
    add(accounts)
    for number in range(20):
        assert isinstance(logins.enter(Attempt(f"name-{number}", "?"), at(0, f"2001:db8::{number:x}")), Wrong)
        if number % 5 == 0:
            assert isinstance(logins.enter(Attempt("Ann", WORD), at(0, "2001:db8::1")), Entered)
    assert logins.enter(Attempt("other", "?"), at(0, "2001:db8::ffff")) == Wait(1)
    assert isinstance(logins.enter(Attempt("other", "?"), at(0, "2001:db9::1")), Wrong)


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


def test_what_cannot_be_a_hash_lets_nobody_in(accounts: Accounts, logins: Logins, database: Database) -> None:
    add(accounts)
    for kept in ("", "plain", None, "$argon2id$v=19$m=8,t=1,p=1$AA$AA"):
        database.write(lambda db, kept=kept: db.execute(update(tables.accounts).values(password=kept)))  # type: ignore[misc]
        assert isinstance(logins.enter(Attempt("Ann", kept or ""), at(0)), Wrong)


def test_servers_that_start_at_once_share_a_secret(database: Database) -> None:
    with ThreadPoolExecutor(3) as pool:
        found = set(pool.map(lambda _: shared_secret(database, "forms"), range(3)))
    assert len(found) == 1
    assert len(found.pop()) == 32
    assert shared_secret(database, "other") not in found
