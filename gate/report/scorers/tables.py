"""Every scorer by itself, before and after, where a suite has several: which of them moved."""

from gate.domain.comparison import ScorerChange
from gate.domain.record import RunRecord
from gate.domain.record_compared import SuiteRecord
from gate.report import numbers
from gate.report.parts.scorers import ScorerRow, ScorerTable
from gate.report.slices import NAMES_SHOWN, short, suite_label

SCORERS_SHOWN = 30

_WHAT = "The mean of each scorer, over the cases that it scored in both arms."
_NO_TEST = "A description, not a test: there are no intervals, and no part in the verdict."
_PASSED = "Passed: answers that a required scorer gave more than 0; its 0 makes the whole answer 0."


def scorer_tables(run: RunRecord) -> tuple[ScorerTable, ...]:
    """One table for each suite with two scorers or more; the one scorer of others is in the table of the slices."""
    return tuple(_table(suite_label(run, suite), suite) for suite in run.suites if len(suite.scorers) > 1)


def _table(label: str, suite: SuiteRecord) -> ScorerTable:
    ordered = sorted(suite.scorers, key=_stillness)
    brief = ", ".join(f"{short(one.name)} {numbers.delta(one.mean)}" for one in ordered[:NAMES_SHOWN])
    more = len(ordered) - NAMES_SHOWN
    return ScorerTable(
        suite=short(label),
        brief=brief + (f" and {more:,} more" if more > 0 else ""),
        rows=tuple(map(_row, ordered[:SCORERS_SHOWN])),
        more=max(0, len(ordered) - SCORERS_SHOWN),
        notes=(_WHAT, _NO_TEST, *((_PASSED,) if any(one.required for one in suite.scorers) else ())),
    )


def _stillness(one: ScorerChange) -> tuple[bool, float]:
    """Those that moved most come first; the order of the exam decides between equals."""
    return (one.mean is None, -round(abs(one.mean or 0.0), 9))


def _row(one: ScorerChange) -> ScorerRow:
    before, after = one.baseline_passed, one.candidate_passed
    return ScorerRow(
        name=short(one.name),
        weight="" if one.weight is None else numbers.share(one.weight),
        cases=f"{one.n:,}",
        scores=f"{numbers.score(one.baseline)} → {numbers.score(one.candidate)}",
        change=numbers.delta(one.mean),
        passed="" if before is None or after is None else f"{numbers.share(before)} → {numbers.share(after)}",
    )
