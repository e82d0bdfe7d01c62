"""Pages on access: login with OpenID Connect, the audit log, and tokens."""

from dataclasses import asdict, dataclass
from typing import Annotated

from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from gate.cases.stored import Page
from gate.errors import CannotEvaluate, GateError
from gate.store.access import STRANGER, EventFilter, IssuedToken, Role, Scope
from gate.store.sql.access import DAYS, TokenRequest, Tokens, scopes_of
from gate.web import addresses
from gate.web.login import Oidc
from gate.web.rendering import page, redirect
from gate.web.requests import Form
from gate.web.site import EDITOR, VIEWER, CurrentPerson, CurrentSite, WebSite, log_event, site_of

router = APIRouter()
BACK = "/login/back"
_NEXT = "next"
Next = Annotated[str, Query(max_length=5_000)]


@router.get("/login")
def login(request: Request, site: CurrentSite, person: CurrentPerson, next: Next = "/", said: str = "") -> Response:
    """The login page."""
    oidc = _oidc(site)
    if person.role is not Role.NOBODY:
        return redirect(addresses.own(next))
    return page(request, "login.html.j2", provider=oidc.provider, next=next, said=said, why="")


@router.get("/login/start")
async def start_login(request: Request, site: CurrentSite, next: Next = "/") -> Response:
    """Send the browser to the provider."""
    oidc = _oidc(site)
    try:
        answer: Response = await oidc.redirect(request, f"{site.url or str(request.base_url).rstrip('/')}{BACK}")
    except Exception as error:
        return _failed(request, oidc, error)
    request.session[_NEXT] = addresses.own(next)
    return answer


@router.get(BACK)
async def finish_login(request: Request, site: CurrentSite) -> Response:
    """Finish the login when the provider sends the browser back."""
    oidc = _oidc(site)
    to = str(request.session.get(_NEXT, "/"))
    try:
        person = await oidc.begin(request, site.sessions, site.now())
    except CannotEvaluate:
        raise
    except Exception as error:
        return _failed(request, oidc, error)
    if person.role is Role.NOBODY:
        why = f"You are logged in at {oidc.provider} as {person.name}, but you have no access to this server. "
        return _refused(request, oidc, f"{why}Ask its administrator to add you as a viewer or editor.")
    request.state.person = person
    await run_sync(log_event, request, "login")
    return redirect(to)


@router.post("/logout", dependencies=VIEWER)
def log_out(request: Request, site: CurrentSite) -> Response:
    """End the session."""
    oidc = _oidc(site)
    log_event(request, "logout")
    oidc.end(request, site.sessions)
    return redirect("/login?said=out")


def _oidc(site: WebSite) -> Oidc:
    """The OpenID Connect login of a site."""
    if not isinstance(site.login, Oidc):
        raise HTTPException(404)
    return site.login


def _failed(request: Request, oidc: Oidc, error: Exception) -> Response:
    """Log the reason, but do not show it: this page is public."""
    request.state.trouble = f"login failed: {type(error).__name__}: {error}"[:300]
    return _refused(
        request,
        oidc,
        f"The login with {oidc.provider} failed. Try again. The administrator finds the cause in the server's log.",
    )


def _refused(request: Request, oidc: Oidc, why: str) -> Response:
    # The page names nobody, so the store is not asked whose session it is.
    request.state.person = STRANGER
    return page(request, "login.html.j2", 403, provider=oidc.provider, next="/", said="", why=why)


EVENTS_A_PAGE = 50
_MOST = 2**53


@dataclass(frozen=True, slots=True)
class EventQuery:
    """Filter of the audit log; empty fields match all."""

    who: Annotated[str, Query(max_length=200)] = ""
    what: Annotated[str, Query(max_length=200)] = ""
    about: Annotated[str, Query(max_length=200)] = ""

    @property
    def kept(self) -> dict[str, str]:
        """Query parameters for the next page."""
        return {name: value for name, value in asdict(self).items() if value}


@router.get("/audit", dependencies=EDITOR)
def audit(
    request: Request,
    site: CurrentSite,
    asked: Annotated[EventQuery, Depends()],
    after: Annotated[int, Query(ge=0, le=_MOST)] = 0,
) -> Response:
    """The audit log, newest first."""
    found = site.audit.events(
        EventFilter(asked.who.strip(), asked.what, asked.about.strip()), Page(EVENTS_A_PAGE + 1, after)
    )
    following = found[EVENTS_A_PAGE - 1].id if len(found) > EVENTS_A_PAGE else 0
    return page(
        request,
        "audit.html.j2",
        asked=asked,
        kept=asked.kept,
        after=after,
        following=following,
        events=found[:EVENTS_A_PAGE],
        kinds=site.audit.kinds(),
    )


NEVER = "never"
ENDS = {"30": "in 30 days", "90": "in 90 days", "365": "in a year", NEVER: "never"}
"""Choices for the expiry."""
MEANT = {
    Scope.RUNS_READ: "read runs",
    Scope.RUNS_WRITE: "push runs",
    Scope.CASES_READ: "read suites and cases",
    Scope.CASES_WRITE: "write suites and cases",
    Scope.METRICS_READ: "read metrics",
}


@dataclass(frozen=True, slots=True)
class TokenForm:
    """The form of a new token, as typed."""

    name: str = ""
    scopes: tuple[str, ...] = ()
    days: str = str(DAYS)
    complaint: str = ""
    hint: str = ""


@router.get("/tokens", dependencies=EDITOR)
def tokens(request: Request, said: str = "") -> Response:
    """The list and an empty form."""
    return _shown(request, TokenForm(), said=said)


@router.post("/tokens", dependencies=EDITOR)
def make_token(request: Request, site: CurrentSite, person: CurrentPerson, sent: Form) -> Response:
    """Create a token and show it once."""
    typed = TokenForm(sent.one("name").strip(), sent.every("scope"), sent.one("days"))
    try:
        days = None if typed.days == NEVER else sent.number("days")
        wish = TokenRequest(typed.name, person.name, scopes_of(typed.scopes), days)
        issued = Tokens(site.database).create(wish, site.now())
    except GateError as error:
        if error.exit_code != GateError.exit_code:
            raise
        wrong = TokenForm(typed.name, typed.scopes, typed.days, error.message, error.hint)
        return _shown(request, wrong)
    log_event(request, "token-created", issued.token.description)
    return _shown(request, TokenForm(), issued)


@router.post("/tokens/revoke", dependencies=EDITOR)
def revoke_token(request: Request, site: CurrentSite, sent: Form) -> Response:
    """Revoke a token, whoever created it."""
    if not Tokens(site.database).revoke(sent.number("id"), site.now()):
        raise HTTPException(404)
    log_event(request, "token-revoked", str(sent.number("id")))
    return redirect("/tokens?said=revoked")


def _shown(request: Request, typed: TokenForm, issued: IssuedToken | None = None, said: str = "") -> Response:
    site = site_of(request)
    found, now = Tokens(site.database).all(), site.now()
    return page(
        request,
        "tokens.html.j2",
        422 if typed.complaint else 200,
        good=[one for one in found if not one.is_over(now)],
        over=[one for one in found if one.is_over(now)],
        typed=typed,
        issued=issued,
        said=said,
        scopes=MEANT,
        ends=ENDS,
    )
