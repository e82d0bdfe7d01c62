"""In by way of another service, which says who somebody is."""

import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from gate.store.sql.logins import Entered
from gate.store.sql.outside import NotKnown, Outsiders
from gate.store.sql.throttle import Throttle, of_address
from gate.web import addresses
from gate.web.access import SESSION, Here, Role, needs, sealed
from gate.web.auditing import actor, noted
from gate.web.cookies import cookie, give, take_away
from gate.web.oidc import Flow, NotProven, Service
from gate.web.pages.login import asked, begin, held_up
from gate.web.rendering import seen_next
from gate.web.site import Site

router = APIRouter()
_FLOW = "prompt-gate-flow"
_SECONDS = 600
_BACK = "/login/back"


@router.get("/login/elsewhere")
@needs(Role.NOBODY)
def go(request: Request, site: Here, next: Annotated[str, Query(max_length=5_000)] = "/") -> Response:
    """Send the browser to the service."""
    service, flow = _service(site), Flow()
    try:
        address = service.address(flow, _back(request))
    except NotProven as error:
        # Nobody tried to be anybody: that is for the log of the server, and not for that of what people did.
        request.state.trouble = str(error)
        return _failed(request)
    answer = RedirectResponse(address, 303)
    until = str(int(site.now().timestamp()) + _SECONDS)
    kept = json.dumps([flow.state, flow.nonce, flow.verifier, addresses.own(next), until])
    give(request, answer, _FLOW, f"{urlsafe_b64encode(kept.encode()).decode()}.{_seal(site, kept)}", _SECONDS)
    return answer


@router.get(_BACK)
@needs(Role.NOBODY)
def back(request: Request, site: Here) -> Response:
    """The browser is back, with what the service says."""
    service, by = _service(site), actor(request)
    # Each failure is written down, and may ask the service: a stranger has so many as with passwords.
    limits, place = Throttle(site.database), (of_address(by.where),)
    if wait := limits.take(place, by.now):
        return held_up(request, wait)
    try:
        flow, to = _kept(request, site)
        identity = service.identity(flow, _back(request), request.query_params, site.now())
    except NotProven as error:
        noted(request, "login-failed", str(error))
        return _failed(request)
    outcome = Outsiders(site.database, site.entrance.newcomers).enter(identity, by)
    if isinstance(outcome, NotKnown):
        return asked(request, 403, why=outcome.why)
    assert isinstance(outcome, Entered)  # noqa: S101
    limits.worked(place, by.now)
    if old := cookie(request, SESSION):
        site.sessions.end(old)
    answer = seen_next(to)
    take_away(request, answer, _FLOW)
    begin(request, answer, outcome.token)
    return answer


def _service(site: Site) -> Service:
    if site.mode == "local" or site.entrance.service is None:
        raise HTTPException(404)
    return site.entrance.service


def _back(request: Request) -> str:
    """The name in it is one of ours: the guards let no other pass."""
    return f"{request.url.scheme}://{request.headers['host']}{_BACK}"


def _kept(request: Request, site: Site) -> tuple[Flow, str]:
    text, _, seal = cookie(request, _FLOW).partition(".")
    try:
        kept = urlsafe_b64decode(text).decode()
    except ValueError:
        kept = ""
    if not kept or not hmac.compare_digest(_seal(site, kept).encode(), seal.encode(errors="replace")):
        raise NotProven("this browser has asked nothing")
    state, nonce, verifier, to, until = json.loads(kept)
    if site.now().timestamp() > int(until):
        raise NotProven("the answer came too late")
    return Flow(state, nonce, verifier), to


def _seal(site: Site, kept: str) -> str:
    return sealed(site, f"flow:{kept}")


def _failed(request: Request) -> Response:
    answer = asked(
        request, 403, why="The service did not say who you are. Try again; if that does not help, ask an admin."
    )
    take_away(request, answer, _FLOW)
    return answer
