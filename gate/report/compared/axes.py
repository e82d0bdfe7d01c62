"""Quality, cost and latency of each suite, one line each."""

import re

from gate.domain.comparison import AxisComparison, Estimate
from gate.domain.record import RunRecord
from gate.domain.record_compared import SuiteRecord
from gate.domain.verdict import State
from gate.report import numbers
from gate.report.parts.compared import Axes
from gate.report.slices import short, suite_label

CALLS_FOR_P95 = 1_000
"""Samples of an arm below which its 95th percentile is not to be trusted."""

_EXCEEDED = re.compile(r"\b(cost|latency) rose by .*, more than the allowed ")
"""What `gate.engine.decide` gives as a reason."""


def axes(run: RunRecord) -> tuple[Axes, ...]:
    """Quality, cost and latency of each suite, each with its interval."""
    out = []
    for suite in run.suites:
        overall = suite.quality.overall
        still = overall.state is State.NOISE and overall.moved == 0
        span = ", no case moved" if still else f" {numbers.interval(overall.lower, overall.upper)}"
        change = f"{numbers.delta(overall.mean)}{span}"
        out.append(
            Axes(
                suite=short(suite_label(run, suite)),
                quality="not measured" if overall.mean is None else change,
                cost=_axis(suite.cost),
                latency=_axis(suite.latency) + _p95(suite.latency),
                quiet=_quiet(suite),
            )
        )
    return tuple(out)


def _quiet(suite: SuiteRecord) -> bool:
    records = (suite.quality.overall, *suite.quality.slices)
    still = all(record.state in (State.NOISE, State.TOO_FEW) and not record.advisory for record in records)
    return still and not suite.cost.exceeded and not suite.latency.exceeded


def over_allowance(axis: AxisComparison) -> str:
    """`rose by 31 % [+24 %, +38 %], allowed +10 %`."""
    span = numbers.change_interval(axis.lower, axis.upper)
    return f"rose by {numbers.percent(axis.change or 0.0)} {span}, allowed {numbers.change(axis.allowance)}"


def of_an_axis(reason: str) -> bool:
    """Is this reason for a verdict what the line of the three axes says, that one rose beyond its allowance?"""
    return _EXCEEDED.search(reason) is not None


def p95(change: Estimate) -> str:
    """`p95 +90 ms [−40 ms, +220 ms]`."""
    span = numbers.duration_interval(change.lower, change.upper)
    return f"p95 {numbers.duration_change(change.value)} {span}"


def trusted(axis: AxisComparison) -> bool:
    """Are there calls enough in each arm for a 95th percentile?"""
    return min(axis.baseline.calls, axis.candidate.calls) >= CALLS_FOR_P95


def _axis(axis: AxisComparison) -> str:
    if not axis.applicable:
        return f"n/a: {short(axis.reason)}" if axis.reason else "n/a (local model)"
    if not axis.compared or axis.change is None:
        return f"not compared: {short(axis.reason)}" if axis.reason else "not compared"
    text = f"{numbers.change(axis.change)} {numbers.change_interval(axis.lower, axis.upper)}"
    return f"{text}, above the allowed {numbers.change(axis.allowance)}" if axis.exceeded else text


def _p95(axis: AxisComparison) -> str:
    before, after = axis.baseline.p95, axis.candidate.p95
    if not axis.compared or before is None or after is None:
        return ""
    if axis.p95_change is None:
        return f", p95 {numbers.duration_change(after - before)}"
    return f", {p95(axis.p95_change)}{'' if trusted(axis) else ' (rough)'}"
