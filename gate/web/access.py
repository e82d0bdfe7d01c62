"""Who asks, what they may do, and that a form was sent from our own page."""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request

from gate.domain.people import Role as Role
from gate.web.cookies import cookie
from gate.web.site import Site
from gate.web.site import site_of as site_of

SESSION = "prompt-gate-session"
"""The cookie that says who somebody is in server mode."""
BROWSER = "prompt-gate-browser"
"""The cookie that ties forms to a browser; it outlives a session, so that a form can be sent after a new login."""
TOKEN = "csrf"  # noqa: S105
"""The hidden field of every form."""
PASSWORD_PAGE = "/account"  # noqa: S105
"""Where somebody has to go first whose password others know."""
_SAFE = ("GET", "HEAD", "OPTIONS")
_BEFORE_ALL = (PASSWORD_PAGE, "/logout")

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks.

    Args:
        name: as authors are named.
        role: what they may do.
        account: id of their account; 0 without one.
        must_change: others know their password.
        has_password: they log in with one.
    """

    name: str
    role: Role
    account: int = 0
    must_change: bool = False
    has_password: bool = True


STRANGER = Person("", Role.NOBODY)
"""Somebody without a login."""


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
    """Who asks; somebody without a login is nobody. The store is asked once a request."""
    found = getattr(request.state, "person", None)
    if found is None:
        found = request.state.person = _person(request)
    assert isinstance(found, Person)  # noqa: S101
    return found


def person_known(request: Request) -> Person:
    """Who asks, as far as that is known without the store, which may be what does not work."""
    if site_of(request).mode == "local" or hasattr(request.state, "person"):
        return person_of(request)
    return STRANGER


def _person(request: Request) -> Person:
    site = site_of(request)
    if site.mode == "local":
        return Person(site.person, Role.ADMIN)
    token = cookie(request, SESSION)
    found = site.sessions.account(token, site.now()) if token else None
    return (
        STRANGER if found is None else Person(found.name, found.role, found.id, found.must_change, found.has_password)
    )


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
        if person.must_change and role is not Role.NOBODY and request.url.path not in _BEFORE_ALL:
            raise Refused(403, "Choose a password of your own first.", PASSWORD_PAGE)
        if person.role >= role:
            return
        if person.role is Role.NOBODY:
            raise Refused(401, "Log in first.", "/login")
        raise Refused(403, f"This needs the role {role.label}, and yours is {person.role.label}.")

    return allowed


def new_browser() -> str:
    """A name for a browser that nobody guesses."""
    return secrets.token_urlsafe(32)


def sealed(site: Site, what: str) -> str:
    """A seal that nobody else can put under a text."""
    return hmac.new(site.key, what.encode(errors="replace"), hashlib.sha256).hexdigest()


def form_token(site: Site, browser: str, person: Person) -> str:
    """What a form of our own page holds; other pages cannot read it, and it works for this person alone."""
    return sealed(site, f"form:{browser}:{person.name}")


def check_form(request: Request, token: str) -> None:
    """Let only pass what was sent from our own page.

    Args:
        request: that changes something.
        token: of its form.

    Raises:
        Refused: another page sent it, or the browser has forgotten us since.
    """
    browser = cookie(request, BROWSER)
    expected = form_token(site_of(request), browser, person_of(request))
    if not browser or not hmac.compare_digest(expected.encode(), token.encode(errors="replace")):
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
