"""The samples of a file on their way into a store, and whether a store has them already."""

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, TypeAlias

from sqlalchemy import Row, select

from gate.domain.record import RunRecord
from gate.domain.sample import Sample
from gate.engine.history import tries
from gate.errors import GateError
from gate.inputs.problems import printable, quoted
from gate.store.samples import BadSample, lines_of, parse_sample
from gate.store.sql import run_tables as tables
from gate.store.sql.engine import Database
from gate.store.sql.run_writer import KeptSample, figures_of
from gate.store.sql.tables import as_label

_Key: TypeAlias = tuple[str, str, str, int]


def kept_samples(file: BinaryIO, name: str) -> Iterator[KeptSample]:
    """Each with its line, one in memory at a time.

    Args:
        file: `samples.jsonl`.
        name: of the file, for messages.

    Raises:
        GateError: a line is no whole sample.
    """
    try:
        for line in lines_of(file):
            try:
                yield KeptSample(parse_sample(line.data), line.data)
            except BadSample as bad:
                said = "is cut off" if line.torn else printable(str(bad))
                raise GateError(
                    f"{name}:{line.number}: {said}", "push run.json alone, from a folder of its own"
                ) from None
    except BadSample as bad:
        raise GateError(f"{name}: {bad}") from None


def other_samples(database: Database, id: int, run: RunRecord, samples: Iterable[KeptSample]) -> str:
    """How these samples differ from those that the store has of a run, in a sentence; empty where they do not.

    Texts are not compared: the store may have forgotten them.

    Args:
        database: which has the run.
        id: of the run there.
        run: the record.
        samples: of the same record; none is none too few.
    """
    known: dict[_Key, tuple[object, ...]] = {}
    columns = tables.samples.c
    found = (
        select(tables.run_suites.c.name, *(column for column in columns if column is not columns.body))
        .join(tables.run_suites, tables.run_suites.c.id == columns.suite_id)
        .where(tables.run_suites.c.run_id == id)
    )

    def read(rows: Iterable[Row[Any]]) -> None:
        for row in rows:
            known[row.name, row.case, row.arm, row.number] = (row.score, row.failed, row.cost_usd, row.latency_s)

    database.read(lambda db: read(db.execute(found)))
    stored, seen = len(known), 0
    for one in samples:
        seen += 1
        figures = known.pop(_key(one.sample), None)
        if figures is None and stored and tries(run):
            continue  # what was only tried has its figures in the record
        if figures != figures_of(one.sample):
            lacks = "has no samples of it" if not stored else f"has another sample of case {quoted(one.sample.case_id)}"
            return f"the store has this run already, and {lacks}"
    return "the store has this run already, with more samples" if seen and known else ""


def _key(sample: Sample) -> _Key:
    return as_label(sample.suite), as_label(sample.case_id), sample.arm.value, sample.index
