"""What is scored: one answer to one case, with what it took."""

from dataclasses import dataclass

from gate.domain.case import Case
from gate.domain.sample import Reply
from gate.domain.transcript import Transcript
from gate.domain.usage import Cost


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
