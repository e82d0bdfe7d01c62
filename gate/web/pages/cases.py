"""Pages of a case: its form, conflicts between two editors, its history and older versions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from gate.cases.reading import put_of, readable
from gate.cases.stored import Archive, CaseVersion, Change, Conflict
from gate.errors import InputErrors
from gate.report.history import CaseRunView, case_run_view
from gate.resolve.trust import own_reaches
from gate.store.sql.insights import Insights
from gate.store.sql.suites import Authorship
from gate.web import addresses
from gate.web.case_form import (
    CaseForm,
    EntryOfForm,
    FormMistake,
    after_button,
    check_form,
    copy_of_form,
    entry_of_form,
    form_of_entry,
    typed_form,
)
from gate.web.differences import ChangedKey, changed_keys
from gate.web.pages.suites import suite_of
from gate.web.rendering import page, redirect
from gate.web.requests import Form
from gate.web.site import EDITOR, VIEWER, CurrentPerson, CurrentSite, Moved, Site, log_event, site_of

router = APIRouter()
Name = Annotated[str, Query(max_length=1_000)]
_TAKEN = FormMistake("name", "is taken by another case, maybe an archived one", "choose another name")
_SEEN = 10
"""Runs of its suite in which a case is looked for."""


@dataclass(frozen=True, slots=True)
class CasePlace:
    """Name of a case and its suite, and a note on what was just done to it."""

    suite: Name
    name: Name
    said: Annotated[str, Query(max_length=40)] = ""


CaseAddress = Annotated[CasePlace, Depends()]


@dataclass(frozen=True, slots=True)
class CaseEditor:
    """State of the form of a case.

    Args:
        place: without a name for a new case.
        base: version that was edited; 0 for a new case.
    """

    place: CasePlace
    form: CaseForm
    base: int = 0
    mistakes: tuple[FormMistake, ...] = ()
    copy_of: str = ""
    seen: tuple[CaseRunView, ...] = ()


@router.get("/case/new", dependencies=EDITOR)
def new_case(request: Request, site: CurrentSite, suite: Name) -> Response:
    """An empty form."""
    suite_of(site, suite)
    return _new(request, CaseEditor(CasePlace(suite, ""), CaseForm()))


@router.get("/case/duplicate", dependencies=EDITOR)
def duplicate_case(request: Request, site: CurrentSite, at: CaseAddress) -> Response:
    """The form of a new case that begins as a copy."""
    _, text = _versions(site, at, "duplicate")
    return _new(
        request, CaseEditor(CasePlace(at.suite, ""), copy_of_form(form_of_entry(text.entry or {})), copy_of=at.name)
    )


@router.post("/case/new", dependencies=EDITOR)
def make_case(request: Request, site: CurrentSite, person: CurrentPerson, sent: Form, suite: Name) -> Response:
    """A new case, unless one of its name is there."""
    desk = CaseEditor(CasePlace(suite, ""), typed_form(sent))
    if site.suites.newest(suite) is None:
        gone = FormMistake("", "the suite was removed meanwhile, or never was", "begin it elsewhere, then send again")
        return _new(request, replace(desk, mistakes=(gone,)), 409)
    if (changed := after_button(desk.form, sent.one("do"))) is not None:
        return _new(request, replace(desk, form=changed))
    written, mistakes = check_form(desk.form)
    if not mistakes:
        outcome = _saved(site, desk.place, written, 0, Authorship(person.name, site.now()))
        if isinstance(outcome, str):
            log_event(request, "case-added", f"{suite}: {outcome}")
            return redirect(addresses.case(suite, outcome) + "&said=made")
        mistakes = (_TAKEN,)
    return _new(request, replace(desk, mistakes=mistakes), 422)


@router.get("/case", dependencies=VIEWER)
def case(request: Request, site: CurrentSite, at: CaseAddress) -> Response:
    """A case in its form; of an archived one, what it was."""
    versions, text = _versions(site, at)
    seen = Insights(site.database).runs_of(at.suite, _names(versions), _SEEN)
    desk = CaseEditor(at, form_of_entry(text.entry or {}), versions[0].number, seen=tuple(map(case_run_view, seen)))
    return _edited(request, desk, versions[0])


@router.post("/case", dependencies=EDITOR)
def save_case(request: Request, site: CurrentSite, person: CurrentPerson, sent: Form, at: CaseAddress) -> Response:
    """The next version of a case; where somebody was quicker, both texts beside each other."""
    desk = _found(site, CaseEditor(at, typed_form(sent), sent.number("base")), sent.number("case"))
    found = site.suites.case(at.suite, desk.place.name)
    current = found[0] if found else None
    if (changed := after_button(desk.form, sent.one("do"))) is not None:
        return _edited(request, replace(desk, form=changed), current)
    written, mistakes = check_form(desk.form)
    if mistakes:
        return _edited(request, replace(desk, mistakes=mistakes), current, 422)
    outcome = _saved(site, desk.place, written, desk.base, Authorship(person.name, site.now()))
    if isinstance(outcome, str):
        log_event(request, "case-edited", f"{at.suite}: {outcome}")
        return redirect(addresses.case(at.suite, outcome) + "&said=saved")
    theirs = outcome.current
    if theirs is not None and theirs.name != desk.place.name:
        return _edited(request, replace(desk, mistakes=(_TAKEN,)), current, 422)
    return _conflict(request, desk, theirs, written)


@router.post("/case/check", dependencies=EDITOR)
def check_case(sent: Form) -> Response:
    """What is wrong with a form, for the script of its page."""
    _, mistakes = check_form(typed_form(sent))
    told = [{"field": one.field, "message": one.message, "hint": one.hint} for one in mistakes]
    return JSONResponse({"mistakes": told})


def versions_of(site: Site, at: CasePlace, part: str = "") -> tuple[CaseVersion, ...]:
    """All versions of a case, the newest first.

    Raises:
        Moved: the case has another name by now.
        HTTPException: there never was one.
    """
    found = site.suites.case(at.suite, at.name)
    if found:
        return found
    name = site.suites.renamed(at.suite, at.name)
    if name is None:
        raise HTTPException(404)
    raise Moved(addresses.case(at.suite, name, part))


def _versions(site: Site, at: CasePlace, part: str = "") -> tuple[tuple[CaseVersion, ...], CaseVersion]:
    """All versions of a case, and the newest with content; see `versions_of`."""
    found = versions_of(site, at, part)
    texts = [version for version in found if version.entry is not None]
    if not texts:
        raise HTTPException(404)
    return found, texts[0]


def _names(versions: Sequence[CaseVersion]) -> list[str]:
    """All names that the case ever had."""
    called = (entry.get(key) for version in versions if (entry := version.entry) for key in ("id", "name"))
    return list(dict.fromkeys([versions[0].name, *(name for name in called if isinstance(name, str))]))


def _found(site: Site, desk: CaseEditor, case: int) -> CaseEditor:
    """The form with the case's current name: somebody may have renamed it."""
    at = desk.place
    name = None if site.suites.case(at.suite, at.name) else site.suites.name_of(at.suite, case)
    if name is None:
        return desk
    form = replace(desk.form, name=name) if desk.form.name == at.name else desk.form
    return replace(desk, place=CasePlace(at.suite, name), form=form)


def _saved(site: Site, at: CasePlace, written: EntryOfForm, base: int, by: Authorship) -> str | Conflict:
    """The name of the saved case, or the conflict."""
    put = put_of(written.entry, base, at.name)
    told = f"edited {at.name}" if put.name == at.name else f"renamed {at.name} to {put.name}"
    outcome = site.suites.change(at.suite, [put], replace(by, what=told if at.name else f"added {put.name}"))
    return outcome[0] if isinstance(outcome, tuple) else put.name


def _new(request: Request, desk: CaseEditor, status: int = 200) -> Response:
    return page(request, "case.html.j2", status, **_shown(desk))


def _edited(request: Request, desk: CaseEditor, current: CaseVersion | None, status: int = 200) -> Response:
    return page(request, "case.html.j2", status, **{**_shown(desk), "current": current})


def _conflict(request: Request, desk: CaseEditor, theirs: CaseVersion | None, mine: EntryOfForm) -> Response:
    """The user's text is still in the form, and overwrites the other one when it is sent again."""
    on_top = replace(desk, base=theirs.number if theirs else 0)
    changes = changed_keys(theirs.entry, mine.entry) if theirs is not None and theirs.entry is not None else ()
    return page(request, "case.html.j2", 409, **{**_shown(on_top), "current": theirs, "conflict": changes})


def _shown(desk: CaseEditor) -> dict[str, object]:
    at: dict[str, list[FormMistake]] = {}
    for one in desk.mistakes:
        at.setdefault(one.field, []).append(one)
    reached = _reached(desk.form)
    return {"desk": desk, "form": desk.form, "at": at, "current": None, "conflict": None, "reached": reached}


def _reached(form: CaseForm) -> tuple[str, ...]:
    """What the gate refuses in a case unless its suite in gate.yaml names the same."""
    case = readable(entry_of_form(form).entry)
    if case is None:
        return ()
    return tuple(dict.fromkeys(f"Its scorer {spec.name} {reach.told}." for spec, reach in own_reaches(case)))


SuiteName = Annotated[str, Query(max_length=1_000)]


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """One version of a case."""

    version: CaseVersion
    changes: tuple[ChangedKey, ...]
    first: bool


@router.get("/case/history", dependencies=VIEWER)
def case_history(request: Request, site: CurrentSite, at: CaseAddress) -> Response:
    """All versions of a case with what each changed, the newest first."""
    found = versions_of(site, at, "history")
    return page(request, "case_history.html.j2", suite=at.suite, case=at.name, steps=_steps(found), current=found[0])


@router.post("/case/archive", dependencies=EDITOR)
def archive_case(request: Request, person: CurrentPerson, sent: Form, at: CaseAddress) -> Response:
    """The case is no longer asked."""
    site = site_of(request)
    versions_of(site, at)
    by = Authorship(person.name, site.now(), f"archived {at.name}")
    return _done(request, at, Archive(at.name, sent.number("base")), by)


@router.post("/case/restore", dependencies=EDITOR)
def restore_case(request: Request, person: CurrentPerson, sent: Form, at: CaseAddress) -> Response:
    """A version of a case as the newest one."""
    site, wanted = site_of(request), sent.number("number")
    found = [one for one in versions_of(site, at) if one.number == wanted and one.entry is not None]
    if not found or found[0].entry is None:
        raise HTTPException(404)
    try:
        change = put_of(found[0].entry, sent.number("base"), at.name)
    except InputErrors:
        return redirect(addresses.case(at.suite, at.name) + "&said=unreadable")
    by = Authorship(person.name, site.now(), f"restored {at.name} as in its version {wanted}")
    return _done(request, at, change, by)


@router.get("/suite/history", dependencies=VIEWER)
def suite_history(request: Request, site: CurrentSite, name: SuiteName) -> Response:
    """All versions of a suite, the newest first."""
    return page(request, "suite_history.html.j2", suite=suite_of(site, name), versions=site.suites.history(name))


def _done(request: Request, at: CasePlace, change: Change, by: Authorship) -> Response:
    outcome = site_of(request).suites.change(at.suite, [change], by)
    if isinstance(outcome, tuple):
        return redirect(addresses.case(at.suite, at.name) + "&said=changed")
    said = "archived" if isinstance(change, Archive) else "restored"
    log_event(request, f"case-{said}", f"{at.suite}: {change.name}")
    return redirect(addresses.case(at.suite, change.name) + f"&said={said}")


def _steps(found: tuple[CaseVersion, ...]) -> list[HistoryStep]:
    steps: list[HistoryStep] = []
    before: CaseVersion | None = None
    for version in reversed(found):
        changes = changed_keys(before.entry or {}, version.entry) if before and version.entry is not None else ()
        steps.append(HistoryStep(version, changes, before is None))
        before = version if version.entry is not None else before
    return steps[::-1]
