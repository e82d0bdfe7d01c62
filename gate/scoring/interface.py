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
    """One answer.

    Args:
        case: that was asked.
        text: the model's text, hostile.
        latency_s: seconds that it took; None where time means nothing.
        cost: its price; None where nobody knows of one.
        transcript: of the conversation that it ends; None where there was none.
    """

    case: Case
    text: str
    latency_s: float | None = None
    cost: Cost | None = None
    transcript: Transcript | None = None

    @property
    def conversed(self) -> bool:
        """Was more said to the agent than one message?"""
        return self.transcript is not None and len(self.transcript.turns) > 1

    @classmethod
    def of(cls, case: Case, reply: Reply) -> "Subject":
        """The answer that a reply gives."""
        return cls(case, reply.text, reply.latency_s, reply.cost, reply.transcript)


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
