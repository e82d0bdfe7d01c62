"""A finished evaluation becomes `run.json`."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.metadata import version
from math import fsum

from gate.domain.caching import CacheComparison
from gate.domain.record import MethodRecord, MissingRecord, RunRecord
from gate.domain.record_compared import CaseRecord, QualityRecord, SuiteRecord
from gate.domain.record_new import NewSuiteRecord
from gate.domain.sample import ArmName
from gate.domain.suite import Suite
from gate.domain.usage import FREE
from gate.domain.verdict import State
from gate.engine.assess import Assessment
from gate.engine.cautions import preference_notes, sampling_notes
from gate.engine.grid import Grid
from gate.engine.judged import Intervals
from gate.engine.looks import looks_planned, needed, spared
from gate.engine.pairs import scores
from gate.engine.position import positions
from gate.engine.rows import Rows
from gate.engine.samples import SampleTable
from gate.engine.scorers import scorer_changes
from gate.engine.toolcalls import talks, tool_difference
from gate.flows.collect import Collection
from gate.flows.record_exam import added_up, untried, value_records
from gate.flows.record_judged import judged
from gate.flows.record_new import new_suite_record
from gate.flows.record_parts import (
    INFORMATIVE_CASES,
    arm_record,
    calls_record,
    dollars_spent,
    exam_record,
    output_record,
    shortened,
    spending_record,
)
from gate.flows.record_reuse import reuse_record
from gate.flows.resolved import Resolved


@dataclass(frozen=True, slots=True)
class Finished:
    """Everything that a record is made of.

    Args:
        resolved: what was evaluated.
        found: the samples.
        assessment: what they say.
        caching: of each suite whose prompt cache could be compared.
        seed: of the statistics.
        created: when the run began.
        duration_s: seconds that it took.
        unfinished: why it ended early, or None.
    """

    resolved: Resolved
    found: Collection
    assessment: Assessment
    caching: Mapping[str, CacheComparison]
    seed: int
    created: datetime
    duration_s: float
    unfinished: str | None = None


def record(finished: Finished) -> RunRecord:
    """The record of a run."""
    resolved, assessment = finished.resolved, finished.assessment
    suites = [_suite(suite, finished) for suite in resolved.suites if suite.baseline is not None]
    new = [_new(suite, finished) for suite in resolved.suites if suite.baseline is None]
    parts: list[SuiteRecord | NewSuiteRecord] = [*suites, *new]
    calls = added_up([part.calls for part in parts])
    missing = assessment.missing
    return RunRecord(
        tool_version=version("prompt-gate"),
        created=finished.created.isoformat(timespec="seconds"),
        duration_s=round(finished.duration_s, 3),
        verdict=assessment.decision.verdict,
        exit_code=assessment.decision.exit_code,
        reasons=list(assessment.decision.reasons),
        seed=finished.seed,
        commit=resolved.commit,
        config=resolved.config,
        deleted=[one.prompt for one in resolved.deleted],
        notes=[
            *resolved.notes,
            *sampling_notes(resolved.suites),
            *preference_notes(resolved.suites),
            *_uncompared_caches(finished),
        ],
        method=_method(finished),
        missing=MissingRecord(
            samples=missing.samples,
            total=missing.total,
            best=missing.best,
            worst=missing.worst,
            reasons=list(missing.reasons),
            cases=list(missing.cases),
        ),
        unfinished=finished.unfinished,
        suites=suites,
        new=new,
        calls=calls,
        spent_usd=_spent(parts),
        exam_changes=untried(resolved),
        run_edits=[edit.name for edit in resolved.run_edits],
        run_values=value_records(resolved.run_edits),
    )


def _spent(parts: Sequence[SuiteRecord | NewSuiteRecord]) -> float | None:
    """Dollars of all suites; those in which no model with a price was called add nothing."""
    known = [part.spent_usd for part in parts if part.spent_usd is not None]
    untold = any(part.spent_usd is None and part.cost_note != FREE for part in parts)
    # A run without suites has spent nothing, and that is known.
    return fsum(known) if (known or not parts) and not untold else None


def _method(finished: Finished) -> MethodRecord:
    policy, quality, found = finished.resolved.policy, finished.assessment.quality, finished.assessment
    planned = looks_planned(finished.resolved.suites) if found.looked else None
    return MethodRecord(
        name=policy.method,
        alpha=float(f"{policy.alpha:.12g}"),
        slices_tested=quality.tested,
        flips=quality.flips,
        fail_on=policy.fail_on,
        correction=policy.correction,
        breakage=quality.breakage,
        rates_judged=finished.assessment.rates.judged,
        samples_planned=planned,
        samples_taken=planned if found.samples is None else found.samples,
        spared=sum(spared(suite, found.samples) for suite in finished.resolved.suites),
    )


def _suite(suite: Suite, finished: Finished) -> SuiteRecord:
    table = finished.found.samples
    taken = Rows(table, suite.name)
    pieces = [(piece, row) for piece, row in finished.assessment.quality.slices if piece.suite == suite.name]
    rows = [row for _, row in pieces]
    fallen = {piece.name for piece, row in pieces if row.state in (State.REGRESSION, State.SUSPECT)}
    cost, latency = finished.assessment.axes[suite.name]
    spent, note = dollars_spent(taken, suite)
    caching = finished.caching.get(suite.name)
    # All figures of quality rest on the same samples: pairs that were asked ahead of the looks are not among them.
    counted = replace(suite, samples=needed(suite, finished.assessment.samples))
    grid = Grid(counted, table)
    rubrics, juries = judged(counted, table, _intervals(finished))
    return SuiteRecord(
        name=suite.name,
        samples=suite.samples,
        baseline=arm_record(suite.arm(ArmName.BASELINE), taken, ArmName.BASELINE),
        candidate=arm_record(suite.candidate, taken, ArmName.CANDIDATE),
        exam=exam_record(suite, finished.resolved.changes[suite.name]),
        quality=QualityRecord(overall=rows[0], slices=rows[1:]),
        cost=cost,
        latency=latency,
        cases=_cases(counted, table, fallen),
        calls=calls_record(taken),
        spent_usd=spent,
        cost_note=note,
        spending=spending_record(taken),
        cache=caching,
        reuse=reuse_record(suite, table, finished.found.drift.get(suite.name)),
        positions=positions(grid),
        scorers=list(scorer_changes(grid)),
        rubrics=rubrics,
        juries=juries,
        conversations=talks(grid),
        tools=tool_difference(grid),
    )


def _uncompared_caches(finished: Finished) -> list[str]:
    """Nothing is left out in silence, even where nothing rests on it."""
    lost = [
        suite.name
        for suite in finished.resolved.suites
        if suite.baseline is not None and suite.name not in finished.caching
    ]
    return [f"What the change does to the prompt cache of {name} could not be found out." for name in lost]


def _new(suite: Suite, finished: Finished) -> NewSuiteRecord:
    rates = finished.assessment.rates
    kept = new_suite_record(suite, finished.found.samples, rates, finished.resolved.changes[suite.name])
    rubrics, juries = judged(suite, finished.found.samples, _intervals(finished))
    update = {"rubrics": rubrics, "juries": juries, "conversations": talks(Grid(suite, finished.found.samples))}
    return kept.model_copy(update=update)


def _intervals(finished: Finished) -> Intervals:
    return Intervals(finished.resolved.policy.alpha, finished.seed)


def _cases(suite: Suite, table: SampleTable, fallen: Set[str]) -> list[CaseRecord]:
    grid = Grid(suite, table)
    known = scores(grid)
    deltas = dict(zip(known.positions.tolist(), known.deltas.tolist(), strict=True))
    values = grid.figures("score").astype(object)
    values[~grid.scored] = None
    rows = [
        CaseRecord(
            id=case.id,
            where=case.where,
            slices=dict(case.slices),
            cluster=case.cluster,
            baseline=values[0, position].tolist(),
            candidate=values[1, position].tolist(),
            delta=deltas.get(position),
        )
        for position, case in enumerate(suite.exam.cases)
    ]
    return _with_outputs(suite, rows, table, fallen)


def _with_outputs(suite: Suite, rows: list[CaseRecord], samples: SampleTable, fallen: Set[str]) -> list[CaseRecord]:
    """Outputs of the informative cases: failures first, then the largest falls, then the largest rises.

    The falls of slices that fell come before all others: they explain the verdict.
    """

    def place(row: CaseRecord) -> tuple[bool, bool, bool, float, str]:
        delta = row.delta or 0.0
        apart = delta < 0.0 and not any(f"{dimension}={value}" in fallen for dimension, value in row.slices.items())
        return row.delta is not None, delta > 0.0, apart, delta, row.id

    moved = [row for row in rows if row.delta is None or abs(row.delta) > 1e-9]
    ordered = sorted(moved, key=place)
    half = INFORMATIVE_CASES // 2
    chosen = {row.id for row in (ordered if len(ordered) <= INFORMATIVE_CASES else ordered[:half] + ordered[-half:])}
    cases = {case.id: case for case in suite.exam.cases}
    out = []
    for row in rows:
        if row.id in chosen:
            taken = {arm: samples.by_case().get((suite.name, row.id, arm), ()) for arm in ArmName}
            outputs = {arm: [output_record(samples.whole(s)) for s in taken[arm]] for arm in ArmName}
            extra = {
                "input": shortened(cases[row.id].question),
                "expected": cases[row.id].expected,
                "baseline_outputs": outputs[ArmName.BASELINE],
                "candidate_outputs": outputs[ArmName.CANDIDATE],
            }
            row = row.model_copy(update=extra)
        out.append(row)
    return out
