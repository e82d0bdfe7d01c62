"""Parts of a report: suites with one arm, whose prompt is new or is checked."""

from dataclasses import dataclass

from gate.domain.checked import CaseState
from gate.domain.passrate import PassState
from gate.report.parts.cases import FailingCase


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
