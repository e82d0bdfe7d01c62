"""The record of a suite whose prompt the change brings."""

from collections.abc import Sequence

from gate.domain.absence import Unscored
from gate.domain.record_new import NewCaseRecord, NewSuiteRecord
from gate.domain.sample import ArmName, Reply
from gate.domain.suite import Suite
from gate.domain.usage import Unpriced
from gate.engine.absolute import PassRates
from gate.engine.figures import cost_figures, latency_figures
from gate.engine.rows import Rows
from gate.engine.samples import SampleTable
from gate.flows.exam import ExamChanges
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
from gate.scoring.passing import passes


def new_suite_record(suite: Suite, table: SampleTable, rates: PassRates, changes: ExamChanges) -> NewSuiteRecord:
    """The record of one suite.

    Args:
        suite: without a baseline.
        table: samples of the run.
        rates: of the run.
        changes: how the change would have changed the exam.
    """
    samples = Rows(table, suite.name)
    replies = [sample.reply for sample in samples if isinstance(sample.reply, Reply)]
    overall, *slices = rates.suites[suite.name]
    spent, note = dollars_spent(samples, suite)
    return NewSuiteRecord(
        name=suite.name,
        samples=suite.samples,
        candidate=arm_record(suite.candidate, samples, ArmName.CANDIDATE),
        exam=exam_record(suite, changes),
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
    )


def _cases(suite: Suite, samples: SampleTable) -> list[NewCaseRecord]:
    by_case = samples.by_case()
    rows = []
    for case in suite.exam.cases:
        found = {s.index: s for s in by_case.get((suite.name, case.id, ArmName.CANDIDATE), ())}
        scores = {index: sample.score for index, sample in found.items() if not isinstance(sample.score, Unscored)}
        judged = {index: passes(sample, case, suite.exam) for index, sample in found.items()}
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


def _with_outputs(suite: Suite, rows: Sequence[NewCaseRecord], samples: SampleTable) -> list[NewCaseRecord]:
    """Outputs of the cases that do not pass whole: those that pass least come first where not all can be kept."""
    failing = sorted((row for row in rows if not all(row.passed)), key=lambda row: (row.passed.count(True), row.id))
    chosen = {row.id for row in failing[:INFORMATIVE_CASES]}
    cases = {case.id: case for case in suite.exam.cases}
    out = []
    for row in rows:
        if row.id in chosen:
            taken = samples.by_case().get((suite.name, row.id, ArmName.CANDIDATE), ())
            extra = {
                "input": shortened(cases[row.id].question),
                "expected": cases[row.id].expected,
                "outputs": [output_record(samples.whole(sample)) for sample in taken],
            }
            row = row.model_copy(update=extra)
        out.append(row)
    return out
