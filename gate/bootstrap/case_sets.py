"""Opens a set of cases by its name: a path, or `store:NAME[@version]`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gate.bootstrap.places import own_folder
from gate.bootstrap.serving import Here, site_here
from gate.domain.jsonvalue import digest
from gate.domain.stored_suite import CaseFilter, CaseVersion, Change, Conflict, Entry, Listed, Page, SuiteVersion
from gate.errors import GateError
from gate.flows.case_sets import CaseSet, FileCases, StoreCases
from gate.inputs import storenames
from gate.inputs.limits import FILE_BYTES
from gate.inputs.text import decode
from gate.store.bounded import read_bounded
from gate.store.new_files import rewrite, write_new
from gate.store.own_folder import make_folder

if TYPE_CHECKING:
    from gate.store.sql.suites import Suites

_EDITS = "edits"


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A case file on the disk.

    Args:
        path: as the user wrote it.
    """

    path: str

    def read(self) -> str | None:
        """See `gate.flows.case_sets.CaseText`."""
        file = Path(self.path)
        try:
            if not file.exists():
                return None
            data = read_bounded(file, FILE_BYTES)
            if data is None:
                raise GateError(f"{self.path} is larger than {FILE_BYTES // 2**20} MiB", "split it into several suites")
            decode(data, self.path)  # says what is no text
            return data.decode("utf-8")  # with its mark, which a change leaves there
        except OSError as error:
            raise GateError(f"cannot read {self.path}: {error.strerror}", "name a case file") from None

    def changed_at(self) -> datetime:
        """See `gate.flows.case_sets.CaseText`."""
        try:
            return datetime.fromtimestamp(Path(self.path).stat().st_mtime, UTC)
        except FileNotFoundError:
            return datetime.fromtimestamp(0, UTC)

    def write(self, text: str) -> None:
        """See `gate.flows.case_sets.CaseText`."""
        file = Path(self.path)
        (rewrite if file.exists() else write_new)(file, text)


@dataclass(frozen=True, slots=True)
class _Signed:
    """Suites whose changes carry the name of who works here."""

    suites: "Suites"
    here: Here

    def names(self) -> tuple[SuiteVersion, ...]:
        return self.suites.names()

    def newest(self, name: str) -> SuiteVersion | None:
        return self.suites.newest(name)

    def version(self, name: str, number: int) -> SuiteVersion | None:
        return self.suites.version(name, number)

    def entries(self, version: SuiteVersion) -> tuple[Entry, ...]:
        return self.suites.entries(version)

    def cases(self, name: str, wanted: CaseFilter, page: Page) -> tuple[Listed, ...]:
        return self.suites.cases(name, wanted, page)

    def case(self, name: str, case: str) -> tuple[CaseVersion, ...]:
        return self.suites.case(name, case)

    def change(self, name: str, changes: Sequence[Change], what: str) -> SuiteVersion | tuple[Conflict, ...]:
        from gate.store.sql.suite_edits import By

        return self.suites.change(name, changes, By(self.here.person, self.here.now(), what))


def open_cases(source: str, person: str = "", *, new: bool = False) -> CaseSet:
    """A set of cases.

    Args:
        source: a path, or `store:NAME[@version]`; the store is that of the repository that the command runs in.
        person: who works on it; empty for the name that git knows.
        new: it need not be there yet.

    Raises:
        GateError: the name is wrong, there is no such file, or the store cannot be opened.
        CannotEvaluate: the store does not answer.
    """
    if not storenames.is_store(source):
        if not new and not Path(source).exists():
            hint = "name a case file, or a suite of the store as store:NAME"
            raise GateError(f"there is no file {source}", hint)
        return FileCases(CaseFile(source))
    name = storenames.parse(source)
    if name is None:
        raise GateError(f"{source} names no suite of a store: it {storenames.complaint(source)}", "write store:NAME")
    here = site_here(Path(), person)
    from gate.store.sql.suites import Suites

    return StoreCases(_Signed(Suites(here.database), here), name, new)


def keep_edit(text: str) -> Path:
    """Keep what somebody wrote and could not be stored.

    Args:
        text: the case, in YAML.

    Returns:
        The file.
    """
    folder = own_folder() / _EDITS
    make_folder(folder)
    path = folder / f"{digest(text)[:12]}.yaml"
    if not path.exists():
        write_new(path, text)
    return path
