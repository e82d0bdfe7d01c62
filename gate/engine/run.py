"""The workers that take samples and score them, and the interfaces that they need."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from gate.calls.interface import Stop
from gate.engine.schedule import Job
from gate.record.run import RunRecord
from gate.record.sample import CUT_OFF, ArmName, Reply, Sample, Score, Words
from gate.record.transcript import Failed, Unscored
from gate.scoring.interface import Subject, combine_scores
from gate.scoring.panel import Panel


class RunSink(Protocol):
    """Keeps the record of a run."""

    def sample(self, sample: Sample) -> int:
        """Keep one finished sample at once, so that nothing is lost when the run is killed.

        The result is the place of its texts, for `words`.
        """

    def words(self, place: int) -> Words:
        """The texts of a sample that was kept."""

    def run(self, run: RunRecord) -> None:
        """Keep the finished run."""


class Progress(Protocol):
    """Tells the user how far the run is."""

    def start(self, total: int) -> None:
        """`total` samples will be taken."""

    def advance(self, sample: Sample, spent_usd: float | None) -> None:
        """One sample is finished; `spent_usd` is the total so far, None where it is not known."""

    def finish(self) -> None:
        """No more samples will come."""


class Steps(Protocol):
    """Tells the user how far work without samples is."""

    def start(self, total: int) -> None:
        """About `total` steps will be taken."""

    def step(self, spent_usd: float | None, *, failed: bool = False) -> None:
        """One more step is taken; `spent_usd` is the total so far, None where it is not known."""

    def finish(self) -> None:
        """No more steps will come."""


class SilentProgress:
    """Tells nothing."""

    def start(self, total: int) -> None:
        return

    def advance(self, sample: Sample, spent_usd: float | None) -> None:
        return

    def step(self, spent_usd: float | None, *, failed: bool = False) -> None:
        return

    def finish(self) -> None:
        return


class Tracing(Protocol):
    """Traces each sample, for monitoring from outside."""

    def sample(self, job: Job) -> AbstractContextManager[None]:
        """A sample is taken; requests inside the context belong to it."""

    def finished(self, sample: Sample) -> None:
        """The finished sample, which may be known only after its context has ended."""


class Notes(Protocol):
    """Tells the user what should be known before anything is spent, and keeps it for the record."""

    def begin(self, known: int) -> None:
        """So many answers are known; the first call comes next."""

    def all(self, *, whole: bool) -> Sequence[str]:
        """Sentences for the record of a run that came to its end, or of one that did not."""


FAILURES_IN_A_ROW = 25
"""So many failures without a success before them mean that the service is down, and asking on is a waste."""


@dataclass(slots=True)
class Runner:
    """Runs jobs and hands every finished sample on.

    Args:
        take: does one job and gives the samples finished by it: none, one, or also that of an earlier job. A failure is
            part of the sample, an exception ends the run.
    """

    take: Callable[[Job], Awaitable[Sequence[Sample]]]
    on_sample: Callable[[Sample], None]
    stop: Stop
    workers: int
    _failures: int = field(default=0, init=False)
    _answered: bool = field(default=False, init=False)

    async def run(self, *queues: Iterator[Job]) -> None:
        """Work until the jobs of all queues are done or the switch is set.

        Each queue has its own workers, so that none has to wait for another.

        Raises:
            GateError: the first one that a job raised; the other workers are cancelled first.
        """
        await until_done([self._work(jobs) for jobs in queues for _ in range(self.workers)], self.stop)

    async def _work(self, jobs: Iterator[Job]) -> None:
        for job in jobs:
            if self.stop.reason is not None:
                return
            for sample in await self.take(job):
                self._watch(sample)
                self.on_sample(sample)

    def _watch(self, sample: Sample) -> None:
        if not isinstance(sample.reply, Failed):
            self._answered = True
            return
        self._failures += 1
        if not self._answered and self._failures >= FAILURES_IN_A_ROW:
            self.stop.drain(f"the first {self._failures} calls all failed; the last one: {sample.reply.reason}")


async def until_done(workers: Sequence[Coroutine[object, object, None]], stop: Stop) -> None:
    """Run workers, at least one, until all are done or the switch gives them up.

    Raises:
        GateError: the first one that a worker raised; the others are cancelled first.
    """
    tasks = [asyncio.ensure_future(worker) for worker in workers]
    stop.abandon_with(lambda: _cancel(tasks))
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            if not task.cancelled():
                task.result()
    finally:
        _cancel(tasks)
        await asyncio.gather(*tasks, return_exceptions=True)


def _cancel(tasks: Iterable[asyncio.Future[None]]) -> None:
    for task in tasks:
        task.cancel()


NO_RIVAL = "the other arm gave no answer to compare with"
CUT_SHORT = "the run ended before the other arm had answered"


@dataclass(frozen=True, slots=True)
class _Half:
    """One arm's part of a pair.

    Args:
        unscored: why there is no score, whatever the other arm says; None where there can be one.
    """

    job: Job
    reply: Reply | Failed
    scores: tuple[Score, ...] = ()
    unscored: Unscored | None = None

    def sample(self, more: tuple[Score, ...] = (), unscored: Unscored | None = None) -> Sample:
        """The finished sample; `more` has the scores of scorers that compare."""
        scores = self.scores + more
        score = self.unscored or unscored or combine_scores(scores)
        job = self.job
        return Sample(job.suite.name, job.case.id, job.arm, job.index, self.reply, scores, score, job.warmup)


@dataclass(slots=True)
class Marking:
    """Scores the answers of a run."""

    panel: Callable[[str], Panel]
    on_unscored: Callable[[], None]
    _waiting: dict[tuple[str, str, int], _Half] = field(default_factory=dict, init=False)

    async def samples(self, job: Job, index: int, reply: Reply | Failed) -> tuple[Sample, ...]:
        """The samples that this answer finishes: its own, that of the whole pair, or none yet.

        Its judges know the answer under `index`; `reply` may be a failure.
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
