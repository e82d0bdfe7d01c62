"""Who asks, what they may do, and that a form was sent from our own page."""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request

from gate.web.site import Site

SESSION = "prompt-gate-session"
"""The cookie; it says who somebody is in server mode, and ties forms to a browser in both."""
TOKEN = "csrf"  # noqa: S105
"""The hidden field of every form."""
_SAFE = ("GET", "HEAD", "OPTIONS")

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


class Role(IntEnum):
    """What somebody may do; each may do all that those before it may."""

    NOBODY = 0
    VIEWER = 1
    EDITOR = 2
    ADMIN = 3


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks.

    Args:
        name: as authors are named.
        role: what they may do.
    """

    name: str
    role: Role


class Refused(Exception):
    """Somebody asks for what they may not do.

    Args:
        status: 401 where a login would help, else 403.
        message: for the reader.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


def site_of(request: Request) -> Site:
    """The site that a request is for."""
    site = request.app.state.site
    assert isinstance(site, Site)  # noqa: S101
    return site


def person_of(request: Request) -> Person:
    """Who asks; somebody without a login is nobody."""
    site = site_of(request)
    if site.mode == "local":
        return Person(site.person, Role.ADMIN)
    return Person("", Role.NOBODY)


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
        if person.role is Role.NOBODY:
            raise Refused(401, "Log in first.")
        raise Refused(403, f"This needs the role {role.name.lower()}, and yours is {person.role.name.lower()}.")

    return allowed


def new_session() -> str:
    """A name for a browser that nobody guesses."""
    return secrets.token_urlsafe(32)


def form_token(site: Site, session: str) -> str:
    """What a form of our own page holds; other pages cannot read it."""
    return hmac.new(site.key, f"form:{session}".encode(), hashlib.sha256).hexdigest()


def check_form(request: Request, token: str) -> None:
    """Let only pass what was sent from our own page.

    Args:
        request: that changes something.
        token: of its form.

    Raises:
        Refused: another page sent it, or the browser has forgotten us since.
    """
    expected = form_token(site_of(request), request.cookies.get(SESSION, ""))
    if not request.cookies.get(SESSION) or not hmac.compare_digest(expected.encode(), token.encode()):
        raise Refused(
            403, "This form is too old, or another page sent it. Go back, reload the page, and send it again."
        )


def from_elsewhere(request: Request) -> bool:
    """Does the browser say that another site sends this request?"""
    if request.method in _SAFE:
        return False
    if (site := request.headers.get("sec-fetch-site")) is not None:
        return site not in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is not None and origin.partition("//")[2] != request.headers.get("host", "")


Asking = Annotated[Person, Depends(person_of)]
Here = Annotated[Site, Depends(site_of)]
