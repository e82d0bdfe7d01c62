"""One change of a suite, in one transaction: a new version, or what others have changed meanwhile."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from gate.cases.reading import canonical
from gate.domain.stored_suite import (
    Archive,
    Change,
    Conflict,
    Entry,
    Put,
    SuiteVersion,
    name_before,
)
from gate.store.sql import tables
from gate.store.sql.bulk import AT_ONCE, parts, put_many
from gate.store.sql.suite_rows import (
    VERSION,
    case_of,
    case_rows,
    digested,
    folded,
    newest_versions,
    standing,
    suite_of,
)


@dataclass(frozen=True, slots=True)
class By:
    """Who changes something, when, and what it is called in the history.

    Args:
        author: a name.
        now: the time.
        what: for readers.
    """

    author: str
    now: datetime
    what: str = ""


class Edit:
    """One change of one suite, in a transaction of its own."""

    def __init__(self, db: Connection, name: str, by: By) -> None:
        self._db, self._name, self._by = db, name, by

    def made(self, changes: Sequence[Change]) -> SuiteVersion | tuple[Conflict, ...]:
        suite, newest = self._locked()
        known = self._current(suite, [name for change in changes for name in {change.name, name_before(change)}])
        new = [change for change in changes if not _done(change, known)]
        clashes = tuple(
            Conflict(change, None if row is None else case_of(row))
            for change in new
            if (row := _in_the_way(change, known)) is not None or (change.base and name_before(change) not in known)
        )
        if clashes:
            return clashes
        if new or not newest:
            follows = {change.name: row for change in new if (row := known.get(name_before(change))) is not None}
            self._apply(suite, newest + 1, new, follows)
        row = self._db.execute(newest_versions().where(tables.suites.c.id == suite)).one()
        return suite_of(row)

    def _locked(self) -> tuple[int, int]:
        """The suite and its newest version, 0 where it is new; until the end nobody else changes it."""
        of_suite = select(tables.suites.c.id, tables.suites.c.newest).where(tables.suites.c.name == self._name)
        row = self._db.execute(of_suite.with_for_update()).first()
        if row is not None:
            return row.id, row.newest
        made = insert(tables.suites).values(name=self._name, newest=0).returning(tables.suites.c.id)
        return self._db.execute(made).scalar_one(), 0

    def _current(self, suite: int, names: Sequence[str]) -> dict[str, Row[Any]]:
        """The newest version of each of these cases."""
        found: dict[str, Row[Any]] = {}
        for part in parts(names, AT_ONCE):
            rows = case_rows(self._name).add_columns(VERSION.id, VERSION.place)
            for row in self._db.execute(rows.where(VERSION.last.is_(None), tables.cases.c.name.in_(part))):
                found[row.name] = row
        return found

    def _apply(self, suite: int, version: int, changes: Sequence[Change], known: dict[str, Row[Any]]) -> None:
        touched = [known[change.name].id for change in changes if change.name in known]
        for part in parts(touched, AT_ONCE):
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
        digest, cases = digested(standing(self._db, self._name, version))
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
                    "entry": _text(change.entry) if isinstance(change, Put) else None,
                    "words": folded(change.text) if isinstance(change, Put) else "",
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
            if isinstance(change, Put)
            for dimension, value in change.slices.items()
        ]
        put_many(self._db, tables.case_slices, slices)


def _text(entry: Entry) -> str:
    """ASCII alone: no database takes every character that a case may hold."""
    return json.dumps(dict(entry))


def _in_the_way(change: Change, known: Mapping[str, Row[Any]]) -> Row[Any] | None:
    """What others have made meanwhile: another version of the case, or another case of its new name."""
    before, taken = known.get(name_before(change)), known.get(change.name)
    if name_before(change) != change.name and taken is not None:
        return taken
    return before if before is not None and before.number != change.base else None


def _done(change: Change, known: Mapping[str, Row[Any]]) -> bool:
    """Does it stand there already?"""
    if name_before(change) != change.name and name_before(change) in known:
        return False
    row = known.get(change.name)
    stands = None if row is None else row.entry
    if isinstance(change, Archive):
        return stands is None
    return stands is not None and canonical(json.loads(stands)) == canonical(change.entry)
