"""A finished evaluation becomes `run.json`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from importlib.metadata import version

from gate.domain.absence import Failed, Unscored
from gate.domain.comparison import AxisComparison, Comparison
from gate.domain.record import (
    ArmRecord,
    AxisRecord,
    CallsRecord,
    CaseRecord,
    ComparisonRecord,
    ExamRecord,
    MethodRecord,
    MissingRecord,
    OutputRecord,
    QualityRecord,
    RunRecord,
    SuiteRecord,
)
from gate.domain.sample import ArmName, Reply, Sample
from gate.domain.suite import Arm, Suite
from gate.domain.usage import Cost, Dollars, Unpriced
from gate.engine.assess import Assessment
from gate.flows.resolve import Resolved

INFORMATIVE_CASES = 20
"""Cases whose outputs are kept: those that fell most, then those that rose most."""
LONGEST_TEXT = 20_000
"""Characters of one text in the record; `samples.jsonl` has the whole."""


@dataclass(frozen=True, slots=True)
class Finished:
    """Everything that a record is made of."""

    resolved: Resolved
    samples: Sequence[Sample]
    assessment: Assessment
    seed: int
    created: datetime
    duration_s: float


def record(finished: Finished) -> RunRecord:
    """The record of a run."""
    resolved, assessment = finished.resolved, finished.assessment
    suites = [_suite(suite, finished) for suite in resolved.suites]
    calls = CallsRecord(
        made=sum(suite.calls.made for suite in suites),
        cached=0,
        retried=sum(suite.calls.retried for suite in suites),
        failed=sum(suite.calls.failed for suite in suites),
    )
    spent = [suite.spent_usd for suite in suites if suite.spent_usd is not None]
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
        notes=list(resolved.notes),
        method=MethodRecord(
            name=resolved.policy.method,
            alpha=round(resolved.policy.alpha, 12),
            slices_tested=assessment.quality.tested,
            flips=assessment.quality.flips,
            fail_on=resolved.policy.fail_on,
        ),
        missing=MissingRecord(
            samples=missing.samples,
            total=missing.total,
            best=missing.best,
            worst=missing.worst,
            reasons=list(missing.reasons),
        ),
        suites=suites,
        calls=calls,
        spent_usd=sum(spent) if len(spent) == len(suites) else None,
    )


def _suite(suite: Suite, finished: Finished) -> SuiteRecord:
    samples = [sample for sample in finished.samples if sample.suite == suite.name]
    rows = [row for piece, row in finished.assessment.quality.slices if piece.suite == suite.name]
    cost, latency = finished.assessment.axes[suite.name]
    changes = finished.resolved.changes[suite.name]
    spent, note = _spent(samples)
    return SuiteRecord(
        name=suite.name,
        samples=suite.samples,
        baseline=_arm(suite.baseline, samples, ArmName.BASELINE),
        candidate=_arm(suite.candidate, samples, ArmName.CANDIDATE),
        exam=ExamRecord(
            ref=suite.exam.ref,
            digest=suite.exam.digest,
            cases=len(suite.exam.cases),
            scorers=[spec.name for spec in suite.exam.scorers],
            added=list(changes.added),
            removed=list(changes.removed),
            edited=list(changes.edited),
        ),
        quality=QualityRecord(overall=_comparison(rows[0]), slices=[_comparison(row) for row in rows[1:]]),
        cost=_axis(cost),
        latency=_axis(latency),
        cases=_cases(suite, samples),
        calls=_calls(samples),
        spent_usd=spent,
        cost_note=note,
    )


def _arm(arm: Arm, samples: Iterable[Sample], name: ArmName) -> ArmRecord:
    returned = {s.reply.model_id for s in samples if s.arm is name and isinstance(s.reply, Reply)}
    return ArmRecord(
        ref=arm.version.ref,
        sha=arm.version.sha,
        path=arm.version.path,
        digest=arm.version.prompt.digest,
        model=str(arm.model),
        returned_models=sorted(returned),
        params=arm.params.changed(),
    )


def _comparison(row: Comparison) -> ComparisonRecord:
    return ComparisonRecord.model_validate(asdict(row))


def _axis(axis: AxisComparison) -> AxisRecord:
    return AxisRecord.model_validate(asdict(axis))


def _calls(samples: Iterable[Sample]) -> CallsRecord:
    made = retried = failed = 0
    for sample in samples:
        failed += isinstance(sample.reply, Failed)
        made += isinstance(sample.reply, Reply) + sum(score.calls for score in sample.scores)
        retried += max(0, sample.reply.attempts - 1) + sum(score.retries for score in sample.scores)
    return CallsRecord(made=made, cached=0, retried=retried, failed=failed)


def _spent(samples: Iterable[Sample]) -> tuple[float | None, str]:
    """Dollars of answers and judges together, and why they are not known where they are not."""
    costs: list[Cost] = []
    for sample in samples:
        if isinstance(sample.reply, Reply):
            costs.append(sample.reply.cost)
        costs += [score.cost for score in sample.scores if score.cost is not None]
    if any(isinstance(cost, Unpriced) and cost.why == "unknown" for cost in costs):
        return None, "the price of a model is unknown"
    dollars = [cost.amount for cost in costs if isinstance(cost, Dollars)]
    return (sum(dollars), "") if dollars else (None, "no model with a price was called")


def _cases(suite: Suite, samples: Iterable[Sample]) -> list[CaseRecord]:
    by_case: dict[tuple[str, ArmName], list[Sample]] = {}
    for sample in sorted(samples, key=lambda sample: sample.index):
        by_case.setdefault((sample.case_id, sample.arm), []).append(sample)
    rows = []
    for case in suite.exam.cases:
        found = {arm: _values(suite, by_case.get((case.id, arm), ())) for arm in ArmName}
        known = {arm: [v for v in found[arm] if v is not None] for arm in ArmName}
        k = min(len(values) for values in known.values())
        means = [sum(known[arm][:k]) / k for arm in (ArmName.BASELINE, ArmName.CANDIDATE)] if k else []
        rows.append(
            CaseRecord(
                id=case.id,
                where=case.where,
                slices=dict(case.slices),
                cluster=case.cluster,
                baseline=found[ArmName.BASELINE],
                candidate=found[ArmName.CANDIDATE],
                delta=means[1] - means[0] if means else None,
            )
        )
    return _with_outputs(suite, rows, by_case)


def _values(suite: Suite, samples: Iterable[Sample]) -> list[float | None]:
    known = {s.index: s.score for s in samples if not isinstance(s.score, Unscored)}
    return [known.get(index) for index in range(suite.samples)]


def _with_outputs(
    suite: Suite, rows: list[CaseRecord], by_case: Mapping[tuple[str, ArmName], Sequence[Sample]]
) -> list[CaseRecord]:
    """Outputs of the informative cases: failures first, then the largest falls, then the largest rises."""
    moved = [row for row in rows if row.delta is None or abs(row.delta) > 1e-9]
    ordered = sorted(moved, key=lambda row: (row.delta is not None, row.delta or 0.0, row.id))
    half = INFORMATIVE_CASES // 2
    chosen = {row.id for row in (ordered if len(ordered) <= INFORMATIVE_CASES else ordered[:half] + ordered[-half:])}
    cases = {case.id: case for case in suite.exam.cases}
    out = []
    for row in rows:
        if row.id in chosen:
            outputs = {arm: [_output(s) for s in by_case.get((row.id, arm), ())] for arm in ArmName}
            extra = {
                "input": _shorten(cases[row.id].question),
                "expected": cases[row.id].expected,
                "baseline_outputs": outputs[ArmName.BASELINE],
                "candidate_outputs": outputs[ArmName.CANDIDATE],
            }
            row = row.model_copy(update=extra)
        out.append(row)
    return out


def _output(sample: Sample) -> OutputRecord:
    reply = sample.reply
    unscored = [sample.score.reason] if isinstance(sample.score, Unscored) and isinstance(reply, Reply) else []
    return OutputRecord(
        index=sample.index,
        text=_shorten(reply.text) if isinstance(reply, Reply) else None,
        failure=reply.reason if isinstance(reply, Failed) else None,
        score=None if isinstance(sample.score, Unscored) else sample.score,
        reasons=[f"{score.scorer}: {score.reason}" for score in sample.scores if score.reason] + unscored,
    )


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + f"… ({len(text)} characters)"
