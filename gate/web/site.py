"""Shared by all pages: the site, the person and the role."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Request

from gate.config.values import StoreName
from gate.store.access import STRANGER, Event, Person
from gate.store.access import Role as Role
from gate.store.case_sets import StoreCases
from gate.store.sql.access import Audit, Sessions
from gate.store.sql.database import Database
from gate.store.sql.retention import Clean
from gate.store.sql.runs import Runs
from gate.store.sql.suites import Authorship, Suites
from gate.web.jobs.board import Jobs
from gate.web.login import Login, Oidc
from gate.web.logs import Log, no_log


@dataclass(frozen=True, slots=True)
class WebSite:
    """One web interface over one store.

    Args:
        person: author when there is no login.
        clean: removes personal data from texts of runs; None removes nothing.
        jobs: None if the site runs no jobs.
    """

    database: Database
    hosts: frozenset[str]
    now: Callable[[], datetime]
    login: Login | None = None
    person: str = "local"
    url: str = ""
    log: Log = no_log
    clean: Clean | None = None
    daily: Callable[[], None] | None = None
    jobs: Jobs | None = None

    @property
    def suites(self) -> Suites:
        """Eval sets of the store."""
        return Suites(self.database)

    @property
    def runs(self) -> Runs:
        """Runs of the store."""
        return Runs(self.database, self.clean)

    def case_set(self, suite: str, author: str = "") -> StoreCases:
        """A suite as a set of cases; `author` is recorded with each change."""
        return StoreCases(self.suites, StoreName(suite), lambda what: Authorship(author, self.now(), what))

    @property
    def audit(self) -> Audit:
        """The audit log."""
        return Audit(self.database)

    @property
    def sessions(self) -> Sessions:
        """Sessions of people who are logged in with OpenID Connect."""
        return Sessions(self.database)


def site_of(request: Request) -> WebSite:
    """The site of a request."""
    site = request.app.state.site
    assert isinstance(site, WebSite)  # noqa: S101
    return site


_SAFE = ("GET", "HEAD", "OPTIONS")


class Refused(Exception):
    """The person may not do this.

    Args:
        status: 401 if a login would help, else 403.
        first: address of the login page; may be empty.
    """

    def __init__(self, status: int, message: str, first: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.first = status, message, first


class Moved(Exception):
    """The page has another address now."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


def person_of(request: Request) -> Person:
    """The person of a request. If the server has no login, the local user, who may edit."""
    found = getattr(request.state, "person", None)
    if found is None:
        site = site_of(request)
        if site.login is None:
            found = Person(site.person, Role.EDITOR)
        elif isinstance(site.login, Oidc):
            found = site.login.person(request, site.sessions, site.now())
        else:
            found = site.login.person(request)
        request.state.person = found
    assert isinstance(found, Person)  # noqa: S101
    return found


@dataclass(frozen=True, slots=True)
class RequiredRole:
    """A dependency that refuses people without a role."""

    role: Role

    def __call__(self, request: Request) -> None:
        person = person_of(request)
        if person.role >= self.role:
            return
        if person.role is not Role.NOBODY:
            raise Refused(403, f"This needs the role {self.role.label}. Your role is {person.role.label}.")
        if isinstance(site_of(request).login, Oidc):
            raise Refused(401, "Please log in.", "/login")
        if person == STRANGER:
            raise Refused(403, "The login proxy did not send your user name.")
        raise Refused(
            403, f"{person.name} has no access to this server. Ask its administrator to add you as a viewer or editor."
        )


VIEWER = [Depends(RequiredRole(Role.VIEWER))]
EDITOR = [Depends(RequiredRole(Role.EDITOR))]
"""Dependencies of the pages that need these roles."""


def refuse_another_site(request: Request) -> None:
    """Dependency of every page: other sites cannot send its forms."""
    if from_another_site(request):
        raise Refused(403, "Another site sent this request.")


def from_another_site(request: Request) -> bool:
    """Did another site send this request, which may change something?"""
    if request.method in _SAFE:
        return False
    if (site := request.headers.get("sec-fetch-site")) is not None:
        return site not in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is not None and origin.partition("//")[2] != request.headers.get("host", "")


def log_event(request: Request, what: str, about: str = "") -> None:
    """Add an entry to the audit log.

    Args:
        what: kind, such as `case-edited`.
        about: the object, for readers.
    """
    site = site_of(request)
    site.audit.add(Event(site.now(), person_of(request).name, what, about))


CurrentPerson = Annotated[Person, Depends(person_of)]
CurrentSite = Annotated[WebSite, Depends(site_of)]
