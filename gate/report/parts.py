"""What a report consists of: frozen parts, made once from a run and shown by every renderer.

Strings are text, not markup: each renderer makes them harmless in its own way. Names and
sentences are of bounded length.
"""

from dataclasses import dataclass
from typing import TypeAlias

from gate.domain.checked import CaseState
from gate.domain.passrate import PassState
from gate.domain.verdict import State, Verdict


@dataclass(frozen=True, slots=True)
class Code:
    """A name, path, reference or command inside running text."""

    text: str


Text: TypeAlias = tuple[str | Code, ...]
"""Running text; the plain strings are sentences, which a renderer still has to escape."""


@dataclass(frozen=True, slots=True)
class Axes:
    """The three axes of one suite.

    Args:
        suite: its name; empty in a run over one suite.
        quality, cost, latency: changes with their intervals, or why there are none.
    """

    suite: str
    quality: str
    cost: str
    latency: str


@dataclass(frozen=True, slots=True)
class Row:
    """One slice.

    Args:
        name: within its suite.
        cases: how many, and how many independent groups where that differs.
        scores: `0.812 → 0.751`.
        delta, interval: `−0.061`, `[−0.092, −0.029]`.
        bar: the interval drawn, `bars.WIDTH` characters.
        state: what the slice shows.
        words: the state in plain words, one or two.
        more: `about 120 more cases`, which would show the change that was seen; may be empty.
        dagger: the familiar rule would have failed it.
        advisory: shown by the user's wish, never blocks.
    """

    name: str
    cases: str
    scores: str
    delta: str
    interval: str
    bar: str
    state: State
    words: str
    more: str
    dagger: bool
    advisory: bool


@dataclass(frozen=True, slots=True)
class Table:
    """The slices of one suite.

    Args:
        suite: its name; empty in a run over one suite.
        scale: ends of the bars' scale, `−0.60 … +0.10`.
        rows: `overall`, then what a reader should see, worst first.
        folded: the unremarkable rest.
    """

    suite: str
    scale: str
    rows: tuple[Row, ...]
    folded: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of one arm, or several that are alike.

    Args:
        label: score and samples.
        text: the answer; None when there is none.
        reasons: of scorers and judges.
    """

    label: str
    text: str | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CaseView:
    """One case that fell.

    Args:
        name: id, with the suite in front in a run over several.
        slices: `lang=de, tier=free`.
        scores: mean scores, `1.000 → 0.000`.
        question, expected: as the case has them; None when not kept.
        baseline, candidate: answers of the arms; empty when not kept.
    """

    name: str
    slices: str
    scores: str
    question: str | None
    expected: str | None
    baseline: tuple[Answer, ...]
    candidate: tuple[Answer, ...]


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
class CaseRow:
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
    rows: tuple[CaseRow, ...]
    folded: tuple[CaseRow, ...]
    more: int
    rates: tuple[RateRow, ...]
    cases: tuple[FailingCase, ...]
    bad: int


@dataclass(frozen=True, slots=True)
class ExamTrial:
    """What one part of an exam that the change has edited says.

    Args:
        suite: its name; empty where the exam of one suite alone is edited.
        words: what was tried.
        cases: how many, and how many were left out.
        scores: `0.910 → 0.880`, or that of the one arm which was asked.
        change: `−0.030 [−0.070, +0.010]`.
        reason: why something is missing; empty where nothing is.
    """

    suite: str
    words: str
    cases: str
    scores: str
    change: str
    reason: str


@dataclass(frozen=True, slots=True)
class DimensionRow:
    """One dimension of a rubric.

    Args:
        name: its name.
        weight: `20 %`.
        cases: how many.
        scores: `3.90 → 3.40 of 5`, or that of the one arm.
        change: `−0.50 [−0.80, −0.20]`; empty where nothing is compared.
        trend: `fell` or `rose` where the whole interval says so; else empty.
    """

    name: str
    weight: str
    cases: str
    scores: str
    change: str
    trend: str


@dataclass(frozen=True, slots=True)
class DimensionTable:
    """One rubric.

    Args:
        suite: its name; empty in a run over one suite.
        scorer: the rubric's name.
        scale: `1 to 5`.
        compared: there are two arms.
        rows: in the order of the rubric.
    """

    suite: str
    scorer: str
    scale: str
    compared: bool
    rows: tuple[DimensionRow, ...]


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
        cost: dollars per call.
        p50, p95: seconds per call.
    """

    arm: str
    tokens: tuple[str, str, str, str]
    cost: str
    p50: str
    p95: str


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
        cases: that fell most, worst first.
        usage: two rows for each suite.
        facts: how the verdict was reached.
        steps: what to do next.
        command: runs the comparison again; empty when that needs more than the run knows.
        left_out: what a limit on the length took away.
        new: prompts that the change brings, which were compared with nothing.
        aside: what sets the verdict aside, for the first line; empty where it decides.
        notice: what the change does to its own exam; stands above everything but the verdict.
        weighty: the notice tells of more than new cases.
        exam: what the edited exam says.
        dimensions: one table for each rubric.
        exam_scores: what the scores in it are.
        checks: the suites of a check.
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
    facts: tuple[Fact, ...]
    steps: tuple[Text, ...]
    command: str
    left_out: tuple[str, ...] = ()
    new: tuple[NewPrompt, ...] = ()
    aside: Text = ()
    notice: Text = ()
    weighty: bool = False
    exam: tuple[ExamTrial, ...] = ()
    exam_scores: str = "score"
    checks: tuple[CheckTable, ...] = ()
    dimensions: tuple[DimensionTable, ...] = ()
