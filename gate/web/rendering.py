"""Renders templates; all values are escaped."""

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse, RedirectResponse

from gate import numbers
from gate.web import addresses
from gate.web.login import Oidc
from gate.web.site import Role, person_of, site_of

_HERE = Path(__file__).parent
STATIC = _HERE / "static"


class NavigationEntry(NamedTuple):
    """A link in the header.

    Args:
        parts: first parts of addresses that belong to it.
        role: lowest role that sees it.
    """

    name: str
    address: str
    parts: tuple[str, ...]
    role: Role


def page(request: Request, template: str, status: int = 200, **shown: Any) -> HTMLResponse:
    site, person = site_of(request), person_of(request)
    every = {
        "person": person,
        "navigation": [entry for entry in request.app.state.navigation if person.role >= entry.role],
        "logs_out": isinstance(site.login, Oidc),
        "path": request.url.path,
        "static": _versioned,
    }
    return HTMLResponse(_environment().get_template(template).render({**every, **shown}), status)


def bare_page(template: str, **shown: Any) -> str:
    """A page without a store or a request."""
    return _environment().get_template(template).render({"static": _versioned, **shown})


def fragment(template: str, **shown: Any) -> str:
    """Part of a page; a script puts it in place of the previous one."""
    return _environment().get_template(template).render(shown)


def redirect(address: str) -> RedirectResponse:
    """Redirect after a change, so that reloading the next page repeats nothing."""
    return RedirectResponse(address, 303)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    loader = FileSystemLoader(_HERE / "templates")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.globals |= dict[str, Any](addresses=addresses)
    made.filters.update(dollars=numbers.dollars, duration=numbers.duration, score=numbers.score)
    return made


@lru_cache(maxsize=64)
def _versioned(name: str) -> str:
    """The address of a static file; it changes with its content, so that browsers may cache it."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"
