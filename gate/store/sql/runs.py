"""Runs of a store: adding, listing, and reading with their samples."""

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from itertools import chain
from typing import Any, BinaryIO, TypeAlias

from sqlalchemy import ColumnElement, Connection, Row, Select, Subquery, insert, select, update
from sqlalchemy.exc import IntegrityError

from gate.cases.stored import Page
from gate.config.documents import printable, quoted
from gate.errors import GateError
from gate.record.comparison import Verdict
from gate.record.history import (
    Agreement,
    CaseResult,
    Context,
    HistoryFigure,
    HistoryPoint,
    RunFilter,
    RunRow,
    SuiteResult,
    suites_of,
    tries,
)
from gate.record.run import RunRecord
from gate.record.transcript import Dollars, Failed, Sample, Unscored
from gate.store.run_folder import BadSample, dump_run, parse_sample, read_run, sample_lines_of
from gate.store.sql import tables
from gate.store.sql.database import ROWS_AT_ONCE, Database, chunks, of_row, put_many
from gate.store.sql.retention import Clean, redacted
from gate.store.sql.tables import as_label

_Key: TypeAlias = tuple[str, str, str, bool]
"""Suite, case, arm, and whether there is a score."""
NAME_BYTES = 1000
"""Limit of indexed texts: Postgres takes about 2,700 bytes for one entry."""


@dataclass(frozen=True, slots=True)
class KeptSample:
    """A sample and its line of `samples.jsonl`."""

    sample: Sample
    line: bytes


def write_run(db: Connection, id: int, run: RunRecord, samples: Iterable[KeptSample]) -> None:
    """Insert the suites, figures, samples and label of a run, in the transaction of the caller.

    Raises:
        GateError: the samples do not belong to the run.
    """
    ids: dict[str, int] = {}
    wanted: dict[_Key, int] = {}
    for suite in suites_of(run):
        _check(suite)
        ids[suite.name] = _write_suite(db, id, suite, _moment(run.created))
        for result in suite.results:
            wanted[suite.name, result.case, result.arm.value, True] = result.n
            wanted[suite.name, result.case, result.arm.value, False] = result.missing
    if tries(run):
        # Suites that were only tried have their figures in the record.
        known = wanted.keys()
        samples = (one for one in samples if _key(one.sample) in known)
    count = _write_samples(db, ids, wanted, samples)
    db.execute(update(tables.runs).where(tables.runs.c.id == id).values(samples=count))
    if (override := run.override) is not None:
        values = override.model_dump()
        values |= {"set_by": values.pop("by"), "set_at": values.pop("at"), "run_id": id}
        db.execute(insert(tables.overrides), values)


def _write_suite(db: Connection, run: int, suite: SuiteResult, created: datetime) -> int:
    values = {"run_id": run, "name": suite.name, "store": suite.store, "created": created}
    made = insert(tables.run_suites).values(**values).returning(tables.run_suites.c.id)
    id = int(db.execute(made).scalar_one())
    put_many(db, tables.figures, ({"suite_id": id, **_flat(one)} for one in suite.figures))
    put_many(db, tables.agreements, ({"suite_id": id, **_flat(one)} for one in suite.agreements))
    results = ({"suite_id": id, **_flat(one), "arm": one.arm.value} for one in suite.results)
    put_many(db, tables.case_results, results)
    return id


def _write_samples(
    db: Connection, ids: Mapping[str, int], wanted: dict[_Key, int], samples: Iterable[KeptSample]
) -> int:
    """Insert the samples after checking that they belong to the run; samples without a score may be missing."""
    count = 0
    for part in chunks(samples, ROWS_AT_ONCE):
        for one in part:
            key = _key(one.sample)
            if not wanted.get(key):
                hint = "push run.json with its own samples.jsonl"
                raise GateError(f"{_named(key)} has more samples than the run, or is not in the run", hint)
            wanted[key] -= 1
        count += len(part)
        put_many(db, tables.samples, [_sample_row(ids[one.sample.suite], one) for one in part])
    if count and (short := next((key for key, left in wanted.items() if left and key[3]), None)):
        hint = "push the complete samples.jsonl, or only run.json"
        raise GateError(f"{_named(short)} has fewer samples than the run", hint)
    return count


def row_of(run: RunRecord, digest: str) -> dict[str, Any]:
    """The row of a record for the table of runs."""
    return {
        "digest": digest,
        "created": _moment(run.created),
        "commit": run.commit or "",
        "verdict": run.verdict.value,
        "exit_code": run.exit_code,
        "waived": run.waived,
        "kind": run.kind,
        "spent_usd": run.spent_usd,
    }


def _key(sample: Sample) -> _Key:
    return sample.suite, sample.case_id, sample.arm.value, not isinstance(sample.score, Unscored)


def figures_of(sample: Sample) -> tuple[float | None, bool, float | None, float | None]:
    """Score, failure, dollars and seconds of a sample."""
    reply, score = sample.reply, None if isinstance(sample.score, Unscored) else sample.score
    if isinstance(reply, Failed):
        return score, True, None, None
    return score, False, reply.cost.amount if isinstance(reply.cost, Dollars) else None, reply.latency_s


def _sample_row(suite: int, one: KeptSample) -> dict[str, Any]:
    sample = one.sample
    figures = zip(("score", "failed", "cost_usd", "latency_s"), figures_of(sample), strict=True)
    named = {"suite_id": suite, "case": sample.case_id, "arm": sample.arm.value, "number": sample.index}
    return {**named, **dict(figures), "body": zlib.compress(one.line, 1)}


def _flat(one: HistoryFigure | Agreement | CaseResult) -> dict[str, Any]:
    """Fields by name; `asdict` would copy values deeply."""
    return {field.name: getattr(one, field.name) for field in fields(one)}


def _check(suite: SuiteResult) -> None:
    named = (one.slice for one in suite.figures), (one.case for one in suite.results)
    names = (suite.name, *chain(*named), *(one.scorer for one in suite.agreements))
    if long := next((name for name in names if len(name.encode(errors="replace")) > NAME_BYTES), None):
        hint = f"the names of suites, slices, cases and scorers have at most {NAME_BYTES:,} bytes in a store"
        raise GateError(f"a name in the run is too long: {quoted(long)}", hint)


def _named(key: _Key) -> str:
    suite, case, arm, _ = key
    return f"case {quoted(case)} of suite {quoted(suite)}, {quoted(arm)},"


def _moment(text: str) -> datetime:
    """Parse a time of a record; GateError if it is invalid."""
    hint = "push the run.json unchanged"
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is None:
            raise GateError("the run's 'created' has no time zone", hint)
        # Raises at both ends of the calendar, where conversion to UTC overflows.
        return found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise GateError("the run's 'created' is not a time", hint) from None


_SampleKey: TypeAlias = tuple[str, str, str, int]


def kept_samples(file: BinaryIO, name: str) -> Iterator[KeptSample]:
    """The samples of a `samples.jsonl`, each with its line, one in memory at a time."""
    try:
        for line in sample_lines_of(file):
            try:
                yield KeptSample(parse_sample(line.data), line.data)
            except BadSample as bad:
                reason = "is cut off" if line.torn else printable(str(bad))
                raise GateError(
                    f"{name}:{line.number}: {reason}", "copy run.json into another folder and push only that"
                ) from None
    except BadSample as bad:
        raise GateError(f"{name}: {bad}") from None


def other_samples(database: Database, id: int, run: RunRecord, samples: Iterable[KeptSample]) -> str:
    """How these samples differ from those of a run in the store, in one sentence; empty if they are equal.

    Texts are not compared, since the store may have deleted them.
    """
    known: dict[_SampleKey, tuple[object, ...]] = {}
    columns = tables.samples.c
    found = (
        select(tables.run_suites.c.name, *(column for column in columns if column is not columns.body))
        .join(tables.run_suites, tables.run_suites.c.id == columns.suite_id)
        .where(tables.run_suites.c.run_id == id)
    )

    def read(rows: Iterable[Row[*tuple[Any, ...]]]) -> None:
        for row in rows:
            known[row.name, row.case, row.arm, row.number] = (row.score, row.failed, row.cost_usd, row.latency_s)

    database.read(lambda db: read(db.execute(found)))
    stored, seen = len(known), 0
    for one in samples:
        seen += 1
        figures = known.pop(_key_of_line(one.sample), None)
        if figures is None and stored and tries(run):
            continue  # only tried: its figures are in the record
        if figures != figures_of(one.sample):
            lacks = "has no samples of it" if not stored else f"has another sample of case {quoted(one.sample.case_id)}"
            return f"the store has this run already, and {lacks}"
    return "the store has this run already, with more samples" if seen and known else ""


def _key_of_line(sample: Sample) -> _SampleKey:
    return as_label(sample.suite), as_label(sample.case_id), sample.arm.value, sample.index


_RUN = tables.runs.c
_SUITE = tables.run_suites.c


@dataclass(frozen=True, slots=True)
class AddedRun:
    """A run in the store."""

    id: int
    new: bool


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of a store.

    Args:
        clean: redacts texts; None to store them unchanged.
    """

    database: Database
    clean: Clean | None = None

    def add(self, run: RunRecord, samples: Iterable[KeptSample], context: Context, now: datetime) -> AddedRun:
        """Add a run with its samples in one transaction; an existing run is not changed.

        Args:
            samples: without duplicates; empty if none were saved.
        """
        text = dump_run(run)
        digest = f"sha256:{hashlib.sha256(text.encode(errors='backslashreplace')).hexdigest()}"
        values = {**row_of(run, digest), **asdict(context), "stored": now}
        # The digest is of the run as sent, so that it is recognized even if texts are redacted.
        record = zlib.compress(self._kept(text.encode(errors="replace")))
        samples = (KeptSample(one.sample, self._kept(one.line)) for one in samples)

        def work(db: Connection) -> AddedRun:
            known = db.execute(_id_of(digest)).scalar()
            if known is not None:
                return AddedRun(known, new=False)
            added = insert(tables.runs).values(**values, samples=0, record=record).returning(_RUN.id)
            id = db.execute(added).scalar_one()
            write_run(db, id, run, samples)
            return AddedRun(id, new=True)

        try:
            return self.database.write(work)
        except IntegrityError:
            # The same run was pushed twice at once, and the other push has added it.
            known = self.database.read(lambda db: db.execute(_id_of(digest)).scalar())
            if known is None:
                hint = "push the samples.jsonl unchanged, or only run.json"
                raise GateError("a sample of the run appears twice", hint) from None
            return AddedRun(known, new=False)

    def _kept(self, line: bytes) -> bytes:
        return line if self.clean is None else redacted(line, self.clean)

    def rows(self, wanted: RunFilter, page: Page) -> tuple[RunRow, ...]:
        """Runs, newest first.

        Args:
            page: `after` is the id of the last run of the previous page; 0 for the first page.
        """
        found = (
            older_than(run_columns().where(*_conditions(wanted)), page.after)
            .order_by(_RUN.created.desc(), _RUN.id.desc())
            .limit(page.size)
        )
        return self.database.read(lambda db: listed(db, db.execute(found).all()))

    def row(self, id: int) -> RunRow | None:
        """One run; None if it does not exist."""
        found = run_columns().where(_RUN.id == id)
        return next(iter(self.database.read(lambda db: listed(db, db.execute(found).all()))), None)

    def record(self, id: int) -> RunRecord | None:
        """The record of a run; None if it does not exist."""
        found = select(_RUN.record).where(_RUN.id == id)
        data = self.database.read(lambda db: db.execute(found).scalar())
        return None if data is None else read_run(zlib.decompress(data), f"run {id}")

    def samples(self, id: int, suite: str, case: str) -> tuple[Sample, ...]:
        """The samples of one case of a run, baseline first; empty if they were not stored."""
        kept = tables.samples.c
        found = (
            select(kept.body)
            .join(tables.run_suites, _SUITE.id == kept.suite_id)
            .where(_SUITE.run_id == id, _SUITE.name == suite, kept.case == case, kept.body.is_not(None))
            .order_by(kept.arm, kept.number)
        )
        bodies = self.database.read(lambda db: db.execute(found).scalars().all())
        return tuple(parse_sample(zlib.decompress(body)) for body in bodies)

    def trend(self, suite: str, axis: str, slice: str, last: int) -> tuple[HistoryPoint, ...]:
        """A figure in the newest runs of a suite, oldest first."""
        newest = newest_of(suite, last)
        found = (
            select(tables.figures, newest.c.run_id, newest.c.created, _RUN.branch, _RUN.event, _RUN.verdict)
            .join(newest, newest.c.id == tables.figures.c.suite_id)
            .join(tables.runs, _RUN.id == newest.c.run_id)
            .where(tables.figures.c.axis == axis, tables.figures.c.slice == slice)
            .order_by(newest.c.created, newest.c.run_id)
        )
        rows = self.database.read(lambda db: db.execute(found).all())
        return tuple(
            HistoryPoint(
                row.run_id, row.created, row.branch, row.event, Verdict(row.verdict), of_row(HistoryFigure, row)
            )
            for row in rows
        )

    def suites(self) -> tuple[str, ...]:
        """Names of all suites with a run."""
        found = select(_SUITE.name).distinct().order_by(_SUITE.name)
        return self.database.read(lambda db: tuple(db.execute(found).scalars()))


def newest_of(suite: str, last: int) -> Subquery:
    """The newest runs of a suite."""
    columns = select(_SUITE.id, _SUITE.run_id, _SUITE.created).where(_SUITE.name == suite)
    return columns.order_by(_SUITE.created.desc()).limit(last).subquery()


def _id_of(digest: str) -> Select[Any]:
    return select(_RUN.id).where(_RUN.digest == digest)


def run_columns(*more: ColumnElement[Any]) -> Select[*tuple[Any, ...]]:
    """Query for all runs without their records, plus further columns."""
    gone = select(tables.forgotten.c.at).where(tables.forgotten.c.run_id == _RUN.id).scalar_subquery()
    columns = (column for column in tables.runs.columns if column is not _RUN.record)
    return select(*columns, gone.label("forgotten"), *more)


def older_than(found: Select[Any], id: int) -> Select[Any]:
    """Runs after `id` in a list with the newest first; all runs for 0."""
    if not id:
        return found
    last = select(_RUN.created, _RUN.id).where(_RUN.id == id).subquery()
    return found.join(
        last, (_RUN.created < last.c.created) | ((_RUN.created == last.c.created) & (_RUN.id < last.c.id))
    )


def _conditions(wanted: RunFilter) -> Iterator[Any]:
    if wanted.suite:
        yield select(1).where(_SUITE.run_id == _RUN.id, _SUITE.name == wanted.suite).exists()
    if wanted.verdict is not None:
        yield wanted.verdict.value == _RUN.verdict
    if wanted.repository:
        yield wanted.repository == _RUN.repository
    if wanted.branch:
        yield wanted.branch == _RUN.branch
    if wanted.pull_request is not None:
        yield wanted.pull_request == _RUN.pull_request


def listed(db: Connection, rows: Sequence[Row[Any]]) -> tuple[RunRow, ...]:
    """Rows of `run_columns` with the names of their suites."""
    names: dict[int, list[str]] = {}
    for part in chunks([row.id for row in rows], ROWS_AT_ONCE):
        found = select(_SUITE.run_id, _SUITE.name).where(_SUITE.run_id.in_(part)).order_by(_SUITE.id)
        for row in db.execute(found):
            names.setdefault(row.run_id, []).append(row.name)
    return tuple(_run(row, names.get(row.id, [])) for row in rows)


def _run(row: Row[Any], suites: Sequence[str]) -> RunRow:
    return of_row(RunRow, row, context=of_row(Context, row), verdict=Verdict(row.verdict), suites=tuple(suites))
