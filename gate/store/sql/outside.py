"""People whom another service knows: the first time they get an account, or find the one that waits for them."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update
from sqlalchemy.exc import IntegrityError

from gate.domain.people import Actor, Event, Role
from gate.inputs.names import person_complaint
from gate.store.sql import audit, sessions
from gate.store.sql import people_tables as tables
from gate.store.sql.account_rows import ACCOUNT, account, folded
from gate.store.sql.engine import Database
from gate.store.sql.logins import Entered
from gate.store.sql.token_tables import api_tokens

_COLUMN = tables.accounts.c
_NAMES = 100


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody as another service knows them.

    Args:
        issuer, subject: who says so, and their name for that person, which never becomes another's.
        email: that the service has verified; empty where it has not.
        name: as the person calls themselves; proves nothing.
    """

    issuer: str
    subject: str
    email: str
    name: str


@dataclass(frozen=True, slots=True)
class NotKnown:
    """Nobody gets in.

    Args:
        why: for the person.
    """

    why: str


@dataclass(frozen=True, slots=True)
class Outsiders:
    """The door of a store for people whom another service knows.

    Args:
        database: which has its tables.
        newcomers: role of somebody without an account; None turns them away.
    """

    database: Database
    newcomers: Role | None

    def enter(self, identity: Identity, by: Actor) -> Entered | NotKnown:
        """Log somebody in whom the service has named.

        An account that nobody has come to from outside yet, with the verified address as its name, is theirs.

        Args:
            identity: proven by the service.
            by: where and when; its name does not matter.
        """
        try:
            return self.database.write(lambda db: self._entered(db, identity, by))
        except IntegrityError:
            # Another request made the account first: now it is there.
            return self.database.write(lambda db: self._entered(db, identity, by))

    def _entered(self, db: Connection, identity: Identity, by: Actor) -> Entered | NotKnown:
        row = self._known(db, identity, by)
        if row is None or row.disabled:
            why = "Your account is disabled." if row is not None else "Nobody has made an account for you here."
            told = row.name if row is not None else identity.email or identity.subject
            audit.keep(db, Event("login-failed", f"{told}, by {identity.issuer}"), Actor("", by.where, by.now))
            return NotKnown(why)
        db.execute(update(tables.accounts).where(_COLUMN.id == row.id).values(seen=by.now))
        audit.keep(db, Event("login", f"by {identity.issuer}"), Actor(row.name, by.where, by.now))
        return Entered(account(row), sessions.begin(db, row.id, by.now))

    def _known(self, db: Connection, identity: Identity, by: Actor) -> Row[Any] | None:
        own = _COLUMN.issuer == identity.issuer, _COLUMN.subject == identity.subject
        if (row := db.execute(select(*ACCOUNT).where(*own)).first()) is not None:
            return row
        named = select(*ACCOUNT).where(_COLUMN.folded == folded(identity.email), _COLUMN.issuer.is_(None))
        waiting = db.execute(named.with_for_update()).first() if identity.email else None
        if waiting is not None:
            theirs: dict[str, Any] = {"issuer": identity.issuer, "subject": identity.subject}
            if waiting.must_change:
                # Others know that password, and nobody would be asked to change it any more.
                theirs |= {"password": None, "must_change": False}
            db.execute(update(tables.accounts).where(_COLUMN.id == waiting.id).values(**theirs))
            audit.keep(db, Event("account-linked", f"{waiting.name}: {identity.issuer}"), by)
            return db.execute(select(*ACCOUNT).where(*own)).one()
        return self._new(db, identity, by) if self.newcomers is not None else None

    def _new(self, db: Connection, identity: Identity, by: Actor) -> Row[Any]:
        assert self.newcomers is not None  # noqa: S101
        name, role = _free_name(db, identity), self.newcomers.label
        values = {
            **{"name": name, "folded": folded(name), "role": role, "must_change": False, "disabled": False},
            **{"made": by.now, "issuer": identity.issuer, "subject": identity.subject},
        }
        audit.keep(db, Event("account-made", f"{name}: {role}, by {identity.issuer}"), by)
        return db.execute(insert(tables.accounts).values(**values).returning(*ACCOUNT)).one()


def _free_name(db: Connection, identity: Identity) -> str:
    """A name that nobody has: what somebody did before must not look like theirs, nor their tokens become theirs."""
    wanted = identity.email or identity.name
    name = identity.subject if person_complaint(wanted) else wanted
    name = "somebody" if person_complaint(name) else name
    tries = [name, *(f"{name[:180]} {number}" for number in range(2, _NAMES))]
    taken = select(_COLUMN.folded).where(_COLUMN.folded.in_([folded(one) for one in tries]))
    known = {*db.execute(taken).scalars(), *map(folded, db.execute(select(api_tokens.c.owner).distinct()).scalars())}
    return next((one for one in tries if folded(one) not in known), f"{name[:100]} {identity.subject[:90]}")
