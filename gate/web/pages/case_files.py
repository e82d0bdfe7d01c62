"""Export of suites as case files, and import with a preview."""

import base64
import binascii
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from gate.cases.files import fitting, written
from gate.cases.reading import is_table, read
from gate.cases.stored import CaseWrite, SuiteVersion
from gate.config.documents import decode_table
from gate.errors import InputErrors
from gate.limits import CASES_CHARS
from gate.store.case_sets import plan_move
from gate.web import addresses
from gate.web.differences import ChangedKey, changed_keys
from gate.web.pages.suites import suite_of
from gate.web.rendering import page, redirect
from gate.web.requests import Form, SentForm
from gate.web.site import EDITOR, VIEWER, CurrentPerson, CurrentSite, WebSite, log_event

router = APIRouter()
Name = Annotated[str, Query(max_length=1_000)]
_SHOWN = 50
"""Limit of cases shown in a preview."""
_ODD = re.compile(r"[^A-Za-z0-9._-]+")
_TYPES = {"jsonl": "application/jsonl", "yaml": "application/yaml", "csv": "text/csv"}
_MARK = "\ufeff"
"""Byte order mark: without it, spreadsheets misread UTF-8."""


@dataclass(frozen=True, slots=True)
class Upload:
    """An uploaded file; `remark` is a warning for the user."""

    file: str
    text: str
    remark: str = ""

    @property
    def held(self) -> str:
        """The text as a hidden field of the preview."""
        return base64.b64encode(zlib.compress(self.text.encode())).decode()


@router.get("/suite/export", dependencies=VIEWER)
def export_cases(
    request: Request,
    site: CurrentSite,
    name: Name,
    version: Annotated[int, Query(ge=1, lt=2**31)],
    form: Literal["jsonl", "yaml", "csv"] = "jsonl",
) -> Response:
    """A version of a suite as a case file. If a table cannot hold all cases, `some=true` exports those it can."""
    found = site.suites.version(name, version)
    if found is None:
        raise HTTPException(404)
    entries = site.suites.entries(found)
    if form == "csv":
        table = fitting(entries, "cases.csv")
        some = bool(table.text) and request.query_params.get("some") == "true"
        if table.left_out and not some:
            shown = {"version": found, "table": table, "shown": _SHOWN}
            return page(request, "export_table.html.j2", 409, **shown)
        text = _MARK + table.text
    else:
        text = written(entries, f"cases.{form}")
    plain = _ODD.sub("-", name).strip("-.") or "cases"
    told = f"attachment; filename=\"{plain}.{form}\"; filename*=UTF-8''{quote(f'{name}.{form}', safe='')}"
    log_event(request, "cases-exported", found.label)
    return Response(text, 200, {"content-disposition": told}, f"{_TYPES[form]}; charset=utf-8")


@router.get("/suite/import", dependencies=EDITOR)
def choose_file(request: Request, site: CurrentSite, name: Name) -> Response:
    """The upload form."""
    return _asked(request, suite_of(site, name))


@router.post("/suite/import", dependencies=EDITOR)
def import_cases(request: Request, site: CurrentSite, person: CurrentPerson, sent: Form, name: Name) -> Response:
    """Preview the changes of a file; import them when confirmed."""
    suite = suite_of(site, name)
    upload = _uploaded(sent)
    if isinstance(upload, str):
        return _asked(request, suite, (upload,))
    try:
        cases = read(upload.text, upload.file)
    except InputErrors as error:
        # The whole-file message has no line of its own.
        told = [f"line {one.line}: {one.message}" if one.line else one.message for one in error.shown]
        return _asked(request, suite, told)
    stored = site.case_set(name, person.name)
    move = plan_move([case.entry for case in cases], stored)
    later = sent.one("do") == "import"
    if later and sent.number("version") == suite.number:
        changes = move.changes(without_others=bool(sent.one("archive")))
        if isinstance(stored.change(changes, f"imported {upload.file}"), str):
            log_event(request, "cases-imported", f"{name}: {upload.file}")
            return redirect(addresses.suite(name, said="imported"))
        suite = suite_of(site, name)
    edited = [(put.name, _changes(site, name, put)) for put in move.edited[:_SHOWN]]
    shown = {"suite": suite, "upload": upload, "move": move, "edited": edited, "later": later, "shown": _SHOWN}
    return page(request, "import_preview.html.j2", 409 if later else 200, **shown)


def _changes(site: WebSite, suite: str, put: CaseWrite) -> tuple[ChangedKey, ...]:
    (current, *_) = site.suites.case(suite, put.name)
    return changed_keys(current.entry or {}, put.entry)


def _asked(request: Request, suite: SuiteVersion, errors: Sequence[str] = ()) -> Response:
    return page(request, "import.html.j2", 422 if errors else 200, suite=suite, errors=errors)


def _uploaded(sent: SentForm) -> Upload | str:
    """The file, or an error message."""
    name, content = sent.files.get("file", ("", b""))
    if "held" in sent.fields:
        name, content = sent.one("file"), _unpacked(sent.one("held"))
    if not content:
        return "Choose a file that is not empty."
    if is_table(name):
        try:
            return Upload(name[-200:], *decode_table(content, name))
        except InputErrors as error:
            return f"{error.problems[0].message}: {error.problems[0].hint}"
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return f"The file is not UTF-8 text: byte {error.start + 1:,} is invalid. Save it as UTF-8 and try again."
    return Upload(name[-200:], text)


def _unpacked(held: str) -> bytes:
    try:
        return zlib.decompressobj().decompress(base64.b64decode(held, validate=True), 4 * CASES_CHARS)
    except (binascii.Error, ValueError, zlib.error):
        return b""
