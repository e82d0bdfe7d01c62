"""Runs of a store: the record and every sample as they were, and beside them what lists and trends look up."""

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, Subquery, delete, insert, select
from sqlalchemy.exc import IntegrityError

from gate.domain.history import CaseResult, Context, Figure, Point, RunFilter, RunRow
from gate.domain.record import RunRecord
from gate.domain.sample import ArmName, Sample
from gate.domain.stored_suite import Page
from gate.domain.verdict import Verdict
from gate.errors import GateError
from gate.store.load import read_run
from gate.store.redaction import Clean, redacted
from gate.store.run_folder import dump_run
from gate.store.samples import parse_sample
from gate.store.sql import run_tables as tables
from gate.store.sql.bulk import AT_ONCE, parts
from gate.store.sql.engine import Database
from gate.store.sql.run_writer import KeptSample, RunWriter, row_of

_RUN = tables.runs.c
_SUITE = tables.run_suites.c


@dataclass(frozen=True, slots=True)
class Added:
    """A run that is in the store.

    Args:
        id: of the store.
        new: it was not there before.
    """

    id: int
    new: bool


@dataclass(frozen=True, slots=True)
class Runs:
    """All runs of a store.

    Args:
        database: which has its tables.
        clean: takes out of texts what shall not be kept; None keeps all.
    """

    database: Database
    clean: Clean | None = None

    def add(self, run: RunRecord, samples: Iterable[KeptSample], context: Context, now: datetime) -> Added:
        """Keep a run with its samples: all of it, or nothing. One that is there already stays as it is.

        Args:
            run: the record.
            samples: of the run, each once; none where nobody kept them.
            context: where it comes from.
            now: the time.

        Raises:
            GateError: the samples are not those of the run.
            CannotEvaluate: the database does not answer.
        """
        text = dump_run(run)
        digest = f"sha256:{hashlib.sha256(text.encode(errors='backslashreplace')).hexdigest()}"
        values = {**row_of(run, digest), **asdict(context), "stored": now}
        # The digest is that of the run as it was sent: it is known again, whatever is taken out of it.
        record = zlib.compress(self._kept(text.encode(errors="replace")))
        samples = (KeptSample(one.sample, self._kept(one.line)) for one in samples)

        def work(db: Connection) -> Added:
            known = db.execute(_id_of(digest)).scalar()
            if known is not None:
                return Added(known, new=False)
            added = insert(tables.runs).values(**values, samples=0, record=record).returning(_RUN.id)
            id = db.execute(added).scalar_one()
            RunWriter(db, id).write(run, samples)
            return Added(id, new=True)

        try:
            return self.database.write(work)
        except IntegrityError:
            # The same run was pushed twice at once: for the second one it is there now.
            known = self.database.read(lambda db: db.execute(_id_of(digest)).scalar())
            if known is None:
                hint = "push the samples.jsonl that the gate wrote beside it, or run.json alone"
                raise GateError("a sample of the run, or a score of one, is there twice", hint) from None
            return Added(known, new=False)

    def _kept(self, line: bytes) -> bytes:
        return line if self.clean is None else redacted(line, self.clean)

    def rows(self, wanted: RunFilter, page: Page) -> tuple[RunRow, ...]:
        """Runs, the newest first.

        Args:
            wanted: which.
            page: `after` is the id of the last run of the page before.
        """
        found = (
            older_than(run_columns().where(*_conditions(wanted)), page.after)
            .order_by(_RUN.created.desc(), _RUN.id.desc())
            .limit(page.size)
        )
        return self.database.read(lambda db: listed(db, db.execute(found).all()))

    def row(self, id: int) -> RunRow | None:
        """One run; None where there is none."""
        found = run_columns().where(_RUN.id == id)
        return next(iter(self.database.read(lambda db: listed(db, db.execute(found).all()))), None)

    def record(self, id: int) -> RunRecord | None:
        """The record of a run; None where there is none.

        Raises:
            GateError: another version recorded it, and this one cannot read it.
        """
        found = select(_RUN.record).where(_RUN.id == id)
        data = self.database.read(lambda db: db.execute(found).scalar())
        return None if data is None else read_run(zlib.decompress(data), f"run {id}")

    def samples(self, id: int, suite: str, case: str) -> tuple[Sample, ...]:
        """The samples of one case of a run, those of the baseline first; none where they were not kept."""
        kept = tables.samples.c
        found = (
            select(kept.body)
            .join(tables.run_suites, _SUITE.id == kept.suite_id)
            .where(_SUITE.run_id == id, _SUITE.name == suite, kept.case == case, kept.body.is_not(None))
            .order_by(kept.arm, kept.number)
        )
        bodies = self.database.read(lambda db: db.execute(found).scalars().all())
        return tuple(parse_sample(zlib.decompress(body)) for body in bodies)

    def trend(self, suite: str, axis: str, slice: str, last: int) -> tuple[Point, ...]:
        """A figure in the newest runs of a suite, the oldest first.

        Args:
            suite: its name.
            axis: quality, cost or latency.
            slice: `overall`, or `dimension=value`.
            last: runs at most.
        """
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
            Point(row.run_id, row.created, row.branch, row.event, Verdict(row.verdict), _figure(row)) for row in rows
        )

    def results(self, suite: str, last: int) -> Iterator[tuple[int, CaseResult]]:
        """How each case did in the newest runs of a suite, each with the id of its run, the newest first."""
        newest = newest_of(suite, last)
        found = (
            select(tables.case_results, newest.c.run_id)
            .join(newest, newest.c.id == tables.case_results.c.suite_id)
            .order_by(newest.c.created.desc())
        )
        for row in self.database.read(lambda db: db.execute(found).all()):
            yield row.run_id, CaseResult(row.case, ArmName(row.arm), row.n, row.missing, row.mean, row.variance)

    def suites(self) -> tuple[str, ...]:
        """Names of all suites that a run has evaluated."""
        found = select(_SUITE.name).distinct().order_by(_SUITE.name)
        return self.database.read(lambda db: tuple(db.execute(found).scalars()))

    def remove(self, id: int) -> bool:
        """Forget a run with all that belongs to it; False where there is none."""
        return self.database.write(lambda db: bool(db.execute(delete(tables.runs).where(_RUN.id == id)).rowcount))


def newest_of(suite: str, last: int) -> Subquery:
    """The newest runs of a suite."""
    columns = select(_SUITE.id, _SUITE.run_id, _SUITE.created).where(_SUITE.name == suite)
    return columns.order_by(_SUITE.created.desc()).limit(last).subquery()


def _id_of(digest: str) -> Select[Any]:
    return select(_RUN.id).where(_RUN.digest == digest)


def run_columns(*more: ColumnElement[Any]) -> Select[Any]:
    """All runs without their records, and further columns."""
    gone = select(tables.forgotten.c.at).where(tables.forgotten.c.run_id == _RUN.id).scalar_subquery()
    columns = (column for column in tables.runs.columns if column is not _RUN.record)
    return select(*columns, gone.label("forgotten"), *more)


def older_than(found: Select[Any], id: int) -> Select[Any]:
    """Of these runs those that come after one in a list that begins with the newest; all of them after 0."""
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
    for part in parts([row.id for row in rows], AT_ONCE):
        found = select(_SUITE.run_id, _SUITE.name).where(_SUITE.run_id.in_(part)).order_by(_SUITE.id)
        for row in db.execute(found):
            names.setdefault(row.run_id, []).append(row.name)
    return tuple(_run(row, names.get(row.id, [])) for row in rows)


def _run(row: Row[Any], suites: Sequence[str]) -> RunRow:
    return RunRow(
        id=row.id,
        digest=row.digest,
        created=row.created,
        stored=row.stored,
        context=Context(row.repository, row.branch, row.event, row.pull_request, row.pushed_by),
        commit=row.commit,
        verdict=Verdict(row.verdict),
        exit_code=row.exit_code,
        waived=row.waived,
        kind=row.kind,
        suites=tuple(suites),
        samples=row.samples,
        spent_usd=row.spent_usd,
        forgotten=row.forgotten,
    )


def _figure(row: Row[Any]) -> Figure:
    return Figure(
        axis=row.axis,
        slice=row.slice,
        n=row.n,
        units=row.units,
        baseline=row.baseline,
        candidate=row.candidate,
        error=row.error,
        change=row.change,
        lower=row.lower,
        upper=row.upper,
        state=row.state,
    )
