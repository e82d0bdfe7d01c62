"""Takes the samples: a fixed number of workers, one job each at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gate.calls.stop import Stop
from gate.domain.absence import Failed
from gate.domain.sample import Sample
from gate.engine.plan import Job

FAILURES_IN_A_ROW = 25
"""With no success before them, so many failures mean that the service is not there: asking on is a waste."""


@dataclass(slots=True)
class Runner:
    """Runs jobs and hands every finished sample on.

    Args:
        take: does one job and gives the samples that are finished by it, which may be none yet, or that of an earlier
            job beside its own; a failure is part of the sample, an exception ends the run.
        on_sample: sees each sample as soon as it is finished, in order of completion.
        stop: set from outside, or by the runner when nothing answers.
        workers: jobs of one queue in work at once, 1 or more.
    """

    take: Callable[[Job], Awaitable[Sequence[Sample]]]
    on_sample: Callable[[Sample], None]
    stop: Stop
    workers: int
    _failures: int = field(default=0, init=False)
    _answered: bool = field(default=False, init=False)

    async def run(self, *queues: Iterator[Job]) -> None:
        """Work until the jobs of all queues are done or the switch is set.

        Args:
            queues: each has workers of its own, so that none has to wait for another.

        Raises:
            GateError: the first one that a job raised; the other workers are cancelled before.
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
    """Let workers work until all are done or the switch gives them up.

    Args:
        workers: one at least.
        stop: the switch of the run.

    Raises:
        GateError: the first one that a worker raised; the others are cancelled before.
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
