"""Writes one run into the tables of the store: whole, or not at all."""

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from itertools import chain
from typing import Any, TypeAlias

from sqlalchemy import Connection, insert, update

from gate.domain.absence import Failed, Unscored
from gate.domain.history import Agreement, CaseResult, Figure, SuiteResult
from gate.domain.record import RunRecord
from gate.domain.sample import Sample
from gate.domain.usage import Dollars
from gate.engine.history import suites_of, tries
from gate.errors import GateError
from gate.inputs.problems import quoted
from gate.store.sql import run_tables as tables
from gate.store.sql.bulk import AT_ONCE, parts, put_many

_Key: TypeAlias = tuple[str, str, str, bool]
"""Suite, case, arm, and whether there is a score."""
NAME_BYTES = 1000
"""Of whatever an index holds: Postgres takes about 2,700 for all of one entry."""


@dataclass(frozen=True, slots=True)
class KeptSample:
    """A sample and its line of `samples.jsonl`."""

    sample: Sample
    line: bytes


class RunWriter:
    """Puts one run into the tables, in the transaction of its caller."""

    def __init__(self, db: Connection, run: int) -> None:
        self._db, self._run = db, run

    def write(self, run: RunRecord, samples: Iterable[KeptSample]) -> None:
        """Put its suites, figures, samples and its label there.

        Raises:
            GateError: the samples are not those of the run.
        """
        ids: dict[str, int] = {}
        wanted: dict[_Key, int] = {}
        for suite in suites_of(run):
            _check(suite)
            ids[suite.name] = self._suite(suite, run)
            for result in suite.results:
                wanted[suite.name, result.case, result.arm.value, True] = result.n
                wanted[suite.name, result.case, result.arm.value, False] = result.missing
        if tries(run):
            # What was only tried has its figures in the record.
            samples = (one for one in samples if _key(one.sample) in wanted)
        count = self._samples(ids, dict(wanted), samples)
        self._db.execute(update(tables.runs).where(tables.runs.c.id == self._run).values(samples=count))
        if (override := run.override) is not None:
            values = override.model_dump()
            values |= {"set_by": values.pop("by"), "set_at": values.pop("at"), "run_id": self._run}
            self._db.execute(insert(tables.overrides), values)

    def _suite(self, suite: SuiteResult, run: RunRecord) -> int:
        columns = ("name", "alone", "prompt", "model", "digest", "exam", "cases", "store")
        named = {name: getattr(suite, name) for name in columns}
        values = {**named, "run_id": self._run, "created": _moment(run.created)}
        made = insert(tables.run_suites).values(**values).returning(tables.run_suites.c.id)
        id = int(self._db.execute(made).scalar_one())
        put_many(self._db, tables.figures, ({"suite_id": id, **_flat(one)} for one in suite.figures))
        put_many(self._db, tables.agreements, ({"suite_id": id, **_flat(one)} for one in suite.agreements))
        results = ({"suite_id": id, **_flat(one), "arm": one.arm.value} for one in suite.results)
        put_many(self._db, tables.case_results, results)
        return id

    def _samples(self, ids: Mapping[str, int], wanted: dict[_Key, int], samples: Iterable[KeptSample]) -> int:
        """Keep them all, if they are those of the run; one without a score may never have been asked for."""
        count = 0
        for part in parts(samples, AT_ONCE):
            for one in part:
                key = _key(one.sample)
                if not wanted.get(key):
                    hint = "push run.json with the samples.jsonl that lies beside it"
                    raise GateError(f"{_named(key)} has more samples than the run counts, or is not in it", hint)
                wanted[key] -= 1
            count += len(part)
            put_many(self._db, tables.samples, [_sample_row(ids[one.sample.suite], one) for one in part])
            judged = (row for one in part for row in _judgements(ids[one.sample.suite], one.sample))
            put_many(self._db, tables.judgements, judged)
        if count and (short := next((key for key, left in wanted.items() if left and key[3]), None)):
            hint = "push the whole samples.jsonl, or run.json alone"
            raise GateError(f"{_named(short)} has fewer samples than the run counts: some are missing", hint)
        return count


def row_of(run: RunRecord, digest: str) -> dict[str, Any]:
    """What the table of runs holds of a record itself."""
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
    """Score, whether it failed, dollars and seconds, as a store has them."""
    reply, score = sample.reply, None if isinstance(sample.score, Unscored) else sample.score
    if isinstance(reply, Failed):
        return score, True, None, None
    return score, False, reply.cost.amount if isinstance(reply.cost, Dollars) else None, reply.latency_s


def _sample_row(suite: int, one: KeptSample) -> dict[str, Any]:
    sample = one.sample
    figures = zip(("score", "failed", "cost_usd", "latency_s"), figures_of(sample), strict=True)
    named = {"suite_id": suite, "case": sample.case_id, "arm": sample.arm.value, "number": sample.index}
    return {**named, **dict(figures), "body": zlib.compress(one.line, 1)}


def _judgements(suite: int, sample: Sample) -> Iterator[dict[str, Any]]:
    named = {"suite_id": suite, "case": sample.case_id, "arm": sample.arm.value, "number": sample.index}
    for score in sample.scores:
        yield {**named, "scorer": score.scorer, "value": None if isinstance(score.value, Unscored) else score.value}


def _flat(one: Figure | Agreement | CaseResult) -> dict[str, Any]:
    """Its fields by name; `asdict` would copy each value deeply."""
    return {field.name: getattr(one, field.name) for field in fields(one)}


def _check(suite: SuiteResult) -> None:
    named = (one.slice for one in suite.figures), (one.case for one in suite.results)
    names = (suite.name, *chain(*named), *(one.scorer for one in suite.agreements))
    if long := next((name for name in names if len(name.encode(errors="replace")) > NAME_BYTES), None):
        hint = f"the names of suites, slices, cases and scorers have at most {NAME_BYTES:,} bytes in a store"
        raise GateError(f"the run holds a name that is too long: {quoted(long)}", hint)


def _named(key: _Key) -> str:
    suite, case, arm, _ = key
    return f"case {quoted(case)} of suite {quoted(suite)}, {quoted(arm)},"


def _moment(text: str) -> datetime:
    """Of a record; whatever is no moment is told."""
    hint = "push a run.json as the gate wrote it"
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is None:
            raise GateError("the run's 'created' has no time zone", hint)
        # At both ends of the calendar there are moments that are none in UTC.
        return found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise GateError("the run's 'created' is no moment", hint) from None
