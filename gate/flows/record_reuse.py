"""What the record says of answers that were known."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from gate.domain.record_parts import ArmReuseRecord, DriftRecord, ReuseRecord
from gate.domain.sample import ArmName, Reply, Sample
from gate.domain.suite import Suite
from gate.engine.pairs import by_case
from gate.engine.sidebyside import side_by_side
from gate.flows.reuse import Drift

_LAST_SECOND = 253_402_300_799
"""Of the year 9999."""


def reuse_record(suite: Suite, samples: Sequence[Sample], drift: Drift | None = None) -> ReuseRecord | None:
    """What one suite did not have to ask for; None where that is nothing.

    Args:
        suite: the suite.
        samples: its own.
        drift: what a look at its known answers showed; None where there was none.
    """
    opinions = sum(score.reused for sample in samples for score in sample.scores)
    reused = [sample.reply for sample in samples if isinstance(sample.reply, Reply) and sample.reply.origin.reused]
    if not reused and not opinions and drift is None:
        return None
    return ReuseRecord(
        baseline=None if suite.baseline is None else _arm(samples, ArmName.BASELINE),
        candidate=_arm(samples, ArmName.CANDIDATE),
        oldest=_oldest(reused),
        pairs=_pairs(suite, samples),
        drift=None if drift is None else DriftRecord(pairs=drift.pairs, reason=drift.reason or None),
        opinions=opinions,
    )


def _arm(samples: Iterable[Sample], arm: ArmName) -> ArmReuseRecord:
    taken = [s.reply.origin.reused for s in samples if s.arm is arm and isinstance(s.reply, Reply)]
    return ArmReuseRecord(reused=taken.count(True), fresh=taken.count(False))


def _oldest(replies: Iterable[Reply]) -> str | None:
    """When the oldest was taken, if one of them says so with a time that can be."""
    known = [reply.origin.at for reply in replies if 0 < reply.origin.at <= _LAST_SECOND]
    return datetime.fromtimestamp(min(known), UTC).isoformat(timespec="seconds") if known else None


def _pairs(suite: Suite, samples: Sequence[Sample]) -> int:
    """The pairs of answers that cost and latency may rest on."""
    if suite.baseline is None:
        return 0
    rows, _ = side_by_side(suite, by_case(samples))
    return sum(min(map(len, arms)) for arms in zip(*rows.values(), strict=True))
