"""Suites in, record out: takes the samples, compares, decides."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from gate.calls.port import Calls
from gate.domain.absence import Failed, Unscored
from gate.domain.caching import CacheTerms
from gate.domain.case import ScorerSpec
from gate.domain.jsonvalue import digest
from gate.domain.record import RunRecord
from gate.domain.sample import ArmName, Sample
from gate.domain.suite import Arm
from gate.engine.assess import Assessor
from gate.engine.caching import cache_comparisons
from gate.engine.pairs import by_case
from gate.engine.plan import Job, count, jobs
from gate.engine.run import Runner, Stop
from gate.flows.ports import Progress, RunSink
from gate.flows.record import Finished, record
from gate.flows.resolve import Resolved
from gate.scoring.judge import Judge
from gate.scoring.panel import Panel
from gate.targets.prompt import PromptTarget


@dataclass(frozen=True, slots=True)
class Tools:
    """What an evaluation works with; `bootstrap` makes them.

    Args:
        calls: sends requests under one policy of retries, limits and budgets.
        judge: makes a judge of a scorer of kind `judge`.
        spent_usd: dollars spent so far, or None where that is not known.
        caching: on what terms the provider of an arm caches prompts.
        exhausted: why the budget allows no more calls, or None.
        sink: keeps samples and the record.
        progress: tells the user.
        workers: samples in work at once.
        apart: the candidate's samples are numbered on from the baseline's, so that no seed and no cache gives a prompt
            that is compared with itself the same answers twice.
    """

    calls: Calls
    judge: Callable[[ScorerSpec], Judge]
    spent_usd: Callable[[], float | None]
    caching: Callable[[Arm], CacheTerms]
    exhausted: Callable[[], str | None]
    sink: RunSink
    progress: Progress
    workers: int
    apart: bool = False


def default_seed(resolved: Resolved) -> int:
    """A hash of the base commit, which holds the exam, so that neither a rerun nor the change can reroll the verdict.

    Where no commit is known, files were named, and the hash is that of their exams.
    """
    compared = [(suite, suite.baseline.version.sha) for suite in resolved.suites if suite.baseline is not None]
    return int(digest([*sorted({sha or suite.exam.digest for suite, sha in compared})])[:12], 16)


async def evaluate(resolved: Resolved, tools: Tools, seed: int, stop: Stop) -> RunRecord:
    """Run every suite and judge the difference; a new prompt is judged on its own.

    Args:
        resolved: what there is to evaluate; at least one suite.
        tools: calls, scorers, sink and progress.
        seed: of the statistics.
        stop: ends the run early when it is set from outside.

    Returns:
        The record, which has also been given to the sink.

    Raises:
        GateError: a mistake that no retry mends (wrong key, unknown model).
    """
    started, created = time.perf_counter(), datetime.now(UTC)
    work = _Work(resolved, tools, stop)
    total = count(resolved.suites)
    tools.progress.start(total)
    try:
        runner = Runner(work.take, work.keep, stop, min(tools.workers, total))
        await runner.run(jobs(resolved.suites))
    finally:
        tools.progress.finish()
    assessment = Assessor(resolved.suites, resolved.policy, seed).assess(work.samples, stop.reason)
    duration_s = time.perf_counter() - started
    caching = cache_comparisons(resolved.suites, by_case(work.samples), tools.caching, resolved.policy.alpha)
    finished = Finished(resolved, work.samples, assessment, caching, seed, created, duration_s)
    run = record(finished)
    tools.sink.run(run)
    return run


@dataclass(slots=True)
class _Work:
    """Takes one sample after another and keeps them."""

    resolved: Resolved
    tools: Tools
    stop: Stop
    samples: list[Sample] = field(default_factory=list)
    _panels: Mapping[str, Panel] = field(init=False)
    _target: PromptTarget = field(init=False)

    def __post_init__(self) -> None:
        self._target = PromptTarget(self.tools.calls)
        self._panels = {suite.name: Panel(suite.exam.scorers, self.tools.judge) for suite in self.resolved.suites}

    async def take(self, job: Job) -> Sample:
        shift = job.suite.samples if self.tools.apart and job.arm is ArmName.CANDIDATE else 0
        reply = await self._target.answer(job.suite.arm(job.arm), job.case, job.index + shift)
        name, case_id = job.suite.name, job.case.id
        if isinstance(reply, Failed):
            if reason := self.tools.exhausted():
                self.stop.drain(reason)
            return Sample(name, case_id, job.arm, job.index, reply, (), Unscored(reply.reason))
        if reply.stop_reason in ("length", "max_tokens") and not reply.text:
            empty = Unscored("the reply was cut off before any text came: raise max_output_tokens")
            return Sample(name, case_id, job.arm, job.index, reply, (), empty)
        scores, score = await self._panels[name].score(job.case, reply.text, job.index + shift)
        return Sample(name, case_id, job.arm, job.index, reply, scores, score)

    def keep(self, sample: Sample) -> None:
        self.samples.append(sample)
        self.tools.sink.sample(sample)
        self.tools.progress.advance(sample, self.tools.spent_usd())
