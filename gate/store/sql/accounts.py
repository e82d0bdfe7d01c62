"""Accounts of a store: who may log in, and what they may do; every change is in the log, or was not made."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from gate.domain.people import Account, Actor, Event, Role
from gate.errors import GateError
from gate.inputs.names import person_complaint
from gate.store.sql import audit, sessions
from gate.store.sql import people_tables as tables
from gate.store.sql.account_rows import ACCOUNT, account, folded
from gate.store.sql.engine import Database
from gate.store.sql.passwords import Passwords, complaint

_COLUMN = tables.accounts.c


@dataclass(frozen=True, slots=True)
class First:
    """A password that somebody gets.

    Args:
        text: as it is typed.
        must_change: somebody else knows it, too.
    """

    text: str = field(repr=False)
    must_change: bool = False


@dataclass(frozen=True, slots=True)
class Accounts:
    """All accounts of a store.

    Args:
        database: which has its tables.
        passwords: keeps them.
    """

    database: Database
    passwords: Passwords = field(default_factory=Passwords)

    def all(self) -> tuple[Account, ...]:
        """Everybody, by name."""
        found = select(*ACCOUNT).order_by(_COLUMN.folded)
        return self.database.read(lambda db: tuple(map(account, db.execute(found))))

    def find(self, name: str) -> Account | None:
        """Who has a name, in whatever case it is typed; None where nobody has."""
        found = select(*ACCOUNT).where(_COLUMN.folded == folded(name))
        row = self.database.read(lambda db: db.execute(found).first())
        return None if row is None else account(row)

    def refuse_taken(self, name: str) -> None:
        """Before anybody types a password for a new account.

        Raises:
            GateError: somebody has the name.
        """
        if self.find(name) is not None:
            raise _taken(name)

    def has_admin(self) -> bool:
        """Can somebody manage the others?"""
        found = select(func.count()).select_from(tables.accounts).where(*_admin())
        return bool(self.database.read(lambda db: db.execute(found).scalar_one()))

    def add(self, name: str, role: Role, password: First, by: Actor) -> Account:
        """A new account.

        Args:
            name: which nobody else has.
            role: what they may do.
            password: their first.
            by: who adds it.

        Raises:
            GateError: the name or the password will not do, or somebody has the name.
        """
        self._check(name, password)
        values = {
            **{"name": name, "folded": folded(name), "role": role.label, "password": self._hashed(password)},
            **{"must_change": password.must_change, "disabled": False, "made": by.now},
        }

        def work(db: Connection) -> Account:
            row = db.execute(insert(tables.accounts).values(**values).returning(*ACCOUNT)).one()
            audit.keep(db, Event("account-made", f"{name}: {role.label}"), by)
            return account(row)

        try:
            return self.database.write(work)
        except IntegrityError:
            raise _taken(name) from None

    def set_role(self, id: int, role: Role, by: Actor) -> Account:
        """Somebody may do more, or less, and has to log in again; a role that they have already changes nothing.

        Raises:
            GateError: there is no such account, or it is the last admin's.
        """

        def work(db: Connection, row: Row[Any]) -> None:
            if row.role == role.label:
                return
            if role is not Role.ADMIN:
                _keep_an_admin(db, row)
            _set(db, id, role=role.label)
            sessions.end_all(db, id)
            audit.keep(db, Event("role-changed", f"{row.name}: {row.role} to {role.label}"), by)

        return self._changed(id, work)

    def set_disabled(self, id: int, disabled: bool, by: Actor) -> Account:
        """Somebody may no longer log in, and is logged out everywhere; or may again.

        Raises:
            GateError: there is no such account, or it is the last admin's.
        """

        def work(db: Connection, row: Row[Any]) -> None:
            if row.disabled == disabled:
                return
            if disabled:
                _keep_an_admin(db, row)
                sessions.end_all(db, id)
            _set(db, id, disabled=disabled)
            audit.keep(db, Event("account-disabled" if disabled else "account-enabled", row.name), by)

        return self._changed(id, work)

    def set_password(self, id: int, password: First, by: Actor) -> Account:
        """Somebody gets another password, and is logged out everywhere.

        Raises:
            GateError: there is no such account, or the password will not do.
        """
        self._check(self._named(id), password)
        hashed = self._hashed(password)

        def work(db: Connection, row: Row[Any]) -> None:
            _set(db, id, password=hashed, must_change=password.must_change)
            sessions.end_all(db, id)
            audit.keep(db, Event("password-set", row.name), by)

        return self._changed(id, work)

    def log_out(self, id: int, by: Actor) -> Account:
        """End all sessions of somebody.

        Raises:
            GateError: there is no such account.
        """

        def work(db: Connection, row: Row[Any]) -> None:
            sessions.end_all(db, id)
            audit.keep(db, Event("logged-out", row.name), by)

        return self._changed(id, work)

    def _check(self, name: str, password: First) -> None:
        if wrong := person_complaint(name):
            raise GateError(f"the name {wrong}", "it is what others see beside each change")
        if wrong := complaint(password.text, name):
            raise GateError(f"the password {wrong}", "a few words that have nothing to do with each other are good")

    def _hashed(self, password: First) -> str:
        return self.passwords.hashed(password.text)

    def _named(self, id: int) -> str:
        found = select(_COLUMN.name).where(_COLUMN.id == id)
        name = self.database.read(lambda db: db.execute(found).scalar())
        if name is None:
            raise _nobody()
        return str(name)

    def _changed(self, id: int, work: Callable[[Connection, Row[Any]], None]) -> Account:
        def whole(db: Connection) -> Account:
            # Admins first, and always in one order: two who demote each other wait, and the second is refused.
            db.execute(select(_COLUMN.id).where(*_admin()).order_by(_COLUMN.id).with_for_update()).all()
            found = select(*ACCOUNT).where(_COLUMN.id == id)
            row = db.execute(found.with_for_update()).first()
            if row is None:
                raise _nobody()
            work(db, row)
            return account(db.execute(found).one())

        return self.database.write(whole)


def _admin() -> tuple[Any, Any]:
    return _COLUMN.role == Role.ADMIN.label, _COLUMN.disabled.is_(False)


def _keep_an_admin(db: Connection, row: Row[Any]) -> None:
    others = select(func.count()).select_from(tables.accounts).where(*_admin(), _COLUMN.id != row.id)
    if row.role == Role.ADMIN.label and not row.disabled and not db.execute(others).scalar_one():
        raise GateError(f"{row.name} is the last admin", "make somebody else one first")


def _set(db: Connection, id: int, **values: object) -> None:
    db.execute(update(tables.accounts).where(_COLUMN.id == id).values(**values))


def _nobody() -> GateError:
    return GateError("there is no such account", "gate users list names them all")


def _taken(name: str) -> GateError:
    hint = "names count as the same in upper and lower case; a disabled account keeps its name"
    return GateError(f"there is an account {name!r} already", hint)
