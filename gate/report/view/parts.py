"""What a report consists of: frozen parts, made once from a run and shown by every renderer."""

from dataclasses import dataclass
from typing import TypeAlias

from gate.record.comparison import PassState, Verdict
from gate.record.parts import CaseState
from gate.report.differences import AnswerDiff
from gate.report.view.tables import AxesRow, DimensionTable, ExamTrial, PromiseTable, ScorerTable, SliceTable


@dataclass(frozen=True, slots=True)
class ToolUseView:
    """One tool call, or several in a row that are alike.

    Args:
        call: `get_listings({"city": "Rome"})`.
        result: shortened.
        seconds: `120 ms`, of all calls; empty where unknown.
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
        by: who wrote it, where the case did not: `answered automatically`.
        more: calls that are not shown.
        about: how the agent got to its answer: `step limit, 3 calls of the model, 1.2 s`.
        answer: None where the report already shows it; empty where there is no text.
        reopened: the session was closed after it, and opened again.
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
        notes: cost, contents of a database, what was missed.
    """

    brief: str
    turns: tuple[TurnView, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolRow:
    """One tool, as text.

    Args:
        cases: cases that call it, `12 → 5`.
        stopped, started: cases that no longer do, or newly do.
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
        text: None where there is none.
        reasons: of scorers and judges, lowest scores first.
        folded: further reasons, of equal or higher scores.
        talk: the conversation before it; None where it was one reply.
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
        question, expected: None where not kept.
        baseline, candidate: the best answer of the baseline first, and the worst of the candidate; empty where not
            kept.
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
        slices: `lang=de, tier=free`.
        passed: `1 of 3 answers pass`.
        question, expected: None where not kept.
        answers: empty where not kept.
    """

    name: str
    slices: str
    passed: str
    question: str | None
    expected: str | None
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class RateRow:
    """The pass rate of one slice of a new prompt, as text.

    Args:
        name: without the suite.
        cases: how many, of how many where some have no score, and how many independent groups where that differs.
        rate: `62 % [48 %, 74 %]`.
        wanted: `90 %`, or a dash.
        words: the state in words.
        doubtful: unproven where that matters.
        advisory: shown by the user's wish; never blocks.
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
    """A prompt that the change adds.

    Args:
        about: when an answer passes, and its cost and time.
        rows: `overall`, then the slices, the worst first.
        folded: slices without a shortfall, beyond a few.
        cases: the failing ones, the worst first.
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
        slices: `lang=de, tier=free`.
        words: the state in words.
        score: mean of the combined scores, with the threshold where it falls short.
        failing: each scorer that falls short, with its reason, and why samples have no score.
        others: the other scorers in one line: `rubric 4.1 of 5 (brevity 5.0, tone 3.0), 2 others 1.000`.
        perfect: every scorer gives its full score, so that `score` says it all.
        counts: it counts for the verdict.
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
        """Everything that the scorers say."""
        return (*self.failing, *([self.others] if self.others else []))


@dataclass(frozen=True, slots=True)
class CheckTable:
    """One suite of a check.

    Args:
        about: when a case passes, and the cost and time of an answer.
        rows: failing cases, then those without a score, then the first that pass.
        folded: further cases that pass.
        more: cases that are left out.
        rates: `overall`, then the slices.
        cases: failing ones with their answers, the worst first.
        bad: number of cases that have an answer and do not pass.
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
"""Suites without a shown change that are listed one by one."""

Text: TypeAlias = tuple[str | Code, ...]
"""Running text; the plain strings are sentences, which a renderer still has to escape."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One line on how the verdict was reached; `brief` ones are also in the shortest report."""

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
        p50, p95: time per call, or per conversation.
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
        suite: empty in a run over one suite.
        brief: the largest change, in a line.
        cases: `40 cases`.
        sentences: which tools are no longer called, or newly called, and where most.
        figures: name, and `4 % → 31 %`.
        tools: those that stopped in most cases first.
        more: tools without a row.
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
        headline: what follows the verdict in the first line.
        sentence: slices that improved or fell.
        notes: what a reader must see at once.
        axes: one for each suite.
        confidence: `95 %`.
        tables: one for each suite.
        cases: those that explain the first line, the most telling first.
        usage: two rows for each suite.
        per: what money and time in `usage` are means over, `per call`.
        steps: what to do next, in order.
        command: compares again; empty where that needs more than the run knows.
        left_out: what was left out to limit the length.
        new: prompts that the change adds, which were compared with nothing.
        aside: what sets the verdict aside, for the first line; empty where it decides.
        notice: what the change does to its own exam; directly below the verdict.
        weighty: the notice is about more than new cases.
        calm: the notice is about cases that went with their promise, and new ones.
        exam: results of the edited exam.
        dimensions: one table for each rubric.
        scorers: one table for each compared suite with several scorers.
        exam_scores: what the scores in `exam` are.
        conversations: one table for each suite with agents.
        promises: one table for each prompt whose promises differ.
        cases_head: heading of `cases`.
        spent: what the run spent, and what known answers saved; empty where nothing was asked.
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
        """Suites in which nothing is shown to have moved, where they are too many to be listed one by one."""
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
        """The text right below the first line: the sentence, or in an alert without one the first note."""
        return self.sentence or (self.notes[0] if self.alert and self.notes else ())

    @property
    def rest(self) -> tuple[str | Text, ...]:
        """The notes below `lead`."""
        return self.notes if self.sentence or not self.alert else self.notes[1:]

    @property
    def alert(self) -> str:
        """The kind of GitHub alert around the sentence; empty for verdicts that need no action."""
        return "WARNING" if self.verdict is Verdict.BLOCK and self.aside else _ALERTS.get(self.verdict, "")


_ALERTS = {Verdict.BLOCK: "CAUTION", Verdict.INCONCLUSIVE: "WARNING", Verdict.HOLD: "WARNING"}
