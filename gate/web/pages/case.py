"""The form of a case: new ones, edited ones, and what happens when somebody else was quicker."""

from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from gate.domain.case import Case
from gate.domain.stored_suite import CaseVersion, Conflict
from gate.store.sql.suites import By
from gate.web import addresses
from gate.web.access import Asking, Here, Role, needs
from gate.web.auditing import noted
from gate.web.casecheck import check, put, read_entry
from gate.web.caseform import CaseForm, Mistake, Written, copied, form_of
from gate.web.differences import compared
from gate.web.forms import Form
from gate.web.pages.suite import suite_of
from gate.web.rendering import page, seen_next
from gate.web.site import Site
from gate.web.typed import after, case_form

router = APIRouter()
Name = Annotated[str, Query(max_length=1_000)]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a case stands.

    Args:
        suite: name of its suite.
        name: its id.
        said: what was just done to it.
    """

    suite: Name
    name: Name
    said: Annotated[str, Query(max_length=40)] = ""


At = Annotated[Place, Depends()]


@dataclass(frozen=True, slots=True)
class Desk:
    """A form on its way to a page.

    Args:
        place: where it stands; without a name for a new case.
        form: as typed.
        base: version that was edited; 0 for a new case.
        mistakes: what is wrong with it.
        copy_of: name of the case that it began as.
    """

    place: Place
    form: CaseForm
    base: int = 0
    mistakes: tuple[Mistake, ...] = ()
    copy_of: str = ""


@router.get("/case/new")
@needs(Role.EDITOR)
def new(request: Request, site: Here, suite: Name) -> Response:
    """An empty form."""
    suite_of(site, suite)
    return _new(request, Desk(Place(suite, ""), CaseForm()))


@router.get("/case/duplicate")
@needs(Role.EDITOR)
def duplicate(request: Request, site: Here, at: At) -> Response:
    """The form of a new case that begins as a copy."""
    _, text = _versions(site, at)
    return _new(request, Desk(Place(at.suite, ""), copied(form_of(text.entry or {})), copy_of=at.name))


@router.post("/case/new")
@needs(Role.EDITOR)
def make(request: Request, site: Here, person: Asking, sent: Form, suite: Name) -> Response:
    """A new case, unless one of its name is there."""
    desk = Desk(Place(suite, ""), case_form(sent))
    if site.suites.newest(suite) is None:
        gone = Mistake("", "the suite was removed meanwhile, or never was", "begin it elsewhere, then send again")
        return _new(request, replace(desk, mistakes=(gone,)), 409)
    if (changed := after(desk.form, sent.one("do"))) is not None:
        return _new(request, replace(desk, form=changed))
    written, mistakes = check(desk.form)
    if not mistakes:
        outcome = _saved(site, suite, written, 0, By(person.name, site.now()))
        if isinstance(outcome, str):
            noted(request, "case-added", f"{suite}: {outcome}")
            return seen_next(addresses.case(suite, outcome) + "&said=made")
        mistakes = (Mistake("name", "is taken by another case, maybe an archived one", "choose another name"),)
    return _new(request, replace(desk, mistakes=mistakes), 422)


@router.get("/case")
@needs(Role.VIEWER)
def case(request: Request, site: Here, at: At) -> Response:
    """A case in its form; of an archived one, what it was."""
    current, text = _versions(site, at)
    return _edited(request, Desk(at, form_of(text.entry or {}), current.number), current)


@router.post("/case")
@needs(Role.EDITOR)
def save(request: Request, site: Here, person: Asking, sent: Form, at: At) -> Response:
    """The next version of a case; where somebody was quicker, both texts beside each other."""
    found = site.suites.case(at.suite, at.name)
    current = found[0] if found else None
    desk = Desk(at, case_form(sent), sent.number("base"))
    if (changed := after(desk.form, sent.one("do"))) is not None:
        return _edited(request, replace(desk, form=changed), current)
    written, mistakes = check(desk.form, at.name)
    if mistakes:
        return _edited(request, replace(desk, mistakes=mistakes), current, 422)
    outcome = _saved(site, at.suite, written, desk.base, By(person.name, site.now(), f"edited {at.name}"))
    if isinstance(outcome, str):
        noted(request, "case-edited", f"{at.suite}: {at.name}")
        return seen_next(addresses.case(at.suite, at.name) + "&said=saved")
    return _conflict(request, desk, outcome.current, written)


@router.post("/case/check")
@needs(Role.EDITOR)
def checked(sent: Form, name: Annotated[str | None, Query(max_length=1_000)] = None) -> Response:
    """What is wrong with a form, for the script of its page."""
    _, mistakes = check(case_form(sent), name)
    told = [{"field": one.field, "message": one.message, "hint": one.hint} for one in mistakes]
    return JSONResponse({"mistakes": told})


def _versions(site: Site, at: Place) -> tuple[CaseVersion, CaseVersion]:
    """The newest version of a case, and the newest that says something."""
    found = site.suites.case(at.suite, at.name)
    texts = [version for version in found if version.entry is not None]
    if not texts:
        raise HTTPException(404)
    return found[0], texts[0]


def _saved(site: Site, suite: str, written: Written, base: int, by: By) -> str | Conflict:
    """The name of the case that was saved, or who was quicker."""
    read = read_entry(written.entry)
    assert isinstance(read, Case)  # noqa: S101
    told = by if by.what else replace(by, what=f"added {read.id}")
    outcome = site.suites.change(suite, [put(read, written.entry, base)], told)
    return outcome[0] if isinstance(outcome, tuple) else read.id


def _new(request: Request, desk: Desk, status: int = 200) -> Response:
    return page(request, "case.html.j2", status, **_shown(desk))


def _edited(request: Request, desk: Desk, current: CaseVersion | None, status: int = 200) -> Response:
    return page(request, "case.html.j2", status, **{**_shown(desk), "current": current})


def _conflict(request: Request, desk: Desk, theirs: CaseVersion | None, mine: Written) -> Response:
    """My text is still in the form, and sending it once more puts it on top of theirs."""
    on_top = replace(desk, base=theirs.number if theirs else 0)
    changes = compared(theirs.entry, mine.entry) if theirs is not None and theirs.entry is not None else ()
    return page(request, "case.html.j2", 409, **{**_shown(on_top), "current": theirs, "conflict": changes})


def _shown(desk: Desk) -> dict[str, object]:
    at: dict[str, list[Mistake]] = {}
    for one in desk.mistakes:
        at.setdefault(one.field, []).append(one)
    return {"desk": desk, "form": desk.form, "at": at, "current": None, "conflict": None}
