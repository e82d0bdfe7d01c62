"""Parts of a report: suites with two arms, slice by slice."""

from dataclasses import dataclass

from gate.domain.verdict import State
from gate.domain.words import counted

_NEEDLESS = (State.NOISE, State.TOO_FEW)
_REMARKABLE = ((State.REGRESSION, "regression"), (State.SUSPECT, "suspect"), (State.IMPROVEMENT, "improvement"))


@dataclass(frozen=True, slots=True)
class Axes:
    """The three axes of one suite.

    Args:
        suite: its name; empty in a run over one suite.
        quality, cost, latency: changes with their intervals, or why there are none.
        quiet: no slice is shown to have moved, and neither cost nor latency is beyond its allowance.
    """

    suite: str
    quality: str
    cost: str
    latency: str
    quiet: bool = False


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
        dagger: the familiar rule alone would have failed it.
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
        folded: the rest.
    """

    suite: str
    scale: str
    rows: tuple[Row, ...]
    folded: tuple[Row, ...]

    @property
    def quiet(self) -> bool:
        """No row moved, or may have."""
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
