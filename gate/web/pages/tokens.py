"""Tokens of programs, for editors; a secret is on one page, once."""

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from gate.domain.api_token import Issued, Scope
from gate.errors import GateError
from gate.store.sql.tokens import DAYS, Tokens, Wish, scopes_of
from gate.web.access import Asking, Here, Role, needs, noted, site_of
from gate.web.forms import Form
from gate.web.rendering import page, seen_next

router = APIRouter()
NEVER = "never"
ENDS = {"30": "in 30 days", "90": "in 90 days", "365": "in a year", NEVER: "never"}
"""That the form offers."""
MEANT = {
    Scope.RUNS_READ: "read runs",
    Scope.RUNS_WRITE: "push runs",
    Scope.CASES_READ: "read suites and cases",
    Scope.CASES_WRITE: "write suites and cases",
    Scope.METRICS_READ: "read metrics",
}


@dataclass(frozen=True, slots=True)
class Typed:
    """The form of a new token, as typed.

    Args:
        name: what it is for.
        scopes: what it is to allow.
        days: that it is good for, as the form has it.
        complaint: what is wrong; empty for nothing.
        hint: the remedy.
    """

    name: str = ""
    scopes: tuple[str, ...] = ()
    days: str = str(DAYS)
    complaint: str = ""
    hint: str = ""


@router.get("/tokens")
@needs(Role.EDITOR)
def tokens(request: Request, said: str = "") -> Response:
    """The list, and an empty form."""
    return _shown(request, Typed(), said=said)


@router.post("/tokens")
@needs(Role.EDITOR)
def make(request: Request, site: Here, person: Asking, sent: Form) -> Response:
    """A new token, which is shown on this page alone."""
    typed = Typed(sent.one("name").strip(), sent.every("scope"), sent.one("days"))
    try:
        days = None if typed.days == NEVER else sent.number("days")
        wish = Wish(typed.name, person.name, scopes_of(typed.scopes), days)
        issued = Tokens(site.database).create(wish, site.now())
    except GateError as error:
        if error.exit_code != GateError.exit_code:
            raise
        wrong = Typed(typed.name, typed.scopes, typed.days, error.message, error.hint)
        return _shown(request, wrong)
    noted(request, "token-made", issued.token.told)
    return _shown(request, Typed(), issued)


@router.post("/tokens/revoke")
@needs(Role.EDITOR)
def revoke(request: Request, site: Here, sent: Form) -> Response:
    """Refuse a token from now on, whoever made it: somebody who left cannot."""
    if not Tokens(site.database).revoke(sent.number("id"), site.now()):
        raise HTTPException(404)
    noted(request, "token-revoked", str(sent.number("id")))
    return seen_next("/tokens?said=revoked")


def _shown(request: Request, typed: Typed, issued: Issued | None = None, said: str = "") -> Response:
    site = site_of(request)
    found, now = Tokens(site.database).all(), site.now()
    return page(
        request,
        "tokens.html.j2",
        422 if typed.complaint else 200,
        good=[one for one in found if not one.over(now)],
        over=[one for one in found if one.over(now)],
        typed=typed,
        issued=issued,
        said=said,
        scopes=MEANT,
        ends=ENDS,
    )
