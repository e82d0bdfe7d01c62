"""API tokens, stored only as digests, sessions of people, and the audit log."""

import hashlib
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Index, Row, Table, delete, insert, or_, select, update

from gate.cases.stored import Page
from gate.config.values import value_complaint
from gate.errors import GateError
from gate.store.access import ApiToken, Event, EventFilter, IssuedToken, Scope, is_token, new_secret
from gate.store.sql.database import Database
from gate.store.sql.tables import Key, Label, Moment, metadata
from gate.values import clipped

api_tokens = Table(
    "api_tokens",
    metadata,
    Column("id", Key, primary_key=True),
    Column("digest", Label, nullable=False, unique=True),
    Column("name", Label, nullable=False),
    Column("owner", Label, nullable=False),
    Column("scopes", Label, nullable=False),
    Column("created", Moment, nullable=False),
    Column("expires", Moment),
    Column("revoked", Moment),
    Column("used", Moment),
    # The tokens of one person.
    Index(None, "owner", "name"),
)
"""`digest` is SHA-256 of the secret, whose 256 bits need no slower hash; `scopes` are joined by blanks."""

DAYS = 90
"""Default lifetime of a token."""
SEEN_EVERY = timedelta(minutes=1)
"""Least time between two notes of a token's use."""
_TOKEN = api_tokens.c
_SHOWN = tuple(column for column in _TOKEN if column is not _TOKEN.digest)


@dataclass(frozen=True, slots=True)
class TokenRequest:
    name: str
    owner: str
    scopes: frozenset[Scope]
    days: int | None = DAYS


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a store."""

    database: Database

    def create(self, request: TokenRequest, now: datetime) -> IssuedToken:
        """Create a token.

        Raises:
            GateError: name or days are invalid, scopes are missing, or the owner has a valid token of that name.
        """
        _check(request)
        secret = new_secret()
        values = {
            **{"digest": _digest(secret), "name": request.name, "owner": request.owner, "created": now},
            "scopes": " ".join(sorted(request.scopes)),
            "expires": None if request.days is None else now + timedelta(days=request.days),
        }

        def work(db: Connection) -> ApiToken:
            same = select(*_SHOWN).where(_TOKEN.owner == request.owner, _TOKEN.name == request.name)
            if any(not _token(row).is_over(now) for row in db.execute(same)):
                raise GateError(f"a token named {request.name!r} exists already", "choose another name, or revoke it")
            return _token(db.execute(insert(api_tokens).values(**values).returning(*_SHOWN)).one())

        return IssuedToken(self.database.write(work), secret)

    def all(self) -> tuple[ApiToken, ...]:
        """All tokens, newest first, including revoked and expired ones."""
        found = select(*_SHOWN).order_by(_TOKEN.id.desc())
        return self.database.read(lambda db: tuple(map(_token, db.execute(found))))

    def revoke(self, id: int, now: datetime) -> bool:
        """Revoke a token; False if no valid token has this id."""
        gone = update(api_tokens).where(_TOKEN.id == id, _TOKEN.revoked.is_(None)).values(revoked=now)
        return self.database.write(lambda db: bool(db.execute(gone).rowcount))

    def find(self, secret: str, now: datetime) -> ApiToken | None:
        """The token of a secret, after recording its use; None if unknown, revoked or expired."""
        if not is_token(secret):
            return None
        found = select(*_SHOWN).where(_TOKEN.digest == _digest(secret))
        row = self.database.read(lambda db: db.execute(found).first())
        if row is None or (token := _token(row)).is_over(now):
            return None
        if token.used is None or now - token.used >= SEEN_EVERY:
            self._seen(token.id, now)
        return token

    def _seen(self, id: int, now: datetime) -> None:
        """Record the use; only one of several concurrent requests does so."""
        old = or_(_TOKEN.used.is_(None), _TOKEN.used <= now - SEEN_EVERY)
        seen = update(api_tokens).where(_TOKEN.id == id, old).values(used=now)
        self.database.write(lambda db: db.execute(seen))


def scopes_of(words: Iterable[str]) -> frozenset[Scope]:
    """Scopes by their names."""
    found = []
    for word in words:
        if word not in list(Scope):
            raise GateError(f"there is no scope {word!r}", f"choose some of {', '.join(Scope)}")
        found.append(Scope(word))
    return frozenset(found)


def _check(request: TokenRequest) -> None:
    for what, name in (("name", request.name), ("owner", request.owner)):
        if complaint := value_complaint(name):
            raise GateError(f"the {what} of a token {complaint}", "give it a short one, for example ci")
    if not request.scopes:
        raise GateError("a token needs a scope", f"choose some of {', '.join(Scope)}")
    if request.days is not None and not 1 <= request.days <= 3650:
        raise GateError("a token expires after 1 to 3650 days, or never", "90 days are usual")


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _token(row: Row[*tuple[Any, ...]]) -> ApiToken:
    scopes = frozenset(Scope(word) for word in row.scopes.split())
    return ApiToken(row.id, row.name, row.owner, scopes, row.created, row.expires, row.revoked, row.used)


sessions = Table("sessions", metadata, Column("id", Label, primary_key=True), Column("expires", Moment, nullable=False))
"""Sessions that have not ended. The signed cookie with the id and the person makes a session; the id alone does not."""

_SESSION = sessions.c


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions of people who are logged in."""

    database: Database

    def begin(self, now: datetime, seconds: int) -> str:
        """Start a session, and forget expired ones; returns its id.

        Args:
            seconds: lifetime.
        """
        id = secrets.token_urlsafe(16)

        def work(db: Connection) -> None:
            db.execute(delete(sessions).where(_SESSION.expires <= now))
            db.execute(insert(sessions).values(id=id, expires=now + timedelta(seconds=seconds)))

        self.database.write(work)
        return id

    def is_open(self, id: str, now: datetime) -> bool:
        """Has the session begun, and neither expired nor ended?"""
        found = select(_SESSION.id).where(_SESSION.id == id, _SESSION.expires > now)
        return self.database.read(lambda db: db.execute(found).first()) is not None

    def end(self, id: str) -> None:
        """End a session."""
        self.database.write(lambda db: db.execute(delete(sessions).where(_SESSION.id == id)))


events = Table(
    "events",
    metadata,
    Column("id", Key, primary_key=True),
    Column("at", Moment, nullable=False),
    Column("who", Label, nullable=False),
    Column("what", Label, nullable=False),
    Column("about", Label, nullable=False),
    # Events of one person, and of one kind, newest first.
    Index(None, "who", "id"),
    Index(None, "what", "id"),
    sqlite_autoincrement=True,
)

_EVENT = events.c
_CHARS = 500
"""Characters of each text of an event, limited by the index."""


@dataclass(frozen=True, slots=True)
class Audit:
    """The audit log of a store."""

    database: Database

    def add(self, event: Event) -> None:
        texts = {"who": event.who, "what": event.what, "about": event.about}
        cut = {name: clipped(text, _CHARS) for name, text in texts.items()}
        self.database.write(lambda db: db.execute(insert(events).values(at=event.at, **cut)))

    def events(self, wanted: EventFilter, page: Page) -> tuple[Event, ...]:
        """Events, newest first.

        Args:
            page: `after` is the id of the last event of the previous page; 0 for the first page.
        """
        found = select(events).where(*_conditions(wanted)).order_by(_EVENT.id.desc()).limit(page.size)
        if page.after:
            found = found.where(_EVENT.id < page.after)
        return self.database.read(
            lambda db: tuple(Event(row.at, row.who, row.what, row.about, row.id) for row in db.execute(found))
        )

    def kinds(self) -> tuple[str, ...]:
        """All kinds of events in the log."""
        found = select(_EVENT.what).distinct().order_by(_EVENT.what)
        return self.database.read(lambda db: tuple(db.execute(found).scalars()))


def _conditions(wanted: EventFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.who:
        yield _EVENT.who == wanted.who
    if wanted.what:
        yield _EVENT.what == wanted.what
    if wanted.about:
        yield _EVENT.about.contains(wanted.about, autoescape=True)
