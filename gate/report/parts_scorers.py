"""Parts of a report: what single scorers say."""

from dataclasses import dataclass


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
