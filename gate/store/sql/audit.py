"""The log of who did what, when and from where; it is only added to."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, insert, select

from gate.domain.people import Actor, Event, EventFilter, Logged
from gate.domain.stored_suite import Page
from gate.store.sql import people_tables as tables
from gate.store.sql.engine import Database

_EVENT = tables.events.c
_CHARS = 500
"""Of each text of an event; an index has to take it."""


def keep(db: Connection, event: Event, by: Actor) -> None:
    """Add an event in the transaction of what it tells of: either both are kept, or neither."""
    texts = {"who": by.name, "what": event.what, "about": event.about, "address": by.where}
    cut = {name: text if len(text) <= _CHARS else f"{text[: _CHARS - 1]}…" for name, text in texts.items()}
    db.execute(insert(tables.events).values(at=by.now, **cut))


@dataclass(frozen=True, slots=True)
class Audit:
    """The log of a store.

    Args:
        database: which has its tables.
    """

    database: Database

    def add(self, event: Event, by: Actor) -> None:
        """Add an event.

        Raises:
            CannotEvaluate: the database does not answer.
        """
        self.database.write(lambda db: keep(db, event, by))

    def events(self, wanted: EventFilter, page: Page) -> tuple[Logged, ...]:
        """Events, the newest first.

        Args:
            wanted: which.
            page: `after` is the id of the last event of the page before; 0 begins.
        """
        found = select(tables.events).where(*_conditions(wanted)).order_by(_EVENT.id.desc()).limit(page.size)
        if page.after:
            found = found.where(_EVENT.id < page.after)
        return self.database.read(
            lambda db: tuple(
                Logged(row.id, Actor(row.who, row.address, row.at), Event(row.what, row.about))
                for row in db.execute(found)
            )
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
