"""Comparisons, verdicts and pass rates; what rubrics, juries, prompt caches and conversations came to."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

from pydantic import NonNegativeInt

from gate.record.transcript import Usage
from gate.values import ROUNDING, Amount, Count, Delta, Difference, RecordPart, Relative, Share, Tokens

FEWEST_UNITS = 10
"""Independent cases from which on a slice can block; `gate.stats`, which knows only arrays, has the same."""


class State(StrEnum):
    """What one slice shows."""

    REGRESSION = "regression"
    SUSPECT = "suspect"
    IMPROVEMENT = "improvement"
    NOISE = "noise"
    TOO_FEW = "too_few"


class Verdict(StrEnum):
    """The result of a run; the order of the table in the design decides which row applies."""

    BLOCK = "BLOCK"
    INCONCLUSIVE = "INCONCLUSIVE"
    HOLD = "HOLD"
    PASS = "PASS"  # noqa: S105
    SHIP = "SHIP"
    SKIPPED = "SKIPPED"


def undetected_share(units: int, alpha: float) -> float:
    """The largest share of all cases that may change where none of `units` did (Clopper and Pearson 1934)."""
    return 1.0 - float(alpha ** (1.0 / units))


class Comparison(RecordPart):
    """Quality of one slice; scores and deltas are on the scale of 0 to 1.

    Args:
        slice: `overall`, `dimension=value`, or `suite/…` in a run over several suites.
        n: cases with at least one scored pair.
        units: independent units (cases, or clusters).
        baseline, candidate: mean scores of the arms; None when n is 0.
        mean: mean delta, candidate minus baseline; None when n is 0.
        lower, upper: interval at the run's confidence; None is infinite.
        p: joint p-value of a drop; None where the slice is not tested.
        state: what the slice shows.
        method: `maxt` or `percentile`.
        blocking: belongs to the tested family and can block.
        advisory: shown by the user's wish, never blocks.
        familiar_fail: the unadjusted percentile bootstrap would have failed it.
        mde: smallest drop that can be detected in this slice with 80 % power; None where there is none.
        cases_needed: cases that would show the observed mean, where the state is noise.
        moved: cases that some scorer gave another mean score; the combined one may be the same.
        margin: tolerated drop; the slice is a regression when `upper` lies below its negative.
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

    def undetected(self, alpha: float) -> float | None:
        """Where no case changed, the largest share of all cases that may change, exact at 1 - `alpha`; else None."""
        if self.mean is None or abs(self.mean) > ROUNDING or self.moved or not self.units:
            return None
        return undetected_share(self.units, alpha)


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
        exceeded: the whole interval lies above the limit.
        p50_change, p95_change: candidate minus baseline, latency only, in seconds; shown, not part of the verdict.
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
            averaged by case; None for other scorers.
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


class OpposedScorers(RecordPart):
    """Two scorers of one suite that moved in opposite directions, which the mean of the scorers hides.

    Args:
        slice: as that of a `Comparison`.
        worse, better: names of the scorers.
        drop, rise: mean deltas of the two.
    """

    slice: str
    worse: str
    drop: Delta
    better: str
    rise: Delta


class BlindJudge(RecordPart):
    """A judge of one suite whose verdict does not depend on the answers.

    Args:
        scorer: its name.
        answers: answers, or pairs of answers, that it judged.
        value: the one score of all answers; null for a pairwise judge.
        turned: share of the pairs with another verdict when the answers changed places; null for other judges.
        alone: no other scorer of the suite shows anything.
    """

    scorer: str
    answers: Count
    value: float | None = None
    turned: float | None = None
    alone: bool = True


class PassState(StrEnum):
    """What the pass rate of one slice shows against the required rate."""

    MISSED = "missed"
    UNPROVEN = "unproven"
    MET = "met"
    TOO_FEW = "too_few"
    NO_THRESHOLD = "no_threshold"


class PassRate(RecordPart):
    """The pass rate of one slice.

    Args:
        slice: `overall` or `dimension=value`, without the suite.
        n: cases with at least one scored sample.
        units: independent units (cases, or clusters).
        passed: sum over the cases of the share of their samples that pass.
        rate: passed / n, in [0, 1]; None when n is 0.
        lower, upper: its interval; None when n is 0.
        wanted: the rate that the policy requires; None where it requires none.
        state: what it shows.
        doubtful: unproven where that matters: the policy names the slice, or it is `overall`, or the rate falls short.
        blocking: belongs to the slices that are tested together and can block.
        advisory: shown by the user's wish, never blocks.
    """

    slice: str
    n: Count
    units: Count
    passed: Amount
    rate: Share | None
    lower: Share | None
    upper: Share | None
    wanted: Share | None
    state: PassState
    doubtful: bool
    blocking: bool
    advisory: bool = False

    @classmethod
    def of_none(cls, slice: str, wanted: float | None, *, advisory: bool) -> "PassRate":  # noqa: A002 the record's word
        """Of a slice without a scored case."""
        return cls(
            slice=slice,
            n=0,
            units=0,
            passed=0.0,
            rate=None,
            lower=None,
            upper=None,
            wanted=wanted,
            state=PassState.TOO_FEW,
            doubtful=False,
            blocking=False,
            advisory=advisory,
        )


Obstacle = Literal["", "not asked for", "too short", "differs before the mark"]
"""Why nothing of an arm's prefix is cached; empty where nothing is known to stand in the way."""


@dataclass(frozen=True, slots=True)
class CacheTerms:
    """On what terms the provider of an arm caches prompts.

    Args:
        minimum: tokens of the shortest prefix that is cached; None where that is not known.
        asked: the provider caches by default, or the request sets it.
        marked: only whole system messages are cached, behind which the request carries a mark.
        write_usd: dollars to take one token into the cache; None where that is not known.
    """

    minimum: int | None = None
    asked: bool = True
    marked: bool = False
    write_usd: float | None = None


class PrefixEnd(RecordPart):
    """Where the first part stands that differs between cases.

    Args:
        message: of the request, from 1.
        line: of that message as the prompt's file writes it, or as it is sent where the file does not have it; from 1.
        variable: of the template, `date` or `slices.tier`; empty where no single one is to blame.
        file: the part of the prompt that the line is in; empty where it is the prompt's own.
    """

    message: Count
    line: Count
    variable: str = ""
    file: str = ""


class ArmPrefix(RecordPart):
    """What all requests of one arm share from their start. Tokens are characters at the arm's rate, and so rough.

    Args:
        requests: how many were compared; of one request only its prompt shows what others would share.
        tokens: of the cacheable prefix.
        request_tokens: of a whole request, on average.
        measured: the rate is that of the arm's own replies; otherwise four characters are taken for a token.
        place: what ends the prefix; None where all requests are the same throughout.
        minimum: tokens of the shortest prefix that is cached; None where that is not known.
        obstacle: why nothing of it is cached.
    """

    requests: Count
    tokens: Tokens
    request_tokens: Tokens
    measured: bool
    place: PrefixEnd | None
    minimum: Tokens | None
    obstacle: Obstacle


class CacheComparison(RecordPart):
    """The prompt cache of one suite, baseline against candidate.

    Args:
        baseline, candidate: the prefixes of the arms.
        shrank: the candidate's prefix is shorter by text that is still sent with every call, though no longer shared.
        moved: the baseline's prompt has the variable, too, which ends the candidate's prefix.
        fresh_tokens: of the candidate's prefix that the baseline's does not begin with: taken into the cache once for
            each deployment, whatever a warm cache shows.
        fresh_usd: what that costs; None where the price is not known.
        baseline_share, candidate_share: part of the input tokens read from a cache; None where none is reported.
        share_change: their difference, over the cases that both arms answered.
    """

    baseline: ArmPrefix
    candidate: ArmPrefix
    shrank: bool
    moved: bool
    fresh_tokens: Tokens
    fresh_usd: Amount | None
    baseline_share: Estimate | None = None
    candidate_share: Estimate | None = None
    share_change: Estimate | None = None


class DimensionResult(RecordPart):
    """One dimension of a rubric, over the cases that both arms have a score for.

    Args:
        name: the dimension's.
        weight: its share in the score.
        n: cases.
        baseline, candidate: mean scores in [0, 1]; None where there are none.
        mean: of the cases' deltas; None where nothing is compared.
        lower, upper: interval that holds for all dimensions of the rubric together; None where it is infinite.
    """

    name: str
    weight: Amount
    n: Count
    baseline: Share | None
    candidate: Share | None
    mean: Delta | None
    lower: Delta | None
    upper: Delta | None


class RubricResult(RecordPart):
    """All dimensions of one scorer.

    Args:
        scorer: its name.
        low, high: the rubric's scale.
        threshold: on that scale.
        dimensions: in the order of the rubric.
    """

    scorer: str
    low: Difference
    high: Difference
    threshold: Difference
    dimensions: tuple[DimensionResult, ...]


class JuryMember(RecordPart):
    """One judge of a jury.

    Args:
        model: who judges.
        baseline, candidate: mean opinion of the answers of either arm, in [0, 1]; None where there are none.
    """

    model: str
    baseline: Share | None
    candidate: Share | None


class ContestedAnswer(RecordPart):
    """One answer that the judges see differently.

    Args:
        case, arm, index: which answer.
        opinions: in [0, 1], in the order of the members.
    """

    case: str
    arm: str
    index: Count
    opinions: tuple[Share, ...]


class JuryResult(RecordPart):
    """How far the judges of one scorer agree, over the answers of both arms.

    Args:
        scorer: its name.
        mark: what an opinion must reach for a pass, in [0, 1].
        answers: that all of them scored.
        members: in the order of the configuration.
        share: how often two of them pass or fail an answer alike.
        kappa: Cohen's, of two judges; None for more, or where there is none.
        why_not: why two judges have no kappa; else empty.
        contested: where the opinions lie furthest apart, the worst first.
    """

    scorer: str
    mark: Share
    answers: Count
    members: tuple[JuryMember, ...]
    share: Estimate
    kappa: Estimate | None
    why_not: str = ""
    contested: tuple[ContestedAnswer, ...] = ()


class PositionBias(RecordPart):
    """What the order of the answers did to the verdicts of one judge.

    Args:
        scorer: a pairwise judge.
        pairs: that were shown in both orders.
        first: share of the verdicts for the answer that was shown first, a tie being half a verdict; without a bias
            0.5, since each answer is shown first once.
        turned: share of the pairs where the two orders gave different verdicts.
        tied: share of the pairs that were a tie in both orders.
        won, lost: share of the pairs that the candidate won, or lost, over both orders together.
    """

    scorer: str
    pairs: Count
    first: Estimate
    turned: Estimate
    tied: Estimate
    won: Estimate
    lost: Estimate


class ArmConversations(RecordPart):
    """The conversations of one arm; every figure is the mean over cases of the means over their samples.

    Args:
        turns: messages to the agent.
        followups: of those, answers to questions of the agent's that were given automatically; None where it is
            unknown whether it asks back.
        asking: share of the conversations with such an answer, in [0, 1]; None likewise.
        calls: of tools; None where an agent does not say which it called.
        failed_calls: of tools, those that failed; None likewise.
        last_questions: last answers that look like questions, of how many; None where questions are answered.
    """

    turns: Amount
    followups: Amount | None
    asking: Share | None
    calls: Amount | None
    failed_calls: Amount | None
    last_questions: tuple[Count, Count] | None = None


class Conversations(RecordPart):
    """The conversations of one suite.

    Args:
        n: cases with a conversation, of both arms where there are two.
        baseline: None where there is one arm.
        candidate: what is compared with it.
        more_asking, less_asking: cases in which the candidate asks back and the baseline does not, and the reverse:
            most conversations of the one arm, and fewer than half of the other's.
    """

    n: Count
    baseline: ArmConversations | None
    candidate: ArmConversations
    more_asking: Count = 0
    less_asking: Count = 0


class ToolChange(RecordPart):
    """One tool in one slice. A case calls it where more than half of its conversations do.

    Args:
        tool: its name, as the agent wrote it.
        baseline, candidate: cases that call it.
        stopped: cases that call it at the baseline and, in more than half of the candidate's conversations, not there.
        started: the reverse.
    """

    tool: str
    baseline: Count
    candidate: Count
    stopped: Count
    started: Count


class ToolSlice(RecordPart):
    """The tools of one slice.

    Args:
        slice: `overall` or `dimension=value`.
        n: cases with a conversation of both arms.
        changed: cases whose tools come in another order, or are others: where the same calls in the same order are more
            than half of each arm's conversations.
        tools: all that were called in `overall`, and those that stopped or started in the other slices.
    """

    slice: str
    n: Count
    changed: Count
    tools: tuple[ToolChange, ...]


class ChangedCalls(RecordPart):
    """One case whose calls changed.

    Args:
        case: its id.
        baseline, candidate: names of the tools that most conversations of an arm called, in their order.
    """

    case: str
    baseline: tuple[str, ...]
    candidate: tuple[str, ...]


class ToolDifference(RecordPart):
    """What both arms called in one suite.

    Args:
        slices: `overall` first, then those in which anything changed.
        cases: whose calls changed, the first few of them.
    """

    slices: tuple[ToolSlice, ...]
    cases: tuple[ChangedCalls, ...]
