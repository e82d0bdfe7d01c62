"""What is scored, and what a panel needs of a scorer that asks a model or runs code."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from gate.cases.case import Case
from gate.config.models import ModelRef, Params
from gate.record.sample import Reply, Score
from gate.record.transcript import Transcript
from gate.record.usage import Cost


@dataclass(frozen=True, slots=True)
class Subject:
    """One answer to score.

    Args:
        text: the model's, untrusted.
        latency_s: seconds; None where time means nothing.
        cost: None where it is unknown.
        transcript: of the conversation that the answer ends; None without one.
    """

    case: Case
    text: str
    latency_s: float | None = None
    cost: Cost | None = None
    transcript: Transcript | None = None

    @property
    def conversed(self) -> bool:
        """Did the agent get more than one message?"""
        return self.transcript is not None and len(self.transcript.turns) > 1

    @classmethod
    def of(cls, case: Case, reply: Reply) -> "Subject":
        """The answer in a reply."""
        return cls(case, reply.text, reply.latency_s, reply.cost, reply.transcript)


SHOWN_FIRST, SHOWN_SECOND = "shown first", "shown second"
"""Names of the parts of a pairwise score: the place in which the answer was shown."""

Member: TypeAlias = tuple[ModelRef, Params]
"""A judging model and its parameters."""


class CodeScorer(Protocol):
    """A scoring function of the repository."""

    async def score(self, subject: Subject, index: int) -> Score:
        """Score one answer; whatever prevents a score is `Unscored`."""
        ...


class ModelScorer(Protocol):
    """A judge, a rubric, or a jury of several."""

    @property
    def members(self) -> Sequence[Member]:
        """The models that are asked, each for its own opinion."""
        ...

    async def score(self, subject: Subject, index: int) -> Score:
        """Score one answer; whatever prevents a score is `Unscored`.

        Args:
            index: of the sample, so that equal answers of different samples are judged apart.
        """
        ...
