from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from argon2 import Parameters, profiles
from sqlalchemy import select, update

from gate.domain.people import Account, Role
from gate.errors import GateError
from gate.store.sql import people_tables as tables
from gate.store.sql.accounts import Accounts, First
from gate.store.sql.engine import Database
from gate.store.sql.logins import Attempt, Entered, Logins, Wait, Wrong
from gate.store.sql.passwords import Passwords
from gate.store.sql.sessions import Sessions
from tests.support import stores
from tests.support.logins import BY, CHEAP, NOW, WORD, add, at, entered


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with stores.with_tables(tmp_path) as found:
        yield found


@pytest.fixture
def accounts(database: Database) -> Accounts:
    return Accounts(database, CHEAP)


@pytest.fixture
def logins(database: Database) -> Logins:
    return Logins(database, CHEAP)


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


def test_what_cannot_be_a_hash_lets_nobody_in(accounts: Accounts, logins: Logins, database: Database) -> None:
    add(accounts)
    for kept in ("", "plain", None, "$argon2id$v=19$m=8,t=1,p=1$AA$AA"):
        database.write(lambda db, kept=kept: db.execute(update(tables.accounts).values(password=kept)))  # type: ignore[misc]
        assert isinstance(logins.enter(Attempt("Ann", kept or ""), at(0)), Wrong)
