"""The form of a case: new ones, edited ones, and what happens when somebody else was quicker."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from gate.cases.reading import put_of, readable
from gate.domain.stored_suite import CaseVersion, Conflict
from gate.flows.reach import own_reaches
from gate.report.trend.cases import Sighting, sighting
from gate.store.sql.run_insights import Insights
from gate.store.sql.suite_edits import By
from gate.web import addresses
from gate.web.access import Asking, Here, Moved, Role, needs, noted
from gate.web.casecheck import check
from gate.web.caseform import CaseForm, Mistake, Written, copied, entry_of, form_of
from gate.web.differences import compared
from gate.web.forms import Form
from gate.web.pages.suite import suite_of
from gate.web.rendering import page, seen_next
from gate.web.site import Site
from gate.web.typed import after, case_form

router = APIRouter()
Name = Annotated[str, Query(max_length=1_000)]
_TAKEN = Mistake("name", "is taken by another case, maybe an archived one", "choose another name")
_SEEN = 10
"""Runs of its suite in which a case is looked for."""


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
        seen: the runs that asked it.
    """

    place: Place
    form: CaseForm
    base: int = 0
    mistakes: tuple[Mistake, ...] = ()
    copy_of: str = ""
    seen: tuple[Sighting, ...] = ()


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
    _, text = _versions(site, at, "duplicate")
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
        outcome = _saved(site, desk.place, written, 0, By(person.name, site.now()))
        if isinstance(outcome, str):
            noted(request, "case-added", f"{suite}: {outcome}")
            return seen_next(addresses.case(suite, outcome) + "&said=made")
        mistakes = (_TAKEN,)
    return _new(request, replace(desk, mistakes=mistakes), 422)


@router.get("/case")
@needs(Role.VIEWER)
def case(request: Request, site: Here, at: At) -> Response:
    """A case in its form; of an archived one, what it was."""
    versions, text = _versions(site, at)
    seen = Insights(site.database).runs_of(at.suite, _names(versions), _SEEN)
    desk = Desk(at, form_of(text.entry or {}), versions[0].number, seen=tuple(map(sighting, seen)))
    return _edited(request, desk, versions[0])


@router.post("/case")
@needs(Role.EDITOR)
def save(request: Request, site: Here, person: Asking, sent: Form, at: At) -> Response:
    """The next version of a case; where somebody was quicker, both texts beside each other."""
    desk = _found(site, Desk(at, case_form(sent), sent.number("base")), sent.number("case"))
    found = site.suites.case(at.suite, desk.place.name)
    current = found[0] if found else None
    if (changed := after(desk.form, sent.one("do"))) is not None:
        return _edited(request, replace(desk, form=changed), current)
    written, mistakes = check(desk.form)
    if mistakes:
        return _edited(request, replace(desk, mistakes=mistakes), current, 422)
    outcome = _saved(site, desk.place, written, desk.base, By(person.name, site.now()))
    if isinstance(outcome, str):
        noted(request, "case-edited", f"{at.suite}: {outcome}")
        return seen_next(addresses.case(at.suite, outcome) + "&said=saved")
    theirs = outcome.current
    if theirs is not None and theirs.name != desk.place.name:
        return _edited(request, replace(desk, mistakes=(_TAKEN,)), current, 422)
    return _conflict(request, desk, theirs, written)


@router.post("/case/check")
@needs(Role.EDITOR)
def checked(sent: Form) -> Response:
    """What is wrong with a form, for the script of its page."""
    _, mistakes = check(case_form(sent))
    told = [{"field": one.field, "message": one.message, "hint": one.hint} for one in mistakes]
    return JSONResponse({"mistakes": told})


def versions_of(site: Site, at: Place, part: str = "") -> tuple[CaseVersion, ...]:
    """All versions of a case, the newest first.

    Args:
        site: that has it.
        at: where it stands, or stood.
        part: of its address.

    Raises:
        Moved: the case has another name by now.
        HTTPException: there is none, and never was.
    """
    found = site.suites.case(at.suite, at.name)
    if found:
        return found
    name = site.suites.renamed(at.suite, at.name)
    if name is None:
        raise HTTPException(404)
    raise Moved(addresses.case(at.suite, name, part))


def _versions(site: Site, at: Place, part: str = "") -> tuple[tuple[CaseVersion, ...], CaseVersion]:
    """All versions of a case, and the newest that says something; see `versions_of`."""
    found = versions_of(site, at, part)
    texts = [version for version in found if version.entry is not None]
    if not texts:
        raise HTTPException(404)
    return found, texts[0]


def _names(versions: Sequence[CaseVersion]) -> list[str]:
    """All that a case was ever called."""
    called = (entry.get(key) for version in versions if (entry := version.entry) for key in ("id", "name"))
    return list(dict.fromkeys([versions[0].name, *(name for name in called if isinstance(name, str))]))


def _found(site: Site, desk: Desk, case: int) -> Desk:
    """The form at the place where its case is now: somebody may have renamed it."""
    at = desk.place
    name = None if site.suites.case(at.suite, at.name) else site.suites.name_of(at.suite, case)
    if name is None:
        return desk
    form = replace(desk.form, name=name) if desk.form.name == at.name else desk.form
    return replace(desk, place=Place(at.suite, name), form=form)


def _saved(site: Site, at: Place, written: Written, base: int, by: By) -> str | Conflict:
    """The name of the case that was saved, or who was quicker."""
    put = put_of(written.entry, base, at.name)
    told = f"edited {at.name}" if put.name == at.name else f"renamed {at.name} to {put.name}"
    outcome = site.suites.change(at.suite, [put], replace(by, what=told if at.name else f"added {put.name}"))
    return outcome[0] if isinstance(outcome, tuple) else put.name


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
    reached = _reached(desk.form)
    return {"desk": desk, "form": desk.form, "at": at, "current": None, "conflict": None, "reached": reached}


def _reached(form: CaseForm) -> tuple[str, ...]:
    """What the gate will refuse of a case unless its suite in gate.yaml names the same."""
    case = readable(entry_of(form).entry)
    if case is None:
        return ()
    return tuple(dict.fromkeys(f"Its scorer {spec.name} {reach.told}." for spec, reach in own_reaches(case)))
