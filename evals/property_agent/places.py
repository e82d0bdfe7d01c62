"""Queries about one landlord's places; every function takes a connection and the landlord's id."""

import calendar
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import Connection, text


def listings(connection: Connection, landlord: int) -> list[dict[str, Any]]:
    """Name, city, guests and status of all places."""
    return [{key: one[key] for key in ("name", "city", "guests", "status")} for one in _places(connection, landlord)]


def details(connection: Connection, landlord: int, listing: str) -> dict[str, Any]:
    """Everything about one place, with booked nights by month of arrival."""
    (one,) = _places(connection, landlord, listing)
    stays = _stays(connection, landlord, listing)
    months = sorted({stay["arrives"][:7] for stay in stays})
    return {**one, "nights_booked": {month: _nights(stays, month) for month in months}}


def bookings(connection: Connection, landlord: int, listing: str, month: str) -> list[dict[str, Any]]:
    """Stays of one place or all places, in one month or all months."""
    return [one for one in _stays(connection, landlord, listing) if not month or _nights([one], month)]


def occupancy(connection: Connection, landlord: int, month: str, listing: str) -> list[dict[str, Any]]:
    """Booked nights of a month, by place."""
    of = calendar.monthrange(*_year_and_month(month))[1]
    names = [one["name"] for one in _places(connection, landlord, listing)]
    taken = [(name, _nights(_stays(connection, landlord, name), month)) for name in names]
    return [{"listing": name, "nights": n, "of": of, "percent": round(100 * n / of)} for name, n in taken]


def revenue(connection: Connection, landlord: int, month: str, listing: str) -> dict[str, Any]:
    """Euros of the bookings that arrive in a month, by place and in total."""
    _year_and_month(month)
    earned = {one["name"]: 0 for one in _places(connection, landlord, listing)}
    for stay in _stays(connection, landlord, listing):
        if stay["arrives"].startswith(month):
            earned[stay["listing"]] += stay["total"]
    return {"month": month, "by_listing": earned, "total": sum(earned.values())}


def landlord_of(connection: Connection, token: str) -> int | None:
    """The landlord's id for a token; None for an unknown token."""
    found = connection.execute(text("SELECT id FROM landlords WHERE token = :token"), {"token": token}).scalar()
    return None if found is None else int(found)


def _places(connection: Connection, landlord: int, name: str = "") -> list[dict[str, Any]]:
    asked = text(
        "SELECT name, address, city, guests, nightly_price, status FROM listings WHERE landlord_id = :landlord"
        " ORDER BY id"
    )
    rows = [dict(row) for row in connection.execute(asked, {"landlord": landlord}).mappings()]
    found = [row for row in rows if _same(row["name"], name)] if name else rows
    if not found:
        raise LookupError(f"there is no {name}; there are {', '.join(row['name'] for row in rows)}")
    return found


def _stays(connection: Connection, landlord: int, listing: str) -> list[dict[str, Any]]:
    names = {one["name"] for one in _places(connection, landlord, listing)}
    asked = text(
        "SELECT l.name AS listing, b.guest, b.arrives, b.leaves, b.total FROM bookings b"
        " JOIN listings l ON l.id = b.listing_id WHERE l.landlord_id = :landlord ORDER BY b.arrives, b.id"
    )
    rows = connection.execute(asked, {"landlord": landlord}).mappings()
    return [dict(row) for row in rows if row["listing"] in names]


def _nights(stays: Sequence[Mapping[str, Any]], month: str) -> int:
    """Booked nights of a month; the night of the departure does not count."""
    year, number = _year_and_month(month)
    first = date(year, number, 1).toordinal()
    end = first + calendar.monthrange(year, number)[1]
    spans = [[date.fromisoformat(stay[key]).toordinal() for key in ("arrives", "leaves")] for stay in stays]
    return sum(max(0, min(leaves, end) - max(arrives, first)) for arrives, leaves in spans)


def _year_and_month(month: str) -> tuple[int, int]:
    try:
        found = date.fromisoformat(f"{month}-01")
    except ValueError:
        raise ValueError(f"a month is written like 2026-10, not {month!r}") from None
    return found.year, found.month


def _same(one: str, other: str) -> bool:
    return one.casefold() == other.strip().casefold()
