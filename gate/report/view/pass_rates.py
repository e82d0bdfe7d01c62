"""Prompts without a baseline: pass rates of new prompts, and checks case by case."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gate import numbers
from gate.config.values import OVERALL
from gate.record.comparison import PassRate, PassState, Verdict
from gate.record.findings.finding import Code, Text
from gate.record.parts import CaseResult, CaseState
from gate.record.run import NewCaseRecord, NewSuiteRecord, RunRecord
from gate.report.sheet import Fact, SheetRow, SheetTable, Tone, figure_columns, text_columns
from gate.report.slices import (
    LONGEST_SENTENCE,
    cases_and_groups,
    groups_text,
    listed_code,
    short_line,
    shown_and_folded,
)
from gate.report.view.calls import per_answer
from gate.report.view.cases import CaseView, answer_views, lone_case_view, slice_values
from gate.report.view.scorers import FULL, case_scale, case_score, other_scores, shortcomings
from gate.scoring.interface import meets_threshold
from gate.values import counted


@dataclass(frozen=True, slots=True)
class RateRow:
    """The pass rate of one slice of a new prompt, as text.

    Args:
        cases: how many, of how many where some have no score.
        groups: `12 groups`, independent ones, where that differs; else empty.
        rate: `62 % [48 %, 74 %]`.
        wanted: `90 %`; empty where no rate is needed.
        doubtful: unproven where that matters.
    """

    name: str
    cases: str
    groups: str
    rate: str
    wanted: str
    state: PassState
    words: str
    doubtful: bool
    advisory: bool

    @property
    def has_threshold(self) -> bool:
        """Whether a rate is needed at all."""
        return bool(self.wanted)

    @property
    def cases_and_groups(self) -> str:
        """`30 (12 groups)`."""
        return cases_and_groups(self.cases, self.groups)


@dataclass(frozen=True, slots=True)
class NewPrompt:
    """A prompt that the change adds.

    Args:
        rows: `overall`, then the slices, the worst first.
        cases: the failing ones, the worst first.
    """

    suite: str
    path: str
    about: str
    rows: tuple[RateRow, ...]
    folded: tuple[RateRow, ...]
    cases: tuple[CaseView, ...]


def asks_for_rate(suite: NewSuiteRecord) -> bool:
    """Whether its policy requires a pass rate at all."""
    return any(rate.wanted is not None for rate in (suite.overall, *suite.slices))


def missed_rate_steps(run: RunRecord) -> Iterator[Text]:
    """What to do about a new prompt that missed its rate."""
    found = _worst(run, PassState.MISSED)
    if found is not None:
        suite, rate = found
        yield (
            "Read the failing cases of the new prompt ",
            _name(suite),
            ", first those of ",
            Code(short_line(rate.slice)),
            ".",
        )


def doubtful_rate_steps(run: RunRecord) -> Iterator[Text]:
    """What to do about new prompts that are not shown to reach their rate."""
    if unasked := _unasked(run):
        where = "the policy of the suite " if len(unasked) == 1 else "the policies of the suites "
        yield (
            "Set a threshold: ",
            Code("min_pass_rate"),
            f" in {where}",
            *listed_code([suite.name for suite in unasked]),
            ", for example 0.9.",
        )
    for suite in run.new:
        if any(rate.doubtful for rate in (suite.overall, *suite.slices)):
            yield (
                "Read the failing cases of ",
                _name(suite),
                "; then fix the prompt, add cases, or merge although the threshold is not shown to be reached.",
            )
    if any(suite.overall.state is PassState.TOO_FEW for suite in run.new):
        yield ("Add cases for the new prompt: at least 30, better 100.",)


def rate_method(run: RunRecord) -> Iterator[Fact]:
    """How pass rates were tested."""
    if not run.new:
        return
    judged = run.method.rates_judged
    levels = " or ".join(numbers.percent(level) for level in sorted({suite.level for suite in run.new}))
    shared = f"; {counted(judged, 'slice')} tested together, each bound at {levels}" if judged else ""
    exact = "; a miss must also be significant in the exact binomial test" if judged else ""
    yield Fact("New prompts", (f"pass rate with its Wilson interval{shared}{exact}",))
    if judged:
        rate = numbers.percent(run.method.alpha)
        promise = f"if the new prompts reach every required rate, the chance of a block is at most {rate}"
        yield Fact("False blocks of new prompts", (promise,))


def _worst(run: RunRecord, state: PassState) -> tuple[NewSuiteRecord, PassRate] | None:
    """Of the slices that can block and are in `state`, the one with the smallest margin; `overall` among equals."""
    found = [
        (suite, rate)
        for suite in run.new
        for rate in (suite.overall, *suite.slices)
        if rate.state is state and rate.blocking
    ]
    return min(found, key=lambda one: (one[1].upper or 0.0) - (one[1].wanted or 0.0), default=None)


def rate_interval(rate: PassRate) -> str:
    """`62.5 % [48 %, 74.1 %]`, or a dash."""
    if rate.rate is None or rate.lower is None or rate.upper is None:
        return numbers.NOTHING
    return f"{numbers.share(rate.rate)} [{numbers.share(rate.lower)}, {numbers.share(rate.upper)}]"


def pass_rate_words(row: PassRate) -> str:
    """`62.5 % pass (8 cases), 90 % needed`."""
    rate = "none" if row.rate is None else numbers.share(row.rate)
    wanted = "" if row.wanted is None else f", {numbers.share(row.wanted)} needed"
    return f"{rate} pass ({counted(row.n, 'case')}){wanted}"


def rate_margin(rate: PassRate) -> float:
    """How far the rate is above the required one; negative where it falls short."""
    return (rate.rate or 0.0) - (rate.wanted or 0.0)


def _unasked(run: RunRecord) -> list[NewSuiteRecord]:
    """Those whose policy requires no pass rate."""
    return [suite for suite in run.new if not asks_for_rate(suite)]


def _name(suite: NewSuiteRecord) -> Code:
    return Code(short_line(suite.candidate.path))


def _told(suite: NewSuiteRecord, rate: PassRate) -> Text:
    where: Text = () if rate.slice == OVERALL else (" in ", Code(short_line(rate.slice)))
    wanted = "" if rate.wanted is None else f", at least {numbers.share(rate.wanted)} needed"
    return ("new prompt ", _name(suite), f": {rate_interval(rate)} of its answers", *where, f" passed{wanted}")


CASES_SHOWN = 3
SHOWN_UNREMARKABLE = 6
"""Slices without a shortfall that are not folded."""

NEW_RATE_WORDS = {
    PassState.MISSED: "missed",
    PassState.UNPROVEN: "not shown",
    PassState.TOO_FEW: "too few cases",
    PassState.MET: "met",
    PassState.NO_THRESHOLD: "no threshold",
}

_ORDER = tuple(NEW_RATE_WORDS)


def new_prompts(run: RunRecord) -> tuple[NewPrompt, ...]:
    """The view of each new prompt."""
    return tuple(_prompt(suite) for suite in run.new)


def _prompt(suite: NewSuiteRecord) -> NewPrompt:
    ordered = sorted(suite.slices, key=rate_rank)
    kept, folded = shown_and_folded(ordered, rate_unremarkable, SHOWN_UNREMARKABLE)
    return NewPrompt(
        suite=short_line(suite.name),
        path=short_line(suite.candidate.path),
        about=passing_rule(suite, "An answer"),
        rows=tuple(map(rate_row, (suite.overall, *kept))),
        folded=tuple(map(rate_row, folded)),
        cases=tuple(_case(suite, case) for case in _failing(suite)[:CASES_SHOWN]),
    )


def passing_rule(suite: NewSuiteRecord, what: str, over: str = "") -> str:
    """When something passes, and the cost and time of a call."""
    mark = (
        "every scorer reaches its threshold"
        if suite.threshold is None
        else f"its score is at least {numbers.score(suite.threshold)}"
    )
    figures = []
    if suite.cost.mean is not None:
        figures.append(f"{numbers.dollars(suite.cost.mean)} {per_answer([suite])}")
    if suite.latency.p50 is not None:
        figures.append(f"p50 {numbers.duration(suite.latency.p50)}")
    told = f" {', '.join(figures)}." if figures else ""
    return f"{what} passes when {mark}{over}.{told}"


def rate_rank(rate: PassRate) -> tuple[int, bool, float, str]:
    """Sorts slices by their shortfall, the largest first."""
    return (_ORDER.index(rate.state), rate.advisory, rate_margin(rate), rate.slice)


def rate_unremarkable(rate: PassRate) -> bool:
    """Whether a slice can be folded: it is not short, doubtful, or requested by the user."""
    return rate.state is not PassState.MISSED and not rate.doubtful and not rate.advisory


def rate_row(rate: PassRate) -> RateRow:
    """One slice as text."""
    quiet = rate.state is PassState.UNPROVEN and not rate.doubtful and not rate.advisory
    return RateRow(
        name=short_line(rate.slice),
        cases=f"{rate.n:,}",
        groups=groups_text(rate.n, rate.units),
        rate=rate_interval(rate),
        wanted="" if rate.wanted is None else numbers.share(rate.wanted),
        state=rate.state,
        words="no shortfall shown" if quiet else NEW_RATE_WORDS[rate.state],
        doubtful=rate.doubtful,
        advisory=rate.advisory,
    )


_TONES: dict[PassState, Tone] = {
    PassState.MISSED: "bad",
    PassState.UNPROVEN: "doubtful",
    PassState.MET: "good",
    PassState.TOO_FEW: "dim",
    PassState.NO_THRESHOLD: "dim",
}


def rate_table(rows: Sequence[RateRow], passing: str) -> SheetTable:
    """Pass rates as a table.

    Args:
        passing: what the rate is of, `answers that pass`.
    """
    lines = tuple(
        SheetRow(
            (
                row.name,
                row.cases_and_groups,
                row.rate,
                row.wanted or numbers.NOTHING,
                f"{row.words}{', advisory' * row.advisory}",
            ),
            "" if row.state is PassState.UNPROVEN and not row.doubtful else _TONES[row.state],
        )
        for row in rows
    )
    return SheetTable(
        "", (*text_columns("slice"), *figure_columns("cases", passing, "needed"), *text_columns("result")), lines
    )


def _failing(suite: NewSuiteRecord) -> list[NewCaseRecord]:
    """Cases with a sample that does not pass, the worst first; among equals those of a slice that missed its rate."""
    bad = {rate.slice for rate in suite.slices if rate.state is PassState.MISSED}
    failing = [case for case in suite.cases if False in case.passed]

    def rank(case: NewCaseRecord) -> tuple[int, int, str]:
        hits = sum(f"{dimension}={value}" in bad for dimension, value in case.slices.items())
        return (case.passed.count(True), -hits, case.id)

    return sorted(failing, key=rank)


def _case(suite: NewSuiteRecord, case: NewCaseRecord) -> CaseView:
    unscored = case.passed.count(None)
    missing = f", {unscored} without a score" if unscored else ""
    passed = f"{case.passed.count(True)} of {counted(suite.samples, 'answer')} passed{missing}"
    return lone_case_view(case, passed, answer_views(case.outputs))


@dataclass(frozen=True, slots=True)
class CheckedCaseRow:
    """One case of a check.

    Args:
        slices: `lang=de, tier=free`.
        score: mean of the combined scores, with the threshold where it falls short.
        others: the other scorers in one line: `rubric 4.1 of 5 (brevity 5.0, tone 3.0), 2 others 1.000`.
    """

    name: str
    slices: str
    state: CaseState
    words: str
    score: str
    failing: tuple[str, ...]
    others: str
    counts: bool

    @property
    def lines(self) -> tuple[str, ...]:
        """The results of all scorers."""
        return (*self.failing, *([self.others] if self.others else []))


@dataclass(frozen=True, slots=True)
class CheckTable:
    """One suite of a check.

    Args:
        rows: failing cases, then those without a score, then the first that pass.
        rates: `overall`, then the slices.
        cases: failing ones with their answers, the worst first.
    """

    suite: str
    path: str
    about: str
    rows: tuple[CheckedCaseRow, ...]
    folded: tuple[CheckedCaseRow, ...]
    more: int
    rates: tuple[RateRow, ...]
    cases: tuple[CaseView, ...]
    bad: int


CHECKED_SHOWN = 40
"""Cases of one suite that are not folded."""
CHECKED_FOLDED = 500
"""Folded cases of one suite; the record has them all."""
CHECKED_CASES_SHOWN = 5
"""Cases of one suite with their answers."""

CASE_WORDS = {CaseState.FAILED: "failed", CaseState.UNSCORED: "no score", CaseState.PASSED: "passed"}
RATE_WORDS = {
    PassState.MISSED: "not reached",
    PassState.UNPROVEN: "reached, not significant",
    PassState.MET: "reached",
    PassState.TOO_FEW: "no case has a score",
    PassState.NO_THRESHOLD: "no threshold",
}
SO_FAR = {
    PassState.MISSED: "not reached so far",
    PassState.UNPROVEN: "reached so far, not significant",
    PassState.MET: "reached so far",
}
"""Where the cases without a score could still change it."""
_CASE_ORDER = tuple(CaseState)

CheckedCase = tuple[NewCaseRecord, CaseResult]


def check_tables(run: RunRecord) -> tuple[CheckTable, ...]:
    """One for each suite; empty where the run is not a check."""
    return tuple(map(_table, run.new)) if run.kind == "check" else ()


def check_notes(run: RunRecord) -> tuple[str, ...]:
    """What the signs in these tables mean, for those that occur."""
    rows = [row for suite in run.new for row in checked_cases(suite)]
    if any(not check.counts for _, check in rows):
        return ("° Does not count for the overall rate: its slice is advisory, or has its own threshold.",)
    return ()


def checked_cases(suite: NewSuiteRecord) -> list[CheckedCase]:
    """The cases of a suite with the results of the check, the worst first."""
    rows = [(case, case.check) for case in suite.cases if case.check is not None]
    return sorted(rows, key=lambda row: (_CASE_ORDER.index(row[1].state), row[1].score or 0.0))


def _table(suite: NewSuiteRecord) -> CheckTable:
    rows = checked_cases(suite)
    bad = [row for row in rows if row[1].state is not CaseState.PASSED]
    # In the order of the file, where there is nothing to sort them by.
    good = [(case, case.check) for case in suite.cases if case.check and case.check.state is CaseState.PASSED]
    ordered = [*bad, *good]
    return CheckTable(
        suite=short_line(suite.name),
        path=short_line(suite.candidate.path),
        about=_about(suite),
        rows=tuple(case_row(*row) for row in ordered[:CHECKED_SHOWN]),
        folded=tuple(case_row(*row) for row in ordered[CHECKED_SHOWN : CHECKED_SHOWN + CHECKED_FOLDED]),
        more=max(0, len(ordered) - CHECKED_SHOWN - CHECKED_FOLDED),
        rates=tuple(_rate(rate, _unscored(rows, rate.slice)) for rate in (suite.overall, *suite.slices)),
        cases=tuple(_failing_case(*row) for row in bad if row[0].outputs)[:CHECKED_CASES_SHOWN],
        bad=sum(any(one.value is not None for one in check.scorers) for _, check in bad),
    )


def _about(suite: NewSuiteRecord) -> str:
    return passing_rule(suite, "A case", "" if suite.samples == 1 else f", on the mean over {suite.samples} samples")


def case_row(case: NewCaseRecord, check: CaseResult) -> CheckedCaseRow:
    """One case as text, without the reason for an early end, which the first line says."""
    return CheckedCaseRow(
        name=short_line(case.id),
        slices=slice_values(case.slices),
        state=check.state,
        words=CASE_WORDS[check.state],
        score=case_score(check),
        failing=(*shortcomings(check), *_gaps(check)),
        others=other_scores(check),
        counts=check.counts,
    )


def _gaps(check: CaseResult) -> Iterator[str]:
    """Why samples have no score: `no score: 503`, `no score (2 samples): 503`."""
    taken = check.missing[: len(check.missing) - check.untaken]
    for reason, count in Counter(taken).items():
        samples = f" ({counted(count, 'sample')})" if len(check.missing) > 1 else ""
        yield f"no score{samples}: {short_line(reason, LONGEST_SENTENCE)}"


def _unscored(rows: Sequence[CheckedCase], name: str) -> int:
    """Cases of a slice of which it is unknown whether they pass; of all cases only those that count."""
    states = (check.state for case, check in rows if (check.counts if name == OVERALL else _within(case, name)))
    return sum(state is CaseState.UNSCORED for state in states)


def _within(case: NewCaseRecord, name: str) -> bool:
    return any(f"{dimension}={value}" == name for dimension, value in case.slices.items())


def _rate(rate: PassRate, unscored: int) -> RateRow:
    row, still = rate_row(rate), _still_open(rate, unscored)
    return replace(
        row,
        cases=f"{rate.n:,}{f' of {rate.n + unscored:,}' if unscored else ''}",
        wanted="every case" if rate.wanted == 1.0 else row.wanted,
        # Neither good nor bad news, as where there are too few.
        state=PassState.TOO_FEW if still else rate.state,
        words=(SO_FAR if still else RATE_WORDS)[rate.state],
        doubtful=rate.doubtful and not still,
    )


def _still_open(rate: PassRate, unscored: int) -> bool:
    """Whether the cases without a score could change whether it reaches the required rate."""
    if rate.wanted is None or not rate.n:
        return False
    total = rate.n + unscored
    return meets_threshold((rate.passed + unscored) / total, rate.wanted) and not meets_threshold(
        rate.passed / total, rate.wanted
    )


def _failing_case(case: NewCaseRecord, check: CaseResult) -> CaseView:
    """The case with its answers, and the reasons of the scorers by which it fails."""
    content = {one.name for one in check.scorers if one.passed or (one.value or 0.0) >= FULL}
    outputs = [
        output.model_copy(update={"reasons": [reason for reason in output.reasons if reason.scorer not in content]})
        for output in case.outputs
    ]
    score = "" if check.score is None else f", score {case_score(check)}"
    return lone_case_view(case, f"{CASE_WORDS[check.state]}{score}", answer_views(outputs, case_scale(check)))


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
    if run.verdict is Verdict.BLOCK and (found := _first_rate(run, PassState.MISSED)):
        suite, rate = found
        return _cases_failed(run) if rate.wanted == 1.0 else _rate_words(run, suite, rate)
    doubt = _first_rate(run, PassState.UNPROVEN)
    if run.verdict is Verdict.HOLD and not (doubt and run.exit_code):
        return run.deciding[0].headline
    if doubt:
        return (*_rate_words(run, *doubt), "; reached, but not significantly")
    rated = next(((suite, suite.overall) for suite in run.new if suite.overall.wanted != 1.0), None)
    return _rate_words(run, *rated) if rated and len(run.new) == 1 else _cases_passed(run)


def check_method(run: RunRecord) -> Iterator[Fact]:
    """How the cases were tested."""
    told = "each case compared with its thresholds, by the mean over its samples; measured pass rates"
    yield Fact("Check", (f"{told} with {numbers.percent(1 - 2 * run.method.alpha)} Wilson intervals",))


def _first_rate(run: RunRecord, state: PassState) -> tuple[NewSuiteRecord, PassRate] | None:
    rows = ((suite, rate) for suite in run.new for rate in (suite.overall, *suite.slices))
    return next((one for one in rows if one[1].state is state and one[1].blocking), None)


def _cases_failed(run: RunRecord) -> Text:
    suites = [suite for suite in run.new if suite.overall.wanted == 1.0]
    failed = names_in_state(suites, CaseState.FAILED)
    total = sum(suite.overall.n for suite in suites)
    return (f"{len(failed):,} of {counted(total, 'case')} failed{': ' * bool(failed)}", *listed_code(failed))


def _cases_passed(run: RunRecord) -> Text:
    total = sum(suite.overall.n for suite in run.new)
    where = f" in {len(run.new)} suites" if len(run.new) > 1 else ""
    return (f"{count_in_state(run, CaseState.PASSED):,} of {counted(total, 'case')} passed{where}",)


def _rate_words(run: RunRecord, suite: NewSuiteRecord, rate: PassRate) -> Text:
    name = suite.name if rate.slice == OVERALL else f"{suite.name}/{rate.slice}"
    where: Text = (" of ", Code(short_line(name))) if len(run.new) > 1 or rate.slice != OVERALL else ()
    wanted = f", at least {numbers.share(rate.wanted)} needed" if rate.wanted is not None and rate.wanted != 1.0 else ""
    return (f"{rate_interval(rate)} of the cases", *where, f" passed{wanted}")
