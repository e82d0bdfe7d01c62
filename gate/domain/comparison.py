"""The estimate for one slice and one axis."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from gate.domain.usage import Usage
from gate.domain.verdict import State


@dataclass(frozen=True, slots=True)
class Comparison:
    """Quality of one slice; scores and deltas are on the scale of 0 to 1.

    Args:
        slice: `overall`, `dimension=value`, or `suite/…` in a run over several suites.
        n: cases with at least one scored pair.
        units: independent units (cases, or clusters).
        baseline, candidate: mean scores of the arms; None when n is 0.
        mean: mean delta, candidate minus baseline; None when n is 0.
        lower, upper: interval at the run's confidence; None is infinite.
        p: joint p-value of a fall; None where the slice is not tested.
        state: what the slice shows.
        method: `maxt`, `percentile`, `t` or `mcnemar`.
        blocking: belongs to the tested family and can block.
        advisory: shown by the user's wish, never blocks.
        familiar_fail: the unadjusted percentile bootstrap would have failed it.
        mde: smallest fall that this slice would show with 80 % power; None where none can be named.
        cases_needed: cases that would show the observed mean, where the state is noise.
        moved: cases whose score differs between the arms.
        margin: tolerated fall; the slice is a regression when `upper` lies below its negative.
    """

    slice: str
    n: int
    units: int
    baseline: float | None
    candidate: float | None
    mean: float | None
    lower: float | None
    upper: float | None
    p: float | None
    state: State
    method: str
    blocking: bool
    advisory: bool = False
    familiar_fail: bool = False
    mde: float | None = None
    cases_needed: int | None = None
    moved: int = 0
    margin: float = 0.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval; a bound of None is infinite."""

    value: float
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True)
class ArmAxis:
    """One arm's figures on cost or latency.

    Args:
        mean: dollars or seconds per call.
        p50, p95: quantiles over calls, the same unit.
        usage: tokens, summed (cost axis only).
        calls: measured calls.
    """

    mean: float | None = None
    p50: float | None = None
    p95: float | None = None
    usage: Usage | None = None
    calls: int = 0


AxisName: TypeAlias = Literal["cost", "latency"]


@dataclass(frozen=True, slots=True)
class AxisComparison:
    """Cost or latency of one suite, as a relative change (0.12 is +12 %).

    Args:
        axis: `cost` or `latency`.
        compared: both arms were measured.
        reason: why not, when not compared.
        applicable: False where the axis does not exist (a local model has no price), which is no obstacle to SHIP.
        n: cases compared.
        baseline, candidate: figures of the arms.
        change, lower, upper: relative change and its interval; None when not compared, and for an infinite bound.
        allowance: tolerated increase.
        exceeded: the whole interval lies above the allowance.
        p50_change, p95_change: candidate minus baseline, latency only, in seconds; shown, never judged.
    """

    axis: AxisName
    compared: bool
    reason: str
    applicable: bool
    n: int
    baseline: ArmAxis
    candidate: ArmAxis
    change: float | None
    lower: float | None
    upper: float | None
    allowance: float
    exceeded: bool
    p50_change: Estimate | None = None
    p95_change: Estimate | None = None
