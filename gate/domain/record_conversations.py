"""Parts of `run.json` about what agents did in their conversations, and how that differs between the arms."""

from gate.domain.ranges import Amount, Count, Share
from gate.domain.record_parts import Part


class TalkRecord(Part):
    """See `gate.domain.conversations.Talk`."""

    turns: Amount
    followups: Amount | None
    asking: Share | None
    calls: Amount | None
    failed_calls: Amount | None


class TalksRecord(Part):
    """See `gate.domain.conversations.Talks`."""

    n: Count
    baseline: TalkRecord | None
    candidate: TalkRecord
    more_asking: Count = 0
    less_asking: Count = 0


class ToolChangeRecord(Part):
    """See `gate.domain.conversations.ToolChange`."""

    tool: str
    baseline: Count
    candidate: Count
    stopped: Count
    started: Count


class ToolSliceRecord(Part):
    """See `gate.domain.conversations.ToolSlice`."""

    slice: str
    n: Count
    changed: Count
    tools: list[ToolChangeRecord]


class ChangedCallsRecord(Part):
    """See `gate.domain.conversations.ChangedCalls`."""

    case: str
    baseline: list[str]
    candidate: list[str]


class ToolDifferenceRecord(Part):
    """See `gate.domain.conversations.ToolDifference`."""

    slices: list[ToolSliceRecord]
    cases: list[ChangedCallsRecord]
