"""Who asks, what they may do, and that a request was sent from our own page."""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request

from gate.domain.people import STRANGER, Event, Person
from gate.domain.people import Role as Role
from gate.web.login import Oidc
from gate.web.site import Site
from gate.web.site import site_of as site_of

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


def check(role: Role) -> Callable[[Request], None]:
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


def from_elsewhere(request: Request) -> bool:
    """Does the browser say that another site sends a request that may change something?"""
    if request.method in _SAFE:
        return False
    if (site := request.headers.get("sec-fetch-site")) is not None:
        return site not in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is not None and origin.partition("//")[2] != request.headers.get("host", "")


def noted(request: Request, what: str, about: str = "") -> None:
    """Write into the log what somebody did with this request.

    Args:
        request: that did it.
        what: its kind: words with hyphens, the thing first, as `case-edited`.
        about: what it was done to, for readers.
    """
    site = site_of(request)
    site.audit.add(Event(site.now(), person_of(request).name, what, about))


Asking = Annotated[Person, Depends(person_of)]
Here = Annotated[Site, Depends(site_of)]
