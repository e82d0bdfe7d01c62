"""Rows and tables of a report: slices, axes, exam changes, scorers, rubrics, promises."""

from dataclasses import dataclass

from gate.record.comparison import State
from gate.record.rules import ChangeState
from gate.values import counted

_NEEDLESS = (State.NOISE, State.TOO_FEW)
_REMARKABLE = ((State.REGRESSION, "regression"), (State.SUSPECT, "suspect"), (State.IMPROVEMENT, "improvement"))


@dataclass(frozen=True, slots=True)
class AxesRow:
    """The three axes of one suite.

    Args:
        suite: empty in a run over one suite.
        quality, cost, latency: changes with their intervals, or why there are none.
        quiet: no slice is shown to have moved, and neither cost nor latency exceeds its allowance.
    """

    suite: str
    quality: str
    cost: str
    latency: str
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class SliceRow:
    """One slice.

    Args:
        name: without the suite.
        cases: how many, and how many independent groups where that differs.
        scores: `0.812 → 0.751`.
        delta, interval: `−0.061`, `[−0.092, −0.029]`.
        bar: the interval, of equal width in all rows.
        words: the state in one or two words.
        more: `about 120 more cases`, with which the observed change would show; may be empty.
        dagger: only the familiar rule would have failed it.
        advisory: shown by the user's wish; never blocks.
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
class SliceTable:
    """The slices of one suite.

    Args:
        suite: empty in a run over one suite.
        scale: ends of the bars' scale, `−0.60 … +0.10`.
        rows: `overall`, then the important slices, the worst first.
    """

    suite: str
    scale: str
    rows: tuple[SliceRow, ...]
    folded: tuple[SliceRow, ...]

    @property
    def quiet(self) -> bool:
        """No row moved, for certain or possibly."""
        return all(row.state in _NEEDLESS and not row.advisory for row in (*self.rows, *self.folded))

    @property
    def whole(self) -> str:
        """`12 slices without a shown change, 1 of them †`."""
        rows = (*self.rows, *self.folded)
        marked = sum(row.dagger for row in rows)
        return f"{counted(len(rows), 'slice')} without a shown change{f', {marked} of them †' if marked else ''}"

    @property
    def brief(self) -> str:
        """What is folded: `25 more slices without a shown change`, `9 more slices: 2 regressions, 7 without …`."""
        quiet = sum(row.state in _NEEDLESS for row in self.folded)
        total = counted(len(self.folded), "more slice")
        if quiet == len(self.folded):
            return f"{total} without a shown change"
        found = ((word, sum(row.state is state for row in self.folded)) for state, word in _REMARKABLE)
        told = [counted(count, word) for word, count in found if count]
        return f"{total}: {', '.join([*told, *([f'{quiet:,} without a shown change'] if quiet else [])])}"


@dataclass(frozen=True, slots=True)
class ExamTrial:
    """The result of one edited part of an exam.

    Args:
        suite: empty where only one suite's exam is edited.
        words: what was tried.
        cases: how many, and how many were left out.
        scores: `0.910 → 0.880`, or that of the only arm.
        change: `−0.030 [−0.070, +0.010]`.
        reason: why something is missing; else empty.
    """

    suite: str
    words: str
    cases: str
    scores: str
    change: str
    reason: str


@dataclass(frozen=True, slots=True)
class ScorerRow:
    """One scorer before and after.

    Args:
        weight: its share in the score, `20 %`; empty where the cases have no common one.
        scores: `0.812 → 0.751`.
        change: `−0.061`.
        passed: `98.3 % → 91.7 %`, the answers that it did not fail; empty where it is not required.
    """

    name: str
    weight: str
    cases: str
    scores: str
    change: str
    passed: str


@dataclass(frozen=True, slots=True)
class ScorerTable:
    """The scorers of one suite.

    Args:
        suite: empty in a run over one suite.
        brief: what moved most: `tone −0.120, contains 0.000 and 2 more`.
        rows: those that moved most first.
        more: scorers without a row.
        notes: what the figures are.
    """

    suite: str
    brief: str
    rows: tuple[ScorerRow, ...]
    more: int
    notes: tuple[str, ...]

    @property
    def weighted(self) -> bool:
        """Whether any has a weight to show."""
        return any(row.weight for row in self.rows)

    @property
    def passing(self) -> bool:
        """Whether any of them is required."""
        return any(row.passed for row in self.rows)


@dataclass(frozen=True, slots=True)
class DimensionRow:
    """One dimension of a rubric.

    Args:
        weight: `20 %`.
        scores: `3.90 → 3.40 of 5`, or that of the only arm.
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
        suite: empty in a run over one suite.
        scorer: name of the rubric.
        scale: `1 to 5`.
    """

    suite: str
    scorer: str
    scale: str
    compared: bool
    rows: tuple[DimensionRow, ...]


@dataclass(frozen=True, slots=True)
class PromiseRow:
    """One rule.

    Args:
        words: the state in words, `dropped`.
        rule: its id.
        before, after: wordings; empty where there is none.
        evidence: the prompt's words that it rested on, or now rests on.
        reason: why, or why that is unknown; empty where nothing needs saying.
        tried: how well both versions keep it, on tests made for it; empty where there were none.
        broken: no answer of the new prompt keeps it.
        intended: the author must confirm the change.
    """

    state: ChangeState
    words: str
    rule: str
    before: str
    after: str
    evidence: str
    reason: str
    tried: str
    intended: bool
    broken: bool = False


@dataclass(frozen=True, slots=True)
class InputRow:
    """One component of the input.

    Args:
        words: what became of it.
        before, after: its description; empty where it is not there.
    """

    words: str
    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PromiseTable:
    """The promises of one suite's prompt.

    Args:
        suite: empty where there is only one.
        brief: `1 dropped, 2 new, 12 unchanged`.
        rows: the most important first.
        folded: less important rules: those beyond the first few, and those that were only reworded.
        more: rules without a row.
        inputs: what changed in the input.
        notes: what could not be done, and who compared the wordings.
    """

    suite: str
    brief: str
    rows: tuple[PromiseRow, ...]
    folded: tuple[PromiseRow, ...]
    more: int
    inputs: tuple[InputRow, ...]
    notes: tuple[str, ...]

    @property
    def folded_brief(self) -> str:
        """`3 more rules, 1 part of the input`."""
        rules = counted(len(self.folded), "more rule") if self.folded else ""
        inputs = counted(len(self.inputs), "part of the input", "parts of the input") if self.inputs else ""
        return ", ".join(filter(None, (rules, inputs)))
