"""Several judges of one answer: each is asked, and their opinions become one score."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from gate.calls.together import together
from gate.config.scorerspec import ScorerSpec
from gate.domain.absence import Unscored
from gate.domain.rubric import Rubric
from gate.domain.sample import Part, Score
from gate.domain.usage import Cost, added
from gate.scoring.port import Member, ModelScorer
from gate.scoring.subject import Subject

COMBINERS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    # More than half of the judges give at least this, and it is the highest score of which that is true: so it reaches
    # a threshold exactly where a majority of the judges does.
    "majority": statistics.median_low,
}


@dataclass(frozen=True, slots=True)
class Jury:
    """Judges of one scorer.

    Args:
        spec: with `models` and `combine`.
        judges: one for each model, in that order.
    """

    spec: ScorerSpec
    judges: tuple[ModelScorer, ...]

    @property
    def members(self) -> tuple[Member, ...]:
        """All judges."""
        return tuple(member for judge in self.judges for member in judge.members)

    async def score(self, subject: Subject, index: int) -> Score:
        """Ask all of them at once; see `gate.scoring.port.ModelScorer`.

        Returns:
            A score whose parts are each judge's own, and those of a rubric's dimensions, combined in the same way.
            `Unscored` where one judge has no opinion: without it the others would be another jury.
        """
        scores = await together(judge.score(subject, index) for judge in self.judges)
        found = [(str(judge.members[0][0]), score) for judge, score in zip(self.judges, scores, strict=True)]
        cost: Cost | None = None
        for score in scores:
            cost = added(cost, score.cost)
        paid = Score(
            self.spec.name,
            Unscored("not judged"),
            weight=self.spec.weight,
            required=self.spec.required,
            calls=sum(score.calls for score in scores),
            retries=sum(score.retries for score in scores),
            cost=cost,
            reused=sum(score.reused for score in scores),
        )
        values: list[tuple[str, float]] = []
        for name, score in found:
            if isinstance(score.value, Unscored):
                return replace(paid, value=Unscored(f"{name}: {score.value.reason}"))
            values.append((name, score.value))
        combine = combiner(self.spec)
        judges = tuple(Part("judge", name, value) for name, value in values)
        told = (f"{name} {self._graded(value)}" for name, value in values)
        reason = " | ".join(f"{one}: {score.reason}" for one, score in zip(told, scores, strict=True))
        value = combine([value for _, value in values])
        return replace(paid, value=value, reason=reason, parts=(*_dimensions(scores, combine), *judges))

    def _graded(self, value: float) -> str:
        """An opinion as whoever reads it knows it: on the scale of the rubric, where there is one."""
        if self.spec.kind != "rubric":
            return f"{value:.2f}"
        rubric = Rubric.of(self.spec.options)
        return f"{rubric.score(value):.2f} of {rubric.high:g}"


def combiner(spec: ScorerSpec) -> Callable[[Sequence[float]], float]:
    """How a jury's opinions become one.

    Args:
        spec: with `combine`.
    """
    return COMBINERS[str(spec.options.get("combine", "median"))]


def _dimensions(scores: Sequence[Score], combine: Callable[[Sequence[float]], float]) -> list[Part]:
    """Each dimension of a rubric, over all judges."""
    per_judge = [[part for part in score.parts if part.kind == "dimension"] for score in scores]
    return [replace(parts[0], value=combine([part.value for part in parts])) for parts in zip(*per_judge, strict=True)]
