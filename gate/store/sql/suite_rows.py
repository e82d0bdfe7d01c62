"""Rows of suites and cases: how they are asked for, what they become, and the digest that names a version."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Connection, Row, Select, or_, select

from gate.casefiles.reading import canonical
from gate.domain.stored_suite import CaseVersion, SuiteVersion
from gate.store.sql import tables

VERSION = tables.case_versions.c
MADE = tables.suite_versions.c


def newest_versions() -> Select[tuple[object, ...]]:
    """Asks for the newest version of each suite, by its name."""
    return all_versions().where(MADE.number == tables.suites.c.newest).order_by(tables.suites.c.name)


def all_versions() -> Select[tuple[object, ...]]:
    """Asks for all versions of all suites, as `suite_of` reads them."""
    columns = (MADE.number, MADE.digest, MADE.cases, MADE.author, MADE.made, MADE.what)
    return select(tables.suites.c.name, *columns).join(tables.suites, tables.suites.c.id == MADE.suite_id)


def case_rows(suite: str) -> Select[tuple[object, ...]]:
    """Asks for all versions of all cases of a suite, as `case_of` reads them."""
    columns = (VERSION.number, VERSION.entry, VERSION.author, VERSION.made, VERSION.first, VERSION.last)
    return (
        select(tables.cases.c.name, *columns, VERSION.case_id)
        .join(tables.case_versions, VERSION.case_id == tables.cases.c.id)
        .join(tables.suites, tables.suites.c.id == tables.cases.c.suite_id)
        .where(tables.suites.c.name == suite)
    )


def standing(db: Connection, suite: str, version: int) -> Iterator[str]:
    """The entries of a version of a suite, in their order."""
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


def digested(entries: Iterable[str]) -> tuple[str, int]:
    """Names the cases, whatever the order of their keys; and how many there are."""
    found, count = hashlib.sha256(), 0
    for entry in entries:
        found.update(canonical(json.loads(entry)).encode() + b"\n")
        count += 1
    return f"sha256:{found.hexdigest()}", count


def folded(text: str) -> str:
    """As people search: letters of any case are the same, and what no database keeps is a blank."""
    return "".join(sign if sign.isprintable() else " " for sign in text.casefold())


def suite_of(row: Row[Any]) -> SuiteVersion:
    """A row of `all_versions`."""
    return SuiteVersion(row.name, row.number, row.digest, row.cases, row.author, row.made, row.what)


def case_of(row: Row[Any]) -> CaseVersion:
    """A row of `case_rows`; a version in which the case is archived has no entry."""
    entry = None if row.entry is None else json.loads(row.entry)
    return CaseVersion(row.name, row.number, entry, row.author, row.made, row.first, row.last, row.case_id)
