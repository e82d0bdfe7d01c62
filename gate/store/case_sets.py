"""Sets of cases in a file or a store: the same editing for both, and copying between them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from gate.cases.convert import GATE, ExportedCases, ImportedCases, export_cases, import_cases
from gate.cases.files import changed, holds_nothing, written
from gate.cases.losses import Loss
from gate.cases.reading import canonical, case_of, is_table, put_of, read, words_of
from gate.cases.stored import (
    Archive,
    CaseFilter,
    CaseListItem,
    CaseVersion,
    CaseWrite,
    Change,
    Conflict,
    Entry,
    Page,
    SuiteVersion,
    name_before,
)
from gate.config import values
from gate.config.documents import decode, decode_table, did_you_mean, is_utf16, one_problem
from gate.config.values import StoreName
from gate.errors import GateError
from gate.files import make_gate_folder, read_bounded, rewrite, write_new
from gate.git.places import own_folder
from gate.limits import FILE_BYTES
from gate.store.local_store import local_store
from gate.values import digest

if TYPE_CHECKING:
    from gate.store.sql.suites import Authorship, Suites

_EVERY = CaseFilter()
_PAGE = 500


@dataclass(slots=True)
class FileCases:
    """Cases of a file; a change applies to the current content of the file and keeps the rest.

    Each case has version 1, which is the content when the file was first read.
    """

    path: str
    _first: Mapping[str, CaseVersion] | None = field(default=None, init=False)

    @property
    def label(self) -> str:
        """Name as on the command line."""
        return self.path

    def cases(self, wanted: CaseFilter = _EVERY) -> tuple[CaseVersion, ...]:
        """Matching cases, in order; removed ones exist only in git."""
        if wanted.archived:
            return ()
        return tuple(one for one in self._known().values() if matches_filter(one, wanted))

    def case(self, name: str) -> tuple[CaseVersion, ...]:
        """The versions of a case, newest first; at most one in a file."""
        found = self._known().get(name)
        return () if found is None else (found,)

    def change(self, changes: Sequence[Change], what: str) -> str | tuple[Conflict, ...]:
        """Make all changes or none; creates a missing file.

        Returns:
            The new label; or, if nothing was changed, the conflicting changes of others.
        """
        first, text = self._known(), self._text()
        now = self._read(text)
        clashes = tuple(
            Conflict(change, now.get(change.name))
            for change in changes
            if not _done(change, now) and not _untouched(change, first, now)
        )
        if clashes:
            return clashes
        puts = {_place(change, now): change.entry for change in changes if isinstance(change, CaseWrite)}
        gone = [change.name for change in changes if isinstance(change, Archive)]
        if text is None:
            after = written(list(puts.values()), self.path)
            write_new(Path(self.path), after)
        else:
            after = changed(text, self.path, puts, gone)
            if after != text:
                rewrite(Path(self.path), after)
        self._first = self._read(after)
        return self.path

    def _text(self) -> str | None:
        """The content; None if the file does not exist."""
        file = Path(self.path)
        try:
            if not file.exists():
                return None
            data = read_bounded(file, FILE_BYTES)
        except OSError as error:
            raise GateError(f"cannot read {self.path}: {error.strerror}", "give a case file") from None
        if data is None:
            raise GateError(f"{self.path} is larger than {FILE_BYTES // 2**20} MiB", "split it into several suites")
        decode(data, self.path)  # reports what is not text
        return data.decode("utf-8")  # keeps a byte order mark

    def _known(self) -> Mapping[str, CaseVersion]:
        if self._first is None:
            self._first = self._read(self._text())
        return self._first

    def _read(self, text: str | None) -> dict[str, CaseVersion]:
        if text is None or holds_nothing(text, self.path):
            return {}
        file = Path(self.path)
        made = datetime.fromtimestamp(file.stat().st_mtime if file.exists() else 0, UTC)
        return {case.name: CaseVersion(case.name, 1, case.entry, "", made, 1) for case in read(text, self.path)}


@dataclass(frozen=True, slots=True)
class StoreCases:
    """A suite of a store; its methods are those of `FileCases`.

    signed: returns author and time for a change with this description.
    new: a change may create the suite.
    """

    suites: "Suites"
    name: StoreName
    signed: "Callable[[str], Authorship]"
    new: bool = False

    @property
    def label(self) -> str:
        """Name with its current version."""
        return self._version().label

    def cases(self, wanted: CaseFilter = _EVERY) -> tuple[CaseVersion, ...]:
        if self.name.version is not None:
            return self._pinned(wanted)
        if self.suites.newest(self.name.name) is None and self.new:
            return ()
        self._version()
        found: list[CaseListItem] = []
        while part := self.suites.cases(self.name.name, wanted, Page(_PAGE, found[-1].place if found else 0)):
            found += part
        return tuple(one.version for one in found)

    def case(self, name: str) -> tuple[CaseVersion, ...]:
        """Versions up to the named version of the suite."""
        if self.name.version is None and self.new and self.suites.newest(self.name.name) is None:
            return ()
        until = self._version().number
        return tuple(one for one in self.suites.case(self.name.name, name) if one.first <= until)

    def change(self, changes: Sequence[Change], what: str) -> str | tuple[Conflict, ...]:
        if self.name.version is not None:
            newest = StoreName(self.name.name).text
            raise GateError(f"{self.name.text} is a fixed version and cannot be changed", f"name {newest}")
        if not self.new:
            self._version()
        made = self.suites.change(self.name.name, changes, self.signed(what))
        return made.label if isinstance(made, SuiteVersion) else made

    def _version(self) -> SuiteVersion:
        newest = self.suites.newest(self.name.name)
        if newest is None:
            known = [one.suite for one in self.suites.names()]
            how = f"import cases: gate cases import FILE store:{self.name.name}"
            hint = did_you_mean(self.name.name, known) if known else how
            raise GateError(f"the store has no suite {self.name.name!r}", hint)
        if self.name.version is None:
            return newest
        found = self.suites.version(self.name.name, self.name.version)
        if found is None:
            raise GateError(f"there is no {self.name.text}", f"the newest version is {newest.label}")
        return found

    def _pinned(self, wanted: CaseFilter) -> tuple[CaseVersion, ...]:
        version = self._version()
        if wanted.archived:
            raise GateError(
                "archived cases are listed for the newest version only", f"name {StoreName(self.name.name).text}"
            )
        named = ((case_of(entry).id, entry) for entry in self.suites.entries(version))
        found = (CaseVersion(name, 0, entry, version.author, version.made, 1) for name, entry in named)
        return tuple(one for one in found if matches_filter(one, wanted))


CaseSet: TypeAlias = FileCases | StoreCases


def matches_filter(version: CaseVersion, wanted: CaseFilter) -> bool:
    """Does a case of a file or of an old version match the filter?"""
    if version.entry is None:
        return False
    words = words_of(version.entry).casefold()
    if any(word.casefold() not in words for word in wanted.words):
        return False
    return not wanted.slices or wanted.slices.items() <= case_of(version.entry).slices.items()


def _place(change: CaseWrite, now: Mapping[str, CaseVersion]) -> str:
    """The name of the changed case in the file; the new name if it was already renamed."""
    before = name_before(change)
    return before if before in now else change.name


def _done(change: Change, now: Mapping[str, CaseVersion]) -> bool:
    before, known = name_before(change), now.get(change.name)
    if isinstance(change, Archive):
        return known is None
    if (before != change.name and before in now) or known is None or known.entry is None:
        return False
    return canonical(known.entry) == canonical(change.entry)


def _untouched(change: Change, first: Mapping[str, CaseVersion], now: Mapping[str, CaseVersion]) -> bool:
    """Is the case unchanged since it was read, or a new one that does not exist yet?"""
    before = name_before(change)
    if before != change.name and change.name in now:
        return False
    if change.base == 0 or before not in first or before not in now:
        return change.base == 0 and before not in now
    return _done(CaseWrite(before, first[before].entry or {}), now)


class ChangedMeanwhile(GateError):
    """Somebody else changed the same case, so nothing was changed."""


@dataclass(frozen=True, slots=True)
class CaseMove:
    """Changes that copy a list of cases to a set."""

    new: tuple[CaseWrite, ...]
    edited: tuple[CaseWrite, ...]
    others: tuple[Archive, ...]
    same: int

    def changes(self, *, without_others: bool) -> tuple[Change, ...]:
        """The changes to make; without others, cases that only the target has stay."""
        return (*self.new, *self.edited, *(self.others if without_others else ()))


def plan_move(cases: Sequence[Entry], to: CaseSet) -> CaseMove:
    """The changes after which a set has these cases.

    to: the target; archived cases are restored by their names.
    """
    there = {one.name: one for one in to.cases()}
    archived = {one.name: one for one in to.cases(CaseFilter(archived=True))}
    new: list[CaseWrite] = []
    edited: list[CaseWrite] = []
    puts = [put_of(entry) for entry in cases]
    for one in puts:
        known = there.get(one.name)
        if known is None:
            new.append(_on(one, archived.get(one.name)))
        elif known.entry is None or canonical(known.entry) != canonical(one.entry):
            edited.append(_on(one, known))
    names = {one.name for one in puts}
    others = tuple(Archive(name, one.number) for name, one in there.items() if name not in names)
    return CaseMove(tuple(new), tuple(edited), others, len(puts) - len(new) - len(edited))


def _on(export_cases: CaseWrite, known: CaseVersion | None) -> CaseWrite:
    return CaseWrite(
        export_cases.name,
        export_cases.entry,
        export_cases.slices,
        export_cases.text,
        0 if known is None else known.number,
    )


def changed_meanwhile(conflict: Conflict) -> str:
    """Message: who changed a case first, and when."""
    current = conflict.current
    if current is None:
        return f"{conflict.change.name} no longer exists"
    done = "archived" if current.entry is None else "changed" if conflict.change.base else "written"
    by = f" by {current.author}" if current.author else ""
    return f"{conflict.change.name} was {done}{by} on {current.made:%Y-%m-%d at %H:%M %Z} meanwhile"


_EDITS = "edits"


def open_cases(source: str, person: str = "", *, new: bool = False) -> CaseSet:
    """Open a set of cases.

    Args:
        source: a path, or `store:NAME[@version]` in the store of the current repository.
        person: for the history; empty for git's user name.
        new: the set need not exist yet.

    Raises:
        GateError: the name is invalid, the file does not exist, or the store cannot be opened.
        CannotEvaluate: the store does not answer.
    """
    if not values.is_store(source):
        if not new and not Path(source).exists():
            hint = "give a case file, or a suite of the store as store:NAME"
            raise GateError(f"there is no file {source}", hint)
        return FileCases(source)
    name = values.parse_store_name(source)
    if name is None:
        message = f"{source} is not a suite of a store: it {values.store_name_complaint(source)}"
        raise GateError(message, "write store:NAME")
    here = local_store(Path(), person)
    from gate.store.sql.suites import Authorship, Suites

    return StoreCases(Suites(here.database), name, lambda what: Authorship(here.person, here.now(), what), new)


def keep_edit(text: str) -> Path:
    """Save an edited case (YAML) that could not be stored; returns the file."""
    folder = own_folder() / _EDITS
    make_gate_folder(folder)
    path = folder / f"{digest(text)[:12]}.yaml"
    if not path.exists():
        write_new(path, text)
    return path


def read_foreign_cases(path: str, format_: str = "", slices: Sequence[str] = ()) -> ImportedCases:
    """Read the cases of a file in another tool's format.

    Args:
        format_: one of `FORMATS`; empty to detect it by name and content.

    Raises:
        GateError: the file cannot be read, or no case can be imported.
    """
    text, encoding_losses = _text(path)
    imported = import_cases(text, path, format_, slices)
    return replace(imported, losses=(*encoding_losses, *imported.losses))


def write_foreign_cases(entries: Sequence[Entry], path: str, format_: str, *, force: bool) -> ExportedCases:
    """Write cases to a file, atomically.

    Raises:
        GateError: the file exists already, or cannot store the cases.
    """
    file = Path(path)
    if file.exists() and not force:
        raise GateError(f"{path} exists already", "give another file, or give --force")
    made = export_cases(entries, path, format_)
    (rewrite if file.exists() else write_new)(file, made.text)
    return made


def losses_in_format(entries: Sequence[Entry], path: str, format_: str) -> tuple[Loss, ...]:
    """The losses of writing a file in this format, without writing it."""
    return export_cases(entries, path, format_).losses


def is_foreign(format_: str) -> bool:
    """Is it a format of another tool?"""
    return format_ not in ("", GATE)


def _text(path: str) -> tuple[str, tuple[Loss, ...]]:
    """The text of a file, also of a table with the encoding of a spreadsheet, and its losses."""
    file = Path(path)
    try:
        data = read_bounded(file, FILE_BYTES)
    except OSError as error:
        raise GateError(f"cannot read {path}: {error.strerror}", "give a case file") from None
    if data is None:
        raise GateError(f"{path} is larger than {FILE_BYTES // 2**20} MiB", "split it into several files")
    if is_table(path):
        text, remark = decode_table(data, path)
        hint = "check letters with accents, or save it as UTF-8"
        return text, (Loss(path, remark, hint),) if remark else ()
    if path.lower().endswith(".txt") and is_utf16(data):
        hint = "for a table saved as Unicode text, use the ending .tsv"
        raise one_problem(path, 0, "is UTF-16 text", hint)
    return decode(data, path), ()
