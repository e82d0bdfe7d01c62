"""Opens a set of cases by its name, and reads and writes case files of other tools."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gate.app.repository import own_folder
from gate.app.store import local_store
from gate.cases.convert import GATE, Brought, Written, bring, put
from gate.cases.losses import Loss
from gate.cases.reading import is_table
from gate.cases.stored import Entry
from gate.config import values
from gate.config.documents import decode, decode_table, is_utf16, one_problem
from gate.errors import GateError
from gate.limits import FILE_BYTES
from gate.store.case_sets import CaseSet, FileCases, StoreCases
from gate.store.run_folder import make_gate_folder, read_bounded, rewrite, write_new
from gate.values import digest

_EDITS = "edits"


def open_cases(source: str, person: str = "", *, new: bool = False) -> CaseSet:
    """Open a set of cases.

    Args:
        source: a path, or `store:NAME[@version]`; the store is that of the repository that the command runs in.
        person: for the history; empty for git's user name.
        new: it need not exist yet.

    Raises:
        GateError: the name is wrong, there is no such file, or the store cannot be opened.
        CannotEvaluate: the store does not answer.
    """
    if not values.is_store(source):
        if not new and not Path(source).exists():
            hint = "name a case file, or a suite of the store as store:NAME"
            raise GateError(f"there is no file {source}", hint)
        return FileCases(source)
    name = values.parse_store_name(source)
    if name is None:
        said = f"{source} names no suite of a store: it {values.store_name_complaint(source)}"
        raise GateError(said, "write store:NAME")
    here = local_store(Path(), person)
    from gate.store.sql.suites import Authorship, Suites

    return StoreCases(Suites(here.database), name, lambda what: Authorship(here.person, here.now(), what), new)


def keep_edit(text: str) -> Path:
    """Keep an edited case (YAML) that could not be stored, in the file returned."""
    folder = own_folder() / _EDITS
    make_gate_folder(folder)
    path = folder / f"{digest(text)[:12]}.yaml"
    if not path.exists():
        write_new(path, text)
    return path


def read_foreign_cases(path: str, format_: str = "", slices: Sequence[str] = ()) -> Brought:
    """Read the cases of a file in another tool's format.

    Args:
        format_: one of `FORMATS`; empty to detect it by name and content.

    Raises:
        GateError: it cannot be read, or no case of it can be imported.
    """
    text, told = _text(path)
    brought = bring(text, path, format_, slices)
    return replace(brought, losses=(*told, *brought.losses))


def write_foreign_cases(entries: Sequence[Entry], path: str, format_: str, *, force: bool) -> Written:
    """Write cases to a file, all of it or nothing.

    Raises:
        GateError: it exists already, or cannot hold them.
    """
    file = Path(path)
    if file.exists() and not force:
        raise GateError(f"{path} is there already", "name another file, or give --force")
    made = put(entries, path, format_)
    (rewrite if file.exists() else write_new)(file, made.text)
    return made


def losses_in_format(entries: Sequence[Entry], path: str, format_: str) -> tuple[Loss, ...]:
    """What a file of this format would lose, found before it is written."""
    return put(entries, path, format_).losses


def is_foreign(format_: str) -> bool:
    """Is a format not the gate's own?"""
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
