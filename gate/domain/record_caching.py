"""Parts of `run.json` about the prompt cache: how far the requests of each arm agree, and what that does to tokens."""

from gate.domain.caching import Obstacle
from gate.domain.ranges import Amount, Count, Tokens
from gate.domain.record_parts import EstimateRecord, Part


class PlaceRecord(Part):
    """See `gate.domain.caching.Place`."""

    message: Count
    line: Count
    variable: str
    file: str = ""


class ArmPrefixRecord(Part):
    """See `gate.domain.caching.ArmPrefix`."""

    requests: Count
    tokens: Tokens
    request_tokens: Tokens
    measured: bool
    place: PlaceRecord | None
    minimum: Tokens | None
    obstacle: Obstacle


class CacheRecord(Part):
    """See `gate.domain.caching.CacheComparison`."""

    baseline: ArmPrefixRecord
    candidate: ArmPrefixRecord
    shrank: bool
    moved: bool
    fresh_tokens: Tokens
    fresh_usd: Amount | None
    baseline_share: EstimateRecord | None
    candidate_share: EstimateRecord | None
    share_change: EstimateRecord | None
