"""Retention: redacts texts, deletes the texts of old runs (their figures stay), and deletes very old runs."""

import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from sqlalchemy import ColumnElement, Connection, Select, delete, exists, false, func, insert, or_, select, update

from gate.store.sql import tables
from gate.store.sql.database import Database
from gate.values import JsonValue

Clean: TypeAlias = Callable[[str], str]

_TEXTS = frozenset(
    {
        *("text", "thinking", "failure", "unscored", "reason", "reasons", "missed", "error"),
        *("input", "expected", "said", "answer", "arguments", "result", "found", "rows"),
    }
)
"""Keys with texts of models and people, in `run.json` and in `samples.jsonl`."""
_OUTPUTS = frozenset({"baseline_outputs", "candidate_outputs", "outputs"})
_CASES = ("suites", "new")


def redacted(line: bytes, clean: Clean) -> bytes:
    """A record, or a line of `samples.jsonl`, with all texts of models and cases redacted."""
    return _dumped(_cleaned(json.loads(line), clean, inside=False))


def without_outputs(record: bytes) -> bytes:
    """A `run.json` without answers and reasons, but with scores."""
    run = json.loads(record)
    for suite in (suite for name in _CASES for suite in run.get(name, ())):
        for case in suite["cases"]:
            case.update({name: [] for name in _OUTPUTS & case.keys()})
            for scorer in (case.get("check") or {}).get("scorers", ()):
                scorer["reason"] = ""
    return _dumped(run)


def _cleaned(value: JsonValue, clean: Clean, *, inside: bool) -> JsonValue:
    if isinstance(value, str):
        return clean(value) if inside else value
    if isinstance(value, list):
        return [_cleaned(one, clean, inside=inside) for one in value]
    if isinstance(value, Mapping):
        # Inside an expected JSON value, keys belong to the user.
        return {name: _cleaned(one, clean, inside=inside or name in _TEXTS) for name, one in value.items()}
    return value


def _dumped(value: JsonValue) -> bytes:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()


_RUN = tables.runs.c
_AT_ONCE = 100
"""Runs of one transaction, so that others may write in between."""


@dataclass(frozen=True, slots=True)
class RetentionLimits:
    """Data before these times is deleted; None keeps it."""

    outputs: datetime | None = None
    runs: datetime | None = None


@dataclass(frozen=True, slots=True)
class Pruned:
    """Counts of deleted data.

    Args:
        runs: runs deleted completely.
        texts: runs whose answers and reasons were deleted.
    """

    runs: int
    texts: int


@dataclass(frozen=True, slots=True)
class Removal:
    """A deletion of runs."""

    at: datetime
    before: datetime
    runs: int


def prune(database: Database, limits: RetentionLimits, now: datetime, *, dry: bool = False) -> Pruned:
    """Delete old data, or only count it with `dry`; the next call completes an interrupted deletion."""
    old, wordy = _old(limits), _with_old_texts(limits)
    if dry:
        return database.read(lambda db: Pruned(_count(db, old), _count(db, wordy)))
    removed = texts = 0
    while part := database.write(lambda db: _remove(db, old, limits, now)):
        removed += part
    while part := database.write(lambda db: _forget(db, wordy, now)):
        texts += part
    return Pruned(removed, texts)


def last_removal(database: Database) -> Removal | None:
    """The newest deletion of whole runs; None if there was none."""
    columns = tables.removals.c
    newest = select(columns.at, columns.before).order_by(columns.at.desc(), columns.id.desc()).limit(1)

    def work(db: Connection) -> Removal | None:
        row = db.execute(newest).first()
        if row is None:
            return None
        runs = db.execute(select(func.sum(columns.runs)).where(columns.before == row.before)).scalar_one()
        return Removal(row.at, row.before, int(runs))

    return database.read(work)


def _old(limits: RetentionLimits) -> Select[tuple[int]]:
    found = select(_RUN.id).order_by(_RUN.created)
    return found.where(_before(limits.runs) if limits.runs is not None else false())


def _with_old_texts(limits: RetentionLimits) -> Select[tuple[int]]:
    """Runs that still have texts and are too old for them."""
    found = select(_RUN.id).order_by(_RUN.created)
    if limits.outputs is None:
        return found.where(false())
    gone = exists().where(tables.forgotten.c.run_id == _RUN.id)
    kept = found.where(_before(limits.outputs), ~gone)
    return kept if limits.runs is None else kept.where(~_before(limits.runs))


def _before(moment: datetime) -> ColumnElement[bool]:
    """Runs before a moment; a run dated in the future counts by the time when it was added."""
    return or_(_RUN.created < moment, _RUN.stored < moment)


def _count(db: Connection, found: Select[tuple[int]]) -> int:
    return db.execute(select(func.count()).select_from(found.order_by(None).subquery())).scalar_one()


def _remove(db: Connection, old: Select[tuple[int]], limits: RetentionLimits, now: datetime) -> int:
    ids = db.execute(old.limit(_AT_ONCE)).scalars().all()
    if ids:
        db.execute(delete(tables.runs).where(_RUN.id.in_(ids)))
        db.execute(insert(tables.removals).values(at=now, before=limits.runs, runs=len(ids)))
    return len(ids)


def _forget(db: Connection, wordy: Select[tuple[int]], now: datetime) -> int:
    ids = db.execute(wordy.limit(_AT_ONCE)).scalars().all()
    for id in ids:
        # One record in memory at a time.
        record = db.execute(select(_RUN.record).where(_RUN.id == id)).scalar_one()
        shorter = zlib.compress(without_outputs(zlib.decompress(record)))
        db.execute(update(tables.runs).where(_RUN.id == id).values(record=shorter))
        of_run = select(tables.run_suites.c.id).where(tables.run_suites.c.run_id == id)
        gone = update(tables.samples).where(tables.samples.c.suite_id.in_(of_run)).values(body=None)
        db.execute(gone)
        db.execute(insert(tables.forgotten).values(run_id=id, at=now))
    return len(ids)
