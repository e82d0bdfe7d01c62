"""In and out with OpenID Connect."""

from typing import Annotated

from anyio.to_thread import run_sync
from fastapi import APIRouter, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from gate.domain.people import Role
from gate.web import addresses
from gate.web.access import Asking, Here, needs, noted
from gate.web.login import Oidc
from gate.web.rendering import page, seen_next
from gate.web.site import Site

router = APIRouter()
BACK = "/login/back"
_NEXT = "next"
Next = Annotated[str, Query(max_length=5_000)]


@router.get("/login")
@needs(Role.NOBODY)
def login(request: Request, site: Here, person: Asking, next: Next = "/", said: str = "") -> Response:
    """Leads to the provider."""
    oidc = _oidc(site)
    if person.role is not Role.NOBODY:
        return seen_next(addresses.own(next))
    return page(request, "login.html.j2", provider=oidc.provider, next=next, said=said, why="")


@router.get("/login/start")
@needs(Role.NOBODY)
async def start(request: Request, site: Here, next: Next = "/") -> Response:
    """Send the browser to the provider."""
    oidc = _oidc(site)
    try:
        answer: Response = await oidc.redirect(request, f"{site.url or str(request.base_url).rstrip('/')}{BACK}")
    except Exception as error:
        return _failed(request, oidc, error)
    request.session[_NEXT] = addresses.own(next)
    return answer


@router.get(BACK)
@needs(Role.NOBODY)
async def back(request: Request, site: Here) -> Response:
    """The provider has sent the browser back."""
    oidc = _oidc(site)
    to = str(request.session.get(_NEXT, "/"))
    try:
        person = await oidc.begin(request)
    except Exception as error:
        return _failed(request, oidc, error)
    if person.role is Role.NOBODY:
        why = f"You are logged in at {oidc.provider} as {person.name}, who may not use this server. "
        return _refused(request, oidc, f"{why}Its administrator can add you to the viewers or editors.")
    request.state.person = person
    await run_sync(noted, request, "login")
    return seen_next(to)


@router.post("/logout")
@needs(Role.VIEWER)
def leave(request: Request, site: Here) -> Response:
    """The browser forgets the session."""
    _oidc(site)
    noted(request, "logout")
    request.session.clear()
    return seen_next("/login?said=out")


def _oidc(site: Site) -> Oidc:
    """Where people log in otherwise, or not at all, there are no pages for it.

    Raises:
        HTTPException: there is no provider.
    """
    if not isinstance(site.login, Oidc):
        raise HTTPException(404)
    return site.login


def _failed(request: Request, oidc: Oidc, error: Exception) -> Response:
    """What is wrong is for the log: strangers come here, too."""
    request.state.trouble = f"login failed: {type(error).__name__}: {error}"[:300]
    return _refused(request, oidc, f"{oidc.provider} did not say who you are. Try again; the server's log says why.")


def _refused(request: Request, oidc: Oidc, why: str) -> Response:
    return page(request, "login.html.j2", 403, provider=oidc.provider, next="/", said="", why=why)
