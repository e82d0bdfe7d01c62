"""What agents did in their conversations, before and after: a description, with no part in the verdict."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gate.cases.case import members
from gate.config.values import OVERALL
from gate.engine.arrays import CaseMeans, SampleGrid, paired
from gate.engine.samples import Bools, Floats, Ints
from gate.record.comparison import ArmConversations, ChangedCalls, Conversations, ToolChange, ToolDifference, ToolSlice
from gate.record.transcript import Outline

MOST_TOOLS = 50
"""Tools of one slice; an agent may invent any number of names."""
MOST_CASES = 20
"""Cases whose calls are named one by one."""
MOST_CALLS = 30
"""Calls of one conversation that are named."""
LONGEST_NAME = 200
"""Characters of a tool's name, as the agent wrote it."""
MOST_COUNTED = 500
"""Tools that are counted at all, those of the most outlines."""
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class _Conversations:
    """The conversations of one suite; one arm alone is paired with itself.

    Args:
        known: bool[2, N, k], which samples are conversations.
        numbers: int[2, N, k], the outline number of each.
    """

    grid: SampleGrid
    known: Bools
    numbers: Ints
    outlines: Sequence[Outline | None]

    @classmethod
    def of(cls, grid: SampleGrid) -> "_Conversations":
        outlines = grid.outlines or [None]
        talked = np.array([outline is not None for outline in outlines], dtype=np.bool_)
        numbers = grid["outline"].astype(np.int64)
        known: Bools = grid.replied & talked[numbers]
        if grid.suite.baseline is None:
            known, numbers = np.stack([known[1], known[1]]), np.stack([numbers[1], numbers[1]])
        return cls(grid, known, numbers, outlines)

    def means(self, of: Callable[[Outline], float]) -> CaseMeans:
        """A figure of conversations."""
        figures = np.array([0.0 if outline is None else float(of(outline)) for outline in self.outlines])
        return paired(figures[self.numbers], self.known)

    def heard(self, of: Callable[[Outline], float]) -> Floats:
        """A figure of both arms, float[2, n], of the cases in which a detector can find out whether the agent asks."""
        understood = np.array([outline is not None and outline.heard for outline in self.outlines], dtype=np.bool_)
        figures = replace(self, known=self.known & understood[self.numbers]).means(of)
        exam = self.grid.suite.exam
        answering = exam.conversing.answers_questions
        cases = (exam.cases[position] for position in figures.positions.tolist())
        hears = np.array([answering and case.user is None for case in cases], dtype=np.bool_)
        found: Floats = figures.means[:, hears]
        return found

    def last_questions(self) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """Per arm, last answers that look like questions, of how many; None where somebody answers questions."""
        exam = self.grid.suite.exam
        alone = np.array([case.user is None for case in exam.cases], dtype=np.bool_)
        if exam.conversing.answers_questions or not alone.any():
            return None
        asking = np.array([outline is not None and outline.ends_asking for outline in self.outlines], dtype=np.bool_)
        counted = self.known & alone[None, :, None]
        asked = counted & asking[self.numbers]
        baseline, candidate = ((int(asked[arm].sum()), int(counted[arm].sum())) for arm in (0, 1))
        return baseline, candidate

    @property
    def tools_told(self) -> bool:
        """Do all of these agents report which tools they called? Missing reports would look like differences."""
        own = (self.outlines[number] for number in np.unique(self.numbers[self.known]).tolist())
        return all(outline.tools_told for outline in own if outline)

    def calling(self) -> dict[str, Floats]:
        """For each tool, float[2, n]: share of conversations that call it, of cases with conversations of both arms."""
        own = [self.outlines[number] for number in np.unique(self.numbers[self.known]).tolist()]
        names = Counter(name for outline in own if outline for name in {*outline.tools})
        return {name: self._calling(name) for name, _ in names.most_common(MOST_COUNTED)}

    def _calling(self, name: str) -> Floats:
        return self.means(lambda outline: name in outline.tools).means

    def usual(self, arm: int, case: int) -> tuple[str, ...] | None:
        """The calls of more than half of an arm's conversations on a case; None where they differ too much."""
        numbers = self.numbers[arm, case][self.known[arm, case]].tolist()
        outlines = (self.outlines[number] for number in numbers)
        calls, times = Counter(outline.tools for outline in outlines if outline).most_common(1)[0]
        return calls if times > len(numbers) / 2 else None


def talks(grid: SampleGrid) -> Conversations | None:
    """Turns, questions back and calls of tools, of one arm or both; None where no case has a conversation."""
    found = _Conversations.of(grid)
    turns = found.means(lambda outline: outline.turns)
    if not turns.positions.size:
        return None
    followups = found.heard(lambda outline: outline.followups)
    asking = found.heard(lambda outline: outline.followups > 0)
    calls, failed = found.means(lambda outline: outline.calls), found.means(lambda outline: outline.failures)
    figures = (turns.means, followups, asking, calls.means, failed.means)
    before, after = (_talk(*(figure[arm] for figure in figures)) for arm in (0, 1))
    if not found.tools_told:
        before, after = (talk.model_copy(update={"calls": None, "failed_calls": None}) for talk in (before, after))
    if (last := found.last_questions()) is not None:
        before, after = (
            talk.model_copy(update={"last_questions": counts})
            for talk, counts in zip((before, after), last, strict=True)
        )
    if grid.suite.baseline is None:
        return Conversations(n=int(turns.positions.size), baseline=None, candidate=after)
    less, more = _turned(asking)
    return Conversations(
        n=int(turns.positions.size),
        baseline=before,
        candidate=after,
        more_asking=int(more.sum()),
        less_asking=int(less.sum()),
    )


def _talk(turns: Floats, followups: Floats, asking: Floats, calls: Floats, failed: Floats) -> ArmConversations:
    """Each float[n], the figure of each case."""
    back, share = (float(figure.mean()) if figure.size else None for figure in (followups, asking))
    return ArmConversations(
        turns=float(turns.mean()),
        followups=back,
        asking=share,
        calls=float(calls.mean()),
        failed_calls=float(failed.mean()),
    )


def tool_difference(grid: SampleGrid) -> ToolDifference | None:
    """Which tools the candidate called no longer, or newly; None where no agent called any, or one does not say so."""
    found = _Conversations.of(grid)
    positions = found.means(lambda outline: outline.turns).positions
    shares = found.calling()
    if not positions.size or not shares or not found.tools_told:
        return None
    usual = [(found.usual(0, case), found.usual(1, case)) for case in positions.tolist()]
    changed = np.array([None not in pair and pair[0] != pair[1] for pair in usual], dtype=np.bool_)
    row_of = {case: row for row, case in enumerate(positions.tolist())}
    slices = []
    for name, cases in members(grid.suite.exam.cases, grid.suite.exam.dimensions).items():
        rows = np.array([row_of[case] for case in cases if case in row_of], dtype=np.int64)
        one = _slice(name, rows, shares, changed)
        if name == OVERALL or one.changed or one.tools:
            slices.append(one)
    named = [
        ChangedCalls(
            case=grid.suite.exam.cases[positions[row]].id,
            baseline=_named(usual[row][0] or ()),
            candidate=_named(usual[row][1] or ()),
        )
        for row in np.flatnonzero(changed)[:MOST_CASES].tolist()
    ]
    return ToolDifference(slices=tuple(slices), cases=tuple(named))


def _turned(shares: Floats) -> tuple[Bools, Bools]:
    """Cases where most conversations did it in the first arm only, and in the second only; a tie counts for neither."""
    most, fewest = shares > _HALF, shares < _HALF
    return most[0] & fewest[1], fewest[0] & most[1]


def _slice(name: str, rows: Ints, shares: dict[str, Floats], changed: Bools) -> ToolSlice:
    tools = []
    for tool, share in shares.items():
        own = share[:, rows]
        stopped, started = (int(cases.sum()) for cases in _turned(own))
        before, after = (own > _HALF).sum(axis=1).tolist()
        if stopped or started or name == OVERALL:
            tools.append(
                ToolChange(tool=tool[:LONGEST_NAME], baseline=before, candidate=after, stopped=stopped, started=started)
            )
    tools.sort(key=lambda tool: (-tool.stopped, -tool.started, -tool.baseline, -tool.candidate, tool.tool))
    return ToolSlice(slice=name, n=int(rows.size), changed=int(changed[rows].sum()), tools=tuple(tools[:MOST_TOOLS]))


def _named(calls: tuple[str, ...]) -> tuple[str, ...]:
    more = len(calls) - MOST_CALLS
    return (*(call[:LONGEST_NAME] for call in calls[:MOST_CALLS]), *([f"… {more:,} more"] if more > 0 else []))
