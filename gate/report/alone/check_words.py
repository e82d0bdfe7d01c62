"""A check in words: first line, how it was judged, what to do next."""

from collections.abc import Iterator

from gate.config.policy import OVERALL
from gate.domain.checked import CaseState
from gate.domain.passrate import PassRate, PassState
from gate.domain.record import RunRecord
from gate.domain.record_new import NewSuiteRecord
from gate.domain.verdict import Verdict
from gate.report import numbers
from gate.report.alone.checks import checked, count_of, names_of
from gate.report.alone.rates import interval
from gate.report.calls import endings
from gate.report.parts.whole import Code, Fact, Text
from gate.report.slices import NAMES_SHOWN, short
from gate.report.unfinished import ended_early as unfinished
from gate.report.unfinished import obstacle, remembered


def headline(run: RunRecord) -> Text:
    """What follows the verdict in the first line."""
    if run.verdict is Verdict.INCONCLUSIVE:
        return obstacle.heading(run, ())
    if run.verdict is Verdict.BLOCK and (found := _first(run, PassState.MISSED)):
        suite, rate = found
        return _failed(run) if rate.wanted == 1.0 else _rate(run, suite, rate)
    doubt = _first(run, PassState.UNPROVEN)
    if doubt:
        return (*_rate(run, *doubt), "; reached, and not beyond doubt")
    rated = next(((suite, suite.overall) for suite in run.new if suite.overall.wanted != 1.0), None)
    return _rate(run, *rated) if rated and len(run.new) == 1 else _passed(run)


def method(run: RunRecord) -> Iterator[Fact]:
    """How it was judged."""
    told = "each case against its marks, by the mean over its samples; rates as they were measured"
    yield Fact("Check", (f"{told}, with their Wilson interval at {numbers.percent(1 - 2 * run.method.alpha)}",))


def steps(run: RunRecord) -> Iterator[Text]:
    """What to do next."""
    if run.verdict is Verdict.BLOCK:
        yield from endings.advice(run)
        yield ("Read the failing cases above, change the prompt or the model settings, and run again.",)
        yield ("If it is the case that asks for the wrong thing, correct the case.",)
    elif run.verdict is Verdict.INCONCLUSIVE:
        yield from unfinished.steps(run)
        if run.unfinished is None:
            kept = "" if remembered.asked_again(run) else ": what is known is not asked for a second time"
            yield (f"Mend what is named above, and run again{kept}.",)
        yield from endings.advice(run)
    elif run.verdict is Verdict.HOLD:
        yield ("Add cases to be sure of the rate, or leave ", Code("fail_on"), " at ", Code("block"), ".")
    elif any(check.state is CaseState.FAILED for suite in run.new for _, check in checked(suite)):
        yield ("As many pass as have to. Read the failing cases above all the same.",)
    else:
        yield ("Nothing has to be done. What a change of the prompt moves is shown by ", Code("gate diff"), ".")


def _first(run: RunRecord, state: PassState) -> tuple[NewSuiteRecord, PassRate] | None:
    rows = ((suite, rate) for suite in run.new for rate in (suite.overall, *suite.slices))
    return next((one for one in rows if one[1].state is state and one[1].blocking), None)


def _failed(run: RunRecord) -> Text:
    suites = [suite for suite in run.new if suite.overall.wanted == 1.0]
    failed = names_of(suites, CaseState.FAILED)
    total = sum(suite.overall.n for suite in suites)
    named: list[str | Code] = []
    for name in failed[:NAMES_SHOWN]:
        named += [", " if named else ": ", Code(short(name))]
    rest = len(failed) - NAMES_SHOWN
    return (f"{len(failed):,} of {numbers.counted(total, 'case')} failed", *named, f" and {rest:,} more" * (rest > 0))


def _passed(run: RunRecord) -> Text:
    total = sum(suite.overall.n for suite in run.new)
    where = f" in {len(run.new)} suites" if len(run.new) > 1 else ""
    return (f"{count_of(run, CaseState.PASSED):,} of {numbers.counted(total, 'case')} passed{where}",)


def _rate(run: RunRecord, suite: NewSuiteRecord, rate: PassRate) -> Text:
    name = suite.name if rate.slice == OVERALL else f"{suite.name}/{rate.slice}"
    where: Text = (" of ", Code(short(name))) if len(run.new) > 1 or rate.slice != OVERALL else ()
    wanted = f", where at least {numbers.share(rate.wanted)} are wanted" if rate.wanted not in (None, 1.0) else ""
    return (f"{interval(rate)} of the cases", *where, f" passed{wanted}")
