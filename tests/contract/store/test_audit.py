"""The audit log is read page by page while it grows, and filtered by person, kind and object."""

from datetime import UTC, datetime

from gate.cases.stored import Page
from gate.store.access import Event, EventFilter
from gate.store.sql.access import Audit
from gate.store.sql.database import Database

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)


def test_the_log_is_read_page_by_page_while_it_grows(database: Database) -> None:
    audit = Audit(database)
    for number in range(7):
        audit.add(Event(NOW, "Ann", "edited", str(number)))
    first = audit.events(EventFilter(), Page(3))
    audit.add(Event(NOW, "Ann", "edited", "later\0" + "x" * 9000))
    rest = audit.events(EventFilter(), Page(9, first[-1].id))
    assert [one.about for one in (*first, *rest)] == ["6", "5", "4", "3", "2", "1", "0"]
    assert len(audit.events(EventFilter(), Page(1))[0].about) == 500


def test_the_log_is_searched(database: Database) -> None:
    audit = Audit(database)
    for who, what, about in (("Ann", "login", ""), ("Bob", "case-edited", "support: 100%"), ("Bob", "login", "")):
        audit.add(Event(NOW, who, what, about))

    def told(**wanted: str) -> list[tuple[str, str]]:
        return [(one.who, one.what) for one in audit.events(EventFilter(**wanted), Page(9))]

    assert told(who="Bob") == [("Bob", "login"), ("Bob", "case-edited")]
    assert told(what="login", who="Ann") == [("Ann", "login")]
    assert told(about="0%") == [("Bob", "case-edited")]
    assert told(about="_") == []
    assert audit.kinds() == ("case-edited", "login")
