"""Runs a check: suites without a baseline in, record out; each case is compared with its thresholds."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from gate.calls.interface import Stop
from gate.cases.case import Case
from gate.engine.arrays import Rows
from gate.engine.assess import Assessment
from gate.engine.check import NEVER_TAKEN, Checked, case_result, conclude
from gate.engine.collect import Collector, Tools
from gate.engine.compare import Quality
from gate.engine.evaluate import keep
from gate.engine.plan import Job, Schedule, count
from gate.engine.record_parts import INFORMATIVE_CASES, calls_record, dollars_spent, output_record, shortened
from gate.engine.reuse import survey
from gate.engine.run import RunSink
from gate.engine.run_record import Finished, record, with_asked
from gate.record.parts import CaseResult
from gate.record.run import NewCaseRecord, NewSuiteRecord, RunRecord
from gate.record.sample import ArmName, Reply, Sample, Words
from gate.resolve.one_version import with_cases
from gate.resolve.resolved import Resolved
from gate.suite import Suite
from gate.values import about_dollars

CaseKey = tuple[str, str]
"""Suite and id of a case."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a user saw of a check that asks cases in advance; the record holds no more.

    Args:
        skipped: cases that have no part in the check after all.
        why: there are no more; empty where all were shown.
    """

    cases: frozenset[CaseKey]
    skipped: frozenset[CaseKey] = frozenset()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Unshown:
    """Calls for cases that nobody saw; `spent_usd` is None where it is not known."""

    cases: int
    calls: int
    spent_usd: float | None

    @property
    def told(self) -> str:
        """In a sentence."""
        calls = f"{self.calls:,} call{'' if self.calls == 1 else 's'}"
        cases = "a case that was" if self.cases == 1 else f"{self.cases:,} cases that were"
        dollars = "" if self.spent_usd is None else f", {about_dollars(self.spent_usd)},"
        return f"{calls}{dollars} went ahead for {cases} not reported; the answers are kept, and not counted here."


async def check(resolved: Resolved, tools: Tools, seed: int, stop: Stop) -> RunRecord:
    """Ask every case in the order of its file, and judge it.

    Nothing here is random: `seed` is only recorded. The record has also been given to the sink.

    Raises:
        GateError: an error that no retry fixes (wrong key, unknown model).
    """
    examiner = Examiner(resolved, tools, seed, stop)
    apart = {suite.name: False for suite in resolved.suites}
    known = survey([Schedule(resolved.suites, seed)], tools, apart, early=False)
    tools.notes.begin(sum(one.calls for one in known.values()))
    tools.progress.start(count(resolved.suites))
    try:
        await examiner.all()
    finally:
        tools.progress.finish()
    return examiner.finish()


class Examiner:
    """Takes the samples of cases, and judges each case as soon as it has them; `seed` is only recorded."""

    def __init__(self, resolved: Resolved, tools: Tools, seed: int, stop: Stop) -> None:
        self._resolved, self._tools, self._seed, self._stop = resolved, tools, seed, stop
        self._started, self._created = time.perf_counter(), datetime.now(UTC)
        self._seen = _Seen(tools.sink)
        self._collector = Collector(resolved, replace(tools, sink=self._seen), stop, seed)

    @property
    def taken(self) -> bool:
        """Is there any sample?"""
        return bool(self._seen.scored)

    async def all(self) -> None:
        """Take every sample of every suite, case after case."""
        jobs = (job for suite in self._resolved.suites for case in suite.exam.cases for job in _jobs(suite, case))
        await self._collector.ask(jobs, min(self._tools.workers, max(1, count(self._resolved.suites))))

    async def one(self, suite: Suite, case: Case) -> tuple[CaseResult, tuple[Sample, ...]]:
        """Take the samples of one case; the result comes with the samples and their texts."""
        self._seen.whole[suite.name, case.id] = []
        try:
            await self._collector.ask(_jobs(suite, case), suite.samples)
        finally:
            samples = self._seen.whole.pop((suite.name, case.id))
        return self._result(suite, case), tuple(sorted(samples, key=lambda sample: sample.index))

    def finish(self) -> RunRecord:
        """The record of what was taken, which is also given to the sink."""
        suites = self._resolved.suites
        results = {suite.name: [self._result(suite, case) for case in suite.exam.cases] for suite in suites}
        checked = conclude(suites, results, self._resolved.policy, self._stop.reason)
        run = self._record(checked, results)
        return keep(run, self._tools, self._stop, time.perf_counter() - self._started)

    def withdraw(self, shown: Shown) -> Unshown:
        """Drop the samples of all cases but those shown, at least one, before `finish`; what they cost is returned."""
        table = self._collector.found.samples
        unshown = table.only(lambda key: key[:2] not in shown.cases)
        self._collector.found.samples = table.only(lambda key: key[:2] in shown.cases)
        self._seen.scored = {key: samples for key, samples in self._seen.scored.items() if key in shown.cases}
        kept: dict[str, list[str]] = {}
        for suite in self._resolved.suites:
            ids = [case.id for case in suite.exam.cases if (suite.name, case.id) not in shown.skipped]
            kept |= {suite.name: ids} if ids else {}
        rows = Rows(unshown)
        gone = Unshown(len({key[:2] for key in unshown.keys}), calls_record(rows).made, dollars_spent(rows)[0])
        resolved = with_cases(self._resolved, kept)
        self._resolved = replace(resolved, notes=(*resolved.notes, *([gone.told] if gone.calls else [])))
        return gone

    def _result(self, suite: Suite, case: Case) -> CaseResult:
        samples = sorted(self._seen.scored.get((suite.name, case.id), ()), key=lambda sample: sample.index)
        return case_result(suite, case, samples, self._stop.reason or NEVER_TAKEN)

    def _record(self, checked: Checked, results: Mapping[str, list[CaseResult]]) -> RunRecord:
        assessment = Assessment(Quality((), 0, None), checked.rates, {}, checked.decision, checked.missing)
        # Asked to end after the last sample, it came to its end all the same.
        unfinished = self._stop.reason if checked.missing.samples else None
        took = time.perf_counter() - self._started
        found = self._collector.found
        run = record(Finished(self._resolved, found, assessment, {}, self._seed, self._created, took, unfinished))
        suites = {suite.name: suite for suite in self._resolved.suites}
        new = [self._with_checks(suites[one.name], one, results[one.name]) for one in run.new]
        run = run.model_copy(update={"kind": "check", "new": new})
        return with_asked(run, self._resolved, lambda spec: self._tools.judge(spec).members)

    def _with_checks(self, suite: Suite, kept: NewSuiteRecord, results: list[CaseResult]) -> NewSuiteRecord:
        """The record with the result of each case, and the outputs of those that do not pass."""
        told = [(one.state, one.score or 0.0, row.id) for row, one in zip(kept.cases, results, strict=True)]
        chosen = {case for _, _, case in sorted(one for one in told if one[0] != "passed")[:INFORMATIVE_CASES]}
        cases = [
            self._with_check(suite, case, row, result, shown=case.id in chosen)
            for case, row, result in zip(suite.exam.cases, kept.cases, results, strict=True)
        ]
        return kept.model_copy(update={"cases": cases})

    def _with_check(
        self, suite: Suite, case: Case, row: NewCaseRecord, result: CaseResult, *, shown: bool
    ) -> NewCaseRecord:
        extra: dict[str, object] = {"check": result}
        table = self._collector.found.samples
        if shown:
            taken = table.by_case().get((suite.name, case.id, ArmName.CANDIDATE), ())
            extra["input"], extra["expected"] = shortened(case.question), case.expected
            extra["outputs"] = [output_record(table.whole(sample)) for sample in taken]
        else:
            extra |= {"input": None, "expected": None, "outputs": []}
        return row.model_copy(update=extra)


def _jobs(suite: Suite, case: Case) -> Iterator[Job]:
    for index in range(suite.samples):
        yield Job(suite, case, ArmName.CANDIDATE, index)


@dataclass(slots=True)
class _Seen:
    """Passes samples on to the sink of the run, and keeps their scores.

    Args:
        scored: samples of each suite and case without their texts.
        whole: those of cases that somebody waits for, with their texts.
    """

    sink: RunSink
    scored: dict[tuple[str, str], list[Sample]] = field(default_factory=dict)
    whole: dict[tuple[str, str], list[Sample]] = field(default_factory=dict)

    def sample(self, sample: Sample) -> int:
        key = sample.suite, sample.case_id
        reply = replace(sample.reply, text="") if isinstance(sample.reply, Reply) else sample.reply
        self.scored.setdefault(key, []).append(replace(sample, reply=reply))
        if key in self.whole:
            self.whole[key].append(sample)
        return self.sink.sample(sample)

    def words(self, place: int) -> Words:
        return self.sink.words(place)

    def run(self, run: RunRecord) -> None:
        self.sink.run(run)
