"""All scorers of a suite, applied to one answer, or to the answers of both arms."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gate.calls.together import together
from gate.config.scorerspec import ScorerSpec
from gate.domain.case import Case
from gate.domain.sample import Score
from gate.domain.suite import Exam
from gate.scoring.pairwise import PairwiseJudge
from gate.scoring.port import CodeScorer, ModelScorer
from gate.scoring.rounds import joined, own_rule, scenes
from gate.scoring.subject import Subject
from gate.scoring.validators.registry import validate


@dataclass(frozen=True, slots=True)
class Panel:
    """The scorers of one suite.

    Args:
        exam: says which scorers count for a case.
        judge: makes a judge out of a scorer that asks a model about one answer.
        pairwise: makes one out of a scorer that asks a model about two.
        code: makes what calls the function of a scorer that is one, for an exam.
    """

    exam: Exam
    judge: Callable[[ScorerSpec], ModelScorer]
    pairwise: Callable[[ScorerSpec], PairwiseJudge]
    code: Callable[[ScorerSpec, Exam], CodeScorer]

    def compares(self, case: Case) -> bool:
        """Does a scorer of this case need the answers of both arms?"""
        return any(spec.comparative for spec in self.exam.scorers_of(case))

    async def scores(self, subject: Subject, index: int) -> tuple[Score, ...]:
        """The scores of those scorers that look at one answer alone; those that have to wait do so together.

        Args:
            subject: the answer.
            index: sample index.
        """
        alone = [spec for spec in self.exam.lasting_scorers_of(subject.case) if not spec.comparative]
        rounds = scenes(subject)
        if not rounds:
            return await self._all([(spec, subject) for spec in alone], index)
        asked = [(0, spec, subject) for spec in alone if spec.whole]
        for scene in rounds:
            lasting = (spec for spec in alone if not spec.whole)
            asked += [(scene.number, spec, scene.subject) for spec in (*lasting, *scene.round.scorers)]
        scores = await self._all([(spec, shown) for _, spec, shown in asked], index)
        found: dict[str, list[tuple[int, Score]]] = {spec.name: [] for spec in alone}
        for (number, spec, _), score in zip(asked, scores, strict=True):
            found.setdefault(spec.name, []).append((number, score))
        rule = self.exam.conversing.score
        names = {spec.name for spec in alone}
        return tuple(joined(own, rule if name in names else own_rule(rule)) for name, own in found.items())

    async def _all(self, wanted: Sequence[tuple[ScorerSpec, Subject]], index: int) -> tuple[Score, ...]:
        """The scores in the order of what is wanted; whoever has to be waited for is asked at once."""
        said = iter(await together(self._asked(spec, shown, index) for spec, shown in wanted if _asks(spec)))
        return tuple(next(said) if _asks(spec) else validate(spec, shown) for spec, shown in wanted)

    async def compared(
        self, baseline: Subject, candidate: Subject, index: int
    ) -> tuple[tuple[Score, ...], tuple[Score, ...]]:
        """The scores of those that compare, for either answer.

        Args:
            baseline, candidate: answers to the same case.
            index: sample index.
        """
        both = [spec for spec in self.exam.scorers_of(baseline.case) if spec.comparative]
        found = await together(self.pairwise(spec).compare(baseline, candidate, index) for spec in both)
        return tuple(one for one, _ in found), tuple(other for _, other in found)

    async def _asked(self, spec: ScorerSpec, subject: Subject, index: int) -> Score:
        scorer = self.code(spec, self.exam) if spec.coded else self.judge(spec)
        return await scorer.score(subject, index)


def _asks(spec: ScorerSpec) -> bool:
    """Does somebody else give the score: a model, or a function in another process?"""
    return spec.coded or spec.judged
