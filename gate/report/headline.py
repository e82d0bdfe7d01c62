"""The first lines: verdict and worst slice, slices won and lost, the three axes."""

from collections.abc import Sequence

from gate.domain.record import AxisRecord, EstimateRecord, OverrideRecord, RunRecord
from gate.domain.verdict import State, Verdict
from gate.report import numbers, rates
from gate.report.escape import terminal
from gate.report.parts import Axes, Code, Text
from gate.report.slices import (
    FEWEST_UNITS,
    LONGEST_SENTENCE,
    Named,
    in_state,
    of_run,
    short,
    suite_label,
    unmoved,
    within_margin,
    worst,
)

NOTABLE_FALL = 0.1
"""A fall of a slice that is too small to decide is mentioned from this size on."""
NAMES_SHOWN = 3
"""Slices that a sentence names before it counts the rest."""
CALLS_FOR_P95 = 1_000
"""Samples of an arm below which its 95th percentile is not to be trusted."""


def headline(run: RunRecord) -> Text:
    """What follows the verdict in the first line; its numbers are those of the table."""
    if run.verdict is Verdict.INCONCLUSIVE:
        return (*_obstacle(run), *_worst(run, "; worst slice "))
    if run.override is not None:
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
        fell = any(within_margin(named) for named in of_run(run))
        said = "nothing fell beyond its margin" if fell else "nothing is shown to have changed"
        return (said, *_worst(run, "; worst slice "))
    lowest = worst(run)
    return (*_moved(risen[0]), *(() if lowest == risen[0] else _worst(run, "; worst slice ")))


def first_line(run: RunRecord) -> str:
    """The verdict and the slice that matters most, for a terminal or a log."""
    return terminal(plain_first_line(run))


def plain_first_line(run: RunRecord) -> str:
    """The same as text, which whoever shows it has to escape."""
    parts = (part if isinstance(part, str) else part.text for part in headline(run))
    return f"{run.verdict.value}: {''.join(parts)}"


def sentence(run: RunRecord) -> Text:
    """One sentence on the slices won and lost, and one on what this exam could not see."""
    if run.override is not None:
        return _setter(run.override)
    if not run.suites:
        return ()
    slices = of_run(run)
    parts: list[str | Code] = []
    if len(run.suites) == 1:
        parts += [_overall(slices[0]), "; "]
        slices = slices[1:]
    if not slices:
        return ("".join(map(str, parts[:-1])) + "; the exam has no slices.", *_unseen(run))
    suites = f" in {len(run.suites)} suites" if len(run.suites) > 1 else ""
    parts.append(f"{'of' if parts else 'Of'} {numbers.counted(len(slices), 'slice')}{suites}, ")
    return (*parts, *_tally(slices), ".", *_small_and_lower(slices), *_unseen(run))


def axes(run: RunRecord) -> tuple[Axes, ...]:
    """Quality, cost and latency of each suite, each with its interval."""
    out = []
    for suite in run.suites:
        overall = suite.quality.overall
        change = f"{numbers.delta(overall.mean)} {numbers.interval(overall.lower, overall.upper)}"
        out.append(
            Axes(
                suite=short(suite_label(run, suite)),
                quality="not measured" if overall.mean is None else change,
                cost=_axis(suite.cost),
                latency=_axis(suite.latency) + _p95(suite.latency),
            )
        )
    return tuple(out)


def name(named: Named) -> Code:
    """The full name of a slice, short enough for a sentence."""
    return Code(short(named.full))


def names(slices: Sequence[Named]) -> tuple[str | Code, ...]:
    """`a, b, c and 2 more`."""
    out: list[str | Code] = []
    for named in slices[:NAMES_SHOWN]:
        out += [", ", name(named), *([" (advisory)"] if named.record.advisory else [])]
    rest = len(slices) - NAMES_SHOWN
    return (*out[1:], *((f" and {rest:,} more",) if rest > 0 else ()))


def over_allowance(axis: AxisRecord) -> str:
    """`rose by 31 % [+24 %, +38 %], allowed +10 %`."""
    span = numbers.change_interval(axis.lower, axis.upper)
    return f"rose by {numbers.percent(axis.change or 0.0)} {span}, allowed {numbers.change(axis.allowance)}"


def p95(change: EstimateRecord) -> str:
    """`p95 +90 ms [−40 ms, +220 ms]`."""
    span = numbers.duration_interval(change.lower, change.upper)
    return f"p95 {numbers.duration_change(change.value)} {span}"


def trusted(axis: AxisRecord) -> bool:
    """Are there calls enough in each arm for a 95th percentile?"""
    return min(axis.baseline.calls, axis.candidate.calls) >= CALLS_FOR_P95


def _setter(override: OverrideRecord) -> Text:
    """Who answers for the override."""
    commit = Code(override.commit[:12])
    if not override.by:
        return ("It is not known who set it. It holds for commit ", commit, ". Nothing was evaluated.")
    at = f" on {short(override.at).replace('T', ' ').removesuffix('Z')} UTC" if override.at else ""
    return ("Set by ", Code(short(override.by)), f"{at}, and in force for commit ", commit, ". Nothing was evaluated.")


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
        return (name(suspects[0]), f" may have fallen: {numbers.delta(record.mean)} {span}")
    if not run.suites:
        return rates.doubtful(run) or _first_reason(run, "not shown to be good enough")
    short_of_cases = any(named.overall and named.record.state is State.TOO_FEW for named in of_run(run))
    if not short_of_cases:
        for suite in run.suites:
            for axis in (suite.cost, suite.latency):
                if axis.exceeded:
                    label = short(suite_label(run, suite))
                    where: Text = ("in ", Code(label), " ") if label else ()
                    return (*where, f"{axis.axis} {over_allowance(axis)}", *_worst(run, "; worst slice "))
        if run.new:
            return rates.doubtful(run) or _first_reason(run, "a new prompt is not shown to be good enough")
    return ("too few cases to decide", *_worst(run, "; worst slice "))


def _obstacle(run: RunRecord) -> Text:
    missing = run.missing
    unsettled = bool(run.reasons) and run.reasons[0].startswith(f"{missing.samples} of ")
    if unsettled and missing.best is not missing.worst:
        of = numbers.counted(missing.total, "sample")
        return (f"{missing.samples:,} of {of} have no score, and they could change the verdict",)
    return _first_reason(run, "the evaluation could not be finished")


def _first_reason(run: RunRecord, otherwise: str) -> Text:
    return (short(run.reasons[0], LONGEST_SENTENCE).rstrip(".") if run.reasons else otherwise,)


def _worst(run: RunRecord, before: str) -> Text:
    found = worst(run)
    if found is None:
        return ()
    span = numbers.interval(found.record.lower, found.record.upper)
    return (before, name(found), f" {numbers.delta(found.record.mean)} {span}")


def _moved(named: Named) -> Text:
    span = numbers.interval(named.record.lower, named.record.upper)
    return (name(named), f" {numbers.fell_or_rose(named.record.mean or 0.0)} {span}")


def _overall(named: Named) -> str:
    record = named.record
    if record.state is State.TOO_FEW or record.mean is None:
        return f"Overall there is too little to decide ({numbers.counted(record.n, 'case')})"
    span = f"{numbers.delta(record.mean)} {numbers.interval(record.lower, record.upper)}"
    size = numbers.score(abs(record.mean))
    if unmoved(named):
        return "Overall not one case moved"
    if within_margin(named):
        return f"Overall quality fell by {size}, within its margin"
    return {
        State.REGRESSION: f"Overall quality fell by {size}",
        State.SUSPECT: f"Overall quality may have fallen by {size}",
        State.IMPROVEMENT: f"Overall quality rose by {size}",
    }.get(record.state, f"Overall no change is shown ({span})")


def _tally(slices: Sequence[Named]) -> tuple[str | Code, ...]:
    said = (
        (State.REGRESSION, "fell"),
        (State.SUSPECT, "may have fallen"),
        (State.IMPROVEMENT, "rose"),
        (State.NOISE, ""),
        (State.TOO_FEW, ""),
    )
    clauses: list[tuple[str | Code, ...]] = []
    inside = [named for named in slices if within_margin(named)]
    slices = [named for named in slices if not within_margin(named)]
    for state, verb in said:
        found = in_state(slices, state)
        if state is State.NOISE and inside:
            clauses.append((f"{len(inside)} fell within {'its' if len(inside) == 1 else 'their'} margin",))
        if not found and state is not State.REGRESSION:
            continue
        if verb:
            listed: Text = (" (", *names(found), ")") if found else ()
            clauses.append((f"{len(found) or 'none'} {verb}", *listed))
        else:
            clauses.append((_quiet(state, len(found)),))
    out: list[str | Code] = []
    for place, clause in enumerate(clauses):
        out += [", " if 0 < place < len(clauses) - 1 else " and " if place else "", *clause]
    return tuple(out)


def _quiet(state: State, count: int) -> str:
    if state is State.NOISE:
        return f"{count:,} {'shows' if count == 1 else 'show'} no change"
    return f"{count:,} {'is' if count == 1 else 'are'} too small to say"


def _small_and_lower(slices: Sequence[Named]) -> Text:
    """A warning: what is too small to block is not thereby fine."""
    small = [named for named in in_state(slices, State.TOO_FEW) if named.record.units < FEWEST_UNITS]
    lower = [named for named in small if named.record.mean is not None and named.record.mean <= -NOTABLE_FALL]
    if not lower:
        return ()
    lowest = min(lower, key=lambda named: (named.record.mean or 0.0, named.full))
    cases = numbers.counted(lowest.record.n, "case")
    rest = f", and {len(lower) - 1:,} more" if len(lower) > 1 else ""
    return (" Too small to say, yet lower: ", name(lowest), f" {numbers.delta(lowest.record.mean)} ({cases}){rest}.")


def _unseen(run: RunRecord) -> tuple[str, ...]:
    """How large a fall would have gone unnoticed, where no change is shown overall."""
    known = [suite.quality.overall.mde for suite in run.suites if suite.quality.overall.state is State.NOISE]
    smallest = [abs(mde) for mde in known if mde is not None]
    if not smallest:
        return ()
    return (f" An overall fall smaller than about {numbers.score(max(smallest))} could have gone unnoticed.",)


def _cases(run: RunRecord) -> int:
    return sum(suite.quality.overall.n for suite in run.suites)


def _axis(axis: AxisRecord) -> str:
    if not axis.applicable:
        return f"n/a: {short(axis.reason)}" if axis.reason else "n/a (local model)"
    if not axis.compared or axis.change is None:
        return f"not compared: {short(axis.reason)}" if axis.reason else "not compared"
    text = f"{numbers.change(axis.change)} {numbers.change_interval(axis.lower, axis.upper)}"
    return f"{text}, above the allowed {numbers.change(axis.allowance)}" if axis.exceeded else text


def _p95(axis: AxisRecord) -> str:
    before, after = axis.baseline.p95, axis.candidate.p95
    if not axis.compared or before is None or after is None:
        return ""
    if axis.p95_change is None:
        return f", p95 {numbers.duration_change(after - before)}"
    return f", {p95(axis.p95_change)}{'' if trusted(axis) else ' (rough)'}"
