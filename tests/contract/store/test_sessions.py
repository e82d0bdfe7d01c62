"""Sessions end by time or at once, and leave no row."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select

from gate.store.sql.access import Sessions, sessions
from gate.store.sql.database import Database

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
LATER = NOW + timedelta(seconds=60)


@pytest.mark.threat("web-session")
def test_a_session_is_open_until_it_expires_or_ends(database: Database) -> None:
    known = Sessions(database)
    first, second = known.begin(NOW, 60), known.begin(NOW, 60)
    assert known.is_open(first, LATER - timedelta(seconds=1)) and not known.is_open(first, LATER)
    known.end(first)
    assert not known.is_open(first, NOW) and known.is_open(second, NOW)
    assert not known.is_open("", NOW)


def test_a_login_forgets_expired_sessions(database: Database) -> None:
    known = Sessions(database)
    known.begin(NOW, 60)
    known.begin(LATER, 60)
    assert database.read(lambda db: db.execute(select(func.count()).select_from(sessions)).scalar_one()) == 1
