"""Parts of a report: single cases, with what was asked and answered."""

from dataclasses import dataclass

from gate.report.differences.answers import Diff
from gate.report.parts.conversations import TalkView


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of one arm, or several that are alike.

    Args:
        label: score and samples.
        text: the answer; None when there is none.
        reasons: of scorers and judges, those of the lowest scores first.
        folded: further reasons, of scores as high or higher.
        talk: the conversation that it ended; None where it was one reply.
    """

    label: str
    text: str | None
    reasons: tuple[str, ...]
    folded: tuple[str, ...] = ()
    talk: TalkView | None = None


@dataclass(frozen=True, slots=True)
class CaseView:
    """One case that fell.

    Args:
        name: id, with the suite in front in a run over several.
        slices: `lang=de, tier=free`.
        scores: mean scores, `1.000 → 0.000`.
        question, expected: as the case has them; None when not kept.
        baseline, candidate: answers of the arms, the best of one and the worst of the other first; empty when not kept.
        diff: of the first of each; None where one of them is no answer.
    """

    name: str
    slices: str
    scores: str
    question: str | None
    expected: str | None
    baseline: tuple[Answer, ...]
    candidate: tuple[Answer, ...]
    diff: Diff | None = None

    @property
    def others(self) -> int:
        """Answers that are not in the difference."""
        return len(self.baseline) + len(self.candidate) - 2 * (self.diff is not None)


@dataclass(frozen=True, slots=True)
class FailingCase:
    """One case of a new prompt with answers that do not pass.

    Args:
        name: its id.
        slices: `lang=de, tier=free`.
        passed: `1 of 3 answers pass`.
        question, expected: as the case has them; None when not kept.
        answers: empty when not kept.
    """

    name: str
    slices: str
    passed: str
    question: str | None
    expected: str | None
    answers: tuple[Answer, ...]
