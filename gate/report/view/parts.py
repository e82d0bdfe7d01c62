"""What a report consists of: frozen parts, made once from a run and shown by every renderer."""

from dataclasses import dataclass
from typing import TypeAlias

from gate.record.comparison import PassState, Verdict
from gate.record.parts import CaseState
from gate.report.differences import AnswerDiff
from gate.report.view.tables import AxesRow, DimensionTable, ExamTrial, PromiseTable, ScorerTable, SliceTable


@dataclass(frozen=True, slots=True)
class ToolUseView:
    """One call of a tool, or several in a row that are alike.

    Args:
        call: `get_listings({"city": "Rome"})`.
        result: what came of it, short.
        failed: it did.
        seconds: `120 ms`, of all of them; empty where nobody measured it.
        times: how many.
    """

    call: str
    result: str
    failed: bool
    seconds: str
    times: int


@dataclass(frozen=True, slots=True)
class TurnView:
    """One message to the agent, and what it did.

    Args:
        head: whose message, `Round 1, user`.
        by: who wrote it, where it was not the case: `answered automatically`.
        said: the message.
        uses: calls of tools.
        more: how many calls are not shown.
        about: the agent's way to its answer: `step limit, 3 calls of the model, 1.2 s`.
        answer: None where it is the one that the report shows already; empty where there are no words.
        reopened: the session was closed behind it, and opened again.
        broken: no answer came.
    """

    head: str
    by: str
    said: str
    uses: tuple[ToolUseView, ...]
    more: int
    about: str
    answer: str | None
    reopened: bool
    broken: bool = False


@dataclass(frozen=True, slots=True)
class ConversationView:
    """One conversation.

    Args:
        brief: `2 turns, 3 calls of tools (1 failed)`.
        turns: in order.
        notes: what it cost, what a database held, what was missed.
    """

    brief: str
    turns: tuple[TurnView, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolRow:
    """One tool.

    Args:
        name: its name.
        cases: that call it, `12 → 5`.
        stopped, started: cases that do so no longer, or newly.
    """

    name: str
    cases: str
    stopped: str
    started: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of one arm, or several that are alike.

    Args:
        label: score and samples.
        text: the answer; None when there is none.
        reasons: of scorers and judges, those of the lowest scores first.
        folded: further reasons, of scores as high or higher.
        talk: the conversation that it ended; None where it was one reply.
    """

    label: str
    text: str | None
    reasons: tuple[str, ...]
    folded: tuple[str, ...] = ()
    talk: ConversationView | None = None


@dataclass(frozen=True, slots=True)
class CaseView:
    """One case that fell.

    Args:
        name: id, with the suite in front in a run over several.
        slices: `lang=de, tier=free`.
        scores: mean scores, `1.000 → 0.000`.
        question, expected: as the case has them; None when not kept.
        baseline, candidate: answers of the arms, the best of one and the worst of the other first; empty when not kept.
        diff: of the first of each; None where one of them is no answer.
    """

    name: str
    slices: str
    scores: str
    question: str | None
    expected: str | None
    baseline: tuple[Answer, ...]
    candidate: tuple[Answer, ...]
    diff: AnswerDiff | None = None

    @property
    def others(self) -> int:
        """Answers that are not in the difference."""
        return len(self.baseline) + len(self.candidate) - 2 * (self.diff is not None)


@dataclass(frozen=True, slots=True)
class FailingCase:
    """One case of a new prompt with answers that do not pass.

    Args:
        name: its id.
        slices: `lang=de, tier=free`.
        passed: `1 of 3 answers pass`.
        question, expected: as the case has them; None when not kept.
        answers: empty when not kept.
    """

    name: str
    slices: str
    passed: str
    question: str | None
    expected: str | None
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class RateRow:
    """The pass rate of one slice of a new prompt.

    Args:
        name: within its suite.
        cases: how many, of how many where some have no score, and how many independent groups where that differs.
        rate: `62 % [48 %, 74 %]`.
        wanted: `90 %`, or a dash.
        state: what it shows.
        words: the same in plain words.
        doubtful: unproven where that matters.
        advisory: shown by the user's wish, never blocks.
    """

    name: str
    cases: str
    rate: str
    wanted: str
    state: PassState
    words: str
    doubtful: bool
    advisory: bool


@dataclass(frozen=True, slots=True)
class NewPrompt:
    """A prompt that the change brings.

    Args:
        suite: its suite.
        path: of the prompt.
        about: when an answer passes, and what an answer costs and takes.
        rows: `overall`, then the slices, the worst first.
        folded: slices without a shortfall, beyond a few.
        cases: that fail, the worst first.
    """

    suite: str
    path: str
    about: str
    rows: tuple[RateRow, ...]
    folded: tuple[RateRow, ...]
    cases: tuple[FailingCase, ...]


@dataclass(frozen=True, slots=True)
class CheckedCaseRow:
    """One case of a check.

    Args:
        name: its id.
        slices: `lang=de, tier=free`.
        state: what its samples show.
        words: the same in plain words.
        score: mean of the combined scores, with what was wanted where it falls short.
        failing: each scorer that falls short with its reason, and why samples have no score.
        others: all other scorers in one line: `rubric 4.1 of 5 (brevity 5.0, tone 3.0), 2 others 1.000`.
        perfect: every scorer gives all that there is to get, which the score says already.
        counts: it has a part in the verdict.
    """

    name: str
    slices: str
    state: CaseState
    words: str
    score: str
    failing: tuple[str, ...]
    others: str
    perfect: bool
    counts: bool

    @property
    def lines(self) -> tuple[str, ...]:
        """All that the scorers say."""
        return (*self.failing, *([self.others] if self.others else []))


@dataclass(frozen=True, slots=True)
class CheckTable:
    """One suite of a check.

    Args:
        suite: its name.
        path: of the prompt.
        about: when a case passes, and what an answer costs and takes.
        rows: cases that fail, then those without a score, then the first of those that pass.
        folded: further cases that pass.
        more: how many cases are not even folded.
        rates: `overall`, then the slices.
        cases: that do not pass, with their answers, the worst first.
        bad: how many cases with an answer do not pass.
    """

    suite: str
    path: str
    about: str
    rows: tuple[CheckedCaseRow, ...]
    folded: tuple[CheckedCaseRow, ...]
    more: int
    rates: tuple[RateRow, ...]
    cases: tuple[FailingCase, ...]
    bad: int


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
class ReportView:
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
    axes: tuple[AxesRow, ...]
    confidence: str
    tables: tuple[SliceTable, ...]
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
