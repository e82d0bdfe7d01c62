"""One's own account: the password, and the way out of every browser."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from gate.store.sql.logins import Attempt, Entered, Wait
from gate.store.sql.passwords import FEWEST, complaint
from gate.web import addresses
from gate.web.access import SESSION, Asking, Here, Role, needs
from gate.web.auditing import actor
from gate.web.cookies import take_away
from gate.web.forms import Form
from gate.web.known_browsers import known_browser
from gate.web.pages.login import begin, with_accounts
from gate.web.rendering import page, seen_next

router = APIRouter()
Next = Annotated[str, Query(max_length=5_000)]


@router.get("/account")
@needs(Role.VIEWER)
def account(request: Request, site: Here, next: Next = "/", said: str = "") -> Response:
    """Who one is, and the form of a new password."""
    with_accounts(site)
    return _shown(request, 200, next=next, said=said)


@router.post("/account")
@needs(Role.VIEWER)
def change_password(request: Request, site: Here, person: Asking, sent: Form) -> Response:
    """Another password; all other sessions end."""
    with_accounts(site)
    to, current, new = sent.one("next", "/"), sent.one("current"), sent.one("new")
    wrong = complaint(new, person.name) or ("must be another one than so far" if new == current else "")
    if wrong:
        return _shown(request, 422, next=to, at="new", why=f"The new password {wrong}.")
    if sent.one("again") != new:
        return _shown(request, 422, next=to, at="again", why="This is not what you typed above.")
    attempt = Attempt(person.name, current, known_browser(request, person.name))
    outcome = site.logins.change_password(attempt, new, actor(request))
    if isinstance(outcome, Wait):
        why = f"Too many tries failed. Wait {outcome.seconds} seconds, then try again."
        return _shown(request, 429, next=to, at="current", why=why)
    if not isinstance(outcome, Entered):
        return _shown(request, 422, next=to, at="current", why="This is not your password so far.")
    answer = seen_next(addresses.own(to) if person.must_change else "/account?said=changed")
    begin(request, answer, outcome.token)
    return answer


@router.post("/account/leave")
@needs(Role.VIEWER)
def leave_everywhere(request: Request, site: Here, person: Asking, sent: Form) -> Response:
    """Every session of this account ends, this one too."""
    with_accounts(site)
    site.accounts.log_out(person.account, actor(request))
    answer = seen_next("/login?said=out")
    take_away(request, answer, SESSION)
    return answer


def _shown(request: Request, status: int, **shown: object) -> Response:
    every = {"next": "/", "said": "", "at": "", "why": "", "fewest": FEWEST}
    return page(request, "account.html.j2", status, **{**every, **shown})
