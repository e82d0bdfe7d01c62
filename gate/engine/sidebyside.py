"""Which answers may be compared in time and money: those that both arms gave to one case in the same sitting."""

from collections.abc import Mapping, Sequence

from gate.domain.sample import ArmName, Reply, Sample
from gate.domain.suite import Suite

Key = tuple[str, str, ArmName]

WANTED = 30
"""Pairs of answers of one sitting that latency, cost and cached tokens rest on, at least, where answers are reused."""

Replies = dict[ArmName, list[list[Reply]]]
"""For each arm, the replies of each case in the order of the exam."""


def side_by_side(suite: Suite, table: Mapping[Key, Sequence[Sample]]) -> tuple[Replies, str]:
    """The replies that may be compared in time and money.

    A provider's cache is cold for the first call of each arm, which is left out. An answer that was reused is left
    out unless its counterpart was taken in the same sitting.

    Args:
        suite: whose cases.
        table: from `pairs.by_case`.

    Returns:
        The replies; and why they are too few to compare, or an empty text.
    """
    out: Replies = {arm: [] for arm in ArmName}
    pairs = dropped = 0
    for case in suite.exam.cases:
        rows = {arm: _replies(table.get((suite.name, case.id, arm), ())) for arm in ArmName}
        reused = any(reply.origin.reused for row in rows.values() for reply in row)
        common = set.intersection(*({reply.origin.sitting for reply in row} for row in rows.values()))
        for arm, row in rows.items():
            kept = [reply for reply in row if reply.origin.sitting in common] if reused else row
            dropped += len(row) - len(kept)
            out[arm].append(kept)
        pairs += min(len(out[arm][-1]) for arm in ArmName)
    if dropped and pairs < WANTED:
        return out, f"answers were reused, and only {pairs} pairs were taken side by side; {WANTED} are needed"
    return out, ""


def _replies(row: Sequence[Sample]) -> list[Reply]:
    return [sample.reply for sample in row if isinstance(sample.reply, Reply) and not sample.warmup]
