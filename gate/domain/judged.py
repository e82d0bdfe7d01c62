"""What a rubric and a jury come to over all answers of one suite."""

from dataclasses import dataclass

from gate.domain.comparison import Estimate


@dataclass(frozen=True, slots=True)
class DimensionResult:
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
    weight: float
    n: int
    baseline: float | None
    candidate: float | None
    mean: float | None
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True)
class RubricResult:
    """All dimensions of one scorer.

    Args:
        scorer: its name.
        low, high: the rubric's scale.
        threshold: on that scale.
        dimensions: in the order of the rubric.
    """

    scorer: str
    low: float
    high: float
    threshold: float
    dimensions: tuple[DimensionResult, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """One judge of a jury.

    Args:
        model: who judges.
        baseline, candidate: mean opinion of the answers of either arm, in [0, 1]; None where there are none.
    """

    model: str
    baseline: float | None
    candidate: float | None


@dataclass(frozen=True, slots=True)
class Contested:
    """One answer that the judges see differently.

    Args:
        case, arm, index: which answer.
        opinions: in [0, 1], in the order of the members.
    """

    case: str
    arm: str
    index: int
    opinions: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class JuryResult:
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
    mark: float
    answers: int
    members: tuple[Member, ...]
    alpha: Estimate | None
    marks: Estimate | None
    why_not: str = ""
    contested: tuple[Contested, ...] = ()
