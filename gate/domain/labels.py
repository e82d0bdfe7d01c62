"""Answers that people have labelled: what a judge is measured against."""

from dataclasses import dataclass

from gate.domain.case import Case


@dataclass(frozen=True, slots=True)
class LabelScale:
    """The scale on which people gave numbers; 1 to 5 of a rubric, or 0 to 1."""

    low: float = 0.0
    high: float = 1.0

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high

    def share(self, value: float) -> float:
        """A number of the scale as one in [0, 1]."""
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Labelled:
    """One recorded answer.

    Args:
        case: what was asked; carries criteria, reference, slices and cluster.
        output: the answer, hostile.
        labels: one for each person, in [0, 1]; None where a person gave none.
    """

    case: Case
    output: str
    labels: tuple[float | None, ...]

    @property
    def given(self) -> tuple[float, ...]:
        return tuple(one for one in self.labels if one is not None)


@dataclass(frozen=True, slots=True)
class Labels:
    """A file of labelled answers.

    Args:
        file: as the user named it.
        digest: SHA-256 of its text.
        rows: in file order, at least one.
        graded: people gave grades, and not pass or fail.
        scale: of the grades, as people gave them.
    """

    file: str
    digest: str
    rows: tuple[Labelled, ...]
    graded: bool
    scale: LabelScale

    @property
    def people(self) -> int:
        """The most labels that one answer has."""
        return max(len(row.given) for row in self.rows)
