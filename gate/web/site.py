"""What all pages of one web interface share: the site, who asks, and what they may do."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request

from gate.store.access import STRANGER, Event, Person
from gate.store.access import Role as Role
from gate.store.sql.access import Audit
from gate.store.sql.database import Database
from gate.store.sql.retention import Clean
from gate.store.sql.runs import Runs
from gate.store.sql.suites import Suites
from gate.web.jobs.board import Jobs
from gate.web.login import Login, Oidc
from gate.web.logs import Log, no_log


@dataclass(frozen=True, slots=True)
class Site:
    """One web interface over one store.

    Args:
        database: of the store, with the tables of this version.
        hosts: names that a browser may call it by, without ports; any other one is refused.
        now: the time.
        login: how people log in; None where the one person of this machine has to do nothing.
        person: who that is, as authors are named.
        url: the address of the server in browsers; empty where they use that of this machine.
        log: is told of every request.
        clean: takes out of the texts of runs what shall not be kept; None keeps all.
        daily: is done once a day; None where nothing is to be done.
        jobs: what asks models; None where the site only shows.
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

    @property
    def audit(self) -> Audit:
        """What was done."""
        return Audit(self.database)


def site_of(request: Request) -> Site:
    """The site that a request is for."""
    site = request.app.state.site
    assert isinstance(site, Site)  # noqa: S101
    return site


_SAFE = ("GET", "HEAD", "OPTIONS")

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


class Refused(Exception):
    """Somebody asks for what they may not do.

    Args:
        status: 401 where a login would help, else 403.
        message: for the reader.
        first: address of the page that would help; empty where none would.
    """

    def __init__(self, status: int, message: str, first: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.first = status, message, first


class Moved(Exception):
    """What somebody asks for has another address by now.

    Args:
        address: that one.
    """

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


def person_of(request: Request) -> Person:
    """Who asks; somebody without a login is nobody. On this machine it is its user, who may edit."""
    found = getattr(request.state, "person", None)
    if found is None:
        site = site_of(request)
        found = Person(site.person, Role.EDITOR) if site.login is None else site.login.person(request)
        request.state.person = found
    assert isinstance(found, Person)  # noqa: S101
    return found


def needs(role: Role) -> Callable[[Endpoint], Endpoint]:
    """Marks an endpoint with the role that it needs; `gate.web.app` refuses to serve one without a mark."""

    def marked(endpoint: Endpoint) -> Endpoint:
        endpoint.needs = role  # type: ignore[attr-defined]
        return endpoint

    return marked


def require_role(role: Role) -> Callable[[Request], None]:
    """The dependency that lets only those pass who have a role.

    Args:
        role: that is needed.
    """

    def allowed(request: Request) -> None:
        person = person_of(request)
        if person.role >= role:
            return
        if person.role is not Role.NOBODY:
            raise Refused(403, f"This needs the role {role.label}, and yours is {person.role.label}.")
        if isinstance(site_of(request).login, Oidc):
            raise Refused(401, "Log in first.", "/login")
        if person == STRANGER:
            raise Refused(403, "The login proxy did not say who you are.")
        raise Refused(
            403, f"{person.name} may not use this server. Its administrator can add you to the viewers or editors."
        )

    return allowed


def from_another_site(request: Request) -> bool:
    """Does the browser say that another site sends a request that may change something?"""
    if request.method in _SAFE:
        return False
    if (site := request.headers.get("sec-fetch-site")) is not None:
        return site not in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is not None and origin.partition("//")[2] != request.headers.get("host", "")


def log_event(request: Request, what: str, about: str = "") -> None:
    """Write into the log what somebody did with this request.

    Args:
        request: that did it.
        what: its kind: words with hyphens, the thing first, as `case-edited`.
        about: what it was done to, for readers.
    """
    site = site_of(request)
    site.audit.add(Event(site.now(), person_of(request).name, what, about))


CurrentPerson = Annotated[Person, Depends(person_of)]
CurrentSite = Annotated[Site, Depends(site_of)]
