"""What the servers of one store share: the first that needs it makes it, and all find the same."""

import secrets

from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError

from gate.store.sql import people_tables as tables
from gate.store.sql.engine import Database

FORMS = "forms"
"""Seals the forms of the web interface."""
_SECRET = tables.secrets.c


def shared_secret(database: Database, name: str) -> bytes:
    """32 bytes that nobody guesses.

    Args:
        database: which has its tables.
        name: what they are for.
    """
    kept = select(_SECRET.value).where(_SECRET.name == name)
    if (found := database.read(lambda db: db.execute(kept).scalar())) is not None:
        return bytes(found)
    made = insert(tables.secrets).values(name=name, value=secrets.token_bytes(32))
    try:
        database.write(lambda db: db.execute(made))
    except IntegrityError:
        pass  # Another server was quicker.
    return bytes(database.read(lambda db: db.execute(kept).scalar_one()))
