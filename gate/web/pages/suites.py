"""The list of suites."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from gate.web.access import Here, Role, needs
from gate.web.rendering import page

router = APIRouter()


@router.get("/")
@needs(Role.VIEWER)
def suites(request: Request, site: Here) -> HTMLResponse:
    """Every suite, with what became of it last."""
    return page(request, "suites.html.j2", suites=site.suites.names(), runs=site.runs.suites())
