"""Export of suites as case files, and import, with a preview of the changes."""

import base64
import binascii
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from gate.cases.files import fitting, written
from gate.cases.reading import FileCase, canonical, is_table, put_of, read
from gate.cases.stored import Archive, CaseFilter, CaseVersion, Change, Page, SuiteVersion
from gate.config.documents import decode_table
from gate.errors import InputErrors
from gate.limits import CASES_CHARS
from gate.store.sql.suites import Authorship
from gate.web import addresses
from gate.web.differences import ChangedKey, changed_keys
from gate.web.pages.suites import suite_of
from gate.web.rendering import page, redirect
from gate.web.requests import Form, SentForm
from gate.web.site import EDITOR, VIEWER, CurrentPerson, CurrentSite, Site, log_event

router = APIRouter()
Name = Annotated[str, Query(max_length=1_000)]
_SHOWN = 50
"""Cases shown in full in a preview."""
_PAGE = 1_000
_ODD = re.compile(r"[^A-Za-z0-9._-]+")
_TYPES = {"jsonl": "application/jsonl", "yaml": "application/yaml", "csv": "text/csv"}
_MARK = "\ufeff"
"""Byte order mark, without which a spreadsheet takes UTF-8 for its own system's encoding."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Effect of a file on a suite.

    Args:
        new: cases that the suite lacks, or that are archived.
        edited: cases with other content, and their changes.
    """

    new: tuple[FileCase, ...]
    edited: tuple[tuple[FileCase, tuple[ChangedKey, ...]], ...]
    gone: tuple[str, ...]
    same: int


@dataclass(frozen=True, slots=True)
class Upload:
    """An uploaded file.

    remark: what may not be as intended.
    """

    file: str
    text: str
    remark: str = ""

    @property
    def held(self) -> str:
        """To be kept in the page until it is confirmed."""
        return base64.b64encode(zlib.compress(self.text.encode())).decode()


@router.get("/suite/export", dependencies=VIEWER)
def export_cases(
    request: Request,
    site: CurrentSite,
    name: Name,
    version: Annotated[int, Query(ge=1, lt=2**31)],
    form: Literal["jsonl", "yaml", "csv"] = "jsonl",
) -> Response:
    """A version of a suite as a case file; where a table cannot hold all, `some=true` asks for what it can."""
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
    """Asks for a file."""
    return _asked(request, suite_of(site, name))


@router.post("/suite/import", dependencies=EDITOR)
def import_cases(request: Request, site: CurrentSite, person: CurrentPerson, sent: Form, name: Name) -> Response:
    """What a file would change; and then, once somebody said yes, the change."""
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
    stands = _standing(site, name)
    preview = _preview(cases, stands)
    if sent.one("do") == "bring" and sent.number("version") == suite.number:
        by = Authorship(person.name, site.now(), f"imported {upload.file}")
        outcome = site.suites.change(name, _changes(stands, preview, bool(sent.one("archive"))), by)
        if isinstance(outcome, SuiteVersion):
            log_event(request, "cases-imported", f"{name}: {upload.file}")
            return redirect(addresses.suite(name, said="imported"))
        suite = suite_of(site, name)
    later = sent.one("do") == "bring"
    shown = {"suite": suite, "upload": upload, "preview": preview, "later": later, "shown": _SHOWN}
    return page(request, "import_preview.html.j2", 409 if later else 200, **shown)


def _asked(request: Request, suite: SuiteVersion, mistakes: Sequence[str] = ()) -> Response:
    return page(request, "import.html.j2", 422 if mistakes else 200, suite=suite, mistakes=mistakes)


def _uploaded(sent: SentForm) -> Upload | str:
    """The file, or what is wrong with it."""
    name, content = sent.files.get("file", ("", b""))
    if "held" in sent.fields:
        name, content = sent.one("file"), _unpacked(sent.one("held"))
    if not content:
        return "Choose a file that holds something."
    if is_table(name):
        try:
            return Upload(name[-200:], *decode_table(content, name))
        except InputErrors as error:
            return f"{error.problems[0].message}: {error.problems[0].hint}"
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return f"The file is not text in UTF-8: byte {error.start + 1:,} is none."
    return Upload(name[-200:], text)


def _unpacked(held: str) -> bytes:
    try:
        return zlib.decompressobj().decompress(base64.b64decode(held, validate=True), 4 * CASES_CHARS)
    except (binascii.Error, ValueError, zlib.error):
        return b""


def _standing(site: Site, suite: str) -> dict[str, CaseVersion]:
    """The newest version of every case, the archived ones first."""
    found: dict[str, CaseVersion] = {}
    for archived in (True, False):
        after = 0
        while listed := site.suites.cases(suite, CaseFilter(archived=archived), Page(_PAGE, after)):
            found |= {one.version.name: one.version for one in listed}
            after = listed[-1].place
    return found


def _preview(cases: Sequence[FileCase], stands: Mapping[str, CaseVersion]) -> Preview:
    new: list[FileCase] = []
    edited: list[tuple[FileCase, tuple[ChangedKey, ...]]] = []
    same = 0
    for case in cases:
        known = stands.get(case.name)
        if known is None or known.entry is None:
            new.append(case)
        elif canonical(known.entry) == canonical(case.entry):
            same += 1
        else:
            edited.append((case, changed_keys(known.entry, case.entry) if len(edited) < _SHOWN else ()))
    named = {case.name for case in cases}
    gone = (name for name, version in stands.items() if version.entry is not None and name not in named)
    return Preview(tuple(new), tuple(edited), tuple(gone), same)


def _changes(stands: Mapping[str, CaseVersion], preview: Preview, archive: bool) -> list[Change]:
    """All changes of the preview."""
    changes: list[Change] = []
    for file_case in (*preview.new, *(one for one, _ in preview.edited)):
        known = stands.get(file_case.name)
        changes.append(put_of(file_case.entry, known.number if known else 0))
    return [*changes, *(Archive(name, stands[name].number) for name in preview.gone if archive)]
