"""Reads suites of the store for one run, from the newest version that there was when it was first asked for."""

import difflib
import json
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gate.bootstrap.storing import FILE, open_database
from gate.errors import InputErrors, MissingKey
from gate.flows.shelf import StoredCases
from gate.inputs.problems import one_problem, quoted
from gate.inputs.storenames import StoreName
from gate.settings.storage import DATABASE, database_url

if TYPE_CHECKING:
    from gate.domain.stored_suite import SuiteVersion
    from gate.store.sql.suites import Suites

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Shelf:
    """See `gate.flows.shelf.CaseShelf`; the store is opened for what is read, and for nothing else.

    Args:
        root: of the repository.
        url: of the database; None for the file.
    """

    root: Path
    url: str | None = field(repr=False)
    _known: dict[StoreName, StoredCases | InputErrors] = field(default_factory=dict)

    def read(self, name: StoreName) -> StoredCases:
        if name not in self._known:
            self._known[name] = self._looked_up(name)
        found = self._known[name]
        if isinstance(found, InputErrors):
            raise found
        return found

    def _looked_up(self, name: StoreName) -> StoredCases | InputErrors:
        if self.url is None and not (self.root / FILE).exists():
            hint = f"set {DATABASE} to the address of its database; a file is made by gate serve"
            raise MissingKey(f"{name.text} is in a store, and there is none: no {DATABASE}, and no {FILE}", hint)
        with closing(open_database(self.root, self.url)) as database:
            from gate.store.sql.suites import Suites

            try:
                return _cases(Suites(database), name)
            except InputErrors as errors:
                return errors


def shelf_of(root: Path) -> Shelf:
    """The suites of the store that the environment names, or of the repository's own.

    Args:
        root: of the repository.
    """
    return Shelf(root, database_url())


def _cases(suites: "Suites", name: StoreName) -> StoredCases:
    version = _version(suites, name)
    if not version.cases:
        hint = f"put one there: gate cases add {StoreName(name.name).text}, or gate serve"
        raise one_problem(version.label, 0, "holds no cases", hint)
    lines = (json.dumps(dict(entry)) + "\n" for entry in suites.entries(version))
    return StoredCases(version.label, version.digest, "".join(lines))


def _version(suites: "Suites", name: StoreName) -> "SuiteVersion":
    newest = suites.newest(name.name)
    if newest is None:
        known = [one.suite for one in suites.names()]
        close = difflib.get_close_matches(name.name, known, n=_NAMED)
        listed = ", ".join(map(quoted, close or known[:_NAMED])) + ", …" * (not close and len(known) > _NAMED)
        hint = f"did you mean {listed}?" if close else f"its suites: {listed}" if known else "it has none yet"
        raise one_problem(name.text, 0, "the store has no such suite", hint)
    if name.version is None:
        return newest
    if (found := suites.version(name.name, name.version)) is None:
        raise one_problem(name.text, 0, "the suite has no such version", f"the newest is {newest.label}")
    return found
