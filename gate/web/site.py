"""Shared by all pages of one web interface: the site, the person, and the role."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Request

from gate.config.values import StoreName
from gate.store.access import STRANGER, Event, Person
from gate.store.access import Role as Role
from gate.store.case_sets import StoreCases
from gate.store.sql.access import Audit
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
        person: author on a personal machine.
        clean: removes from texts of runs what must not be kept; None keeps all.
        jobs: None where the site only shows.
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
        """A suite as a set of cases; somebody is the author of its changes."""
        return StoreCases(self.suites, StoreName(suite), lambda what: Authorship(author, self.now(), what))

    @property
    def audit(self) -> Audit:
        """Log of changes."""
        return Audit(self.database)


def site_of(request: Request) -> WebSite:
    """The site of a request."""
    site = request.app.state.site
    assert isinstance(site, WebSite)  # noqa: S101
    return site


_SAFE = ("GET", "HEAD", "OPTIONS")


class Refused(Exception):
    """The person may not do this.

    Args:
        status: 401 where a login would help, else 403.
        first: address of a page that helps; may be empty.
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
    """The person of a request; nobody without a login. On a personal machine it is its user, who may edit."""
    found = getattr(request.state, "person", None)
    if found is None:
        site = site_of(request)
        found = Person(site.person, Role.EDITOR) if site.login is None else site.login.person(request)
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
            raise Refused(403, f"This needs the role {self.role.label}, and yours is {person.role.label}.")
        if isinstance(site_of(request).login, Oidc):
            raise Refused(401, "Log in first.", "/login")
        if person == STRANGER:
            raise Refused(403, "The login proxy did not say who you are.")
        raise Refused(
            403, f"{person.name} may not use this server. Its administrator can add you to the viewers or editors."
        )


VIEWER = [Depends(RequiredRole(Role.VIEWER))]
EDITOR = [Depends(RequiredRole(Role.EDITOR))]
"""Dependencies of the pages that need these roles."""


def refuse_another_site(request: Request) -> None:
    """The dependency of every page: no other site can send its forms."""
    if from_another_site(request):
        raise Refused(403, "Another site sent this request.")


def from_another_site(request: Request) -> bool:
    """Does the browser say that another site sends a request that may change something?"""
    if request.method in _SAFE:
        return False
    if (site := request.headers.get("sec-fetch-site")) is not None:
        return site not in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is not None and origin.partition("//")[2] != request.headers.get("host", "")


def log_event(request: Request, what: str, about: str = "") -> None:
    """Log what a person did with this request.

    Args:
        what: its kind: words with hyphens, the thing first, such as `case-edited`.
        about: its object, for readers.
    """
    site = site_of(request)
    site.audit.add(Event(site.now(), person_of(request).name, what, about))


CurrentPerson = Annotated[Person, Depends(person_of)]
CurrentSite = Annotated[WebSite, Depends(site_of)]
