"""How somebody gets in with a password, or does not, without telling a stranger which names there are."""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sqlalchemy import ColumnElement, Connection, Row, select, update

from gate.domain.people import Account, Actor, Event
from gate.store.sql import audit, sessions, throttle
from gate.store.sql import people_tables as tables
from gate.store.sql.account_rows import ACCOUNT, account, folded
from gate.store.sql.engine import Database
from gate.store.sql.passwords import Passwords
from gate.store.sql.throttle import Bucket, Throttle

_COLUMN = tables.accounts.c
_KEPT: tuple[ColumnElement[Any], ...] = (*ACCOUNT, _COLUMN.password)


@dataclass(frozen=True, slots=True)
class Attempt:
    """What somebody typed.

    Args:
        name, password: as typed.
        browser: that they have logged in with before; empty for one that nobody knows.
    """

    name: str
    password: str = field(repr=False)
    browser: str = ""


@dataclass(frozen=True, slots=True)
class Entered:
    """Somebody is in.

    Args:
        account: whose.
        token: of the new session; the browser alone gets it.
    """

    account: Account
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Wrong:
    """The name, the password or both are wrong, or the account is disabled: nobody is told which."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing was tried.

    Args:
        seconds: before anything is.
    """

    seconds: int


Outcome: TypeAlias = Entered | Wrong | Wait


@dataclass(frozen=True, slots=True)
class Logins:
    """The door of a store.

    Args:
        database: which has its tables.
        passwords: checks them.
    """

    database: Database
    passwords: Passwords = field(default_factory=Passwords)

    def enter(self, attempt: Attempt, by: Actor) -> Outcome:
        """Log in.

        Args:
            attempt: what was typed.
            by: where and when; its name does not matter.
        """
        buckets = _buckets(attempt, by.where)
        row = self._fitting(attempt, buckets, by)
        if not isinstance(row, Row):
            return row
        who = Actor(row.name, by.where, by.now)
        fresh = self.passwords.hashed(attempt.password) if self.passwords.outdated(row.password) else row.password

        def work(db: Connection) -> str | None:
            # Somebody may have changed the password or disabled the account while this one was checked.
            stands = _COLUMN.id == row.id, _COLUMN.password == row.password, _COLUMN.disabled.is_(False)
            used = update(tables.accounts).where(*stands).values(seen=by.now, password=fresh)
            if not db.execute(used).rowcount:
                return None
            audit.keep(db, Event("login"), who)
            return sessions.begin(db, row.id, by.now)

        token = self.database.write(work)
        return Wrong() if token is None else Entered(account(row), token)

    def change_password(self, attempt: Attempt, new: str, by: Actor) -> Outcome:
        """Somebody's own password: every session ends, and a new one begins.

        Args:
            attempt: their name and the password so far.
            new: that was found to be a good one.
            by: who.
        """
        row = self._fitting(attempt, _buckets(attempt, by.where), by)
        if not isinstance(row, Row):
            return row
        hashed = self.passwords.hashed(new)

        def work(db: Connection) -> str | None:
            stands = _COLUMN.id == row.id, _COLUMN.password == row.password, _COLUMN.disabled.is_(False)
            changed = update(tables.accounts).where(*stands).values(password=hashed, must_change=False)
            if not db.execute(changed).rowcount:
                return None
            sessions.end_all(db, row.id)
            audit.keep(db, Event("password-changed"), by)
            return sessions.begin(db, row.id, by.now)

        token = self.database.write(work)
        return Wrong() if token is None else Entered(account(row), token)

    def _fitting(self, attempt: Attempt, buckets: tuple[Bucket, ...], by: Actor) -> Row[Any] | Wrong | Wait:
        """The account that name and password are of."""
        limits = Throttle(self.database)
        if wait := limits.take(buckets, by.now):
            return Wait(wait)
        found = select(*_KEPT).where(_COLUMN.folded == folded(attempt.name))
        row = self.database.read(lambda db: db.execute(found).first())
        kept = None if row is None or row.disabled else row.password
        if not self.passwords.fits(attempt.password, kept) or row is None:
            # An unknown name may be a password that went into the wrong field.
            about = "an unknown name" if row is None else f"{row.name}, who is disabled" if row.disabled else row.name
            audit.Audit(self.database).add(Event("login-failed", about), Actor("", by.where, by.now))
            return Wrong()
        limits.worked(buckets, by.now)
        return row


def _buckets(attempt: Attempt, where: str) -> tuple[Bucket, ...]:
    if attempt.browser:
        return (throttle.of_browser(attempt.browser),)
    return throttle.of_account(attempt.name), throttle.of_address(where)
