"""Parts of `run.json` that compared suites and new prompts have in common."""

from pydantic import BaseModel, ConfigDict, JsonValue

from gate.domain.ranges import Amount, Count, Difference, Share, Tokens


class Part(BaseModel):
    """Any part of a record: frozen, and without a key that this version does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class ArmRecord(Part):
    """One arm: prompt version, model, parameters."""

    ref: str
    sha: str | None
    path: str
    digest: str
    model: str
    returned_models: list[str]
    params: dict[str, JsonValue]


class ExamRecord(Part):
    """The exam and how the candidate's side changed it."""

    ref: str
    digest: str
    cases: Count
    scorers: list[str]
    added: list[str] = []
    removed: list[str] = []
    edited: list[str] = []


class UsageRecord(Part):
    """Tokens, summed over an arm's replies."""

    input_tokens: Tokens
    cache_read_tokens: Tokens
    cache_write_tokens: Tokens
    output_tokens: Tokens


class EstimateRecord(Part):
    """See `gate.domain.comparison.Estimate`."""

    value: Difference
    lower: Difference | None
    upper: Difference | None


class ArmAxisRecord(Part):
    """See `gate.domain.comparison.ArmAxis`."""

    mean: Amount | None
    p50: Amount | None
    p95: Amount | None
    usage: UsageRecord | None
    calls: Count = 0


class OutputRecord(Part):
    """One output of one arm, kept for the informative cases only."""

    index: Count
    text: str | None
    failure: str | None
    score: Share | None
    reasons: list[str]


class CallsRecord(Part):
    """Model calls: answered (judges included), read from a cache, sent again, given up."""

    made: Count
    cached: Count
    retried: Count
    failed: Count
