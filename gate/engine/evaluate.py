"""Suites in, record out: takes the samples, compares, decides."""

import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from math import fsum

from gate.calls.interface import Stop
from gate.cases.case import Case, members
from gate.engine.arrays import Bools, Floats, Rows, SampleArrays, pair_count, scores, side_by_side
from gate.engine.compare import cost_figures, latency_figures
from gate.engine.decide import Assessment, Assessor
from gate.engine.prompt_cache import cache_comparisons
from gate.engine.record_parts import (
    INFORMATIVE_CASES,
    Members,
    added_up,
    arm_record,
    calls_record,
    dollars_spent,
    exam_record,
    output_record,
    shortened,
    spending_record,
    untried,
)
from gate.engine.run import Collection, Collector, Drift, Tools
from gate.engine.samples import SampleTable
from gate.engine.schedule import count, looks_planned, needed, spared
from gate.engine.scorer_changes import Intervals, jury_results, moved_cases, positions, rubric_results, scorer_changes
from gate.errors import CannotEvaluate, Interrupted
from gate.record.comparison import (
    CacheComparison,
    CacheTerms,
    Conversations,
    JuryResult,
    RubricResult,
    State,
    ToolDifference,
)
from gate.record.parts import ArmReuseRecord, DriftRecord, ReuseRecord
from gate.record.run import (
    CaseRecord,
    MethodRecord,
    MissingRecord,
    NewCaseRecord,
    NewSuiteRecord,
    QualityRecord,
    RunRecord,
    SuiteRecord,
)
from gate.record.transcript import FREE, ArmName, Reply, Unpriced, Unscored
from gate.resolve.resolved import Resolved, preference_notes, sampling_notes
from gate.scoring.interface import sample_passes
from gate.suite import Arm, Suite
from gate.values import digest


def reuse_record(suite: Suite, table: SampleTable, drift: Drift | None = None) -> ReuseRecord | None:
    """The answers of one suite that were reused; None where there are none.

    `drift` is the result of the test of its known answers, if there was one.
    """
    rows = Rows(table, suite.name)
    opinions, reused = int(rows.scores("reused").sum()), rows.flags("reused")
    if not reused.any() and not opinions and drift is None:
        return None
    return ReuseRecord(
        baseline=None if suite.baseline is None else _arm(rows, ArmName.BASELINE),
        candidate=_arm(rows, ArmName.CANDIDATE),
        oldest=_oldest(rows.figures("at")[reused]),
        # The pairs of answers that cost and latency may rest on.
        pairs=0 if suite.baseline is None else pair_count(side_by_side(SampleArrays(suite, table))[0]),
        drift=None if drift is None else DriftRecord(pairs=drift.pairs, reason=drift.reason or None),
        opinions=opinions,
    )


def _arm(rows: Rows, arm: ArmName) -> ArmReuseRecord:
    replied, reused = rows.of_arm(arm) & ~rows.flags("failed"), rows.flags("reused")
    return ArmReuseRecord(reused=int((replied & reused).sum()), fresh=int((replied & ~reused).sum()))


def _oldest(times: Floats) -> str | None:
    """The time of the oldest, if one has a time."""
    known = times[times > 0]
    return datetime.fromtimestamp(float(known.min()), UTC).isoformat(timespec="seconds") if known.size else None


def judged(suite: Suite, table: SampleTable, intervals: Intervals) -> tuple[list[RubricResult], list[JuryResult]]:
    """The results of the rubrics and the juries of one suite."""
    if not table.parts:
        return [], []
    grid = SampleArrays(suite, table)
    return list(rubric_results(suite, grid, intervals)), list(jury_results(suite, grid, intervals))


def _cases(suite: Suite, samples: SampleTable) -> list[NewCaseRecord]:
    by_case = samples.by_case()
    rows = []
    for case in suite.exam.cases:
        found = {s.index: s for s in by_case.get((suite.name, case.id, ArmName.CANDIDATE), ())}
        scores = {index: sample.score for index, sample in found.items() if not isinstance(sample.score, Unscored)}
        judged = {index: sample_passes(sample, case, suite.exam) for index, sample in found.items()}
        passed = {index: one for index, one in judged.items() if not isinstance(one, Unscored)}
        rows.append(
            NewCaseRecord(
                id=case.id,
                where=case.where,
                slices=dict(case.slices),
                scores=[scores.get(index) for index in range(suite.samples)],
                passed=[passed.get(index) for index in range(suite.samples)],
            )
        )
    return _with_outputs(suite, rows, samples)


def shown_case(suite: Suite, case: Case, samples: SampleTable) -> dict[str, object]:
    """What the record of a case holds where its answers are kept."""
    taken = samples.by_case().get((suite.name, case.id, ArmName.CANDIDATE), ())
    outputs = [output_record(samples.whole(sample)) for sample in taken]
    return {"input": shortened(case.question), "expected": case.expected, "outputs": outputs}


def _with_outputs(suite: Suite, rows: Sequence[NewCaseRecord], samples: SampleTable) -> list[NewCaseRecord]:
    """Outputs of the cases that do not pass fully: those that pass least come first where not all can be kept."""
    failing = sorted((row for row in rows if not all(row.passed)), key=lambda row: (row.passed.count(True), row.id))
    chosen = {row.id for row in failing[:INFORMATIVE_CASES]}
    cases = {case.id: case for case in suite.exam.cases}
    out = []
    for row in rows:
        if row.id in chosen:
            row = row.model_copy(update=shown_case(suite, cases[row.id], samples))
        out.append(row)
    return out


@dataclass(frozen=True, slots=True)
class RunResult:
    """Everything that a record is made of.

    Args:
        members: the judges of a scorer, with their parameters; None where they are not recorded.
    """

    resolved: Resolved
    found: Collection
    assessment: Assessment
    caching: Mapping[str, CacheComparison]
    seed: int
    created: datetime
    duration_s: float
    unfinished: str | None = None
    members: Members | None = None


def record(finished: RunResult) -> RunRecord:
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
        coverage=resolved.coverage,
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
        run_edits=list(resolved.run_edits),
    )


def _spent(parts: Sequence[SuiteRecord | NewSuiteRecord]) -> float | None:
    """Dollars of all suites; those that called no model with a price add nothing."""
    known = [part.spent_usd for part in parts if part.spent_usd is not None]
    untold = any(part.spent_usd is None and part.cost_note != FREE for part in parts)
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
        correction=policy.correction,
        breakage=quality.breakage,
        rates_judged=finished.assessment.rates.judged,
        samples_planned=planned,
        samples_taken=planned if found.samples is None else found.samples,
        spared=sum(spared(suite, found.samples) for suite in finished.resolved.suites),
    )


def _suite(suite: Suite, finished: RunResult) -> SuiteRecord:
    table = finished.found.samples
    taken = Rows(table, suite.name)
    pieces = [(piece, row) for piece, row in finished.assessment.quality.slices if piece.suite == suite.name]
    fallen = {piece.name for piece, row in pieces if row.state in (State.REGRESSION, State.SUSPECT)}
    cost, latency = finished.assessment.axes[suite.name]
    spent, note = dollars_spent(taken, suite)
    caching = finished.caching.get(suite.name)
    # All figures of quality use the same samples, without pairs that were called before the test stopped the run.
    counted = replace(suite, samples=needed(suite, finished.assessment.samples))
    grid = SampleArrays(counted, table)
    moved = moved_cases(grid)
    of_slices = members(suite.exam.cases, suite.exam.dimensions)
    rows = [row.model_copy(update={"moved": int(moved[of_slices[piece.name]].sum())}) for piece, row in pieces]
    rubrics, juries = judged(counted, table, _intervals(finished))
    conversations, tools = _agents(grid)
    return SuiteRecord(
        name=suite.name,
        samples=suite.samples,
        baseline=arm_record(suite.arm(ArmName.BASELINE), taken, ArmName.BASELINE),
        candidate=arm_record(suite.candidate, taken, ArmName.CANDIDATE),
        exam=exam_record(suite, finished.resolved.changes[suite.name], finished.members),
        quality=QualityRecord(overall=rows[0], slices=rows[1:]),
        cost=cost,
        latency=latency,
        cases=_compared_cases(grid, moved, table, fallen),
        calls=calls_record(taken),
        spent_usd=spent,
        cost_note=note,
        spending=spending_record(taken),
        cache=caching,
        reuse=reuse_record(suite, table, finished.found.drift.get(suite.name)),
        positions=positions(grid),
        scorers=list(scorer_changes(grid)),
        opposed=finished.assessment.opposed.get(suite.name),
        blind=list(finished.assessment.blind.get(suite.name, ())),
        rubrics=rubrics,
        juries=juries,
        conversations=conversations,
        tools=tools,
    )


def _uncompared_caches(finished: RunResult) -> list[str]:
    """A sentence for each suite whose prompt caches could not be compared, so that it is not left out silently."""
    lost = [
        suite.name
        for suite in finished.resolved.suites
        if suite.baseline is not None and suite.name not in finished.caching
    ]
    return [f"What the change does to the prompt cache of {name} could not be found out." for name in lost]


def _new(suite: Suite, finished: RunResult) -> NewSuiteRecord:
    table, rates = finished.found.samples, finished.assessment.rates
    samples = Rows(table, suite.name)
    replies = [sample.reply for sample in samples if isinstance(sample.reply, Reply)]
    overall, *slices = rates.suites[suite.name]
    spent, note = dollars_spent(samples, suite)
    rubrics, juries = judged(suite, table, _intervals(finished))
    return NewSuiteRecord(
        name=suite.name,
        samples=suite.samples,
        candidate=arm_record(suite.candidate, samples, ArmName.CANDIDATE),
        exam=exam_record(suite, finished.resolved.changes[suite.name], finished.members),
        threshold=suite.exam.threshold,
        overall=overall,
        slices=slices,
        level=rates.levels[suite.name],
        cost=cost_figures(replies),
        latency=latency_figures(replies),
        priced=any(not (isinstance(reply.cost, Unpriced) and reply.cost.why == "n/a") for reply in replies),
        cases=_cases(suite, table),
        calls=calls_record(samples),
        spent_usd=spent,
        cost_note=note,
        spending=spending_record(samples),
        reuse=reuse_record(suite, table),
        rubrics=rubrics,
        juries=juries,
        conversations=_agents(SampleArrays(suite, table))[0],
    )


def _agents(grid: SampleArrays) -> tuple[Conversations | None, ToolDifference | None]:
    """What agents did; None where no case has a conversation."""
    if not any(grid.outlines):
        return None, None
    from gate.engine.tool_calls import talks, tool_difference

    return talks(grid), None if grid.suite.baseline is None else tool_difference(grid)


def _intervals(finished: RunResult) -> Intervals:
    return Intervals(finished.resolved.policy.alpha, finished.seed)


def _compared_cases(grid: SampleArrays, moved: Bools, table: SampleTable, fallen: Set[str]) -> list[CaseRecord]:
    suite = grid.suite
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
    informative = [row for row, changed in zip(rows, moved.tolist(), strict=True) if changed or row.delta is None]
    return _with_compared_outputs(suite, rows, informative, table, fallen)


def _with_compared_outputs(
    suite: Suite, rows: list[CaseRecord], informative: list[CaseRecord], samples: SampleTable, fallen: Set[str]
) -> list[CaseRecord]:
    """Outputs of the informative cases: failures first, then the largest drops, then the largest improvements."""

    def place(row: CaseRecord) -> tuple[bool, bool, bool, float, str]:
        delta = row.delta or 0.0
        apart = delta < 0.0 and not any(f"{dimension}={value}" in fallen for dimension, value in row.slices.items())
        return row.delta is not None, delta > 0.0, apart, delta, row.id

    ordered = sorted(informative, key=place)
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
    found = await _collected(resolved, tools, seed, stop)
    ended = created, time.perf_counter() - started, stop
    run = conclude(resolved, found, caching, lambda spec: tools.judge(spec).members, seed, ended)
    if resolved.edits:
        from gate.engine.exam_trials import with_exam_changes

        run = await with_exam_changes(run, resolved, found.samples, seed, tools, stop)
    if any(suite.promises is not None for suite in resolved.suites):
        from gate.engine.rule_changes import with_promises

        run = await with_promises(run, resolved, tools, seed, stop)
    return keep(run, tools, stop, time.perf_counter() - started)


def keep(run: RunRecord, tools: Tools, stop: Stop, duration_s: float) -> RunRecord:
    """Complete the record and hand it to the sink; the record as saved is returned.

    Raises:
        CannotEvaluate: the sink takes no more.
    """
    notes = [*run.notes, *tools.notes.all(whole=run.unfinished is None)]
    run = run.model_copy(update={"duration_s": round(duration_s, 3), "notes": notes})
    if stop.interrupted:
        run = run.model_copy(update={"exit_code": Interrupted.exit_code})
    try:
        tools.sink.run(run)
    except OSError as error:
        why = f"; {stop.reason}" if stop.reason else ""
        hint = "free disk space, and run again: cached answers are not requested again"
        raise CannotEvaluate(f"the record cannot be written: {error.strerror}{why}", hint) from None
    return run


async def _collected(resolved: Resolved, tools: Tools, seed: int, stop: Stop) -> Collection:
    if not resolved.suites:
        return Collection()
    tools.progress.start(count(resolved.suites))
    try:
        return await Collector(resolved, tools, stop, seed).collect()
    finally:
        tools.progress.finish()


def conclude(  # noqa: PLR0913
    resolved: Resolved,
    found: Collection,
    caching: Caching,
    members: Members,
    seed: int,
    ended: tuple[datetime, float, Stop],
) -> RunRecord:
    """Judge the samples; no calls.

    Args:
        ended: when the run began, the seconds that it took, and the switch that may have ended it early.
    """
    created, duration_s, stop = ended
    judge = Assessor(resolved.suites, resolved.policy, seed, resolved.deleted)
    assessment = judge.assess(found.samples, stop.reason)
    comparisons = cache_comparisons(resolved.suites, found.samples, caching, resolved.policy.alpha)
    # Asked to end after the last sample, it came to its end all the same.
    unfinished = stop.reason if assessment.missing.samples else None
    return record(RunResult(resolved, found, assessment, comparisons, seed, created, duration_s, unfinished, members))
