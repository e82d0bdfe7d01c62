"""Fills the database of the example: one landlord with three places, a second one with one place, and their bookings.

    python evals/property_agent/seed.py [URL]

URL is `sqlite:////absolute/path` or `postgresql://user:password@host/name`; the default is a file under `.gate` in the
current folder. The script prints the URL for the variable PROPERTY_DB. It replaces old tables of the example.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

try:
    from sqlalchemy import Connection, Engine, create_engine, make_url, text
except ImportError:
    sys.exit("The example needs SQLAlchemy: pip install '.[agents]'")

TOKEN = "demo-landlord-token"  # noqa: S105 of the example's own data
"""The landlord's token, unless PROPERTY_TOKEN is set."""

TABLES = {
    "landlords": "id INTEGER PRIMARY KEY, name TEXT NOT NULL, token TEXT NOT NULL UNIQUE",
    "listings": "id INTEGER PRIMARY KEY, landlord_id INTEGER NOT NULL, name TEXT NOT NULL, address TEXT NOT NULL,"
    " city TEXT NOT NULL, guests INTEGER NOT NULL, nightly_price INTEGER NOT NULL, status TEXT NOT NULL",
    "bookings": "id INTEGER PRIMARY KEY, listing_id INTEGER NOT NULL, guest TEXT NOT NULL, arrives TEXT NOT NULL,"
    " leaves TEXT NOT NULL, total INTEGER NOT NULL",
    "conversations": "id TEXT PRIMARY KEY, landlord_id INTEGER NOT NULL, started_at TEXT NOT NULL",
    "messages": "id TEXT PRIMARY KEY, conversation_id TEXT NOT NULL, written_at TEXT NOT NULL, role TEXT NOT NULL,"
    " content TEXT NOT NULL",
}
LISTINGS = (
    (1, 1, "Beach House", "12 Dune Road", "Westerland", 6, 210, "active"),
    (2, 1, "Mountain Cabin", "Larch Lane 4", "Mittenwald", 4, 140, "active"),
    (3, 1, "City Apartment", "88 Canal Street, 3rd floor", "Utrecht", 2, 115, "paused"),
    (4, 2, "Lake Cottage", "1 Pier Walk", "Annecy", 5, 180, "active"),
)
BOOKINGS = (
    (1, 1, "Noor Haddad", "2026-09-05", "2026-09-12", 1470),
    (2, 1, "Piet de Vries", "2026-10-02", "2026-10-09", 1470),
    (3, 1, "Ana Ferreira", "2026-10-12", "2026-10-24", 2520),
    (4, 1, "Jonas Weber", "2026-11-06", "2026-11-10", 840),
    (5, 1, "Lena Sund", "2026-12-27", "2027-01-03", 1680),
    (6, 2, "Iris Moreau", "2026-09-18", "2026-09-22", 560),
    (7, 2, "Tom Okafor", "2026-10-16", "2026-10-19", 420),
    (8, 2, "Mina Park", "2026-11-13", "2026-11-27", 1960),
    (9, 2, "Sven Aalto", "2026-12-04", "2026-12-07", 420),
    (10, 2, "Rosa Marin", "2026-12-19", "2026-12-30", 1760),
    (11, 3, "Eli Stern", "2026-09-01", "2026-09-04", 345),
    (12, 3, "Ida Lund", "2026-10-20", "2026-10-25", 575),
    (13, 4, "Paul Girard", "2026-10-01", "2026-10-31", 5400),
)


def engine_of(url: str) -> Engine:
    """The engine for a URL; Postgres uses psycopg."""
    parsed = make_url(url)
    if parsed.drivername in ("postgres", "postgresql"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    waiting = {"timeout": 30} if parsed.get_backend_name() == "sqlite" else {}
    return create_engine(parsed, connect_args=waiting)


def seed(url: str, token: str) -> None:
    """Create all tables again and fill them."""
    engine = engine_of(url)
    try:
        with engine.begin() as connection:
            for name, columns in TABLES.items():
                connection.execute(text(f"DROP TABLE IF EXISTS {name}"))
                connection.execute(text(f"CREATE TABLE {name} ({columns})"))
            _insert(connection, "landlords", [(1, "Mara Lindqvist", token), (2, "Yann Petit", f"{token}-of-yann")])
            _insert(connection, "listings", LISTINGS)
            _insert(connection, "bookings", BOOKINGS)
    finally:
        engine.dispose()


def _insert(connection: Connection, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
    for row in rows:
        values = {f"v{place}": value for place, value in enumerate(row)}
        names = ", ".join(f":{name}" for name in values)
        connection.execute(text(f"INSERT INTO {table} VALUES ({names})"), values)  # noqa: S608 of names above alone


def main() -> None:
    """Fill the database of the command line, or the default one."""
    if len(sys.argv) > 1:
        url = sys.argv[1]
    else:
        path = Path(".gate/property.db").resolve()
        path.parent.mkdir(exist_ok=True)
        url = f"sqlite:///{path}"
    try:
        seed(url, os.environ.get("PROPERTY_TOKEN") or TOKEN)
    except ImportError:
        sys.exit("Postgres needs psycopg: pip install '.[agents,postgres]'")
    print(url)


if __name__ == "__main__":
    main()
