"""Records of shards."""

from datetime import UTC, datetime

from gate.record.findings.finding import Finding
from gate.record.parts import CallsRecord
from gate.record.shard import Evaluation, FileInputs, ShardBudget, ShardRecord

NO_CALLS = CallsRecord(made=0, cached=0, retried=0, failed=0)
FILES = FileInputs(
    baseline="a.md",
    candidate="b.md",
    cases="c.jsonl",
    scorers=[],
    criteria=None,
    model="fake:oracle",
    baseline_model=None,
    candidate_model=None,
)


def record(number: int, of: int, unfinished: Finding | None = None) -> ShardRecord:
    """The record of a shard of an evaluation without suites."""
    whole = Evaluation(tool_version="0.1.0", of=of, seed=1, inputs=FILES, samples=None, policy="0" * 64, suites=[])
    return ShardRecord(
        identity=whole.identity,
        number=number,
        evaluation=whole,
        budget=ShardBudget(max_calls=None, max_usd=None, max_minutes=None),
        created=datetime(2026, 11, 20, tzinfo=UTC),
        duration_s=1.0,
        unfinished=unfinished,
        samples=0,
        calls=NO_CALLS,
        spent_usd=None,
    )
