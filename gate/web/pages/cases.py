"""Pages of a case: its form, conflicts between two editors, its history and older versions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from gate.cases.reading import put_of, readable
from gate.cases.stored import Archive, CaseVersion, Change
from gate.errors import InputErrors
from gate.report.history import CaseRunView, case_run_view
from gate.resolve.trust import own_reaches
from gate.store.sql.insights import Insights
from gate.web import addresses
from gate.web.case_form import (
    CaseForm,
    FormError,
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
from gate.web.site import EDITOR, VIEWER, CurrentPerson, CurrentSite, Moved, WebSite, log_event, person_of, site_of

router = APIRouter()
Name = Annotated[str, Query(max_length=1_000)]
_TAKEN = FormError("name", "is already used by another case, which may be archived", "choose another name")
_SEEN = 10
"""Limit of runs shown for a case."""


@dataclass(frozen=True, slots=True)
class CasePlace:
    """A case and its suite; `said` names the message to show."""

    suite: Name
    name: Name
    said: Annotated[str, Query(max_length=40)] = ""


CaseAddress = Annotated[CasePlace, Depends()]


@dataclass(frozen=True, slots=True)
class CaseEditor:
    """State of the form of a case.

    Args:
        place: its name is empty for a new case.
        base: version that is edited; 0 for a new case.
    """

    place: CasePlace
    form: CaseForm
    base: int = 0
    errors: tuple[FormError, ...] = ()
    copy_of: str = ""
    seen: tuple[CaseRunView, ...] = ()


@router.get("/case/new", dependencies=EDITOR)
def new_case(request: Request, site: CurrentSite, suite: Name) -> Response:
    """An empty form."""
    suite_of(site, suite)
    return _shown(request, CaseEditor(CasePlace(suite, ""), CaseForm()))


@router.get("/case/duplicate", dependencies=EDITOR)
def duplicate_case(request: Request, site: CurrentSite, at: CaseAddress) -> Response:
    """The form of a new case, filled from a copy."""
    _, text = _versions(site, at, "duplicate")
    copy = copy_of_form(form_of_entry(text.entry or {}))
    return _shown(request, CaseEditor(CasePlace(at.suite, ""), copy, copy_of=at.name))


@router.post("/case/new", dependencies=EDITOR)
def make_case(request: Request, site: CurrentSite, person: CurrentPerson, sent: Form, suite: Name) -> Response:
    """Create a case; refused if the name is taken."""
    suite_of(site, suite)
    editor = CaseEditor(CasePlace(suite, ""), typed_form(sent))
    if (changed := after_button(editor.form, sent.one("do"))) is not None:
        return _shown(request, replace(editor, form=changed))
    entry, errors = check_form(editor.form)
    if not errors:
        put = put_of(entry)
        if isinstance(site.case_set(suite, person.name).change([put], f"added {put.name}"), str):
            log_event(request, "case-added", f"{suite}: {put.name}")
            return redirect(addresses.case(suite, put.name) + "&said=made")
        errors = (_TAKEN,)
    return _shown(request, replace(editor, errors=errors), 422)


@router.get("/case", dependencies=VIEWER)
def case(request: Request, site: CurrentSite, at: CaseAddress) -> Response:
    """A case in its form; for an archived case, its last content."""
    versions, text = _versions(site, at)
    seen = Insights(site.database).runs_of(at.suite, _names(versions), _SEEN)
    editor = CaseEditor(at, form_of_entry(text.entry or {}), versions[0].number, seen=tuple(map(case_run_view, seen)))
    return _shown(request, editor, current=versions[0])


@router.post("/case", dependencies=EDITOR)
def save_case(request: Request, site: CurrentSite, person: CurrentPerson, sent: Form, at: CaseAddress) -> Response:
    """Save a new version of a case; if someone else saved in between, show both texts."""
    editor = _found(site, CaseEditor(at, typed_form(sent), sent.number("base")), sent.number("case"))
    current = next(iter(site.suites.case(at.suite, editor.place.name)), None)
    if (changed := after_button(editor.form, sent.one("do"))) is not None:
        return _shown(request, replace(editor, form=changed), current=current)
    entry, errors = check_form(editor.form)
    if errors:
        return _shown(request, replace(editor, errors=errors), 422, current=current)
    before = editor.place.name
    put = put_of(entry, editor.base, before)
    told = f"edited {before}" if put.name == before else f"renamed {before} to {put.name}"
    outcome = site.case_set(at.suite, person.name).change([put], told)
    if isinstance(outcome, str):
        log_event(request, "case-edited", f"{at.suite}: {put.name}")
        return redirect(addresses.case(at.suite, put.name) + "&said=saved")
    theirs = outcome[0].current
    if theirs is not None and theirs.name != before:
        return _shown(request, replace(editor, errors=(_TAKEN,)), 422, current=current)
    # The user's text stays in the form and replaces the other version when it is sent again.
    on_top = replace(editor, base=theirs.number if theirs else 0)
    changes = changed_keys(theirs.entry, entry) if theirs is not None and theirs.entry is not None else ()
    return _shown(request, on_top, 409, current=theirs, conflict=changes)


@router.post("/case/check", dependencies=EDITOR)
def check_case(sent: Form) -> Response:
    """Errors of a form, for the script of its page."""
    _, errors = check_form(typed_form(sent))
    told = [{"field": one.field, "message": one.message, "hint": one.hint} for one in errors]
    return JSONResponse({"errors": told})


def versions_of(site: WebSite, at: CasePlace, part: str = "") -> tuple[CaseVersion, ...]:
    """All versions of a case, the newest first.

    Raises:
        Moved: the case was renamed.
        HTTPException: there is no such case.
    """
    found = site.suites.case(at.suite, at.name)
    if found:
        return found
    name = site.suites.renamed(at.suite, at.name)
    if name is None:
        raise HTTPException(404)
    raise Moved(addresses.case(at.suite, name, part))


def _versions(site: WebSite, at: CasePlace, part: str = "") -> tuple[tuple[CaseVersion, ...], CaseVersion]:
    """All versions of a case, and the newest with content; see `versions_of`."""
    found = versions_of(site, at, part)
    texts = [version for version in found if version.entry is not None]
    if not texts:
        raise HTTPException(404)
    return found, texts[0]


def _names(versions: Sequence[CaseVersion]) -> list[str]:
    """All names of the case, current and earlier."""
    called = (entry.get(key) for version in versions if (entry := version.entry) for key in ("id", "name"))
    return list(dict.fromkeys([versions[0].name, *(name for name in called if isinstance(name, str))]))


def _found(site: WebSite, editor: CaseEditor, case: int) -> CaseEditor:
    """The form with the case's current name; the case may have been renamed."""
    at = editor.place
    name = None if site.suites.case(at.suite, at.name) else site.suites.name_of(at.suite, case)
    if name is None:
        return editor
    form = replace(editor.form, name=name) if editor.form.name == at.name else editor.form
    return replace(editor, place=CasePlace(at.suite, name), form=form)


def _shown(
    request: Request,
    editor: CaseEditor,
    status: int = 200,
    current: CaseVersion | None = None,
    conflict: Sequence[ChangedKey] | None = None,
) -> Response:
    at: dict[str, list[FormError]] = {}
    for one in editor.errors:
        at.setdefault(one.field, []).append(one)
    shown = {"editor": editor, "form": editor.form, "at": at, "reached": _reached(editor.form)}
    return page(request, "case.html.j2", status, current=current, conflict=conflict, **shown)


def _reached(form: CaseForm) -> tuple[str, ...]:
    """Parts of a case that runs refuse unless gate.yaml allows them."""
    case = readable(entry_of_form(form)[0])
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
    """All versions of a case with their changes, newest first."""
    found = versions_of(site, at, "history")
    return page(request, "case_history.html.j2", suite=at.suite, case=at.name, steps=_steps(found), current=found[0])


@router.post("/case/archive", dependencies=EDITOR)
def archive_case(request: Request, site: CurrentSite, sent: Form, at: CaseAddress) -> Response:
    """Runs no longer use the case."""
    versions_of(site, at)
    return _done(request, at, Archive(at.name, sent.number("base")), f"archived {at.name}")


@router.post("/case/restore", dependencies=EDITOR)
def restore_case(request: Request, site: CurrentSite, sent: Form, at: CaseAddress) -> Response:
    """Make an older version the newest one."""
    wanted = sent.number("number")
    entry = next((one.entry for one in versions_of(site, at) if one.number == wanted), None)
    if entry is None:
        raise HTTPException(404)
    try:
        change = put_of(entry, sent.number("base"), at.name)
    except InputErrors:
        return redirect(addresses.case(at.suite, at.name) + "&said=unreadable")
    return _done(request, at, change, f"restored version {wanted} of {at.name}")


@router.get("/suite/history", dependencies=VIEWER)
def suite_history(request: Request, site: CurrentSite, name: SuiteName) -> Response:
    """All versions of a suite, newest first."""
    return page(request, "suite_history.html.j2", suite=suite_of(site, name), versions=site.suites.history(name))


def _done(request: Request, at: CasePlace, change: Change, what: str) -> Response:
    cases = site_of(request).case_set(at.suite, person_of(request).name)
    if not isinstance(cases.change([change], what), str):
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
