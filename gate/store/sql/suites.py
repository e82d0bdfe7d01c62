"""Suites of a store: cases with versions and authors; every change makes a new version of the suite."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, exists, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from gate.cases.reading import canonical, check_stored
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
from gate.store.sql import tables
from gate.store.sql.database import ROWS_AT_ONCE, Database, chunks, put_many

VERSION = tables.case_versions.c
MADE = tables.suite_versions.c


def newest_versions() -> Select[*tuple[Any, ...]]:
    """Query for the newest version of each suite, by name."""
    return all_versions().where(MADE.number == tables.suites.c.newest).order_by(tables.suites.c.name)


def all_versions() -> Select[*tuple[Any, ...]]:
    """Query for all versions of all suites, for `suite_of`."""
    columns = (MADE.number, MADE.digest, MADE.cases, MADE.author, MADE.made, MADE.what)
    return select(tables.suites.c.name, *columns).join(tables.suites, tables.suites.c.id == MADE.suite_id)


def case_rows(suite: str) -> Select[*tuple[Any, ...]]:
    """Query for all versions of all cases of a suite, for `case_of`."""
    columns = (VERSION.number, VERSION.entry, VERSION.author, VERSION.made, VERSION.first, VERSION.last)
    return (
        select(tables.cases.c.name, *columns, VERSION.case_id)
        .join(tables.case_versions, VERSION.case_id == tables.cases.c.id)
        .join(tables.suites, tables.suites.c.id == tables.cases.c.suite_id)
        .where(tables.suites.c.name == suite)
    )


def entries_of(db: Connection, suite: str, version: int) -> Iterator[str]:
    """The entries (JSON) of a version of a suite, in order."""
    found = (
        select(VERSION.entry)
        .join(tables.suites, tables.suites.c.id == VERSION.suite_id)
        .where(
            tables.suites.c.name == suite,
            VERSION.first <= version,
            or_(VERSION.last.is_(None), VERSION.last >= version),
            VERSION.entry.is_not(None),
        )
        .order_by(VERSION.place)
    )
    return iter(db.execute(found).scalars())


def digest_and_count(entries: Iterable[str]) -> tuple[str, int]:
    """Digest of the cases, independent of the order of keys, and their number."""
    found, count = hashlib.sha256(), 0
    for entry in entries:
        found.update(canonical(json.loads(entry)).encode() + b"\n")
        count += 1
    return f"sha256:{found.hexdigest()}", count


def folded(text: str) -> str:
    """Text for searching: case folded, with blanks for characters that databases cannot store."""
    return "".join(sign if sign.isprintable() else " " for sign in text.casefold())


def suite_of(row: Row[Any]) -> SuiteVersion:
    """Convert a row of `all_versions`."""
    return SuiteVersion(row.name, row.number, row.digest, row.cases, row.author, row.made, row.what)


def case_of(row: Row[Any]) -> CaseVersion:
    """Convert a row of `case_rows`; a version that archives the case has no entry."""
    entry = None if row.entry is None else json.loads(row.entry)
    return CaseVersion(row.name, row.number, entry, row.author, row.made, row.first, row.last, row.case_id)


@dataclass(frozen=True, slots=True)
class Authorship:
    """Author, time and description of a change, for the history."""

    author: str
    now: datetime
    what: str = ""


class SuiteEdit:
    """One change of a suite, in its own transaction."""

    def __init__(self, db: Connection, name: str, by: Authorship) -> None:
        self._db, self._name, self._by = db, name, by

    def apply(self, changes: Sequence[Change]) -> SuiteVersion | tuple[Conflict, ...]:
        suite, newest = self._locked()
        known = self._current(suite, [name for change in changes for name in {change.name, name_before(change)}])
        new = [change for change in changes if not _done(change, known)]
        for change in new:
            if isinstance(change, CaseWrite):
                check_stored(change.entry)
        clashes = tuple(
            Conflict(change, None if row is None else case_of(row))
            for change in new
            if (row := _conflicting_row(change, known)) is not None
            or (change.base and name_before(change) not in known)
        )
        if clashes:
            return clashes
        if new or not newest:
            follows = {change.name: row for change in new if (row := known.get(name_before(change))) is not None}
            self._apply(suite, newest + 1, new, follows)
        row = self._db.execute(newest_versions().where(tables.suites.c.id == suite)).one()
        return suite_of(row)

    def _locked(self) -> tuple[int, int]:
        """Lock the suite; returns its id and newest version, 0 for a new suite."""
        of_suite = select(tables.suites.c.id, tables.suites.c.newest).where(tables.suites.c.name == self._name)
        row = self._db.execute(of_suite.with_for_update()).first()
        if row is not None:
            return row.id, row.newest
        made = insert(tables.suites).values(name=self._name, newest=0).returning(tables.suites.c.id)
        return self._db.execute(made).scalar_one(), 0

    def _current(self, suite: int, names: Sequence[str]) -> dict[str, Row[Any]]:
        """The newest version of each of these cases."""
        found: dict[str, Row[Any]] = {}
        for part in chunks(names, ROWS_AT_ONCE):
            rows = case_rows(self._name).add_columns(VERSION.id, VERSION.place)
            for row in self._db.execute(rows.where(VERSION.last.is_(None), tables.cases.c.name.in_(part))):
                found[row.name] = row
        return found

    def _apply(self, suite: int, version: int, changes: Sequence[Change], known: dict[str, Row[Any]]) -> None:
        touched = [known[change.name].id for change in changes if change.name in known]
        for part in chunks(touched, ROWS_AT_ONCE):
            ended = update(tables.case_versions).where(VERSION.id.in_(part)).values(last=version - 1)
            self._db.execute(ended)
        ids = {name: row.case_id for name, row in known.items()}
        fresh = [change.name for change in changes if change.name not in known]
        if fresh:
            made = insert(tables.cases).returning(tables.cases.c.id, tables.cases.c.name)
            for row in self._db.execute(made, [{"suite_id": suite, "name": name} for name in fresh]):
                ids[row.name] = row.id
        for change in changes:
            if name_before(change) != change.name:
                renamed = update(tables.cases).where(tables.cases.c.id == ids[change.name])
                self._db.execute(renamed.values(name=change.name))
        self._versions(suite, version, changes, known, ids)
        self._db.execute(update(tables.suites).where(tables.suites.c.id == suite).values(newest=version))
        digest, cases = digest_and_count(entries_of(self._db, self._name, version))
        self._db.execute(
            insert(tables.suite_versions).values(
                suite_id=suite,
                number=version,
                digest=digest,
                cases=cases,
                author=self._by.author,
                made=self._by.now,
                what=self._by.what,
            )
        )

    def _versions(
        self, suite: int, version: int, changes: Sequence[Change], known: dict[str, Row[Any]], ids: dict[str, int]
    ) -> None:
        last_place = select(func.coalesce(func.max(VERSION.place), 0)).where(VERSION.suite_id == suite)
        place = self._db.execute(last_place).scalar_one()
        rows = []
        for change in changes:
            row = known.get(change.name)
            place += row is None
            rows.append(
                {
                    **{"suite_id": suite, "case_id": ids[change.name], "first": version, "last": None},
                    "number": 1 if row is None else row.number + 1,
                    "name": change.name,
                    "place": place if row is None else row.place,
                    "entry": _text(change.entry) if isinstance(change, CaseWrite) else None,
                    "words": folded(change.text) if isinstance(change, CaseWrite) else "",
                    **{"author": self._by.author, "made": self._by.now},
                }
            )
        if not rows:
            return
        made = insert(tables.case_versions).returning(VERSION.id, VERSION.case_id)
        versions = {row.case_id: row.id for row in self._db.execute(made, rows)}
        slices = [
            {"version_id": versions[ids[change.name]], "dimension": dimension, "value": value}
            for change in changes
            if isinstance(change, CaseWrite)
            for dimension, value in change.slices.items()
        ]
        put_many(self._db, tables.case_slices, slices)


def _text(entry: Entry) -> str:
    """ASCII JSON, since databases cannot store every character of a case."""
    return json.dumps(dict(entry))


def _conflicting_row(change: Change, known: Mapping[str, Row[Any]]) -> Row[Any] | None:
    """The conflicting change of others: another version of the case, or another case with its new name."""
    before, taken = known.get(name_before(change)), known.get(change.name)
    if name_before(change) != change.name and taken is not None:
        return taken
    return before if before is not None and before.number != change.base else None


def _done(change: Change, known: Mapping[str, Row[Any]]) -> bool:
    """Is the change already made?"""
    if name_before(change) != change.name and name_before(change) in known:
        return False
    row = known.get(change.name)
    stands = None if row is None else row.entry
    if isinstance(change, Archive):
        return stands is None
    return stands is not None and canonical(json.loads(stands)) == canonical(change.entry)


@dataclass(frozen=True, slots=True)
class Suites:
    """The suites of a store."""

    database: Database

    def names(self) -> tuple[SuiteVersion, ...]:
        """The newest version of each suite, by name."""
        return self.database.read(lambda db: tuple(map(suite_of, db.execute(newest_versions()))))

    def newest(self, name: str) -> SuiteVersion | None:
        """The newest version of a suite; None if it does not exist."""
        found = newest_versions().where(tables.suites.c.name == name)
        row = self.database.read(lambda db: db.execute(found).first())
        return None if row is None else suite_of(row)

    def version(self, name: str, number: int) -> SuiteVersion | None:
        """One version; None if it does not exist."""
        found = all_versions().where(tables.suites.c.name == name, MADE.number == number)
        row = self.database.read(lambda db: db.execute(found).first())
        return None if row is None else suite_of(row)

    def history(self, name: str) -> tuple[SuiteVersion, ...]:
        """All versions, newest first."""
        found = all_versions().where(tables.suites.c.name == name).order_by(MADE.number.desc())
        return self.database.read(lambda db: tuple(map(suite_of, db.execute(found))))

    def entries(self, version: SuiteVersion) -> tuple[Entry, ...]:
        """The cases of a version, in order."""
        return self.database.read(lambda db: tuple(map(json.loads, entries_of(db, version.suite, version.number))))

    def cases(self, name: str, wanted: CaseFilter, page: Page) -> tuple[CaseListItem, ...]:
        """A page of the newest version, in order."""
        found = (
            case_rows(name)
            .add_columns(VERSION.place)
            .where(VERSION.last.is_(None), *_conditions(wanted), VERSION.place > page.after)
            .order_by(VERSION.place)
            .limit(page.size)
        )
        return self.database.read(lambda db: tuple(CaseListItem(row.place, case_of(row)) for row in db.execute(found)))

    def count(self, name: str, wanted: CaseFilter) -> int:
        """Number of matching cases of the newest version."""
        found = case_rows(name).where(VERSION.last.is_(None), *_conditions(wanted)).subquery()
        return self.database.read(lambda db: db.execute(select(func.count()).select_from(found)).scalar_one())

    def case(self, name: str, case: str) -> tuple[CaseVersion, ...]:
        """All versions of a case, newest first; empty if it does not exist."""
        found = case_rows(name).where(tables.cases.c.name == case).order_by(VERSION.number.desc())
        return self.database.read(lambda db: tuple(map(case_of, db.execute(found))))

    def name_of(self, name: str, case: int) -> str | None:
        """The current name of a case; None if it does not exist."""
        found = select(tables.cases.c.name).join(tables.suites, tables.suites.c.id == tables.cases.c.suite_id)
        wanted = found.where(tables.suites.c.name == name, tables.cases.c.id == case)
        return self.database.read(lambda db: db.execute(wanted).scalar())

    def renamed(self, name: str, before: str) -> str | None:
        """The current name of a case with an earlier name; None if no case had it.

        Args:
            before: the earlier name; if several cases had it, the last one counts.
        """
        found = (
            select(tables.cases.c.name)
            .join(tables.case_versions, VERSION.case_id == tables.cases.c.id)
            .join(tables.suites, tables.suites.c.id == VERSION.suite_id)
            .where(tables.suites.c.name == name, VERSION.name == before)
            .order_by(VERSION.id.desc())
            .limit(1)
        )
        return self.database.read(lambda db: db.execute(found).scalar())

    def dimensions(self, name: str) -> dict[str, tuple[str, ...]]:
        """The slice dimensions of the newest version with their values."""
        slices = tables.case_slices.c
        found = (
            select(slices.dimension, slices.value)
            .distinct()
            .join(tables.case_versions, VERSION.id == slices.version_id)
            .join(tables.suites, tables.suites.c.id == VERSION.suite_id)
            .where(tables.suites.c.name == name, VERSION.last.is_(None))
            .order_by(slices.dimension, slices.value)
        )
        values: dict[str, list[str]] = {}
        for dimension, value in self.database.read(lambda db: db.execute(found).all()):
            values.setdefault(dimension, []).append(value)
        return {dimension: tuple(known) for dimension, known in values.items()}

    def change(self, name: str, changes: Sequence[Change], by: Authorship) -> SuiteVersion | tuple[Conflict, ...]:
        """Create a new version of a suite, or a new suite, with all changes or none.

        Changes that were already made are ignored, and without others no new version is created, so repeating a call
        is safe.

        Returns:
            The version; or, if nothing was changed, the conflicting changes of others.
        """
        try:
            return self.database.write(lambda db: SuiteEdit(db, name, by).apply(changes))
        except IntegrityError:
            # Another process created the suite at the same time.
            return self.database.write(lambda db: SuiteEdit(db, name, by).apply(changes))


def _conditions(wanted: CaseFilter) -> Iterator[ColumnElement[bool]]:
    yield VERSION.entry.is_(None) if wanted.archived else VERSION.entry.is_not(None)
    for word in wanted.words:
        yield VERSION.words.contains(folded(word), autoescape=True)
    slices = tables.case_slices.c
    for dimension, value in wanted.slices.items():
        same = and_(slices.version_id == VERSION.id, slices.dimension == dimension, slices.value == value)
        yield exists().where(same)
