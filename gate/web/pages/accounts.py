"""Everybody's accounts, for admins: who may come in, and what they may do there."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from gate.domain.people import ROLES, Account, Actor
from gate.errors import CannotEvaluate, GateError
from gate.store.sql import passwords
from gate.store.sql.accounts import Accounts, First
from gate.web.access import Here, Role, needs
from gate.web.auditing import actor
from gate.web.forms import Form, Sent
from gate.web.pages.login import with_accounts
from gate.web.rendering import page, seen_next
from gate.web.site import site_of

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Told:
    """What came of a form.

    Args:
        why: it was not done; empty where it was.
        name: that was typed.
        role: that was chosen.
        first: the password of somebody, to be shown once.
    """

    why: str = ""
    name: str = ""
    role: Role = Role.VIEWER
    first: tuple[str, str] | None = None


@router.get("/accounts")
@needs(Role.ADMIN)
def accounts(request: Request, site: Here, said: Annotated[str, Query(max_length=40)] = "") -> Response:
    """Everybody, with their roles."""
    with_accounts(site)
    return _shown(request, Told(), said=said)


@router.post("/accounts")
@needs(Role.ADMIN)
def invite(request: Request, site: Here, sent: Form) -> Response:
    """A new account, with a password that is shown once and has to be changed."""
    with_accounts(site)
    name, role, first = sent.one("name").strip(), _role(sent), passwords.made()
    try:
        made = site.accounts.add(name, role, First(first, must_change=True), actor(request))
    except CannotEvaluate:
        raise
    except GateError as error:
        return _shown(request, Told(f"{error.message}: {error.hint}.", name, role), 422)
    return _shown(request, Told(first=(made.name, first)))


@router.post("/accounts/{id}")
@needs(Role.ADMIN)
def change(request: Request, site: Here, id: Annotated[int, Path(ge=1, lt=2**31)], sent: Form) -> Response:
    """Another role or password of somebody, or no way in."""
    with_accounts(site)
    do, by = sent.one("do"), actor(request)
    try:
        if do == "password":
            first = passwords.made()
            account = site.accounts.set_password(id, First(first, must_change=True), by)
            return _shown(request, Told(first=(account.name, first)))
        _changed(site.accounts, id, sent, by)
    except CannotEvaluate:
        raise
    except GateError as error:
        return _shown(request, Told(f"{error.message}: {error.hint}."), 422)
    return seen_next("/accounts?said=done")


def _changed(accounts: Accounts, id: int, sent: Sent, by: Actor) -> Account:
    match sent.one("do"):
        case "role":
            return accounts.set_role(id, _role(sent), by)
        case "disable" | "enable" as do:
            return accounts.set_disabled(id, do == "disable", by)
        case "leave":
            return accounts.log_out(id, by)
    raise HTTPException(422, "Choose what to do.")


def _role(sent: Sent) -> Role:
    found = {role.label: role for role in ROLES}.get(sent.one("role"))
    if found is None:
        raise HTTPException(422, "There is no such role.")
    return found


def _shown(request: Request, told: Told, status: int = 200, said: str = "") -> Response:
    everybody = site_of(request).accounts.all()
    return page(request, "accounts.html.j2", status, accounts=everybody, roles=ROLES, told=told, said=said)
