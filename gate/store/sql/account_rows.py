"""Accounts as rows of the store."""

import unicodedata
from typing import Any

from sqlalchemy import ColumnElement, Row

from gate.domain.people import Account, Role
from gate.store.sql.people_tables import accounts

_COLUMN = accounts.c
ACCOUNT: tuple[ColumnElement[Any], ...] = (
    *(_COLUMN.id, _COLUMN.name, _COLUMN.role, _COLUMN.disabled, _COLUMN.must_change),
    *(_COLUMN.made, _COLUMN.seen),
    _COLUMN.password.is_not(None).label("has_password"),
)
"""What an account is read from."""


def account(row: Row[Any]) -> Account:
    """The account of a row."""
    role = Role[row.role.upper()]
    times = {"made": row.made, "seen": row.seen}
    return Account(row.id, row.name, role, row.disabled, row.must_change, **times, has_password=row.has_password)


def folded(name: str) -> str:
    """As names are compared: Ann, ann and ａｎｎ are one person."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
