"""Suites in, record out: takes the samples, compares, decides."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gate.calls.interface import Stop
from gate.cases.case import members
from gate.engine.arrays import SampleGrid, pair_count, scores, side_by_side
from gate.engine.compare import cost_figures, latency_figures
from gate.engine.decide import Assessment, Assessor, Decision, missing_record
from gate.engine.prompt_cache import cache_comparisons
from gate.engine.record_parts import (
    INFORMATIVE_CASES,
    Members,
    added_up,
    arm_record,
    calls_record,
    dollars_spent,
    exam_findings,
    exam_record,
    output_record,
    shortened,
    spending_record,
    untried,
)
from gate.engine.run import Collector, Tools
from gate.engine.samples import NOT_APPLICABLE, Bools, SampleTable
from gate.engine.schedule import count, looks_planned, needed, spared
from gate.engine.scorer_changes import jury_results, moved_cases, positions, rubric_results, scorer_changes
from gate.errors import CannotEvaluate, Interrupted
from gate.record.comparison import (
    CacheComparison,
    CacheTerms,
    Conversations,
    State,
    ToolDifference,
)
from gate.record.findings.finding import Finding
from gate.record.findings.notes import PromptCacheUncompared
from gate.record.findings.rates import PolicySliceEmpty
from gate.record.parts import ArmReuseRecord, DriftRecord, ReuseRecord
from gate.record.run import (
    CaseRecord,
    MethodRecord,
    NewCaseRecord,
    NewSuiteRecord,
    QualityRecord,
    RunRecord,
    SuiteRecord,
)
from gate.record.transcript import ArmName
from gate.resolve.resolved import Resolved, preference_notes, sampling_notes
from gate.suite import Arm, Suite
from gate.values import digest


def reuse_record(grid: SampleGrid, table: SampleTable, drift: DriftRecord | None = None) -> ReuseRecord | None:
    """The answers of one suite that were reused; None where there are none.

    Args:
        grid, table: its samples.
        drift: the result of the test of its known answers, if there was one.
    """
    compared, samples = grid.suite.baseline is not None, table.samples
    opinions, reused = int(table.scores["reused"].sum()), samples["reused"]
    if not reused.any() and not opinions and drift is None:
        return None
    times = samples["taken_at"][reused & (samples["taken_at"] > 0)]
    return ReuseRecord(
        baseline=_reuse_of(table, ArmName.BASELINE) if compared else None,
        candidate=_reuse_of(table, ArmName.CANDIDATE),
        oldest=datetime.fromtimestamp(float(times.min()), UTC).isoformat(timespec="seconds") if times.size else None,
        # The pairs of answers that cost and latency may rest on.
        pairs=pair_count(side_by_side(grid)[0]) if compared else 0,
        drift=drift,
        opinions=opinions,
    )


def _reuse_of(table: SampleTable, arm: ArmName) -> ArmReuseRecord:
    replied, reused = table.of_arm(arm) & ~table.samples["failed"], table.samples["reused"]
    return ArmReuseRecord(reused=int((replied & reused).sum()), fresh=int((replied & ~reused).sum()))


def _cases(grid: SampleGrid) -> list[NewCaseRecord]:
    """The cases of a new prompt, with the outputs of those that do not pass fully.

    Those that pass least come first where not all outputs can be kept.
    """
    suite = grid.suite
    values, passed = (_or_none(column, grid.scored) for column in (grid["score"], grid.passed))
    rows = [
        NewCaseRecord(
            id=case.id,
            where=case.where,
            slices=dict(case.slices),
            scores=values[1, position].tolist(),
            passed=passed[1, position].tolist(),
        )
        for position, case in enumerate(suite.exam.cases)
    ]
    failing = sorted((row for row in rows if not all(row.passed)), key=lambda row: (row.passed.count(True), row.id))
    chosen = {row.id for row in failing[:INFORMATIVE_CASES]}
    return [
        row.model_copy(update=shown_case(grid, position)) if row.id in chosen else row
        for position, row in enumerate(rows)
    ]


def _or_none(column: NDArray[Any], known: Bools) -> NDArray[Any]:
    """The same with None where nothing is known."""
    values = column.astype(object)
    values[~known] = None
    return values


def shown_case(grid: SampleGrid, position: int) -> dict[str, object]:
    """What the record of a new prompt's case holds where its answers are kept."""
    case, outputs = grid.suite.exam.cases[position], [output_record(sample) for sample in grid.whole_case(1, position)]
    return {"input": shortened(case.question), "expected": case.expected, "outputs": outputs}


@dataclass(frozen=True, slots=True)
class RunResult:
    """Everything that a record is made of.

    Args:
        members: the judges of a scorer, with their parameters; None where they are not recorded.
        drift: the results of the tests of known answers, by suite.
    """

    resolved: Resolved
    samples: SampleTable
    assessment: Assessment
    caching: Mapping[str, CacheComparison]
    seed: int
    created: datetime
    duration_s: float
    members: Members | None = None
    drift: Mapping[str, DriftRecord] = field(default_factory=dict)


def _is_decided(note: Finding, decision: Decision) -> bool:
    """A misspelt slice of a new prompt's policy is a HOLD, which says what the note would."""
    suites = {finding.suite for finding in decision.findings if isinstance(finding, PolicySliceEmpty)}
    return isinstance(note, PolicySliceEmpty) and note.suite in suites


def record(finished: RunResult) -> RunRecord:
    resolved, assessment = finished.resolved, finished.assessment
    suites = [_suite(suite, finished) for suite in resolved.suites if suite.baseline is not None]
    new = [_new(suite, finished) for suite in resolved.suites if suite.baseline is None]
    parts: list[SuiteRecord | NewSuiteRecord] = [*suites, *new]
    calls = added_up([part.calls for part in parts])
    return RunRecord(
        tool_version=version("prompt-gate"),
        created=finished.created.isoformat(timespec="seconds"),
        duration_s=round(finished.duration_s, 3),
        verdict=assessment.decision.verdict,
        exit_code=assessment.decision.exit_code,
        findings=[
            *assessment.decision.findings,
            *exam_findings(resolved),
            *(note for note in resolved.notes if not _is_decided(note, assessment.decision)),
            *sampling_notes(resolved.suites),
            *preference_notes(resolved.suites),
            *_uncompared_caches(finished),
        ],
        seed=finished.seed,
        commit=resolved.commit,
        config=resolved.config,
        coverage=resolved.coverage,
        method=_method(finished),
        missing=missing_record(assessment.missing),
        suites=suites,
        new=new,
        calls=calls,
        spent_usd=_spent(parts),
        exam_changes=untried(resolved),
        run_edits=list(resolved.run_edits),
    )


def _spent(parts: Sequence[SuiteRecord | NewSuiteRecord]) -> float | None:
    """Dollars of all suites; those that called no model with a price add nothing."""
    known = [part.spent_usd for part in parts if part.spent_usd is not None]
    untold = any(part.spent_usd is None and part.cost_note for part in parts)
    # A run without suites has spent nothing, and that is known.
    return fsum(known) if (known or not parts) and not untold else None


def _method(finished: RunResult) -> MethodRecord:
    policy, quality, found = finished.resolved.policy, finished.assessment.quality, finished.assessment
    planned = looks_planned(finished.resolved.suites) if found.looked else None
    return MethodRecord(
        name=policy.method,
        alpha=float(f"{policy.alpha:.12g}"),
        slices_tested=quality.tested,
        flips=quality.flips,
        fail_on=policy.fail_on,
        breakage=quality.breakage,
        rates_judged=finished.assessment.rates.judged,
        samples_planned=planned,
        samples_taken=planned if found.samples is None else found.samples,
        spared=sum(spared(suite, found.samples) for suite in finished.resolved.suites),
    )


def _suite(suite: Suite, finished: RunResult) -> SuiteRecord:
    table = finished.samples.of_suite(suite.name)
    pieces = [(piece, row) for piece, row in finished.assessment.quality.slices if piece.suite == suite.name]
    fallen = {piece.name for piece, row in pieces if row.state in (State.REGRESSION, State.SUSPECT)}
    cost, latency = finished.assessment.axes[suite.name]
    spent, note = dollars_spent(table, suite)
    # All figures of quality use the same samples, without pairs that were called before the test stopped the run.
    grid = SampleGrid(replace(suite, samples=needed(suite, finished.assessment.samples)), table)
    whole = SampleGrid(suite, table)
    moved = moved_cases(grid)
    of_slices = members(suite.exam.cases, suite.exam.dimensions)
    rows = [row.model_copy(update={"moved": int(moved[of_slices[piece.name]].sum())}) for piece, row in pieces]
    alpha, seed = finished.resolved.policy.alpha, finished.seed
    conversations, tools = _agents(grid)
    return SuiteRecord(
        name=suite.name,
        samples=suite.samples,
        baseline=arm_record(suite.arm(ArmName.BASELINE), table, ArmName.BASELINE),
        candidate=arm_record(suite.candidate, table, ArmName.CANDIDATE),
        exam=exam_record(suite, finished.resolved.changes[suite.name], finished.members),
        quality=QualityRecord(overall=rows[0], slices=rows[1:]),
        cost=cost,
        latency=latency,
        cases=_compared_cases(grid, moved, whole, fallen),
        calls=calls_record(table),
        spent_usd=spent,
        cost_note=note,
        spending=spending_record(table),
        cache=finished.caching.get(suite.name),
        reuse=reuse_record(whole, table, finished.drift.get(suite.name)),
        positions=positions(grid),
        scorers=list(scorer_changes(grid)),
        opposed=finished.assessment.opposed.get(suite.name),
        blind=list(finished.assessment.blind.get(suite.name, ())),
        rubrics=rubric_results(grid, alpha, seed),
        juries=jury_results(grid, alpha, seed),
        conversations=conversations,
        tools=tools,
    )


def _uncompared_caches(finished: RunResult) -> Iterator[PromptCacheUncompared]:
    for suite in finished.resolved.suites:
        if suite.baseline is not None and suite.name not in finished.caching:
            yield PromptCacheUncompared(suite=suite.name)


def _new(suite: Suite, finished: RunResult) -> NewSuiteRecord:
    table, rates = finished.samples.of_suite(suite.name), finished.assessment.rates
    grid = SampleGrid(suite, table)
    overall, *slices = rates.suites[suite.name]
    spent, note = dollars_spent(table, suite)
    alpha, seed = finished.resolved.policy.alpha, finished.seed
    return NewSuiteRecord(
        name=suite.name,
        samples=suite.samples,
        candidate=arm_record(suite.candidate, table, ArmName.CANDIDATE),
        exam=exam_record(suite, finished.resolved.changes[suite.name], finished.members),
        threshold=suite.exam.threshold,
        overall=overall,
        slices=slices,
        level=rates.levels[suite.name],
        cost=cost_figures(grid),
        latency=latency_figures(grid),
        priced=bool(np.any(grid["price"][grid.replied] != NOT_APPLICABLE)),
        cases=_cases(grid),
        calls=calls_record(table),
        spent_usd=spent,
        cost_note=note,
        spending=spending_record(table),
        reuse=reuse_record(grid, table),
        rubrics=rubric_results(grid, alpha, seed),
        juries=jury_results(grid, alpha, seed),
        conversations=_agents(grid)[0],
    )


def _agents(grid: SampleGrid) -> tuple[Conversations | None, ToolDifference | None]:
    """What agents did; None where no case has a conversation."""
    if not any(grid.outlines):
        return None, None
    from gate.engine.tool_calls import talks, tool_difference

    return talks(grid), None if grid.suite.baseline is None else tool_difference(grid)


def _compared_cases(grid: SampleGrid, moved: Bools, whole: SampleGrid, fallen: Set[str]) -> list[CaseRecord]:
    suite = grid.suite
    known = scores(grid)
    deltas = dict(zip(known.positions.tolist(), known.deltas.tolist(), strict=True))
    values = _or_none(grid["score"], grid.scored)
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
    informative = [row for row, changed in zip(rows, moved.tolist(), strict=True) if changed or row.delta is None]
    return _with_compared_outputs(whole, rows, informative, fallen)


def _with_compared_outputs(
    whole: SampleGrid, rows: list[CaseRecord], informative: list[CaseRecord], fallen: Set[str]
) -> list[CaseRecord]:
    """Outputs of the informative cases: failures first, then the largest drops, then the largest improvements."""

    def place(row: CaseRecord) -> tuple[bool, bool, bool, float, str]:
        delta = row.delta or 0.0
        apart = delta < 0.0 and not any(f"{dimension}={value}" in fallen for dimension, value in row.slices.items())
        return row.delta is not None, delta > 0.0, apart, delta, row.id

    ordered = sorted(informative, key=place)
    half = INFORMATIVE_CASES // 2
    chosen = {row.id for row in (ordered if len(ordered) <= INFORMATIVE_CASES else ordered[:half] + ordered[-half:])}
    out = []
    for position, (case, row) in enumerate(zip(whole.suite.exam.cases, rows, strict=True)):
        if row.id in chosen:
            outputs = [[output_record(sample) for sample in whole.whole_case(arm, position)] for arm in (0, 1)]
            extra = {
                "input": shortened(case.question),
                "expected": case.expected,
                "baseline_outputs": outputs[0],
                "candidate_outputs": outputs[1],
            }
            row = row.model_copy(update=extra)
        out.append(row)
    return out


Caching = Callable[[Arm], CacheTerms]
"""How the provider of an arm caches prompts."""


def default_seed(resolved: Resolved) -> int:
    """A hash of the base commit, which has the eval set: neither a rerun nor the change can reroll the verdict.

    In file mode, where no commit is known, it is the hash of the exams.
    """
    compared = [(suite, suite.baseline.version.sha) for suite in resolved.suites if suite.baseline is not None]
    return int(digest([*sorted({sha or suite.exam.digest for suite, sha in compared})])[:12], 16)


async def evaluate(resolved: Resolved, tools: Tools, caching: Caching, seed: int, stop: Stop) -> RunRecord:
    """Run every suite and evaluate the difference; a new prompt is evaluated without a baseline.

    The record has also been given to the sink.

    Raises:
        GateError: an error that no retry fixes (wrong key, unknown model).
    """
    started, created = time.perf_counter(), datetime.now(UTC)
    collector = Collector(resolved, tools, stop, seed)
    if resolved.suites:
        tools.progress.start(count(resolved.suites))
        try:
            await collector.collect()
        finally:
            tools.progress.finish()
    samples, duration_s = collector.samples, time.perf_counter() - started
    run = conclude(resolved, samples, caching, tools.members, seed, created, duration_s, stop, collector.drift)
    if resolved.edits:
        from gate.engine.exam_trials import with_exam_changes

        run = await with_exam_changes(run, resolved, samples, seed, tools, stop)
    if any(suite.promises is not None for suite in resolved.suites):
        from gate.engine.rule_changes import with_promises

        run = await with_promises(run, resolved, tools, seed, stop)
    return keep(run, samples, tools, stop, time.perf_counter() - started)


def keep(run: RunRecord, samples: SampleTable, tools: Tools, stop: Stop, duration_s: float) -> RunRecord:
    """Complete the record and hand it to the sink; the record as saved is returned.

    Raises:
        CannotEvaluate: the sink takes no more.
    """
    findings = [*run.findings, *tools.notes.all(whole=run.unfinished is None)]
    run = run.model_copy(update={"duration_s": round(duration_s, 3), "findings": findings})
    if stop.interrupted:
        run = run.model_copy(update={"exit_code": Interrupted.exit_code})
    try:
        tools.sink.run(run, samples)
    except OSError as error:
        why = f"; {stop.reason}" if stop.reason else ""
        hint = "free disk space, and run again: cached answers are not requested again"
        raise CannotEvaluate(f"the record cannot be written: {error.strerror}{why}", hint) from None
    return run


def conclude(  # noqa: PLR0913
    resolved: Resolved,
    samples: SampleTable,
    caching: Caching,
    members: Members,
    seed: int,
    created: datetime,
    duration_s: float,
    stop: Stop,
    drift: Mapping[str, DriftRecord],
) -> RunRecord:
    """Judge the samples; no calls.

    Args:
        created: when the run began.
        stop: the switch that may have ended it early.
    """
    judge = Assessor(resolved.suites, resolved.policy, seed, resolved.deleted)
    assessment = judge.assess(samples, stop.cause)
    comparisons = cache_comparisons(resolved.suites, samples, caching, resolved.policy.alpha)
    return record(RunResult(resolved, samples, assessment, comparisons, seed, created, duration_s, members, drift))
