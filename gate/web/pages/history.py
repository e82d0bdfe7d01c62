"""What became of a case and of a suite, version by version, and the way back."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from gate.cases.reading import put_of
from gate.domain.stored_suite import Archive, CaseVersion, Change
from gate.errors import InputErrors
from gate.store.sql.suite_edits import By
from gate.web import addresses
from gate.web.access import Asking, Here, Role, needs, noted
from gate.web.differences import Changed, compared
from gate.web.forms import Form
from gate.web.pages.case import At, Place, versions_of
from gate.web.pages.suite import suite_of
from gate.web.rendering import page, seen_next
from gate.web.site import site_of

router = APIRouter()
Name = Annotated[str, Query(max_length=1_000)]


@dataclass(frozen=True, slots=True)
class Step:
    """One version of a case.

    Args:
        version: what it is.
        changes: since the last version before it that said something.
        first: nothing was there before.
    """

    version: CaseVersion
    changes: tuple[Changed, ...]
    first: bool


@router.get("/case/history")
@needs(Role.VIEWER)
def case_history(request: Request, site: Here, at: At) -> Response:
    """All versions of a case with what each changed, the newest first."""
    found = versions_of(site, at, "history")
    return page(request, "case_history.html.j2", suite=at.suite, case=at.name, steps=_steps(found), current=found[0])


@router.post("/case/archive")
@needs(Role.EDITOR)
def archive(request: Request, person: Asking, sent: Form, at: At) -> Response:
    """The case is no longer asked."""
    site = site_of(request)
    versions_of(site, at)
    by = By(person.name, site.now(), f"archived {at.name}")
    return _done(request, at, Archive(at.name, sent.number("base")), by)


@router.post("/case/restore")
@needs(Role.EDITOR)
def restore(request: Request, person: Asking, sent: Form, at: At) -> Response:
    """A version of a case as the newest one."""
    site, wanted = site_of(request), sent.number("number")
    found = [one for one in versions_of(site, at) if one.number == wanted and one.entry is not None]
    if not found or found[0].entry is None:
        raise HTTPException(404)
    try:
        change = put_of(found[0].entry, sent.number("base"), at.name)
    except InputErrors:
        return seen_next(addresses.case(at.suite, at.name) + "&said=unreadable")
    by = By(person.name, site.now(), f"restored {at.name} as in its version {wanted}")
    return _done(request, at, change, by)


@router.get("/suite/history")
@needs(Role.VIEWER)
def suite_history(request: Request, site: Here, name: Name) -> Response:
    """All versions of a suite, the newest first."""
    return page(request, "suite_history.html.j2", suite=suite_of(site, name), versions=site.suites.history(name))


def _done(request: Request, at: Place, change: Change, by: By) -> Response:
    outcome = site_of(request).suites.change(at.suite, [change], by)
    if isinstance(outcome, tuple):
        return seen_next(addresses.case(at.suite, at.name) + "&said=changed")
    said = "archived" if isinstance(change, Archive) else "restored"
    noted(request, f"case-{said}", f"{at.suite}: {change.name}")
    return seen_next(addresses.case(at.suite, change.name) + f"&said={said}")


def _steps(found: tuple[CaseVersion, ...]) -> list[Step]:
    steps: list[Step] = []
    before: CaseVersion | None = None
    for version in reversed(found):
        changes = compared(before.entry or {}, version.entry) if before and version.entry is not None else ()
        steps.append(Step(version, changes, before is None))
        before = version if version.entry is not None else before
    return steps[::-1]
