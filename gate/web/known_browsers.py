"""Browsers that somebody has logged in with before: strangers who try passwords elsewhere do not hold them up."""

import hmac
import secrets

from fastapi import Request
from starlette.responses import Response

from gate.store.sql.account_rows import folded
from gate.web.access import sealed
from gate.web.cookies import cookie, give
from gate.web.site import site_of

_COOKIE = "prompt-gate-known"
_DAYS = 180


def known_browser(request: Request, name: str) -> str:
    """What the browser is called that asks; empty where this account has never come in with it.

    Args:
        request: of a login.
        name: of the account.
    """
    browser, _, seal = cookie(request, _COOKIE).partition(".")
    return browser if hmac.compare_digest(_seal(request, browser, name).encode(), seal.encode()) else ""


def remember(request: Request, answer: Response, name: str) -> None:
    """Know the browser from now on.

    Args:
        request: of a login that worked.
        answer: to it.
        name: of the account.
    """
    if not known_browser(request, name):
        browser = secrets.token_urlsafe(16)
        give(request, answer, _COOKIE, f"{browser}.{_seal(request, browser, name)}", _DAYS * 24 * 3600)


def _seal(request: Request, browser: str, name: str) -> str:
    return sealed(site_of(request), f"known:{browser}:{folded(name)}")
