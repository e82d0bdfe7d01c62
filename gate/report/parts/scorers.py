"""Parts of a report: what single scorers say."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScorerRow:
    """One scorer before and after.

    Args:
        name: its name.
        weight: its share in the score, `20 %`; empty where the cases have no common one.
        cases: how many.
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
        suite: its name; empty in a run over one suite.
        brief: what moved most, in a line: `tone −0.120, contains 0.000 and 2 more`.
        rows: those that moved most first.
        more: how many there are no rows for.
        notes: what the figures are.
    """

    suite: str
    brief: str
    rows: tuple[ScorerRow, ...]
    more: int
    notes: tuple[str, ...]

    @property
    def weighted(self) -> bool:
        """Have they weights to show?"""
        return any(row.weight for row in self.rows)

    @property
    def passing(self) -> bool:
        """Is any of them required?"""
        return any(row.passed for row in self.rows)


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
