"""Rubrics dimension by dimension, on the scale that their author wrote them on."""

from collections.abc import Iterator

from gate.domain.judged import DimensionResult, RubricResult
from gate.domain.record import RunRecord
from gate.report import numbers
from gate.report.parts.scorers import DimensionRow, DimensionTable
from gate.report.slices import short, suite_label


def dimension_tables(run: RunRecord) -> tuple[DimensionTable, ...]:
    """One table for each rubric of each suite."""
    return tuple(_tables(run))


def _tables(run: RunRecord) -> Iterator[DimensionTable]:
    for suite in run.suites:
        for rubric in suite.rubrics:
            yield _table(suite_label(run, suite), rubric, compared=True)
    for new in run.new:
        for rubric in new.rubrics:
            yield _table(new.name, rubric, compared=False)


def _table(suite: str, rubric: RubricResult, *, compared: bool) -> DimensionTable:
    scale = f"{rubric.low:g} to {rubric.high:g}"
    return DimensionTable(
        suite=short(suite),
        scorer=short(rubric.scorer),
        scale=scale,
        compared=compared,
        rows=tuple(_row(rubric, row) for row in rubric.dimensions),
    )


def _row(rubric: RubricResult, row: DimensionResult) -> DimensionRow:
    span = rubric.high - rubric.low

    def scored(share: float | None) -> str:
        return numbers.grade(None if share is None else rubric.low + share * span)

    def apart(share: float | None) -> float | None:
        return None if share is None else share * span

    before = f"{scored(row.baseline)} → " if row.baseline is not None else ""
    fell = row.upper is not None and row.upper < 0
    rose = row.lower is not None and row.lower > 0
    return DimensionRow(
        name=short(row.name),
        weight=numbers.share(row.weight),
        cases=f"{row.n:,}",
        scores=f"{before}{scored(row.candidate)} of {rubric.high:g}",
        change="" if row.mean is None else numbers.grade_change(span * row.mean, apart(row.lower), apart(row.upper)),
        trend="fell" if fell else "rose" if rose else "",
    )
