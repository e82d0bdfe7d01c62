"""All scorers of a suite, applied to one answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gate.domain.absence import Unscored
from gate.domain.case import Case, ScorerSpec
from gate.domain.sample import Score
from gate.scoring.combine import combine
from gate.scoring.judge import Judge
from gate.scoring.validators import VALIDATORS, validate


@dataclass(frozen=True, slots=True)
class Panel:
    """The scorers of one suite.

    Args:
        scorers: the suite's scorers, for cases that bring none of their own.
        judge: makes a judge out of a scorer of kind `judge`.
    """

    scorers: tuple[ScorerSpec, ...]
    judge: Callable[[ScorerSpec], Judge]

    async def score(self, case: Case, answer: str, index: int) -> tuple[tuple[Score, ...], float | Unscored]:
        """Every scorer's score, and the combined one.

        Args:
            case: the case that was asked.
            answer: the model's text.
            index: sample index.
        """
        scores = [await self._one(spec, case, answer, index) for spec in self._specs(case)]
        return tuple(scores), combine(scores)

    def _specs(self, case: Case) -> Sequence[ScorerSpec]:
        return self.scorers if case.scorers is None else case.scorers

    async def _one(self, spec: ScorerSpec, case: Case, answer: str, index: int) -> Score:
        if spec.kind in VALIDATORS:
            return validate(spec, case, answer)
        return await self.judge(spec).score(case, answer, index)
