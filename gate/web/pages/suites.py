"""The list of suites, and how a new one begins."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from gate.inputs.names import name_complaint
from gate.store.sql.suite_edits import By
from gate.web import addresses
from gate.web.access import Asking, Here, Role, needs, noted
from gate.web.forms import Form
from gate.web.rendering import page, seen_next

router = APIRouter()


@router.get("/")
@needs(Role.VIEWER)
def suites(request: Request, site: Here) -> Response:
    """Every suite, with what became of it last."""
    return page(request, "suites.html.j2", suites=site.suites.names(), runs=site.runs.suites())


@router.get("/new-suite")
@needs(Role.EDITOR)
def new_suite(request: Request) -> Response:
    """Asks for a name."""
    return page(request, "suite_new.html.j2", typed="", complaint="")


@router.post("/new-suite")
@needs(Role.EDITOR)
def make_suite(request: Request, site: Here, person: Asking, sent: Form) -> Response:
    """An empty suite of this name; one that is there already is said to be."""
    name = sent.one("suite")
    complaint = name_complaint(name)
    if not complaint and site.suites.newest(name) is not None:
        complaint = "is taken: there is a suite of this name already"
    if complaint:
        return page(request, "suite_new.html.j2", 422, typed=name, complaint=f"The name {complaint}.")
    site.suites.change(name, [], By(person.name, site.now(), "began"))
    noted(request, "suite-made", name)
    return seen_next(addresses.suite(name, said="made"))
