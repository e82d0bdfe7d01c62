"""What a panel needs of a scorer that asks a model, or that runs code of the repository."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from gate.domain.model import ModelRef, Params
from gate.domain.sample import Score
from gate.scoring.subject import Subject

Member: TypeAlias = tuple[ModelRef, Params]
"""Who judges, and with which parameters."""


class CodeScorer(Protocol):
    """A function of the repository."""

    async def score(self, subject: Subject, index: int) -> Score:
        """Score one answer; whatever keeps it from a score is `Unscored`.

        Args:
            subject: the answer.
            index: sample index.
        """
        ...


class ModelScorer(Protocol):
    """A judge, a rubric, or a jury of several."""

    @property
    def members(self) -> Sequence[Member]:
        """The models that are asked, each for an opinion of its own."""
        ...

    async def score(self, subject: Subject, index: int) -> Score:
        """Score one answer; whatever keeps it from a score is `Unscored`.

        Args:
            subject: the answer.
            index: sample index, so that equal answers of different samples are judged apart.
        """
        ...
