"""All scorers of a suite, applied to one answer."""

from collections.abc import Callable
from dataclasses import dataclass

from gate.domain.absence import Unscored
from gate.domain.case import ScorerSpec
from gate.domain.sample import Score
from gate.domain.suite import Exam
from gate.scoring.combine import combine
from gate.scoring.port import ModelScorer
from gate.scoring.subject import Subject
from gate.scoring.validators.registry import validate


@dataclass(frozen=True, slots=True)
class Panel:
    """The scorers of one suite.

    Args:
        exam: says which scorers count for a case.
        judge: makes a judge out of a scorer that asks a model.
    """

    exam: Exam
    judge: Callable[[ScorerSpec], ModelScorer]

    async def score(self, subject: Subject, index: int) -> tuple[tuple[Score, ...], float | Unscored]:
        """Every scorer's score, and the combined one.

        Args:
            subject: the answer.
            index: sample index.
        """
        scores = [await self._one(spec, subject, index) for spec in self.exam.scorers_of(subject.case)]
        return tuple(scores), combine(scores)

    async def _one(self, spec: ScorerSpec, subject: Subject, index: int) -> Score:
        return await self.judge(spec).score(subject, index) if spec.judged else validate(spec, subject)
