"""Runs the change's own edits of the eval set after the verdict; they cannot change it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum

import numpy as np

from gate.calls.interface import Progress, Stop
from gate.config.policy import RunPolicy
from gate.engine.arrays import SampleGrid, scores, stack
from gate.engine.compare import compare
from gate.engine.record_parts import added_up, calls_record, change, dollars_spent, trial_record, with_trials
from gate.engine.run import Collector, Runner, SampleScoring, Tools
from gate.engine.samples import ARMS, SampleTable
from gate.engine.schedule import Job, count
from gate.errors import GateError
from gate.record.comparison import Comparison
from gate.record.findings.finding import Finding
from gate.record.findings.unfinished import EvaluationFailed
from gate.record.parts import CallsRecord
from gate.record.run import ExamChangeRecord, ExamTrialRecord, RunRecord
from gate.record.transcript import ArmName, Reply, Sample, Unscored
from gate.resolve.exam import ExamEdit, Trial
from gate.resolve.resolved import Resolved
from gate.suite import Suite


async def with_exam_changes(
    run: RunRecord, resolved: Resolved, samples: SampleTable, seed: int, tools: Tools, stop: Stop
) -> RunRecord:
    """The record with the results of the edited eval set; verdict, reasons, slices and gaps stay as they are.

    It runs last, so that a budget that is too small cuts it first. Whatever stops it stops nothing else.
    """
    own, quiet = quietly(tools, stop)
    watched = _Watched(tools.progress, own)
    changes = await _Trials(resolved, samples, seed, replace(quiet, progress=watched), own, watched).all()
    return with_trials(run, changes)


def quietly(tools: Tools, stop: Stop) -> tuple[Stop, Tools]:
    """A stop switch and tools for work next to the run: the switch ends nothing else, and notes are dropped."""
    own = Stop(stop.cause)
    stop.abandon_with(lambda: own.now(stop.cause or EvaluationFailed(message="the run was stopped")))
    return own, replace(tools, notes=_Silent())


class _Silent:
    """Notes that are dropped."""

    def begin(self, known: int) -> None:
        return

    def all(self, *, whole: bool) -> Sequence[Finding]:
        return ()


UNSCORED = 25
"""Answers without a score that end the trials: a pattern of the change may take half a second for each."""


@dataclass(slots=True)
class _Watched:
    """Reports how far the trials are, and ends them where their scorers give no scores."""

    inner: Progress
    stop: Stop
    unscored: int = 0

    def start(self, total: int) -> None:
        self.inner.start(total)

    def advance(self, sample: Sample, spent_usd: float | None) -> None:
        self.see(sample)
        self.inner.advance(sample, spent_usd)

    def finish(self) -> None:
        self.inner.finish()

    def see(self, sample: Sample) -> None:
        self.unscored += isinstance(sample.reply, Reply) and isinstance(sample.score, Unscored)
        if self.unscored >= UNSCORED:
            self.stop.drain(EvaluationFailed(message=f"{UNSCORED} answers could not be scored"))


@dataclass(slots=True)
class _Trials:
    """The trials of one run, one after the other, except for their answers."""

    resolved: Resolved
    samples: SampleTable
    seed: int
    tools: Tools
    stop: Stop
    watched: _Watched

    async def all(self) -> list[ExamChangeRecord]:
        table = await self._answers()
        return [await self._edit(edit, table) for edit in self.resolved.edits]

    async def _answers(self) -> SampleTable:
        """The answers that the run itself did not need."""
        edits = self.resolved.edits
        suites = tuple(one.answers for edit in edits for one in edit.trials if one.answers and not one.reason)
        if not suites or self.stop.reason is not None:
            return SampleTable()
        asked = replace(self.resolved, suites=suites, policy=RunPolicy(early_stop=False), edits=())
        collector = Collector(asked, self.tools, self.stop, self.seed)
        self.tools.progress.start(count(suites))
        try:
            await collector.collect()
        except GateError as error:
            self.stop.drain(EvaluationFailed(message=error.message))
        finally:
            self.tools.progress.finish()
        return collector.samples

    async def _edit(self, edit: ExamEdit, table: SampleTable) -> ExamChangeRecord:
        """The trials of one suite, and what they cost."""
        records, calls, spent = [], [], list[float | None]()
        for trial in edit.trials:
            if trial.reason:
                records.append(trial_record(trial, ""))
                continue
            taken = table
            if trial.answers is not None:
                answers = table.of_suite(trial.answers.name)
                calls.append(calls_record(answers))
                spent.append(dollars_of(answers))
            if trial.kind in ("scorers", "rescored"):
                source = self.samples if trial.answers is None else table
                taken = await self._rescored(trial, source)
                calls.append(_judge_calls(taken))
                spent.append(dollars_of(taken))
            records.append(self._record(trial, taken))
        known = [amount for amount in spent if amount is not None]
        total = fsum(known) if len(known) == len(spent) else None
        return change(edit, records).model_copy(update={"calls": added_up(calls), "spent_usd": total})

    async def _rescored(self, trial: Trial, source: SampleTable) -> SampleTable:
        """The same answers, scored by the change's scorers; samples that early stopping saved are not requested now.

        In a trial of kind `rescored` the answers with the scores that count are its baseline.
        """
        suite, panel, out = trial.suite, self.tools.panel(trial.suite.exam), SampleTable()
        marking = SampleScoring(lambda _: panel, lambda: None)
        grid = SampleGrid(suite, source)
        positions = {case.id: position for position, case in enumerate(suite.exam.cases)}

        async def take(job: Job) -> tuple[Sample, ...]:
            sample = grid.whole(ARMS.index(job.arm), positions[job.case.id], job.index)
            if sample is None:
                return ()
            if trial.kind == "rescored":
                out.add(replace(_paid(sample), arm=ArmName.BASELINE, scores=()))
            return tuple(map(_paid, await marking.samples(job, job.index, sample.reply)))

        # The arms of a pair are neighbours, so that scorers that compare have few answers waiting.
        places = np.argwhere(grid.replied.transpose(1, 2, 0)).tolist()
        jobs = (Job(suite, suite.exam.cases[case], ARMS[arm], index) for case, index, arm in places)

        def keep(sample: Sample) -> None:
            out.add(sample)
            self.watched.see(sample)

        runner = Runner(take, keep, self.stop, self.tools.workers)
        try:
            await runner.run(jobs)
        except GateError as error:
            self.stop.drain(EvaluationFailed(message=error.message))
        for sample in marking.rest():
            keep(_paid(sample))
        return out

    def _record(self, trial: Trial, table: SampleTable) -> ExamTrialRecord:
        suite = trial.suite
        paired = suite.baseline is not None or trial.kind == "rescored"
        row = self._compared(suite, table) if paired else None
        blank = trial_record(trial, "")
        if row is None:
            found = _alone(suite, table)
            n = len(found)
            known: dict[str, object] = {"n": n, "candidate": fsum(found) / n if n else None}
        else:
            names = ("n", "baseline", "candidate", "mean", "lower", "upper")
            known = {name: getattr(row, name) for name in names}
        lacks = known["n"] != blank.asked
        reason = (self.stop.reason or "not every answer could be scored") if lacks else ""
        return ExamTrialRecord.model_validate({**blank.model_dump(), **known, "reason": reason})

    def _compared(self, suite: Suite, table: SampleTable) -> Comparison:
        """All cases of a trial, tested by themselves, and by `maxt` whatever the method of the run."""
        both = suite if suite.baseline is not None else replace(suite, baseline=suite.candidate)
        stacked = stack([both], {both.name: scores(SampleGrid(both, table))})
        policy = RunPolicy(confidence=self.resolved.policy.confidence)
        return compare(stacked, policy, self.seed).slices[0][1]


def _paid(sample: Sample) -> Sample:
    """The sample without the cost of its answer, which was counted where it was requested."""
    if not isinstance(sample.reply, Reply):
        return sample
    return replace(sample, reply=replace(sample.reply, origin=replace(sample.reply.origin, reused=True)))


def _alone(suite: Suite, table: SampleTable) -> list[float]:
    """Mean scores of the cases that have one, of the one arm that was called."""
    grid = SampleGrid(suite, table)
    values, known = grid["score"][1], grid.scored[1]
    return [float(values[row][known[row]].mean()) for row in range(len(known)) if known[row].any()]


def _judge_calls(table: SampleTable) -> CallsRecord:
    """The calls of judges only."""
    made, cached, again = (int(table.scores[name].sum()) for name in ("calls", "reused", "retries"))
    return CallsRecord(made=made, cached=cached, retried=again, failed=0)


def dollars_of(table: SampleTable) -> float | None:
    """Dollars; None where a price is unknown, 0 where no call has a price."""
    amount, why = dollars_spent(table)
    return amount if amount is not None or why else 0.0
