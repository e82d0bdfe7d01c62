"""Case files of any format, read from the disk and written there."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gate.cases.reading import is_table
from gate.domain.stored_suite import Entry
from gate.errors import GateError
from gate.formats.bundle import Loss
from gate.formats.convert import Brought, Written, bring, put
from gate.formats.detect import GATE
from gate.inputs.limits import FILE_BYTES
from gate.inputs.problems import one_problem
from gate.inputs.text import decode, decode_table, is_utf16
from gate.store.bounded import read_bounded
from gate.store.new_files import rewrite, write_new


def bring_file(path: str, format_: str = "", slices: Sequence[str] = ()) -> Brought:
    """The cases of a file.

    Args:
        path: as the user wrote it.
        format_: one of `FORMATS`; empty to tell it by name and content.
        slices: variables that are slices.

    Raises:
        GateError: it cannot be read, or no case of it can be brought along.
    """
    text, told = _text(path)
    brought = bring(text, path, format_, slices)
    return replace(brought, losses=(*told, *brought.losses))


def put_file(entries: Sequence[Entry], path: str, format_: str, *, force: bool) -> Written:
    """Write cases to a file, all of it or nothing.

    Args:
        entries: sound cases.
        path: as the user wrote it.
        format_: one of `FORMATS`.
        force: over what is there.

    Raises:
        GateError: it is there already, or cannot hold them.
    """
    file = Path(path)
    if file.exists() and not force:
        raise GateError(f"{path} is there already", "name another file, or give --force")
    made = put(entries, path, format_)
    (rewrite if file.exists() else write_new)(file, made.text)
    return made


def would_lose(entries: Sequence[Entry], path: str, format_: str) -> tuple[Loss, ...]:
    """What would not come back from a file, before it is written."""
    return put(entries, path, format_).losses


def is_foreign(format_: str) -> bool:
    """Is a format another one than the gate's own case files?"""
    return format_ not in ("", GATE)


def _text(path: str) -> tuple[str, tuple[Loss, ...]]:
    """The text of a file; a table may be what spreadsheets save."""
    file = Path(path)
    try:
        data = read_bounded(file, FILE_BYTES)
    except OSError as error:
        raise GateError(f"cannot read {path}: {error.strerror}", "name a case file") from None
    if data is None:
        raise GateError(f"{path} is larger than {FILE_BYTES // 2**20} MiB", "split it into several files")
    if is_table(path):
        text, remark = decode_table(data, path)
        hint = "look at letters with accents, or save it as UTF-8"
        return text, (Loss(path, remark, hint),) if remark else ()
    if path.lower().endswith(".txt") and is_utf16(data):
        hint = "a table that was saved as Unicode text is read under a name that ends in .tsv"
        raise one_problem(path, 0, "is UTF-16 text", hint)
    return decode(data, path), ()
