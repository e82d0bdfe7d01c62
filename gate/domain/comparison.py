"""The estimate for one slice and one axis: quality, cost, latency, and each scorer by itself."""

from typing import Literal, TypeAlias

from pydantic import NonNegativeInt

from gate.domain.ranges import Amount, Count, Delta, Difference, RecordPart, Relative, Share
from gate.domain.usage import Usage
from gate.domain.verdict import State


class Comparison(RecordPart):
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
    n: Count
    units: Count
    baseline: Share | None
    candidate: Share | None
    mean: Delta | None
    lower: Delta | None
    upper: Delta | None
    p: Share | None
    state: State
    method: str
    blocking: bool
    advisory: bool = False
    familiar_fail: bool = False
    mde: Share | None = None
    cases_needed: NonNegativeInt | None = None
    moved: Count = 0
    margin: Share = 0.0


class Estimate(RecordPart):
    """A number with its interval; a bound of None is infinite."""

    value: Difference
    lower: Difference | None
    upper: Difference | None


class ArmAxis(RecordPart):
    """One arm's figures on cost or latency.

    Args:
        mean: dollars or seconds per call.
        p50, p95: quantiles over calls, the same unit.
        usage: tokens, summed (cost axis only).
        calls: measured calls.
    """

    mean: Amount | None = None
    p50: Amount | None = None
    p95: Amount | None = None
    usage: Usage | None = None
    calls: Count = 0


AxisName: TypeAlias = Literal["cost", "latency"]


class AxisComparison(RecordPart):
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
    n: Count
    baseline: ArmAxis
    candidate: ArmAxis
    change: Relative | None
    lower: Relative | None
    upper: Relative | None
    allowance: Amount
    exceeded: bool
    p50_change: Estimate | None = None
    p95_change: Estimate | None = None


class ScorerChange(RecordPart):
    """One scorer, over the cases where it has scored answers of both arms; scorers of several cases share a name.

    Args:
        name: the scorer's.
        weight: its share in the score, in (0, 1]; None where cases are scored by different scorers.
        required: a 0 of it makes the answer 0, whatever the others say.
        n: cases.
        baseline, candidate: mean scores in [0, 1]; None where there are none.
        mean: of the cases' deltas, in [-1, 1].
        baseline_passed, candidate_passed: of one that is required, the share of the answers that it gave more than 0,
            averaged by case; None of others.
    """

    name: str
    weight: Share | None
    required: bool
    n: Count
    baseline: Share | None
    candidate: Share | None
    mean: Delta | None
    baseline_passed: Share | None = None
    candidate_passed: Share | None = None
