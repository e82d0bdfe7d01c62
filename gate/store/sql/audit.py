"""The log of who did what and when; it is only added to."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Column, ColumnElement, Index, Table, insert, select

from gate.domain.people import Event, EventFilter
from gate.domain.stored_suite import Page
from gate.store.sql.engine import Database
from gate.store.sql.tables import Key, Label, Moment, metadata

events = Table(
    "events",
    metadata,
    Column("id", Key, primary_key=True),
    Column("at", Moment, nullable=False),
    Column("who", Label, nullable=False),
    Column("what", Label, nullable=False),
    Column("about", Label, nullable=False),
    # What one person did, and what happened of one kind, the newest first.
    Index(None, "who", "id"),
    Index(None, "what", "id"),
    sqlite_autoincrement=True,
)

_EVENT = events.c
_CHARS = 500
"""Of each text of an event; an index has to take it."""


@dataclass(frozen=True, slots=True)
class Audit:
    """The log of a store.

    Args:
        database: which has its tables.
    """

    database: Database

    def add(self, event: Event) -> None:
        """Add an event.

        Raises:
            CannotEvaluate: the database does not answer.
        """
        texts = {"who": event.who, "what": event.what, "about": event.about}
        cut = {name: text if len(text) <= _CHARS else f"{text[: _CHARS - 1]}…" for name, text in texts.items()}
        self.database.write(lambda db: db.execute(insert(events).values(at=event.at, **cut)))

    def events(self, wanted: EventFilter, page: Page) -> tuple[Event, ...]:
        """Events, the newest first.

        Args:
            wanted: which.
            page: `after` is the id of the last event of the page before; 0 begins.
        """
        found = select(events).where(*_conditions(wanted)).order_by(_EVENT.id.desc()).limit(page.size)
        if page.after:
            found = found.where(_EVENT.id < page.after)
        return self.database.read(
            lambda db: tuple(Event(row.at, row.who, row.what, row.about, row.id) for row in db.execute(found))
        )

    def kinds(self) -> tuple[str, ...]:
        """What has happened so far."""
        found = select(_EVENT.what).distinct().order_by(_EVENT.what)
        return self.database.read(lambda db: tuple(db.execute(found).scalars()))


def _conditions(wanted: EventFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.who:
        yield _EVENT.who == wanted.who
    if wanted.what:
        yield _EVENT.what == wanted.what
    if wanted.about:
        yield _EVENT.about.contains(wanted.about, autoescape=True)
