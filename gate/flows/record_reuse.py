"""What the record says of answers that were known."""

from datetime import UTC, datetime

from gate.domain.record_parts import ArmReuseRecord, DriftRecord, ReuseRecord
from gate.domain.sample import ArmName
from gate.domain.suite import Suite
from gate.engine.grid import Floats, Grid
from gate.engine.rows import Rows
from gate.engine.samples import SampleTable
from gate.engine.sidebyside import pair_count, side_by_side
from gate.flows.reuse import Drift

_LAST_SECOND = 253_402_300_799
"""Of the year 9999."""


def reuse_record(suite: Suite, table: SampleTable, drift: Drift | None = None) -> ReuseRecord | None:
    """What one suite did not have to ask for; None where that is nothing.

    Args:
        suite: the suite.
        table: samples of the run.
        drift: what a look at its known answers showed; None where there was none.
    """
    rows = Rows(table, suite.name)
    opinions, reused = int(rows.scores("reused").sum()), rows.flags("reused")
    if not reused.any() and not opinions and drift is None:
        return None
    return ReuseRecord(
        baseline=None if suite.baseline is None else _arm(rows, ArmName.BASELINE),
        candidate=_arm(rows, ArmName.CANDIDATE),
        oldest=_oldest(rows.figures("at")[reused]),
        # The pairs of answers that cost and latency may rest on.
        pairs=0 if suite.baseline is None else pair_count(side_by_side(Grid(suite, table))[0]),
        drift=None if drift is None else DriftRecord(pairs=drift.pairs, reason=drift.reason or None),
        opinions=opinions,
    )


def _arm(rows: Rows, arm: ArmName) -> ArmReuseRecord:
    replied, reused = rows.of_arm(arm) & ~rows.flags("failed"), rows.flags("reused")
    return ArmReuseRecord(reused=int((replied & reused).sum()), fresh=int((replied & ~reused).sum()))


def _oldest(times: Floats) -> str | None:
    """When the oldest was taken, if one of them says so with a time that can be."""
    known = times[(times > 0) & (times <= _LAST_SECOND)]
    return datetime.fromtimestamp(float(known.min()), UTC).isoformat(timespec="seconds") if known.size else None
