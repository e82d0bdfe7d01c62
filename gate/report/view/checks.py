"""The result of a check: first line, method, tables of cases and pass rates, next steps."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gate.config.policy import OVERALL
from gate.record.comparison import PassRate, PassState, Verdict
from gate.record.parts import CaseResult, CaseState
from gate.record.run import NewCaseRecord, NewSuiteRecord, RunRecord
from gate.report import numbers
from gate.report.escape import visible
from gate.report.view.cases import FailingCase, answer_views, slice_values, value_text
from gate.report.view.pass_rates import RateRow, passing_rule, rate_interval
from gate.report.view.scorers import (
    FULL,
    case_scale,
    case_score,
    other_scores,
    shortcomings,
)
from gate.report.view.slices import LONGEST_SENTENCE, NAMES_SHOWN, Code, Fact, Text, short_line
from gate.scoring.pass_rule import reaches


@dataclass(frozen=True, slots=True)
class CheckedCaseRow:
    """One case of a check.

    Args:
        slices: `lang=de, tier=free`.
        words: the state in words.
        score: mean of the combined scores, with the threshold where it falls short.
        failing: each scorer that falls short, with its reason, and why samples have no score.
        others: the other scorers in one line: `rubric 4.1 of 5 (brevity 5.0, tone 3.0), 2 others 1.000`.
        perfect: every scorer gives its full score, so that `score` says it all.
        counts: it counts for the verdict.
    """

    name: str
    slices: str
    state: CaseState
    words: str
    score: str
    failing: tuple[str, ...]
    others: str
    perfect: bool
    counts: bool

    @property
    def lines(self) -> tuple[str, ...]:
        """Everything that the scorers say."""
        return (*self.failing, *([self.others] if self.others else []))


@dataclass(frozen=True, slots=True)
class CheckTable:
    """One suite of a check.

    Args:
        about: when a case passes, and the cost and time of an answer.
        rows: failing cases, then those without a score, then the first that pass.
        folded: further cases that pass.
        more: cases that are left out.
        rates: `overall`, then the slices.
        cases: failing ones with their answers, the worst first.
        bad: number of cases that have an answer and do not pass.
    """

    suite: str
    path: str
    about: str
    rows: tuple[CheckedCaseRow, ...]
    folded: tuple[CheckedCaseRow, ...]
    more: int
    rates: tuple[RateRow, ...]
    cases: tuple[FailingCase, ...]
    bad: int


SHOWN = 40
"""Cases of one suite that are not folded."""
FOLDED = 500
"""Folded cases of one suite; the record has them all."""
CASES_SHOWN = 5
"""Cases of one suite with their answers."""

CASE_WORDS = {CaseState.FAILED: "failed", CaseState.UNSCORED: "no score", CaseState.PASSED: "passed"}
RATE_WORDS = {
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

CheckedCase = tuple[NewCaseRecord, CaseResult]


def check_tables(run: RunRecord) -> tuple[CheckTable, ...]:
    """One for each suite; empty where the run is not a check."""
    return tuple(_table(suite, run.unfinished) for suite in run.new) if run.kind == "check" else ()


def check_notes(run: RunRecord) -> tuple[str, ...]:
    """What the marks in these tables mean, for those that occur."""
    rows = [row for suite in run.new for row in checked_cases(suite)]
    if any(not check.counts for _, check in rows):
        return ("° Shown, and no part of what is asked of all cases: its slice is advisory, or has a rate of its own.",)
    return ()


def checked_cases(suite: NewSuiteRecord) -> list[CheckedCase]:
    """The cases of a suite with the results of the check, the worst first."""
    rows = [(case, case.check) for case in suite.cases if case.check is not None]
    return sorted(rows, key=lambda row: (_ORDER.index(row[1].state), row[1].score or 0.0))


def _table(suite: NewSuiteRecord, unfinished: str | None) -> CheckTable:
    rows = checked_cases(suite)
    bad = [row for row in rows if row[1].state is not CaseState.PASSED]
    # In the order of the file, where there is nothing to sort them by.
    good = [(case, case.check) for case in suite.cases if case.check and case.check.state is CaseState.PASSED]
    ordered = [*bad, *good]
    return CheckTable(
        suite=short_line(suite.name),
        path=short_line(suite.candidate.path),
        about=_about(suite),
        rows=tuple(case_row(*row, unfinished) for row in ordered[:SHOWN]),
        folded=tuple(case_row(*row, unfinished) for row in ordered[SHOWN : SHOWN + FOLDED]),
        more=max(0, len(ordered) - SHOWN - FOLDED),
        rates=tuple(_rate(rate, _unscored(rows, rate.slice)) for rate in (suite.overall, *suite.slices)),
        cases=tuple(_failing(*row) for row in bad if row[0].outputs)[:CASES_SHOWN],
        bad=sum(any(one.value is not None for one in check.scorers) for _, check in bad),
    )


def _about(suite: NewSuiteRecord) -> str:
    return passing_rule(suite, "A case", "" if suite.samples == 1 else f", on the mean over {suite.samples} samples")


def case_row(case: NewCaseRecord, check: CaseResult, unfinished: str | None = None) -> CheckedCaseRow:
    """One case as text, without `unfinished`, the reason for an early end, which the first line says."""
    return CheckedCaseRow(
        name=short_line(case.id),
        slices=slice_values(case.slices),
        state=check.state,
        words=CASE_WORDS[check.state],
        score=case_score(check),
        failing=(*shortcomings(check), *_gaps(check, unfinished)),
        others=other_scores(check),
        perfect=check.state is CaseState.PASSED and all((one.value or 0.0) >= FULL for one in check.scorers),
        counts=check.counts,
    )


def _gaps(check: CaseResult, unfinished: str | None) -> Iterator[str]:
    """Why samples have no score: `no score: 503`, `no score (2 samples): 503`."""
    for reason, count in Counter(check.missing).items():
        if reason != unfinished:
            samples = f" ({numbers.counted(count, 'sample')})" if len(check.missing) > 1 else ""
            yield f"no score{samples}: {short_line(reason, LONGEST_SENTENCE)}"


def _unscored(rows: Sequence[CheckedCase], name: str) -> int:
    """Cases of a slice of which it is unknown whether they pass; of all cases only those that count."""
    states = (check.state for case, check in rows if (check.counts if name == OVERALL else _within(case, name)))
    return sum(state is CaseState.UNSCORED for state in states)


def _within(case: NewCaseRecord, name: str) -> bool:
    return any(f"{dimension}={value}" == name for dimension, value in case.slices.items())


def _rate(rate: PassRate, unscored: int) -> RateRow:
    groups = "" if rate.units == rate.n else f" ({numbers.counted(rate.units, 'group')})"
    every = rate.wanted == 1.0
    still = _still_open(rate, unscored)
    return RateRow(
        name=short_line(rate.slice),
        cases=f"{rate.n:,}{f' of {rate.n + unscored:,}' if unscored else ''}{groups}",
        rate=rate_interval(rate),
        wanted=numbers.NOTHING if rate.wanted is None else "every case" if every else numbers.share(rate.wanted),
        # Neither good nor bad news, as where there are too few.
        state=PassState.TOO_FEW if still else rate.state,
        words=(SO_FAR if still else RATE_WORDS)[rate.state],
        doubtful=rate.doubtful and not still,
        advisory=rate.advisory,
    )


def _still_open(rate: PassRate, unscored: int) -> bool:
    """Whether the cases without a score could change whether it reaches the required rate."""
    if rate.wanted is None or not rate.n:
        return False
    total = rate.n + unscored
    return reaches((rate.passed + unscored) / total, rate.wanted) and not reaches(rate.passed / total, rate.wanted)


def _failing(case: NewCaseRecord, check: CaseResult) -> FailingCase:
    """The case with its answers, and what the scorers by which it fails say."""
    content = tuple(f"{one.name}: " for one in check.scorers if one.passed or (one.value or 0.0) >= FULL)
    outputs = [
        output.model_copy(update={"reasons": [reason for reason in output.reasons if not reason.startswith(content)]})
        for output in case.outputs
    ]
    score = "" if check.score is None else f", score {case_score(check)}"
    return FailingCase(
        name=short_line(case.id),
        slices=slice_values(case.slices),
        passed=f"{CASE_WORDS[check.state]}{score}",
        question=None if case.input is None else visible(case.input),
        expected=None if case.expected is None else visible(value_text(case.expected)),
        answers=answer_views(outputs, case_scale(check)),
    )


def count_in_state(run: RunRecord, state: CaseState) -> int:
    """Number of cases in this state that count, over all suites."""
    return sum(check.counts and check.state is state for suite in run.new for _, check in checked_cases(suite))


def names_in_state(suites: Sequence[NewSuiteRecord], state: CaseState) -> list[str]:
    """Their names, with the suite in front where there are several."""
    prefix = {suite.name: f"{suite.name}/" if len(suites) > 1 else "" for suite in suites}
    return [
        prefix[suite.name] + case.id
        for suite in suites
        for case, check in checked_cases(suite)
        if check.counts and check.state is state
    ]


def check_headline(run: RunRecord) -> Text:
    """What follows the verdict in the first line."""
    if run.verdict is Verdict.BLOCK and (found := _first(run, PassState.MISSED)):
        suite, rate = found
        return _failed(run) if rate.wanted == 1.0 else _rate_words(run, suite, rate)
    doubt = _first(run, PassState.UNPROVEN)
    if doubt:
        return (*_rate_words(run, *doubt), "; reached, and not beyond doubt")
    rated = next(((suite, suite.overall) for suite in run.new if suite.overall.wanted != 1.0), None)
    return _rate_words(run, *rated) if rated and len(run.new) == 1 else _passed(run)


def check_method(run: RunRecord) -> Iterator[Fact]:
    """How it was judged."""
    told = "each case against its marks, by the mean over its samples; rates as they were measured"
    yield Fact("Check", (f"{told}, with their Wilson interval at {numbers.percent(1 - 2 * run.method.alpha)}",))


def _first(run: RunRecord, state: PassState) -> tuple[NewSuiteRecord, PassRate] | None:
    rows = ((suite, rate) for suite in run.new for rate in (suite.overall, *suite.slices))
    return next((one for one in rows if one[1].state is state and one[1].blocking), None)


def _failed(run: RunRecord) -> Text:
    suites = [suite for suite in run.new if suite.overall.wanted == 1.0]
    failed = names_in_state(suites, CaseState.FAILED)
    total = sum(suite.overall.n for suite in suites)
    named: list[str | Code] = []
    for name in failed[:NAMES_SHOWN]:
        named += [", " if named else ": ", Code(short_line(name))]
    rest = len(failed) - NAMES_SHOWN
    return (f"{len(failed):,} of {numbers.counted(total, 'case')} failed", *named, f" and {rest:,} more" * (rest > 0))


def _passed(run: RunRecord) -> Text:
    total = sum(suite.overall.n for suite in run.new)
    where = f" in {len(run.new)} suites" if len(run.new) > 1 else ""
    return (f"{count_in_state(run, CaseState.PASSED):,} of {numbers.counted(total, 'case')} passed{where}",)


def _rate_words(run: RunRecord, suite: NewSuiteRecord, rate: PassRate) -> Text:
    name = suite.name if rate.slice == OVERALL else f"{suite.name}/{rate.slice}"
    where: Text = (" of ", Code(short_line(name))) if len(run.new) > 1 or rate.slice != OVERALL else ()
    wanted = f", where at least {numbers.share(rate.wanted)} are wanted" if rate.wanted not in (None, 1.0) else ""
    return (f"{rate_interval(rate)} of the cases", *where, f" passed{wanted}")
