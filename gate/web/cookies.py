"""Cookies that no script reads and that no plain connection carries, except on this machine."""

from fastapi import Request
from starlette.responses import Response

from gate.web.guards import LOOPBACK_NAMES, host_of
from gate.web.site import site_of

_OURS_ALONE = "__Host-"
"""Browsers take such a cookie from this very name alone: a neighbour under the same domain cannot plant one."""


def cookie(request: Request, name: str) -> str:
    """What the browser holds; empty where it holds nothing."""
    return request.cookies.get(_name(request, name), "")


def give(request: Request, answer: Response, name: str, value: str, seconds: int | None = None) -> None:
    """Have the browser hold something.

    Args:
        request: that is answered.
        answer: to it.
        name: of the cookie.
        value: what it is to hold.
        seconds: how long; until the browser is closed when None.
    """
    secure = _secure(request)
    answer.set_cookie(_name(request, name), value, max_age=seconds, httponly=True, samesite="lax", secure=secure)


def take_away(request: Request, answer: Response, name: str) -> None:
    """Have the browser forget it."""
    answer.delete_cookie(_name(request, name), httponly=True, samesite="lax", secure=_secure(request))


def _name(request: Request, name: str) -> str:
    return f"{_OURS_ALONE}{name}" if _secure(request) else name


def _secure(request: Request) -> bool:
    """By the name that the browser knows us by: what a proxy says of its connection cannot weaken it."""
    site = site_of(request)
    elsewhere = host_of(request.headers) not in LOOPBACK_NAMES
    return request.url.scheme == "https" or (site.mode == "server" and elsewhere and not site.entrance.plain_http)
