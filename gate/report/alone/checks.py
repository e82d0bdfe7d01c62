"""The tables of a check: every case with what its scorers say, the failing ones first, and pass rates by slice."""

from collections import Counter
from collections.abc import Iterator, Sequence

from gate.config.policy import OVERALL
from gate.domain.checked import CaseResult, CaseState
from gate.domain.passrate import PassRate, PassState
from gate.domain.record import RunRecord
from gate.domain.record_new import NewCaseRecord, NewSuiteRecord
from gate.report import numbers
from gate.report.alone.newprompts import about
from gate.report.alone.rates import interval
from gate.report.cases.views import answers, plain, slices_of
from gate.report.escape import visible
from gate.report.parts.alone import CaseRow, CheckTable, RateRow
from gate.report.parts.cases import FailingCase
from gate.report.scorers.words import FULL, case_scale, case_score, others, shortcomings
from gate.report.slices import LONGEST_SENTENCE, short
from gate.scoring.passing import reaches

SHOWN = 40
"""Cases of one suite that stay unfolded."""
FOLDED = 500
"""Cases of one suite that are folded; the record has them all."""
CASES_SHOWN = 5
"""Cases of one suite with their answers."""

STATES = {CaseState.FAILED: "failed", CaseState.UNSCORED: "no score", CaseState.PASSED: "passed"}
RATES = {
    PassState.MISSED: "missed",
    PassState.UNPROVEN: "reached, not beyond doubt",
    PassState.MET: "reached",
    PassState.TOO_FEW: "no case has a score",
    PassState.NO_THRESHOLD: "no rate is asked for",
}
SO_FAR = {
    PassState.MISSED: "missed so far",
    PassState.UNPROVEN: "reached so far, not beyond doubt",
    PassState.MET: "reached so far",
}
"""Where the cases without a score could still change it."""
_ORDER = tuple(CaseState)

Row = tuple[NewCaseRecord, CaseResult]


def check_tables(run: RunRecord) -> tuple[CheckTable, ...]:
    """One for each suite; empty where the run is no check."""
    return tuple(_table(suite, run.unfinished) for suite in run.new) if run.kind == "check" else ()


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


def _table(suite: NewSuiteRecord, unfinished: str | None) -> CheckTable:
    rows = checked(suite)
    bad = [row for row in rows if row[1].state is not CaseState.PASSED]
    # In the order of the file, where there is nothing to sort them by.
    good = [(case, case.check) for case in suite.cases if case.check and case.check.state is CaseState.PASSED]
    ordered = [*bad, *good]
    return CheckTable(
        suite=short(suite.name),
        path=short(suite.candidate.path),
        about=_about(suite),
        rows=tuple(case_row(*row, unfinished) for row in ordered[:SHOWN]),
        folded=tuple(case_row(*row, unfinished) for row in ordered[SHOWN : SHOWN + FOLDED]),
        more=max(0, len(ordered) - SHOWN - FOLDED),
        rates=tuple(_rate(rate, _unscored(rows, rate.slice)) for rate in (suite.overall, *suite.slices)),
        cases=tuple(_failing(*row) for row in bad if row[0].outputs)[:CASES_SHOWN],
        bad=sum(any(one.value is not None for one in check.scorers) for _, check in bad),
    )


def _about(suite: NewSuiteRecord) -> str:
    return about(suite, "A case", "" if suite.samples == 1 else f", on the mean over {suite.samples} samples")


def case_row(case: NewCaseRecord, check: CaseResult, unfinished: str | None = None) -> CaseRow:
    """One case as text.

    Args:
        case, check: what was asked, and what came of it.
        unfinished: why the run ended early, which its first line says and no case has to repeat.
    """
    return CaseRow(
        name=short(case.id),
        slices=slices_of(case.slices),
        state=check.state,
        words=STATES[check.state],
        score=case_score(check),
        failing=(*shortcomings(check), *_gaps(check, unfinished)),
        others=others(check),
        perfect=check.state is CaseState.PASSED and all((one.value or 0.0) >= FULL for one in check.scorers),
        counts=check.counts,
    )


def _gaps(check: CaseResult, unfinished: str | None) -> Iterator[str]:
    """Why samples have no score: `no score: 503`, `no score (2 samples): 503`."""
    for reason, count in Counter(check.missing).items():
        if reason != unfinished:
            samples = f" ({numbers.counted(count, 'sample')})" if len(check.missing) > 1 else ""
            yield f"no score{samples}: {short(reason, LONGEST_SENTENCE)}"


def _unscored(rows: Sequence[Row], name: str) -> int:
    """Cases of a slice of which nobody can say whether they pass; of all cases only those that count."""
    states = (check.state for case, check in rows if (check.counts if name == OVERALL else _within(case, name)))
    return sum(state is CaseState.UNSCORED for state in states)


def _within(case: NewCaseRecord, name: str) -> bool:
    return any(f"{dimension}={value}" == name for dimension, value in case.slices.items())


def _rate(rate: PassRate, unscored: int) -> RateRow:
    groups = "" if rate.units == rate.n else f" ({numbers.counted(rate.units, 'group')})"
    every = rate.wanted == 1.0
    still = _still_open(rate, unscored)
    return RateRow(
        name=short(rate.slice),
        cases=f"{rate.n:,}{f' of {rate.n + unscored:,}' if unscored else ''}{groups}",
        rate=interval(rate),
        wanted=numbers.NOTHING if rate.wanted is None else "every case" if every else numbers.share(rate.wanted),
        # Neither good nor bad news, as where there are too few.
        state=PassState.TOO_FEW if still else rate.state,
        words=(SO_FAR if still else RATES)[rate.state],
        doubtful=rate.doubtful and not still,
        advisory=rate.advisory,
    )


def _still_open(rate: PassRate, unscored: int) -> bool:
    """Could the cases without a score make it miss, or reach, what is wanted after all?"""
    if rate.wanted is None or not rate.n:
        return False
    total = rate.n + unscored
    return reaches((rate.passed + unscored) / total, rate.wanted) and not reaches(rate.passed / total, rate.wanted)


def _failing(case: NewCaseRecord, check: CaseResult) -> FailingCase:
    """The case with its answers, and of what the scorers say that by which they fall short."""
    content = tuple(f"{one.name}: " for one in check.scorers if one.passed or (one.value or 0.0) >= FULL)
    outputs = [
        output.model_copy(update={"reasons": [reason for reason in output.reasons if not reason.startswith(content)]})
        for output in case.outputs
    ]
    score = "" if check.score is None else f", score {case_score(check)}"
    return FailingCase(
        name=short(case.id),
        slices=slices_of(case.slices),
        passed=f"{STATES[check.state]}{score}",
        question=None if case.input is None else visible(case.input),
        expected=None if case.expected is None else visible(plain(case.expected)),
        answers=answers(outputs, case_scale(check)),
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
