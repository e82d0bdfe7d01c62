"""Parts of `run.json` about what models said as judges: a rubric's dimensions, a jury's agreement, a judge's bias."""

from gate.domain.ranges import Amount, Count, Delta, Difference, Share
from gate.domain.record_parts import EstimateRecord, Part


class DimensionRecord(Part):
    """See `gate.domain.judged.DimensionResult`; every figure is on the scale from 0 to 1."""

    name: str
    weight: Amount
    n: Count
    baseline: Share | None
    candidate: Share | None
    mean: Delta | None
    lower: Delta | None
    upper: Delta | None


class RubricRecord(Part):
    """See `gate.domain.judged.RubricResult`; `low`, `high` and `threshold` are on the rubric's own scale."""

    scorer: str
    low: Difference
    high: Difference
    threshold: Difference
    dimensions: list[DimensionRecord]


class MemberRecord(Part):
    """See `gate.domain.judged.Member`."""

    model: str
    baseline: Share | None
    candidate: Share | None


class ContestedRecord(Part):
    """See `gate.domain.judged.Contested`."""

    case: str
    arm: str
    index: Count
    opinions: list[Share]


class JuryRecord(Part):
    """See `gate.domain.judged.JuryResult`; `why_not` says why a coefficient is null, and is empty where none is."""

    scorer: str
    mark: Share
    answers: Count
    members: list[MemberRecord]
    alpha: EstimateRecord | None
    marks: EstimateRecord | None
    why_not: str = ""
    contested: list[ContestedRecord] = []


class PositionRecord(Part):
    """See `gate.engine.position.Position`; `scorer` is a pairwise judge."""

    scorer: str
    pairs: Count
    first: EstimateRecord
    turned: EstimateRecord
    tied: EstimateRecord
    won: EstimateRecord
    lost: EstimateRecord
