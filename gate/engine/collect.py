"""Takes the samples of a run: the warm-up, pairs side by side where answers are reused, then repeat by repeat."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.agents.interface import Target
from gate.calls.interface import Calls, Memory, Stop
from gate.config.scorer import ScorerSpec
from gate.engine.arrays import Grid
from gate.engine.early_stopping import lacking, look, looks_planned, why_not
from gate.engine.plan import Job, Pair, Schedule, Share, by_lane, count
from gate.engine.reuse import Drift, Key, Known, look_for_drift, question_of, same_arms, survey
from gate.engine.run import Marking, Notes, Progress, Runner, RunSink, Tracing
from gate.engine.samples import NOWHERE, SampleTable
from gate.record.sample import ArmName, Reply, Sample
from gate.resolve.resolved import Resolved
from gate.scoring.interface import CodeScorer, ModelScorer
from gate.scoring.panel import Panel
from gate.suite import Exam

if TYPE_CHECKING:
    from gate.scoring.judge import PairwiseJudge


@dataclass(frozen=True, slots=True)
class Tools:
    """What a run works with; `gate.app` makes them.

    Args:
        judge: makes a judge from a scorer that asks a model about one answer.
        pairwise: makes one from a scorer that asks a model about two answers.
        code: makes the caller of a scorer that is a function, for an exam.
        spent_usd: dollars spent so far, or None where that is not known.
        exhausted: why no more calls make sense, or None.
        workers: samples of one queue in work at once.
        apart: the candidate's sample numbers follow the baseline's, so that a prompt that is compared with itself gets
            no answer twice from the same seed or cache.
        beside: known answers of the baseline are asked for again beside the candidate's, as far as `survey` chooses.
    """

    target: Target
    calls: Calls
    memory: Memory
    judge: Callable[[ScorerSpec], ModelScorer]
    pairwise: Callable[[ScorerSpec], "PairwiseJudge"]
    code: Callable[[ScorerSpec, Exam], CodeScorer]
    spent_usd: Callable[[], float | None]
    exhausted: Callable[[], str | None]
    sink: RunSink
    progress: Progress
    notes: Notes
    tracing: Tracing
    workers: int
    apart: bool = False
    beside: bool = True

    def panel(self, exam: Exam) -> Panel:
        """The scorers of an exam."""
        return Panel(exam, self.judge, self.pairwise, self.code)


@dataclass(slots=True)
class Collection:
    """The samples of a run.

    Args:
        samples: in order of completion.
        known: what was known of each suite before anything was asked.
        drift: of each suite whose known answers were checked.
    """

    samples: SampleTable = field(default_factory=SampleTable)
    known: Mapping[str, Known] = field(default_factory=dict)
    drift: dict[str, Drift] = field(default_factory=dict)


@dataclass(slots=True)
class Collector:
    """Takes one sample after another and keeps them.

    Args:
        seed: of the order, and of the test for drift.
        share: the part of the run that is taken here.
    """

    resolved: Resolved
    tools: Tools
    stop: Stop
    seed: int
    share: Share = Share()
    found: Collection = field(default_factory=Collection, init=False)
    _beside: dict[Key, Sample | None] = field(default_factory=dict, init=False)
    _models: dict[tuple[str, ArmName], set[str]] = field(default_factory=dict, init=False)
    _panels: Mapping[str, Panel] = field(init=False)
    _apart: Mapping[str, bool] = field(init=False)
    _marking: Marking = field(init=False)
    _unwritten: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        suites = self.resolved.suites
        self.found.samples = SampleTable(self.tools.sink.words)
        self._panels = {suite.name: self.tools.panel(suite.exam) for suite in suites}
        self._marking = Marking(self._panels.__getitem__, self._see_whether_to_stop)
        self._apart = {suite.name: self.tools.apart or same_arms(suite) for suite in suites}

    async def collect(self) -> Collection:
        """Take every sample, or as many as there are when the run ends early.

        Raises:
            GateError: an error that no retry fixes (wrong key, unknown model).
        """
        schedules = [Schedule(lane, self.seed, self.share) for lane in by_lane(self.resolved.suites)]
        self.found.known = survey(schedules, self.tools, self._apart, early=self._looks)
        self.tools.notes.begin(sum(known.calls for known in self.found.known.values()))
        warmups = [pair for schedule in schedules for pair in schedule.warmups()]
        if not self.tools.beside:
            for known in self.found.known.values():
                known.chosen.clear()
        chosen = [pair for known in self.found.known.values() for pair, _ in known.chosen]
        self._beside = {pair.key: None for pair in chosen}
        done = {pair.key for pair in (*warmups, *chosen)}
        first = {pair.key for pair in warmups}
        await self._run(job for pair in warmups for job in pair.jobs(fresh=self._again(pair), warmup=True))
        await self._run(job for pair in chosen if pair.key not in first for job in pair.jobs(fresh=self._again(pair)))
        await self._look_for_drift()
        await self._take_rest(schedules, done)
        for sample in self._marking.rest():
            self._keep(sample)
        return self.found

    async def ask(self, jobs: Iterable[Job], workers: int) -> None:
        """Take these samples in this order: no warm-up, and no early stopping.

        Args:
            workers: samples in work at once, 1 or more.

        Raises:
            GateError: an error that no retry fixes (wrong key, unknown model).
        """
        await Runner(self._take, self._keep, self.stop, workers).run(iter(jobs))

    @property
    def _looks(self) -> bool:
        """Are the results looked at before the end?"""
        return self.share == Share() and why_not(self.resolved.suites, self.resolved.policy) is None

    async def _take_rest(self, schedules: Sequence[Schedule], done: set[Key]) -> None:
        """Repeat after repeat; where results are looked at, a look may end the run for all compared suites."""
        policy, suites = self.resolved.policy, self.resolved.suites
        rest = suites
        for index in range(looks_planned(suites) - 1 if self._looks else 0):
            repeat = [list(schedule.pairs(index)) for schedule in schedules]
            await self._run(*(self._rest(pairs, done) for pairs in repeat))
            if self.stop.reason is not None:
                return
            done |= {pair.key for pairs in repeat for pair in pairs}
            grids = {suite.name: Grid(suite, self.found.samples) for suite in suites}
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
        """The arms that are asked even if their answers are known."""
        drift = self.found.drift.get(pair.suite.name)
        if drift is not None and drift.reason:
            return frozenset(ArmName)
        return frozenset({ArmName.BASELINE}) if pair.key in self._beside else frozenset()

    def _rest(self, pairs: Iterable[Pair], done: set[Key]) -> Iterator[Job]:
        for pair in pairs:
            if pair.key not in done:
                yield from pair.jobs(fresh=self._again(pair))

    async def _look_for_drift(self) -> None:
        taken = {key: sample for key, sample in self._beside.items() if sample is not None}
        for name, known in self.found.known.items():
            if known.chosen and self.stop.reason is None:
                self.found.drift[name] = await look_for_drift(
                    known.chosen, taken, self._panels[name], self.seed, same_model=self.resolved.cache.same_model
                )
        self._beside.clear()

    async def _take(self, job: Job) -> tuple[Sample, ...]:
        suite = job.suite
        pair = Pair(suite, job.case, job.index, ())
        question = question_of(suite, pair, job.arm, apart=self._apart[suite.name])
        with self.tools.tracing.sample(job):
            reply = await self.tools.target.answer(question, fresh=job.fresh)
            if isinstance(reply, Reply) and self._outdated(job, reply):
                reply = await self.tools.target.answer(question, fresh=True)
            return await self._marking.samples(job, question.index, reply)

    def _see_whether_to_stop(self) -> None:
        if reason := self.tools.exhausted():
            self.stop.drain(reason)

    def _outdated(self, job: Job, reply: Reply) -> bool:
        """Was a known answer given by another model than the one that answers this arm now?"""
        now = self._models.get((job.suite.name, job.arm))
        another = now is not None and reply.model_id not in now
        return reply.origin.reused and another and self.resolved.cache.same_model

    def _keep(self, sample: Sample) -> None:
        self.found.samples.add(sample, self._written(sample))
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
            self.stop.drain(f"the samples cannot be written down: {error.strerror}")
            return NOWHERE
