"""The section on prompts that the change brings: pass rates against what is wanted, and failing cases."""

from gate.domain.passrate import PassRate, PassState
from gate.domain.record import RunRecord
from gate.domain.record_new import NewCaseRecord, NewSuiteRecord
from gate.report import numbers
from gate.report.alone.rates import interval, spare
from gate.report.calls.spending import per
from gate.report.cases.views import answers, plain, slices_of
from gate.report.escape import visible
from gate.report.parts.alone import NewPrompt, RateRow
from gate.report.parts.cases import FailingCase
from gate.report.slices import parted, short

CASES_SHOWN = 3
SHOWN_UNREMARKABLE = 6
"""Slices without a shortfall that stay unfolded."""

WORDS = {
    PassState.MISSED: "missed",
    PassState.UNPROVEN: "not proven",
    PassState.TOO_FEW: "too few cases",
    PassState.MET: "met",
    PassState.NO_THRESHOLD: "no rate is asked for",
}

_ORDER = tuple(WORDS)


def new_prompts(run: RunRecord) -> tuple[NewPrompt, ...]:
    """What there is to show of each."""
    return tuple(_prompt(suite) for suite in run.new)


def _prompt(suite: NewSuiteRecord) -> NewPrompt:
    ordered = sorted(suite.slices, key=rate_rank)
    kept, folded = parted(ordered, rate_unremarkable, SHOWN_UNREMARKABLE)
    return NewPrompt(
        suite=short(suite.name),
        path=short(suite.candidate.path),
        about=about(suite, "An answer"),
        rows=tuple(map(rate_row, (suite.overall, *kept))),
        folded=tuple(map(rate_row, folded)),
        cases=tuple(_case(suite, case) for case in _failing(suite)[:CASES_SHOWN]),
    )


def about(suite: NewSuiteRecord, what: str, over: str = "") -> str:
    """When something passes, and what a call takes.

    Args:
        suite: of one arm.
        what: passes, as a sentence begins.
        over: what its score is a mean of, after a comma.
    """
    mark = (
        "every scorer gives what its own mark asks"
        if suite.threshold is None
        else f"its score is at least {numbers.score(suite.threshold)}"
    )
    figures = []
    if suite.cost.mean is not None:
        figures.append(f"{numbers.dollars(suite.cost.mean)} {per([suite])}")
    if suite.latency.p50 is not None:
        figures.append(f"p50 {numbers.duration(suite.latency.p50)}")
    told = f" {', '.join(figures)}." if figures else ""
    return f"{what} passes when {mark}{over}.{told}"


def rate_rank(rate: PassRate) -> tuple[int, bool, float, str]:
    """Sorts slices: what falls shortest first."""
    return (_ORDER.index(rate.state), rate.advisory, spare(rate), rate.slice)


def rate_unremarkable(rate: PassRate) -> bool:
    """Whether a slice can be folded: it is neither short nor doubtful, nor one that somebody wants to see."""
    return rate.state is not PassState.MISSED and not rate.doubtful and not rate.advisory


def rate_row(rate: PassRate) -> RateRow:
    """One slice as text."""
    quiet = rate.state is PassState.UNPROVEN and not rate.doubtful and not rate.advisory
    groups = "" if rate.units == rate.n else f" ({numbers.counted(rate.units, 'group')})"
    return RateRow(
        name=short(rate.slice),
        cases=f"{rate.n:,}{groups}",
        rate=interval(rate),
        wanted=numbers.NOTHING if rate.wanted is None else numbers.share(rate.wanted),
        state=rate.state,
        words="no shortfall shown" if quiet else WORDS[rate.state],
        doubtful=rate.doubtful,
        advisory=rate.advisory,
    )


def _failing(suite: NewSuiteRecord) -> list[NewCaseRecord]:
    """Cases with a sample that does not pass, the worst first; among equals those of a slice that missed."""
    bad = {rate.slice for rate in suite.slices if rate.state is PassState.MISSED}
    failing = [case for case in suite.cases if False in case.passed]

    def rank(case: NewCaseRecord) -> tuple[int, int, str]:
        hits = sum(f"{dimension}={value}" in bad for dimension, value in case.slices.items())
        return (case.passed.count(True), -hits, case.id)

    return sorted(failing, key=rank)


def _case(suite: NewSuiteRecord, case: NewCaseRecord) -> FailingCase:
    unscored = case.passed.count(None)
    missing = f", {unscored} without a score" if unscored else ""
    return FailingCase(
        name=short(case.id),
        slices=slices_of(case.slices),
        passed=f"{case.passed.count(True)} of {numbers.counted(suite.samples, 'answer')} passed{missing}",
        question=None if case.input is None else visible(case.input),
        expected=None if case.expected is None else visible(plain(case.expected)),
        answers=answers(case.outputs),
    )
