"""In with a name and a password, and out again."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from gate.store.sql.logins import Attempt, Entered, Wait
from gate.store.sql.sessions import WHOLE
from gate.web import addresses
from gate.web.access import PASSWORD_PAGE, SESSION, Asking, Here, Role, needs
from gate.web.auditing import actor, noted
from gate.web.cookies import cookie, give, take_away
from gate.web.forms import Form
from gate.web.known_browsers import known_browser, remember
from gate.web.rendering import page, seen_next
from gate.web.site import Site, site_of

router = APIRouter()
Next = Annotated[str, Query(max_length=5_000)]


@router.get("/login")
@needs(Role.NOBODY)
def login(request: Request, site: Here, person: Asking, next: Next = "/", said: str = "") -> Response:
    """Asks for name and password."""
    with_accounts(site)
    if person.role is not Role.NOBODY:
        return seen_next(addresses.own(next))
    return asked(request, 200, next=next, said=said)


@router.post("/login")
@needs(Role.NOBODY)
def enter(request: Request, site: Here, sent: Form) -> Response:
    """A new session, whatever the browser held before."""
    with_accounts(site)
    name = sent.one("name").strip()
    attempt = Attempt(name, sent.one("password"), known_browser(request, name))
    outcome = site.logins.enter(attempt, actor(request))
    if not isinstance(outcome, Entered):
        shown = {"name": name, "next": sent.one("next")}
        if isinstance(outcome, Wait):
            return held_up(request, outcome.seconds, **shown)
        return asked(request, 422, wrong=True, **shown)
    if old := cookie(request, SESSION):
        site.sessions.end(old)
    to = addresses.own(sent.one("next", "/"))
    answer = seen_next(addresses.after(PASSWORD_PAGE, to, "") if outcome.account.must_change else to)
    begin(request, answer, outcome.token)
    remember(request, answer, name)
    return answer


@router.post("/logout")
@needs(Role.VIEWER)
def leave(request: Request, site: Here, sent: Form) -> Response:
    """The session ends, here and in the store."""
    with_accounts(site)
    site.sessions.end(cookie(request, SESSION))
    noted(request, "logout")
    answer = seen_next("/login?said=out")
    take_away(request, answer, SESSION)
    return answer


def held_up(request: Request, seconds: int, **shown: object) -> Response:
    """The form, and how long nothing is tried.

    Args:
        request: that is answered.
        seconds: to wait.
        shown: what the template shows besides.
    """
    answer = asked(request, 429, wait=seconds, **shown)
    answer.headers["retry-after"] = str(seconds)
    return answer


def begin(request: Request, answer: Response, token: str) -> None:
    """Give the browser its session.

    Args:
        request: that is answered.
        answer: to it.
        token: of the session.
    """
    give(request, answer, SESSION, token, int(WHOLE.total_seconds()))


def with_accounts(site: Site) -> None:
    """Where nobody logs in there are no pages for it.

    Raises:
        HTTPException: the site is for one person.
    """
    if site.mode == "local":
        raise HTTPException(404)


def asked(request: Request, status: int, **shown: object) -> Response:
    """The form, with what came of it.

    Args:
        request: that is answered.
        status: of the answer.
        shown: what the template shows besides.
    """
    service = site_of(request).entrance.service
    every = {"name": "", "next": "/", "said": "", "wrong": False, "wait": 0, "why": "", "service": service}
    return page(request, "login.html.j2", status, **{**every, **shown})
