"""What judges say of single rounds, told as they say it: the sample has all of it only once it is finished."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gate.config.scorerspec import ScorerSpec
from gate.domain.absence import Unscored
from gate.domain.sample import Score
from gate.flows.collect import Tools
from gate.report.cases.sidebyside import REASON_CHARS
from gate.report.slices import short
from gate.scoring.port import Member, ModelScorer
from gate.scoring.subject import Subject
from gate.web.jobs.progress import Event


def overheard(tools: Tools, tell: Callable[[Event], None]) -> Tools:
    """The same, with judges that are listened to.

    Args:
        tools: of a run.
        tell: is given each opinion as an event.
    """

    def judge(spec: ScorerSpec) -> ModelScorer:
        return _Overheard(tools.judge(spec), spec.name, tell)

    return replace(tools, judge=judge)


@dataclass(frozen=True, slots=True)
class _Overheard:
    """See `gate.scoring.port.ModelScorer`."""

    judge: ModelScorer
    name: str
    tell: Callable[[Event], None]

    @property
    def members(self) -> Sequence[Member]:
        return self.judge.members

    async def score(self, subject: Subject, index: int) -> Score:
        score = await self.judge.score(subject, index)
        turns = subject.transcript.turns if subject.transcript is not None else ()
        missing = isinstance(score.value, Unscored)
        self.tell(
            {
                "is": "opinion",
                "sample": index + 1,
                "round": turns[-1].round + 1 if turns else 1,
                "scorer": short(self.name),
                "value": None if isinstance(score.value, Unscored) else score.value,
                "reason": short(score.value.reason if missing else score.reason, REASON_CHARS),  # type: ignore[union-attr]
            }
        )
        return score
