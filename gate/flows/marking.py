"""Answers become samples with scores; where a scorer compares the arms, one answer of a pair waits for the other."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from gate.domain.absence import Failed, Unscored
from gate.domain.ending import CUT_OFF
from gate.domain.sample import ArmName, Reply, Sample, Score
from gate.engine.plan import Job
from gate.scoring.combine import combine
from gate.scoring.panel import Panel
from gate.scoring.subject import Subject

NO_RIVAL = "the other arm gave no answer to compare with"
CUT_SHORT = "the run ended before the other arm had answered"


@dataclass(frozen=True, slots=True)
class _Half:
    """One arm's part of a pair.

    Args:
        job: what was asked.
        reply: the answer, or why there is none.
        scores: of the scorers that look at one answer alone.
        unscored: why there is no score whatever the other arm says; None where there can be one.
    """

    job: Job
    reply: Reply | Failed
    scores: tuple[Score, ...] = ()
    unscored: Unscored | None = None

    def sample(self, more: tuple[Score, ...] = (), unscored: Unscored | None = None) -> Sample:
        """The finished sample.

        Args:
            more: scores that compare.
            unscored: why there are none.
        """
        scores = self.scores + more
        score = self.unscored or unscored or combine(scores)
        job = self.job
        return Sample(job.suite.name, job.case.id, job.arm, job.index, self.reply, scores, score, job.warmup)


@dataclass(slots=True)
class Marking:
    """Scores the answers of a run.

    Args:
        panel: gives the scorers of a suite.
        on_unscored: is told where an answer has no score.
    """

    panel: Callable[[str], Panel]
    on_unscored: Callable[[], None]
    _waiting: dict[tuple[str, str, int], _Half] = field(default_factory=dict, init=False)

    async def samples(self, job: Job, index: int, reply: Reply | Failed) -> tuple[Sample, ...]:
        """What is finished by this answer: its own sample, that of the whole pair, or nothing yet.

        Args:
            job: what was asked.
            index: under which its judges know the answer.
            reply: the answer, or why there is none.
        """
        panel = self.panel(job.suite.name)
        half = await self._half(panel, job, index, reply)
        if not (job.suite.baseline and panel.compares(job.case)):
            return (half.sample(),)
        key = job.suite.name, job.case.id, job.index
        other = self._waiting.pop(key, None)
        if other is None:
            self._waiting[key] = half
            return ()
        return await self._compared(panel, *(half, other) if job.arm is ArmName.BASELINE else (other, half))

    def rest(self) -> Iterator[Sample]:
        """Samples whose other half never came; they are given out once."""
        while self._waiting:
            _, half = self._waiting.popitem()
            yield half.sample(unscored=Unscored(CUT_SHORT))

    async def _half(self, panel: Panel, job: Job, index: int, reply: Reply | Failed) -> _Half:
        if isinstance(reply, Failed):
            self.on_unscored()
            return _Half(job, reply, unscored=Unscored(reply.reason))
        if reply.stop_reason in CUT_OFF and not reply.text:
            why = Unscored("the reply was cut off before any text came: raise max_output_tokens")
            return _Half(job, reply, unscored=why)
        scores = await panel.scores(Subject.of(job.case, reply), index)
        if any(isinstance(score.value, Unscored) for score in scores):
            self.on_unscored()
        return _Half(job, reply, scores)

    async def _compared(self, panel: Panel, baseline: _Half, candidate: _Half) -> tuple[Sample, ...]:
        case, (left, right) = baseline.job.case, (baseline.reply, candidate.reply)
        if isinstance(left, Failed) or isinstance(right, Failed) or baseline.unscored or candidate.unscored:
            return tuple(half.sample(unscored=Unscored(NO_RIVAL)) for half in (baseline, candidate))
        pair = Subject.of(case, left), Subject.of(case, right)
        more = await panel.compared(*pair, baseline.job.index)
        if any(isinstance(score.value, Unscored) for scores in more for score in scores):
            self.on_unscored()
        return baseline.sample(more[0]), candidate.sample(more[1])
