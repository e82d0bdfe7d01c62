"""Accounts in tests of the store, whose passwords cost nothing."""

from datetime import UTC, datetime, timedelta

from argon2 import profiles

from gate.domain.people import Account, Actor, EventFilter, Role
from gate.domain.stored_suite import Page
from gate.store.sql.accounts import Accounts, First
from gate.store.sql.audit import Audit
from gate.store.sql.engine import Database
from gate.store.sql.logins import Entered, Outcome
from gate.store.sql.passwords import Passwords

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
BY = Actor("Root", "command line", NOW)
CHEAP = Passwords(profiles.CHEAPEST)
WORD = "correct horse battery"


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
