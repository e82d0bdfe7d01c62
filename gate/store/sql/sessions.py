"""Who is logged in: the browser holds a name that nobody guesses, the store its digest."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, insert, or_, select, update

from gate.domain.people import Account
from gate.store.sql import people_tables as tables
from gate.store.sql.account_rows import ACCOUNT, account
from gate.store.sql.engine import Database

IDLE = timedelta(hours=12)
"""So long nothing was asked, and the session ends."""
WHOLE = timedelta(days=7)
"""No session lasts longer."""
_NOTED = timedelta(minutes=5)
"""A use is written down so often: reading pages writes next to nothing."""
_SESSION = tables.sessions.c
_USED: tuple[ColumnElement[Any], ...] = (*ACCOUNT, _SESSION.used)


@dataclass(frozen=True, slots=True)
class Sessions:
    """All sessions of a store.

    Args:
        database: which has its tables.
    """

    database: Database

    def account(self, token: str, now: datetime) -> Account | None:
        """Whose session it is; None where it has ended, or never was.

        Args:
            token: as the browser holds it.
            now: the time.
        """
        digest = digest_of(token)
        found = (
            select(*_USED)
            .join(tables.accounts, tables.accounts.c.id == _SESSION.account_id)
            .where(
                _SESSION.digest == digest,
                _SESSION.used > now - IDLE,
                _SESSION.made > now - WHOLE,
                tables.accounts.c.disabled.is_(False),
            )
        )
        row = self.database.read(lambda db: db.execute(found).first())
        if row is None:
            return None
        if row.used < now - _NOTED:
            used = update(tables.sessions).where(_SESSION.digest == digest).values(used=now)
            self.database.write(lambda db: db.execute(used))
        return account(row)

    def end(self, token: str) -> None:
        """End one; whoever holds its token is nobody from now on."""
        self.database.write(lambda db: db.execute(delete(tables.sessions).where(_SESSION.digest == digest_of(token))))


def begin(db: Connection, account: int, now: datetime) -> str:
    """A new session, in the transaction of the login; old ones that have ended are forgotten.

    Args:
        db: of the transaction.
        account: who it is.
        now: the time.

    Returns:
        The token that the browser gets.
    """
    over = or_(_SESSION.used <= now - IDLE, _SESSION.made <= now - WHOLE)
    db.execute(delete(tables.sessions).where(over))
    token = secrets.token_urlsafe(32)
    db.execute(insert(tables.sessions).values(digest=digest_of(token), account_id=account, made=now, used=now))
    return token


def end_all(db: Connection, account: int) -> None:
    """End all sessions of an account, in the transaction of what is the reason."""
    db.execute(delete(tables.sessions).where(_SESSION.account_id == account))


def digest_of(token: str) -> str:
    """As the store keeps it."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
