"""What two arms did in their conversations: turns, questions back, and which tools they called."""

from gate.domain.ranges import Amount, Count, RecordPart, Share


class ArmConversations(RecordPart):
    """The conversations of one arm; every figure is the mean over cases of the means over their samples.

    Args:
        turns: messages to the agent.
        followups: of those, answers to questions of the agent's that were given automatically; None where nobody was
            asked whether it asks back.
        asking: share of the conversations with such an answer, in [0, 1]; None likewise.
        calls: of tools; None where an agent does not say which it called.
        failed_calls: of tools, those that failed; None likewise.
    """

    turns: Amount
    followups: Amount | None
    asking: Share | None
    calls: Amount | None
    failed_calls: Amount | None


class Conversations(RecordPart):
    """The conversations of one suite.

    Args:
        n: cases with a conversation, of both arms where there are two.
        baseline: None where there is one arm.
        candidate: what is compared with it.
        more_asking, less_asking: cases in which the candidate asks back and the baseline does not, and the reverse:
            most conversations of the one arm, and fewer than half of the other's.
    """

    n: Count
    baseline: ArmConversations | None
    candidate: ArmConversations
    more_asking: Count = 0
    less_asking: Count = 0


class ToolChange(RecordPart):
    """One tool in one slice. A case calls it where more than half of its conversations do.

    Args:
        tool: its name, as the agent wrote it.
        baseline, candidate: cases that call it.
        stopped: cases that call it at the baseline and, in more than half of the candidate's conversations, not there.
        started: the reverse.
    """

    tool: str
    baseline: Count
    candidate: Count
    stopped: Count
    started: Count


class ToolSlice(RecordPart):
    """The tools of one slice.

    Args:
        slice: `overall` or `dimension=value`.
        n: cases with a conversation of both arms.
        changed: cases whose tools come in another order, or are others: where the same calls in the same order are more
            than half of each arm's conversations.
        tools: all that were called in `overall`, and those that stopped or started in the other slices.
    """

    slice: str
    n: Count
    changed: Count
    tools: tuple[ToolChange, ...]


class ChangedCalls(RecordPart):
    """One case whose calls changed.

    Args:
        case: its id.
        baseline, candidate: names of the tools that most conversations of an arm called, in their order.
    """

    case: str
    baseline: tuple[str, ...]
    candidate: tuple[str, ...]


class ToolDifference(RecordPart):
    """What both arms called in one suite.

    Args:
        slices: `overall` first, then those in which anything changed.
        cases: whose calls changed, the first few of them.
    """

    slices: tuple[ToolSlice, ...]
    cases: tuple[ChangedCalls, ...]
