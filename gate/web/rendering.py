"""Pages from templates: everything that comes from outside is text, never markup."""

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse, RedirectResponse

from gate.report import numbers
from gate.web import addresses
from gate.web.login import Oidc
from gate.web.site import person_of, site_of

_HERE = Path(__file__).parent
STATIC = _HERE / "static"


def page(request: Request, template: str, status: int = 200, **shown: Any) -> HTMLResponse:
    """A page.

    Args:
        request: that it answers.
        template: name of its template.
        status: of the answer.
        shown: what the template shows.
    """
    site, person = site_of(request), person_of(request)
    every = {
        "person": person,
        "logs_out": isinstance(site.login, Oidc),
        "path": request.url.path,
        "static": _versioned,
    }
    return HTMLResponse(_environment().get_template(template).render({**every, **shown}), status)


def bare_page(template: str, **shown: Any) -> str:
    """A page that needs neither a store nor to know who asks.

    Args:
        template: name of its template.
        shown: what the template shows.
    """
    return _environment().get_template(template).render({"static": _versioned, **shown})


def fragment(template: str, **shown: Any) -> str:
    """Part of a page, for a script that puts it in the place of the one before."""
    return _environment().get_template(template).render(shown)


def redirect(address: str) -> RedirectResponse:
    """What a browser asks for next, once something is done: reloading that page does nothing twice."""
    return RedirectResponse(address, 303)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    loader = FileSystemLoader(_HERE / "templates")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.globals.update(addresses=addresses)
    made.filters.update(dollars=numbers.dollars, duration=numbers.duration, score=numbers.score)
    return made


@lru_cache(maxsize=64)
def _versioned(name: str) -> str:
    """The address of one of our files; it changes with its content, so that browsers may keep it."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"
