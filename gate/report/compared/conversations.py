"""What agents did before and after: turns, questions back, and which tools are called no longer."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gate.config.policy import OVERALL
from gate.domain.conversations import (
    ArmConversations,
    ChangedCalls,
    Conversations,
    ToolChange,
    ToolDifference,
    ToolSlice,
)
from gate.domain.record import RunRecord
from gate.domain.record_compared import SuiteRecord
from gate.report import numbers
from gate.report.parts.conversations import ToolRow
from gate.report.parts.whole import Code, ConversationTable, Text
from gate.report.slices import LONGEST_SENTENCE, short

SUITES_SHOWN = 3
"""Suites of which the notes tell."""
SENTENCES = 5
TOOLS_SHOWN = 20
CASES_SHOWN = 8
"""Cases with other calls than before."""
A_FEW = 3
"""Cases: of so many that ask back, or no longer do, nobody has to be told at once."""
_SHRINKAGE = 2
"""Cases that are added to each slice before shares are compared: 1 of 1 says less than 7 of 12."""

_WHAT = (
    "Means over the cases with conversations of both arms. A case calls a tool{} where more than half of its "
    "conversations do."
)
_ALONE = "Means over the cases with conversations."
_NO_TEST = "A description, not a test: there are no intervals, and no part in the verdict."


def tables(run: RunRecord) -> tuple[ConversationTable, ...]:
    """One for each suite with conversations."""
    several = len(run.suites) + len(run.new) > 1
    found = [(suite.name, suite.conversations, suite.tools) for suite in run.suites]
    found += [(suite.name, suite.conversations, None) for suite in run.new]
    return tuple(
        _table(short(name) if several else "", talks, tools) for name, talks, tools in found if talks is not None
    )


def findings(run: RunRecord) -> tuple[Text, ...]:
    """What a reader is told at once: a tool that is called no longer, and questions back that are more, or fewer."""
    several = len(run.suites) + len(run.new) > 1
    told = [(suite, [*_stopped(suite), *_asking(suite)]) for suite in run.suites]
    return tuple(
        ((Code(short(suite.name)), ": ", *text) if several else text)
        for suite, texts in [one for one in told if one[1]][:SUITES_SHOWN]
        for text in texts
    )


def _stopped(suite: SuiteRecord) -> Iterator[Text]:
    stopped = [] if suite.tools is None else _ranked(suite.tools, stopped=True)
    if stopped:
        more = f", and {numbers.counted(len(stopped) - 1, 'other tool')} in some" if len(stopped) > 1 else ""
        yield (*_sentence(stopped[0], stopped=True), f"{more}.")


def _asking(suite: SuiteRecord) -> Iterator[Text]:
    found = suite.conversations
    if (
        found is None
        or found.baseline is None
        or not _heard(found)
        or abs(found.more_asking - found.less_asking) <= A_FEW
    ):
        return
    verb = "more" if found.more_asking > found.less_asking else "less"
    yield (f"The candidate asks back {verb} often: {_shares(found)} of the conversations.",)


@dataclass(frozen=True, slots=True)
class _Place:
    """A tool in the slice that says most about it."""

    tool: ToolChange
    slice: ToolSlice

    def net(self, *, stopped: bool) -> int:
        """Cases that changed in this direction, those of the other one taken away."""
        lost = self.tool.stopped - self.tool.started
        return lost if stopped else -lost

    def weight(self, *, stopped: bool) -> tuple[float, int, bool]:
        """Sorts by the share of the slice, a small one mistrusted; among equals more cases, then all of the suite."""
        net = self.net(stopped=stopped)
        return (net / (self.slice.n + _SHRINKAGE), net, self.slice.slice == OVERALL)


def _ranked(tools: ToolDifference, *, stopped: bool) -> list[_Place]:
    """Each tool that stopped, or started, more than the reverse, in the slice that says most; the worst first."""
    best: dict[str, _Place] = {}
    for piece in tools.slices:
        for tool in piece.tools:
            place = _Place(tool, piece)
            if place.net(stopped=stopped) <= 0:
                continue
            known = best.get(tool.tool)
            if known is None or place.weight(stopped=stopped) > known.weight(stopped=stopped):
                best[tool.tool] = place
    return sorted(best.values(), key=lambda place: place.weight(stopped=stopped), reverse=True)


def _sentence(place: _Place, *, stopped: bool) -> Text:
    verb = "stopped" if stopped else "started"
    count = place.tool.stopped if stopped else place.tool.started
    many = f"{count:,} of {numbers.counted(place.slice.n, 'case')}"
    where: Text = () if place.slice.slice == OVERALL else (" of ", Code(short(place.slice.slice)))
    return (f"The candidate {verb} calling ", Code(short(place.tool.tool)), f" in {many}", *where)


def _table(suite: str, talks: Conversations, tools: ToolDifference | None) -> ConversationTable:
    sentences: list[Text] = []
    rows: list[ToolChange] = []
    changed: list[ChangedCalls] = []
    if tools is not None:
        for stopped in (True, False):
            places = _ranked(tools, stopped=stopped)
            sentences += [(*_sentence(place, stopped=stopped), ".") for place in places[:SENTENCES]]
        rows = [tool for piece in tools.slices if piece.slice == OVERALL for tool in piece.tools]
        changed = list(tools.cases)
    compared = talks.baseline is not None
    return ConversationTable(
        suite=suite,
        brief=_brief(talks, tools),
        cases=numbers.counted(talks.n, "case"),
        compared=compared,
        sentences=tuple(sentences[:SENTENCES]),
        figures=tuple(_figures(talks)),
        tools=tuple(map(_row, rows[:TOOLS_SHOWN])),
        more=max(0, len(rows) - TOOLS_SHOWN),
        changed=tuple(map(_calls, changed[:CASES_SHOWN])),
        notes=(_WHAT.format(", or asks back," if _heard(talks) else ""), _NO_TEST) if compared else (_ALONE,),
    )


def _brief(talks: Conversations, tools: ToolDifference | None) -> str:
    overall = next((piece for piece in tools.slices if piece.slice == OVERALL), None) if tools else None
    told = overall is not None and overall.changed
    asks = talks.candidate.asking or (talks.baseline is not None and talks.baseline.asking)
    pieces = [f"asks back: {_shares(talks)} of the conversations"] if asks or (_heard(talks) and not told) else []
    if overall is not None and told:
        pieces.append(f"other tool calls in {overall.changed:,} of {numbers.counted(overall.n, 'case')}")
    return ", ".join(pieces) or f"{_both(talks, lambda arm: numbers.plain(arm.turns))} turns"


def _heard(talks: Conversations) -> bool:
    """Was anybody asked whether the agent asks back?"""
    return talks.candidate.asking is not None


def _shares(talks: Conversations) -> str:
    return _both(talks, lambda arm: numbers.share(arm.asking or 0.0))


def _figures(talks: Conversations) -> Iterator[tuple[str, str]]:
    if _heard(talks):
        yield "asks back", f"{_shares(talks)} of the conversations"
        yield "automatic answers to that", _both(talks, lambda arm: numbers.plain(arm.followups or 0.0))
    yield "turns", _both(talks, lambda arm: numbers.plain(arm.turns))
    if talks.candidate.calls is None:
        yield "tool calls", "not told by the agent"
        return
    yield "tool calls", _both(talks, lambda arm: numbers.plain(arm.calls or 0.0))
    yield "tool calls that failed", _both(talks, lambda arm: numbers.plain(arm.failed_calls or 0.0))


def _both(talks: Conversations, told: Callable[[ArmConversations], str]) -> str:
    before = "" if talks.baseline is None else f"{told(talks.baseline)} → "
    return f"{before}{told(talks.candidate)}"


def _row(tool: ToolChange) -> ToolRow:
    return ToolRow(
        name=short(tool.tool),
        cases=f"{tool.baseline:,} → {tool.candidate:,}",
        stopped=f"{tool.stopped:,}",
        started=f"{tool.started:,}",
    )


def _calls(one: ChangedCalls) -> Text:
    before, after = (
        (Code(short(", ".join(map(short, names)), LONGEST_SENTENCE)),) if names else ("no tool",)
        for names in (one.baseline, one.candidate)
    )
    return (Code(short(one.case)), ": ", *before, " → ", *after)
