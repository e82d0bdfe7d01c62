"""What a rubric and a jury come to over all answers of one suite."""

from gate.domain.comparison import Estimate
from gate.domain.ranges import Amount, Count, Delta, Difference, RecordPart, Share


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
        answers: that all of them judged.
        members: in the order of the configuration.
        alpha: Krippendorff's, of the opinions as an interval scale.
        marks: Gwet's AC1 of pass and fail.
        why_not: why there is no coefficient; empty where both are there.
        contested: where the opinions lie furthest apart, the worst first.
    """

    scorer: str
    mark: Share
    answers: Count
    members: tuple[JuryMember, ...]
    alpha: Estimate | None
    marks: Estimate | None
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
