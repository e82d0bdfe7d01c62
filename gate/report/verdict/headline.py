"""The first line: verdict and worst slice."""

from gate.domain.record import RunRecord
from gate.domain.verdict import State, Verdict
from gate.report import numbers
from gate.report.alone import check_words, rates
from gate.report.compared.axes import over_allowance
from gate.report.escape import terminal
from gate.report.parts.whole import Code, Text
from gate.report.slices import (
    LONGEST_SENTENCE,
    Named,
    in_state,
    moved,
    name,
    of_run,
    short,
    suite_label,
    tolerated,
    unmoved,
    within_margin,
    worst,
)
from gate.report.unfinished import obstacle
from gate.report.verdict.aside import aside


def headline(run: RunRecord) -> Text:
    """What follows the verdict in the first line; its numbers are those of the table."""
    if run.kind == "check":
        return check_words.headline(run)
    if run.verdict is Verdict.INCONCLUSIVE:
        return obstacle.heading(run, _worst(run, "; worst slice "))
    if run.override is not None and run.skipped_by_label:
        return ("the label ", Code(short(run.override.label)), " is set")
    if run.verdict is Verdict.SKIPPED:
        return _first_reason(run, "no prompt or exam changed")
    if run.verdict is Verdict.BLOCK:
        return _fallen(run)
    if run.verdict is Verdict.HOLD:
        return _doubtful(run)
    if not run.suites:
        return rates.met(run) or _first_reason(run, "nothing is shown to be too bad")
    risen = [named for named in of_run(run) if named.overall and named.record.state is State.IMPROVEMENT]
    if not risen and all(unmoved(named) for named in of_run(run) if named.overall):
        return (f"no change; {numbers.counted(_cases(run), 'case')} scored the same before and after",)
    if not risen:
        return (_nothing(run), *_worst(run, "; worst slice "))
    lowest = worst(run)
    return (*_moved(risen[0]), *(() if lowest == risen[0] else _worst(run, "; worst slice ")))


def _nothing(run: RunRecord) -> str:
    fell = [named for named in of_run(run) if tolerated(named)]
    if not fell:
        return "nothing is shown to have changed"
    if all(within_margin(named) for named in fell):
        return "nothing fell beyond its margin"
    return "nothing is shown to have fallen beyond its margin"


def first_line(run: RunRecord) -> str:
    """The verdict and the slice that matters most, for a terminal or a log."""
    return terminal(plain_first_line(run))


def plain_first_line(run: RunRecord) -> str:
    """The same as text, which whoever shows it has to escape."""
    before = f", {_plain(said)}" if (said := aside(run)) else ""
    return f"{run.verdict.value}{before}: {_plain(headline(run))}"


def _plain(text: Text) -> str:
    return "".join(part if isinstance(part, str) else part.text for part in text)


def _fallen(run: RunRecord) -> Text:
    found = in_state((named for named in of_run(run) if named.record.blocking), State.REGRESSION)
    if not found:
        return rates.missed(run) or _first_reason(run, "a prompt misses its thresholds")
    return _moved(found[0])


def _doubtful(run: RunRecord) -> Text:
    suspects = in_state((named for named in of_run(run) if named.record.blocking), State.SUSPECT)
    if suspects:
        record = suspects[0].record
        span = numbers.interval(record.lower, record.upper)
        return (_subject(suspects[0]), f" may have fallen: {numbers.delta(record.mean)} {span}")
    if not run.suites:
        return rates.doubtful(run) or deletion(run) or _first_reason(run, "not shown to be good enough")
    short_of_cases = any(named.overall and named.record.state is State.TOO_FEW for named in of_run(run))
    if not short_of_cases:
        for suite in run.suites:
            for axis in (suite.cost, suite.latency):
                if axis.exceeded:
                    label = short(suite_label(run, suite))
                    where: Text = ("in ", Code(label), " ") if label else ()
                    return (*where, f"{axis.axis} {over_allowance(axis)}", *_worst(run, "; worst slice "))
        if run.new and (doubt := rates.doubtful(run)):
            return doubt
        if run.deleted:
            return deletion(run)
        if run.new:
            return _first_reason(run, "a new prompt is not shown to be good enough")
    return ("too few cases to decide", *_worst(run, "; worst slice "))


def deletion(run: RunRecord) -> Text:
    """That prompts are deleted; empty where none is."""
    if not run.deleted:
        return ()
    more = len(run.deleted) - 1
    verb = f"and {numbers.counted(more, 'other prompt')} are" if more else "is"
    return (Code(short(run.deleted[0])), f" {verb} deleted")


def _first_reason(run: RunRecord, otherwise: str) -> Text:
    return (short(run.reasons[0], LONGEST_SENTENCE).rstrip(".") if run.reasons else otherwise,)


def _worst(run: RunRecord, before: str) -> Text:
    """The worst slice, where it fell; all cases of a run's one suite are no slice, and stand right below."""
    found = worst(run)
    if found is None or (found.record.mean or 0.0) >= 0.0 or (found.overall and not found.suite):
        return ()
    span = numbers.interval(found.record.lower, found.record.upper)
    return (before, name(found), f" {numbers.delta(found.record.mean)} {span}")


def _moved(named: Named) -> Text:
    """`lang=de` fell by 0.417, from 0.806 to 0.389: the interval stands in the table."""
    return (_subject(named), f" {moved(named.record)}")


def _subject(named: Named) -> str | Code:
    return "overall quality" if named.overall and not named.suite else name(named)


def _cases(run: RunRecord) -> int:
    return sum(suite.quality.overall.n for suite in run.suites)
