"""The workers that take samples and score them, and the interfaces that they need."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import TYPE_CHECKING, Protocol, TypeAlias

from gate.agents.interface import Question, Target
from gate.calls.interface import Calls, Memory, Progress, Stop
from gate.cases.case import Case, NotBuilt
from gate.config.models import ModelRef, Params
from gate.config.scorer import ScorerSpec
from gate.engine.arrays import WANTED, SampleGrid
from gate.engine.compare import drifted
from gate.engine.samples import NOWHERE, SampleTable
from gate.engine.schedule import Job, Pair, Schedule, Share, by_lane, count, lacking, look, looks_planned, why_not
from gate.record.findings.finding import Finding
from gate.record.findings.unfinished import CannotSave, ServiceFailed
from gate.record.parts import DriftRecord
from gate.record.run import RunRecord
from gate.record.transcript import CUT_OFF, ArmName, Failed, Reply, Sample, Score, Unscored
from gate.resolve.resolved import Resolved
from gate.scoring.interface import CodeScorer, ModelScorer, Subject, combine_scores
from gate.scoring.panel import Panel
from gate.suite import Exam, Suite


class RunSink(Protocol):
    """Keeps the record of a run."""

    def sample(self, sample: Sample) -> int:
        """Keep one finished sample at once, so that nothing is lost when the run is killed; the result is its place."""

    def read(self, place: int) -> Sample:
        """The sample at a place."""

    def run(self, run: RunRecord, samples: SampleTable) -> None:
        """Keep the finished run; reports take figures and texts from its samples."""


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

    def all(self, *, whole: bool) -> Sequence[Finding]:
        """Notes for the record of a run that came to its end, or of one that did not."""


FAILURES_IN_A_ROW = 25
"""So many failures without a success before them mean that the service is down, and more calls are a waste."""


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
            self.stop.drain(ServiceFailed(calls=self._failures, error=sample.reply.reason))


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


Key: TypeAlias = tuple[str, str, int]
"""Suite, case and index of a pair."""

NO_RIVAL = "the other arm gave no answer to compare with"
CUT_SHORT = "the run ended before the other arm had answered"


@dataclass(slots=True)
class SampleScoring:
    """Scores the answers of a run."""

    panel: Callable[[str], Panel]
    on_unscored: Callable[[], None]
    _waiting: dict[Key, Sample] = field(default_factory=dict, init=False)

    async def samples(self, job: Job, index: int, reply: Reply | Failed) -> tuple[Sample, ...]:
        """The samples that this answer finishes: its own, that of the whole pair, or none yet.

        Its judges know the answer under `index`; `reply` may be a failure.
        """
        panel = self.panel(job.suite.name)
        sample = await self._scored(panel, job, index, reply)
        if not (job.suite.baseline and panel.compares(job.case)):
            return (sample,)
        key = sample.suite, sample.case_id, sample.index
        other = self._waiting.pop(key, None)
        if other is None:
            self._waiting[key] = sample
            return ()
        pair = (sample, other) if job.arm is ArmName.BASELINE else (other, sample)
        return await self._compared(panel, job.case, *pair)

    def rest(self) -> Iterator[Sample]:
        """Samples whose other half never came; they are given out once."""
        while self._waiting:
            _, sample = self._waiting.popitem()
            yield _without_comparison(sample, CUT_SHORT)

    async def _scored(self, panel: Panel, job: Job, index: int, reply: Reply | Failed) -> Sample:
        """The sample with the scores of scorers that see one answer."""
        scores: tuple[Score, ...] = ()
        if (unscored := _unscorable(reply)) is None and isinstance(reply, Reply):
            scores = await panel.scores(Subject.of(job.case, reply), index)
        if isinstance(reply, Failed) or any(isinstance(score.value, Unscored) for score in scores):
            self.on_unscored()
        combined = unscored or combine_scores(scores)
        return Sample(job.suite.name, job.case.id, job.arm, job.index, reply, scores, combined, job.warmup)

    async def _compared(self, panel: Panel, case: Case, baseline: Sample, candidate: Sample) -> tuple[Sample, ...]:
        both = baseline, candidate
        answers = [sample.reply for sample in both if isinstance(sample.reply, Reply) and not _unscorable(sample.reply)]
        if len(answers) < len(both):
            return tuple(_without_comparison(sample, NO_RIVAL) for sample in both)
        left, right = (Subject.of(case, answer) for answer in answers)
        more = await panel.compared(left, right, baseline.index)
        if any(isinstance(score.value, Unscored) for scores in more for score in scores):
            self.on_unscored()
        scored = [(sample, sample.scores + scores) for sample, scores in zip(both, more, strict=True)]
        return tuple(replace(sample, scores=scores, score=combine_scores(scores)) for sample, scores in scored)


def _unscorable(reply: Reply | Failed) -> Unscored | None:
    """Why there can be no score, whatever the other arm has; None where there can be one."""
    if isinstance(reply, Failed):
        return Unscored(reply.reason)
    if reply.stop_reason in CUT_OFF and not reply.text.strip():
        return Unscored("the reply was cut off before any text came: raise max_output_tokens")
    return None


def _without_comparison(sample: Sample, reason: str) -> Sample:
    """The sample where it could not be compared; one that can have no score keeps its own reason."""
    return sample if _unscorable(sample.reply) else replace(sample, score=Unscored(reason))


_ASKED = WANTED + 1
"""The pair that warms up does not count."""

if TYPE_CHECKING:
    from gate.scoring.judge import PairwiseJudge


@dataclass(frozen=True, slots=True)
class Tools:
    """What a run works with; `gate.app` makes them.

    Args:
        spent_usd: dollars spent so far, or None where that is not known.
        exhausted: why no more calls make sense, or None.
        apart: the candidate's sample numbers follow the baseline's, so that a prompt that is compared with itself gets
            no answer twice from the same seed or cache.
        beside: cached answers of the baseline are requested again with the candidate's, as far as `survey` chooses.
    """

    target: Target
    calls: Calls
    memory: Memory
    judge: Callable[[ScorerSpec], ModelScorer]
    pairwise: Callable[[ScorerSpec], "PairwiseJudge"]
    code: Callable[[ScorerSpec, Exam], CodeScorer]
    spent_usd: Callable[[], float | None]
    exhausted: Callable[[], Finding | None]
    sink: RunSink
    progress: Progress
    notes: Notes
    tracing: Tracing
    workers: int
    apart: bool = False
    beside: bool = True

    def panel(self, exam: Exam) -> Panel:
        """The scorers of an eval set."""
        return Panel(exam, self.judge, self.pairwise, self.code)

    def members(self, spec: ScorerSpec) -> Sequence[tuple[ModelRef, Params]]:
        """The judges of a scorer, with their parameters."""
        return self.judge(spec).members


def question_of(job: Job, *, apart: bool) -> Question:
    """The question of one sample; `apart` numbers the candidate's samples on from the baseline's."""
    suite, shift = job.suite, job.suite.samples if apart and job.arm is ArmName.CANDIDATE else 0
    return Question(suite.name, suite.arm(job.arm), job.case, job.index + shift, suite.exam)


def same_arms(suite: Suite) -> bool:
    """Would both arms send the same requests?"""
    # How long an answer is waited for is not sent.
    usual = Params().timeout_s
    arms = {
        (arm.version.prompt.digest, arm.model, arm.params.model_copy(update={"timeout_s": usual}), arm.target)
        for arm in suite.arms.values()
    }
    return suite.baseline is not None and len(arms) == 1


@dataclass(slots=True)
class KnownAnswers:
    """What is known of one suite before anything is called.

    Args:
        calls: not needed for known samples, counted as a plan counts them.
        beside: pairs whose answers are, or will be, of one process.
        chosen: pairs whose baseline is called again together with the candidate, and its earlier answer.
    """

    calls: int = 0
    beside: int = 0
    chosen: list[tuple[Pair, Reply]] = field(default_factory=list)


def survey(
    schedules: Iterable[Schedule], tools: Tools, apart: Mapping[str, bool], *, early: bool
) -> dict[str, KnownAnswers]:
    """Look up every sample of a run, and choose the baselines that are called again.

    Quality may rest on answers of earlier runs; cost, latency and drift may not. So where a baseline is known and its
    candidate is not, the baseline of some pairs, the first in the random order, is called again with it.

    Args:
        early: the run may stop after any repeat, so only the first one is sure to be called.

    Returns:
        For each suite what is known; nothing where the cache is empty.
    """
    found: dict[str, KnownAnswers] = {}
    if tools.memory.empty:
        return found
    for schedule in schedules:
        for pair in schedule.all_pairs():
            known = found.setdefault(pair.suite.name, KnownAnswers())
            replies = {job.arm: _earlier(tools, question_of(job, apart=apart[pair.suite.name])) for job in pair.jobs()}
            _count(known, pair, replies, sure=not early or pair.index == 0)
    for known in found.values():
        known.chosen = known.chosen[: max(0, _ASKED - known.beside)]
    return found


def _earlier(tools: Tools, question: Question) -> Reply | None:
    try:
        return tools.memory.earlier(tools.target.request_of(question))
    except NotBuilt:
        return None


def _count(known: KnownAnswers, pair: Pair, replies: Mapping[ArmName, Reply | None], *, sure: bool) -> None:
    there = [reply for reply in replies.values() if reply is not None]
    known.calls += len(there) * pair.case.turns
    sittings = {reply.origin.sitting for reply in there}
    if not there:
        known.beside += sure
        return
    if len(there) == len(replies) and len(sittings) == 1:
        known.beside += 1
        return
    baseline = replies.get(ArmName.BASELINE)
    if baseline is not None and len(there) < len(replies) and len(known.chosen) < _ASKED:
        known.chosen.append((pair, baseline))


async def look_for_drift(
    chosen: Sequence[tuple[Pair, Reply]], fresh: Mapping[Key, Sample], panel: Panel, seed: int, *, same_model: bool
) -> DriftRecord:
    """Compare the baseline's new answers with its earlier ones to the same requests.

    Args:
        same_model: False is drift as well: another model answers under the name.
    """
    before: list[float] = []
    after: list[float] = []
    models: set[str] = set()
    for pair, reply in chosen:
        sample = fresh.get(pair.key)
        if sample is None or not isinstance(sample.reply, Reply):
            continue
        if same_model and sample.reply.model_id != reply.model_id:
            models.add(f"{reply.model_id} became {sample.reply.model_id}")
        old, new = await _scored(panel, pair, reply, sample)
        if not isinstance(old, Unscored) and not isinstance(new, Unscored):
            before.append(old)
            after.append(new)
    if models:
        return DriftRecord(pairs=len(before), reason=f"the model behind the name changed: {min(models)}")
    if drifted(before, after, seed):
        fell = fmean(after) - fmean(before)
        return DriftRecord(pairs=len(before), reason=f"the scores of the same requests moved by {fell:+.3f}")
    return DriftRecord(pairs=len(before), reason=None)


async def _scored(panel: Panel, pair: Pair, reply: Reply, sample: Sample) -> tuple[float | Unscored, float | Unscored]:
    """Scores of the earlier and the new answer; scorers that compare get both."""
    case, now = pair.case, sample.reply
    old = await panel.scores(Subject.of(case, reply), pair.index)
    if not panel.compares(case) or not isinstance(now, Reply):
        return combine_scores(old), sample.score
    more = await panel.compared(Subject.of(case, reply), Subject.of(case, now), pair.index)
    alone = sample.scores[: len(old)]
    return combine_scores((*old, *more[0])), combine_scores((*alone, *more[1]))


@dataclass(slots=True)
class Collector:
    """Takes one sample after another and keeps them.

    Args:
        share: the part of the run that is taken here.
        samples: what was taken so far.
        drift: the results of the tests of known answers, by suite.
    """

    resolved: Resolved
    tools: Tools
    stop: Stop
    seed: int
    share: Share = Share()
    samples: SampleTable = field(init=False)
    drift: dict[str, DriftRecord] = field(default_factory=dict, init=False)
    _known: Mapping[str, KnownAnswers] = field(default_factory=dict, init=False)
    _beside: dict[Key, Sample | None] = field(default_factory=dict, init=False)
    _models: dict[tuple[str, ArmName], set[str]] = field(default_factory=dict, init=False)
    _panels: Mapping[str, Panel] = field(init=False)
    _apart: Mapping[str, bool] = field(init=False)
    _marking: SampleScoring = field(init=False)
    _unwritten: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        suites = self.resolved.suites
        self.samples = SampleTable(self.tools.sink.read)
        self._panels = {suite.name: self.tools.panel(suite.exam) for suite in suites}
        self._marking = SampleScoring(self._panels.__getitem__, self._see_whether_to_stop)
        self._apart = {suite.name: self.tools.apart or same_arms(suite) for suite in suites}

    async def collect(self) -> None:
        """Take every sample, or as many as there are when the run ends early.

        Raises:
            GateError: an error that no retry fixes (wrong key, unknown model).
        """
        schedules = [Schedule(lane, self.seed, self.share) for lane in by_lane(self.resolved.suites)]
        self._known = survey(schedules, self.tools, self._apart, early=self._looks)
        self.tools.notes.begin(sum(known.calls for known in self._known.values()))
        warmups = [pair for schedule in schedules for pair in schedule.warmups()]
        if not self.tools.beside:
            for known in self._known.values():
                known.chosen.clear()
        chosen = [pair for known in self._known.values() for pair, _ in known.chosen]
        self._beside = {pair.key: None for pair in chosen}
        done = {pair.key for pair in (*warmups, *chosen)}
        first = {pair.key for pair in warmups}
        await self._run(job for pair in warmups for job in pair.jobs(fresh=self._again(pair), warmup=True))
        await self._run(job for pair in chosen if pair.key not in first for job in pair.jobs(fresh=self._again(pair)))
        await self._look_for_drift()
        await self._take_rest(schedules, done)
        for sample in self._marking.rest():
            self._keep(sample)

    async def ask(self, jobs: Iterable[Job], workers: int) -> None:
        """Take these samples in this order: no warm-up, and no early stopping.

        Raises:
            GateError: an error that no retry fixes (wrong key, unknown model).
        """
        await Runner(self._take, self._keep, self.stop, workers).run(iter(jobs))

    @property
    def _looks(self) -> bool:
        """Are the results tested before the end?"""
        return self.share == Share() and why_not(self.resolved.suites, self.resolved.policy) is None

    async def _take_rest(self, schedules: Sequence[Schedule], done: set[Key]) -> None:
        """Repeat after repeat; where results are tested in between, a test may end the run for all compared suites."""
        policy, suites = self.resolved.policy, self.resolved.suites
        rest = suites
        for index in range(looks_planned(suites) - 1 if self._looks else 0):
            repeat = [list(schedule.pairs(index)) for schedule in schedules]
            await self._run(*(self._rest(pairs, done) for pairs in repeat))
            if self.stop.reason is not None:
                return
            done |= {pair.key for pairs in repeat for pair in pairs}
            grids = {suite.name: SampleGrid(suite, self.samples) for suite in suites}
            if lacking(suites, grids):
                break
            if look(suites, policy, self.seed, grids).samples is not None:
                rest = tuple(suite for suite in suites if suite.baseline is None)
                break
        names = {suite.name for suite in rest}
        left = ([pair for pair in one.all_pairs() if pair.suite.name in names] for one in schedules)
        await self._run(*(self._rest(pairs, done) for pairs in left))

    async def _run(self, *queues: Iterator[Job]) -> None:
        workers = min(self.tools.workers, count(self.resolved.suites))
        await Runner(self._take, self._keep, self.stop, workers).run(*queues)

    def _again(self, pair: Pair) -> frozenset[ArmName]:
        """The arms that are called even if their answers are cached."""
        drift = self.drift.get(pair.suite.name)
        if drift is not None and drift.reason:
            return frozenset(ArmName)
        return frozenset({ArmName.BASELINE}) if pair.key in self._beside else frozenset()

    def _rest(self, pairs: Iterable[Pair], done: set[Key]) -> Iterator[Job]:
        for pair in pairs:
            if pair.key not in done:
                yield from pair.jobs(fresh=self._again(pair))

    async def _look_for_drift(self) -> None:
        taken = {key: sample for key, sample in self._beside.items() if sample is not None}
        for name, known in self._known.items():
            if known.chosen and self.stop.reason is None:
                self.drift[name] = await look_for_drift(
                    known.chosen, taken, self._panels[name], self.seed, same_model=self.resolved.cache.same_model
                )
        self._beside.clear()

    async def _take(self, job: Job) -> tuple[Sample, ...]:
        question = question_of(job, apart=self._apart[job.suite.name])
        with self.tools.tracing.sample(job):
            reply = await self.tools.target.answer(question, fresh=job.fresh)
            if isinstance(reply, Reply) and self._outdated(job, reply):
                reply = await self.tools.target.answer(question, fresh=True)
            return await self._marking.samples(job, question.index, reply)

    def _see_whether_to_stop(self) -> None:
        if cause := self.tools.exhausted():
            self.stop.drain(cause)

    def _outdated(self, job: Job, reply: Reply) -> bool:
        """Was a known answer given by another model than the one that answers this arm now?"""
        now = self._models.get((job.suite.name, job.arm))
        another = now is not None and reply.model_id not in now
        return reply.origin.reused and another and self.resolved.cache.same_model

    def _keep(self, sample: Sample) -> None:
        self.samples.add(sample, self._written(sample))
        self.tools.tracing.finished(sample)
        if isinstance(sample.reply, Reply) and not sample.reply.origin.reused:
            self._models.setdefault((sample.suite, sample.arm), set()).add(sample.reply.model_id)
            key = sample.suite, sample.case_id, sample.index
            if sample.arm is ArmName.BASELINE and key in self._beside:
                self._beside[key] = sample
        self.tools.progress.advance(sample, self.tools.spent_usd())

    def _written(self, sample: Sample) -> int:
        """Where the sample's texts are; a disk that takes no more ends the run."""
        if self._unwritten:
            return NOWHERE
        try:
            return self.tools.sink.sample(sample)
        except OSError as error:
            self._unwritten = True
            self.stop.drain(CannotSave(what="samples", reason=error.strerror or str(error)))
            return NOWHERE
