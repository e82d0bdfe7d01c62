"""The tables of a check: every case with what its scorers say, the failing ones first, and pass rates by slice."""

from collections.abc import Sequence

from gate.domain.checked import CaseState
from gate.domain.passrate import PassState
from gate.domain.record import RunRecord
from gate.domain.record_check import CaseCheckRecord, ScorerCheckRecord
from gate.domain.record_new import NewCaseRecord, NewSuiteRecord, PassRateRecord
from gate.report import numbers
from gate.report.cases import answers, plain, slices_of
from gate.report.escape import visible
from gate.report.newprompts import about
from gate.report.parts_alone import CaseRow, CheckTable, RateRow
from gate.report.parts_cases import FailingCase
from gate.report.rates import interval
from gate.report.slices import LONGEST_SENTENCE, short

SHOWN = 40
"""Cases of one suite that stay unfolded."""
FOLDED = 500
"""Cases of one suite that are folded; the record has them all."""
CASES_SHOWN = 5
"""Cases of one suite with their answers."""
PARTS_SHOWN = 12

STATES = {CaseState.FAILED: "failed", CaseState.UNSCORED: "no score", CaseState.PASSED: "passed"}
RATES = {
    PassState.MISSED: "missed",
    PassState.UNPROVEN: "reached, not beyond doubt",
    PassState.MET: "reached",
    PassState.TOO_FEW: "no case has a score",
    PassState.NO_THRESHOLD: "no rate is asked for",
}
_ORDER = tuple(CaseState)

Row = tuple[NewCaseRecord, CaseCheckRecord]


def check_tables(run: RunRecord) -> tuple[CheckTable, ...]:
    """One for each suite; empty where the run is no check."""
    return tuple(_table(suite) for suite in run.new) if run.kind == "check" else ()


def notes(run: RunRecord) -> tuple[str, ...]:
    """What the marks in these tables mean; nothing for marks that do not occur."""
    rows = [row for suite in run.new for row in checked(suite)]
    if any(not check.counts for _, check in rows):
        return ("° Shown, and no part of what is asked of all cases: its slice is advisory, or has a rate of its own.",)
    return ()


def checked(suite: NewSuiteRecord) -> list[Row]:
    """The cases of a suite with what the check says of them, the worst first."""
    rows = [(case, case.check) for case in suite.cases if case.check is not None]
    return sorted(rows, key=lambda row: (_ORDER.index(row[1].state), row[1].score or 0.0))


def _table(suite: NewSuiteRecord) -> CheckTable:
    rows = checked(suite)
    bad = [row for row in rows if row[1].state is not CaseState.PASSED]
    # In the order of the file, where there is nothing to sort them by.
    good = [(case, case.check) for case in suite.cases if case.check and case.check.state is CaseState.PASSED]
    ordered = [*bad, *good]
    return CheckTable(
        suite=short(suite.name),
        path=short(suite.candidate.path),
        about=_about(suite),
        rows=tuple(case_row(*row) for row in ordered[:SHOWN]),
        folded=tuple(case_row(*row) for row in ordered[SHOWN : SHOWN + FOLDED]),
        more=max(0, len(ordered) - SHOWN - FOLDED),
        rates=tuple(_rate(rate) for rate in (suite.overall, *suite.slices)),
        cases=tuple(_failing(*row) for row in bad if row[0].outputs)[:CASES_SHOWN],
    )


def _about(suite: NewSuiteRecord) -> str:
    return about(suite, "A case", "" if suite.samples == 1 else f", on the mean over {suite.samples} samples")


def case_row(case: NewCaseRecord, check: CaseCheckRecord) -> CaseRow:
    """One case as text."""
    wanted = f" < {numbers.score(check.mark)}" if check.mark is not None and check.state is CaseState.FAILED else ""
    return CaseRow(
        name=short(case.id),
        slices=slices_of(case.slices),
        state=check.state,
        words=STATES[check.state],
        score=f"{numbers.score(check.score)}{wanted}",
        scorers=tuple(scorer_text(one) for one in check.scorers),
        reason="" if check.state is CaseState.PASSED else worst_reason(check),
        counts=check.counts,
    )


def scorer_text(one: ScorerCheckRecord) -> str:
    """`rubric 3.4 < 3.5 of 5 (brevity 5.0, tone 3.0)`: on its own scale, with the mark where that is missed."""
    if one.value is None:
        return f"{short(one.name)} no score"
    wanted = f" < {_figure(one.mark, one.scale)}" if one.passed is False and one.mark is not None else ""
    scale = "" if one.scale is None else f" of {one.scale[1]:g}"
    parts = [f"{short(part.name)} {_figure(part.value, one.scale)}" for part in one.parts[:PARTS_SHOWN]]
    more = [*parts, *(["…"] if len(one.parts) > PARTS_SHOWN else [])]
    inside = f" ({', '.join(more)})" if more else ""
    return f"{short(one.name)} {_figure(one.value, one.scale)}{wanted}{scale}{inside}"


def _figure(value: float, scale: tuple[float, float] | None) -> str:
    return numbers.score(value) if scale is None else f"{scale[0] + value * (scale[1] - scale[0]):.1f}"


def worst_reason(check: CaseCheckRecord) -> str:
    """What the scorer says that falls shortest of its mark; why there is no score where there is none."""
    if check.state is CaseState.UNSCORED:
        return short(check.missing[0], LONGEST_SENTENCE) if check.missing else ""
    known = [one for one in check.scorers if one.value is not None and one.reason]
    if not known:
        return short(check.missing[0], LONGEST_SENTENCE) if check.missing else ""
    worst = min(known, key=lambda one: (one.passed is not False, (one.value or 0.0) - (one.mark or 0.0)))
    return short(f"{worst.name}: {worst.reason}", LONGEST_SENTENCE)


def _rate(rate: PassRateRecord) -> RateRow:
    groups = "" if rate.units == rate.n else f" ({numbers.counted(rate.units, 'group')})"
    every = rate.wanted == 1.0
    return RateRow(
        name=short(rate.slice),
        cases=f"{rate.n:,}{groups}",
        rate=interval(rate),
        wanted=numbers.NOTHING if rate.wanted is None else "every case" if every else numbers.share(rate.wanted),
        state=rate.state,
        words=RATES[rate.state],
        doubtful=rate.doubtful,
        advisory=rate.advisory,
    )


def _failing(case: NewCaseRecord, check: CaseCheckRecord) -> FailingCase:
    return FailingCase(
        name=short(case.id),
        slices=slices_of(case.slices),
        passed=f"{STATES[check.state]}, score {numbers.score(check.score)}",
        question=None if case.input is None else visible(case.input),
        expected=None if case.expected is None else visible(plain(case.expected)),
        answers=answers(case.outputs),
    )


def count_of(run: RunRecord, state: CaseState) -> int:
    """Cases in this state that count, over all suites."""
    return sum(check.counts and check.state is state for suite in run.new for _, check in checked(suite))


def names_of(suites: Sequence[NewSuiteRecord], state: CaseState) -> list[str]:
    """Their names, with the suite in front where there are several."""
    prefix = {suite.name: f"{suite.name}/" if len(suites) > 1 else "" for suite in suites}
    return [
        prefix[suite.name] + case.id
        for suite in suites
        for case, check in checked(suite)
        if check.counts and check.state is state
    ]
