"""What a report consists of: frozen parts, made once from a run and shown by every renderer.

Strings are text, not markup: each renderer makes them harmless in its own way. Names and
sentences are of bounded length.
"""

from dataclasses import dataclass
from typing import TypeAlias

from gate.domain.verdict import Verdict
from gate.report.parts.alone import CheckTable, NewPrompt
from gate.report.parts.cases import CaseView
from gate.report.parts.compared import Axes, ExamTrial, Table
from gate.report.parts.conversations import ToolRow
from gate.report.parts.scorers import DimensionTable, ScorerTable
from gate.report.parts.specdiff import PromiseTable


@dataclass(frozen=True, slots=True)
class Code:
    """A name, path, reference or command inside running text."""

    text: str


MOST_STILL = 3
"""Suites without a shown change that are told one by one."""

Text: TypeAlias = tuple[str | Code, ...]
"""Running text; the plain strings are sentences, which a renderer still has to escape."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One line on how the verdict was reached.

    Args:
        label: what it is about.
        text: the fact.
        brief: belongs in the shortest account, too.
    """

    label: str
    text: Text
    brief: bool = False


@dataclass(frozen=True, slots=True)
class UsageRow:
    """Tokens, money and time of one arm, as text.

    Args:
        arm: with the suite in front in a run over several.
        tokens: input, cache read, cache write, output.
        cost: dollars per call, or per conversation.
        p50, p95: seconds likewise.
    """

    arm: str
    tokens: tuple[str, str, str, str]
    cost: str
    p50: str
    p95: str


@dataclass(frozen=True, slots=True)
class ConversationTable:
    """The conversations of one suite.

    Args:
        suite: its name; empty in a run over one suite.
        brief: what changed most, in a line.
        cases: `40 cases`.
        compared: there are two arms.
        sentences: which tools were called no longer, or newly, and where most.
        figures: name, and `4 % → 31 %`.
        tools: those that stopped in most cases first.
        more: tools that there are no rows for.
        changed: cases with other calls than before.
        notes: what the figures are.
    """

    suite: str
    brief: str
    cases: str
    compared: bool
    sentences: tuple[Text, ...]
    figures: tuple[tuple[str, str], ...]
    tools: tuple[ToolRow, ...]
    more: int
    changed: tuple[Text, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class View:
    """A whole report.

    Args:
        verdict: the run's.
        headline: what follows the verdict in the first line.
        sentence: slices won and lost.
        notes: reasons that a reader must see at once.
        axes: one for each suite.
        confidence: `95 %`.
        tables: one for each suite.
        footnotes: below the tables.
        cases: that explain what the first line says, the most telling first.
        usage: two rows for each suite.
        per: what money and time in it are means over, `per call`.
        facts: how the verdict was reached.
        steps: what to do next.
        command: runs the comparison again; empty when that needs more than the run knows.
        left_out: what a limit on the length took away.
        new: prompts that the change brings, which were compared with nothing.
        aside: what sets the verdict aside, for the first line; empty where it decides.
        notice: what the change does to its own exam; stands above everything but the verdict.
        weighty: the notice tells of more than new cases.
        calm: it tells of cases that went with their promise, and of new ones.
        exam: what the edited exam says.
        dimensions: one table for each rubric.
        scorers: one table for each compared suite with several scorers.
        exam_scores: what the scores in it are.
        checks: the suites of a check.
        conversations: one table for each suite with agents.
        promises: one table for each prompt whose promises differ.
        cases_head: what the cases are.
        spent: what the run took, and what known answers saved; empty where nothing was asked.
    """

    verdict: Verdict
    headline: Text
    sentence: Text
    notes: tuple[str | Text, ...]
    axes: tuple[Axes, ...]
    confidence: str
    tables: tuple[Table, ...]
    footnotes: tuple[str, ...]
    cases: tuple[CaseView, ...]
    usage: tuple[UsageRow, ...]
    per: str
    facts: tuple[Fact, ...]
    steps: tuple[Text, ...]
    command: str
    left_out: tuple[str, ...] = ()
    new: tuple[NewPrompt, ...] = ()
    aside: Text = ()
    notice: Text = ()
    weighty: bool = False
    calm: bool = False
    exam: tuple[ExamTrial, ...] = ()
    exam_scores: str = "score"
    checks: tuple[CheckTable, ...] = ()
    dimensions: tuple[DimensionTable, ...] = ()
    scorers: tuple[ScorerTable, ...] = ()
    conversations: tuple[ConversationTable, ...] = ()
    promises: tuple[PromiseTable, ...] = ()
    cases_head: Text = ()
    spent: Text = ()

    @property
    def still(self) -> frozenset[str]:
        """Suites in which nothing is shown to have moved, where they are too many to be told one after another."""
        moved = {table.suite for table in self.tables if not table.quiet}
        quiet = frozenset(axes.suite for axes in self.axes if axes.suite and axes.quiet) - moved
        return quiet if len(quiet) > MOST_STILL else frozenset()

    @property
    def axes_note(self) -> str:
        """What the figures of the axes are; empty where nothing was compared."""
        if not self.axes or not self.tables:
            return ""
        p95 = "; p95: 95 % of the answers are faster" if any("p95" in one.latency for one in self.axes) else ""
        return f"Quality is a score from 0 to 1. In brackets: {self.confidence} interval{p95}."

    @property
    def lead(self) -> str | Text:
        """What stands right below the first line: the sentence, or in an alert without one the first note."""
        return self.sentence or (self.notes[0] if self.alert and self.notes else ())

    @property
    def rest(self) -> tuple[str | Text, ...]:
        """The notes below that."""
        return self.notes if self.sentence or not self.alert else self.notes[1:]

    @property
    def alert(self) -> str:
        """The kind of GitHub's alert that the sentence stands in; empty for verdicts that ask nothing of anybody."""
        return "WARNING" if self.verdict is Verdict.BLOCK and self.aside else _ALERTS.get(self.verdict, "")


_ALERTS = {Verdict.BLOCK: "CAUTION", Verdict.INCONCLUSIVE: "WARNING", Verdict.HOLD: "WARNING"}
