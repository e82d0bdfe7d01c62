"""Suites of a store: cases with versions and authors; every change makes a new version of the suite."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, delete, exists, func, select
from sqlalchemy.exc import IntegrityError

from gate.domain.stored_suite import (
    CaseFilter,
    CaseVersion,
    Change,
    Conflict,
    Entry,
    Listed,
    Page,
    SuiteVersion,
)
from gate.store.sql import tables
from gate.store.sql.engine import Database
from gate.store.sql.suite_edits import By, Edit
from gate.store.sql.suite_rows import (
    MADE,
    VERSION,
    all_versions,
    case_of,
    case_rows,
    folded,
    newest_versions,
    standing,
    suite_of,
)


@dataclass(frozen=True, slots=True)
class Suites:
    """All suites of a store.

    Args:
        database: which has its tables.
    """

    database: Database

    def names(self) -> tuple[SuiteVersion, ...]:
        """The newest version of each, by name."""
        return self.database.read(lambda db: tuple(map(suite_of, db.execute(newest_versions()))))

    def newest(self, name: str) -> SuiteVersion | None:
        """The newest version of one; None where there is no such suite."""
        found = newest_versions().where(tables.suites.c.name == name)
        row = self.database.read(lambda db: db.execute(found).first())
        return None if row is None else suite_of(row)

    def version(self, name: str, number: int) -> SuiteVersion | None:
        """One version; None where there is none."""
        found = all_versions().where(tables.suites.c.name == name, MADE.number == number)
        row = self.database.read(lambda db: db.execute(found).first())
        return None if row is None else suite_of(row)

    def history(self, name: str) -> tuple[SuiteVersion, ...]:
        """All its versions, the newest first."""
        found = all_versions().where(tables.suites.c.name == name).order_by(MADE.number.desc())
        return self.database.read(lambda db: tuple(map(suite_of, db.execute(found))))

    def entries(self, version: SuiteVersion) -> tuple[Entry, ...]:
        """The cases of a version, in their order."""
        return self.database.read(lambda db: tuple(map(json.loads, standing(db, version.suite, version.number))))

    def cases(self, name: str, wanted: CaseFilter, page: Page) -> tuple[Listed, ...]:
        """Part of the newest version, in its order.

        Args:
            name: of the suite.
            wanted: which cases.
            page: which part of them.
        """
        found = (
            case_rows(name)
            .add_columns(VERSION.place)
            .where(VERSION.last.is_(None), *_conditions(wanted), VERSION.place > page.after)
            .order_by(VERSION.place)
            .limit(page.size)
        )
        return self.database.read(lambda db: tuple(Listed(row.place, case_of(row)) for row in db.execute(found)))

    def count(self, name: str, wanted: CaseFilter) -> int:
        """How many cases of the newest version are wanted."""
        found = case_rows(name).where(VERSION.last.is_(None), *_conditions(wanted)).subquery()
        return self.database.read(lambda db: db.execute(select(func.count()).select_from(found)).scalar_one())

    def case(self, name: str, case: str) -> tuple[CaseVersion, ...]:
        """All versions of a case, the newest first; empty where there is none."""
        found = case_rows(name).where(tables.cases.c.name == case).order_by(VERSION.number.desc())
        return self.database.read(lambda db: tuple(map(case_of, db.execute(found))))

    def name_of(self, name: str, case: int) -> str | None:
        """What a case of a suite is called now; None where there is none.

        Args:
            name: of the suite.
            case: as its versions have it.
        """
        found = select(tables.cases.c.name).join(tables.suites, tables.suites.c.id == tables.cases.c.suite_id)
        wanted = found.where(tables.suites.c.name == name, tables.cases.c.id == case)
        return self.database.read(lambda db: db.execute(wanted).scalar())

    def renamed(self, name: str, before: str) -> str | None:
        """What the case is called now that had a name before; None where no case had it.

        Args:
            name: of the suite.
            before: of several cases that had it one after the other, the last one is meant.
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
        """The slice dimensions of the newest version, each with its values."""
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

    def change(self, name: str, changes: Sequence[Change], by: By) -> SuiteVersion | tuple[Conflict, ...]:
        """Make a new version of a suite, or the first of a new one; all changes or none.

        A change that somebody has made already, to the letter, is none; where nothing is left to be done, the newest
        version stays what it was: the same work done twice is done once.

        Args:
            name: of the suite.
            changes: each of another case.
            by: who.

        Returns:
            The version; or what others have changed meanwhile, and then nothing was done.
        """
        try:
            return self.database.write(lambda db: Edit(db, name, by).made(changes))
        except IntegrityError:
            # Two made the same suite at once: for the second one it is there now.
            return self.database.write(lambda db: Edit(db, name, by).made(changes))

    def remove(self, name: str) -> bool:
        """Forget a suite with all its versions; False where there is none."""
        gone = delete(tables.suites).where(tables.suites.c.name == name)
        return self.database.write(lambda db: bool(db.execute(gone).rowcount))


def _conditions(wanted: CaseFilter) -> Iterator[ColumnElement[bool]]:
    yield VERSION.entry.is_(None) if wanted.archived else VERSION.entry.is_not(None)
    for word in wanted.words:
        yield VERSION.words.contains(folded(word), autoescape=True)
    slices = tables.case_slices.c
    for dimension, value in wanted.slices.items():
        same = and_(slices.version_id == VERSION.id, slices.dimension == dimension, slices.value == value)
        yield exists().where(same)
