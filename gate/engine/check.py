"""`gate check`: each case against its thresholds, and the verdict that follows from the pass rates."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import fsum
from statistics import fmean

import numpy as np

from gate.calls.interface import Stop
from gate.cases.case import Case, members
from gate.config.policy import RunPolicy
from gate.config.scorer import ScorerSpec
from gate.config.values import OVERALL
from gate.engine.arrays import SampleGrid, units_of
from gate.engine.compare import PassRates, Quality
from gate.engine.decide import Assessment, Decision, Missing, pass_rate_fields, unmeasured_slices
from gate.engine.evaluate import RunResult, keep, record, shown_case
from gate.engine.idle_checks import blind_findings, unknown_tools
from gate.engine.record_parts import INFORMATIVE_CASES, calls_record, dollars_spent
from gate.engine.run import Collector, Tools, survey
from gate.engine.samples import Ints
from gate.engine.schedule import Job, Schedule, count
from gate.engine.scorer_changes import blind_judges
from gate.record.comparison import PassRate, PassState, Verdict
from gate.record.findings.finding import Finding
from gate.record.findings.notes import CallsUnreported
from gate.record.findings.quality import RequiredSliceEmpty
from gate.record.findings.rates import PassRateMet, PassRateMissed, PassRateUnproven
from gate.record.findings.unfinished import RunInterrupted, SamplesMissing
from gate.record.parts import CaseResult, CaseState, PartMean, ScorerResult
from gate.record.run import NewSuiteRecord, RunRecord
from gate.record.transcript import ArmName, Part, Sample, Score, Unscored
from gate.resolve.one_version import with_cases
from gate.resolve.resolved import Resolved
from gate.scoring.interface import mark_in_case, meets_threshold, round_marks
from gate.stats.intervals import effective_units, wilson
from gate.suite import Exam, Suite

NEVER_TAKEN = "never taken"
LONGEST_REASON = 2_000
"""Characters of a reason in the part of the record that every case has."""


def case_result(suite: Suite, case: Case, samples: Sequence[Sample], ended: str | None = None) -> CaseResult:
    """Whether a case passes.

    The mean over its samples must reach the threshold: that of the combined score where the case or its suite has one,
    else that of each scorer, or of each round where rounds have thresholds. So a validator, whose threshold is 1, must
    accept every sample, while the noise of a judge is averaged out. Missing samples are taken for 0 and for 1: only
    where both give the same result does the case pass or fail.

    Args:
        ended: why the run ended early; None where it did not.
    """
    exam = suite.exam
    threshold = exam.threshold_of(case)
    scorers = tuple(
        _scorer(spec, None if threshold is not None else case, samples, suite.samples) for spec in exam.scorers_of(case)
    )
    combined = [sample.score for sample in samples]
    known = [score for score in combined if not isinstance(score, Unscored)]
    missing = [score.reason for score in combined if isinstance(score, Unscored)]
    untaken = suite.samples - len(samples)
    missing += [NEVER_TAKEN if ended is None else ended] * untaken
    verdicts = [_reaches(known, suite.samples, threshold)] if threshold is not None else [s.passed for s in scorers]
    return CaseResult(
        state=_state(verdicts),
        score=fmean(known) if known else None,
        mark=threshold,
        scorers=scorers,
        missing=tuple(reason[:LONGEST_REASON] for reason in missing),
        untaken=0 if ended is None else untaken,
        counts=not excused(case, exam),
    )


def excused(case: Case, exam: Exam) -> bool:
    """Is the case left out of the rate required of all cases?

    Cases of an advisory slice always are. Where every single case must pass, so are those of a slice with its own
    rate.
    """
    policy = exam.policy
    own = [f"{dimension}={case.slices[dimension]}" for dimension in exam.dimensions if dimension in case.slices]
    if any(name in policy.advisory for name in own):
        return True
    return policy.wanted_rate(OVERALL) is None and any(own_rate(exam, name) is not None for name in own)


def own_rate(exam: Exam, name: str) -> float | None:
    """The rate that the policy sets for this very slice, or None."""
    own = exam.policy.slices.get(name)
    return None if own is None else own.min_pass_rate


def _state(verdicts: Sequence[bool | None]) -> CaseState:
    if False in verdicts:
        return CaseState.FAILED
    return CaseState.PASSED if verdicts and all(verdicts) else CaseState.UNSCORED


def _reaches(known: Sequence[float], wanted: int, mark: float) -> bool | None:
    """Does the mean of `wanted` scores reach the threshold, whatever the missing ones are? None where they decide."""
    worst = fsum(known) / wanted
    best = worst + (wanted - len(known)) / wanted
    if meets_threshold(worst, mark):
        return True
    return None if meets_threshold(best, mark) else False


def _scorer(spec: ScorerSpec, case: Case | None, samples: Sequence[Sample], wanted: int) -> ScorerResult:
    """The result of one scorer; without a case, which has the thresholds, it has no verdict."""
    scores = [score for sample in samples for score in sample.scores if score.scorer == spec.name]
    valued = [(score.value, score) for score in scores if not isinstance(score.value, Unscored)]
    known = [value for value, _ in valued]
    unscored = [score.value for score in scores if isinstance(score.value, Unscored)]
    worst = min(valued, key=lambda one: one[0])[1] if valued else None
    result = ScorerResult(
        name=spec.name,
        value=fmean(known) if known else None,
        mark=None,
        passed=None,
        reason=(worst.reason if worst is not None else (unscored[0].reason if unscored else ""))[:LONGEST_REASON],
        parts=tuple(_parts([score for _, score in valued])),
        scale=scale_of(spec),
    )
    if case is None:
        return result
    if marks := round_marks(spec, case):
        return _by_rounds(result, marks, [score for _, score in valued], wanted)
    mark = mark_in_case(spec, case)
    return result.model_copy(update={"mark": mark, "passed": _reaches(known, wanted, mark)})


def _by_rounds(result: ScorerResult, marks: Mapping[str, float], scores: Sequence[Score], wanted: int) -> ScorerResult:
    """The same with the verdict of the rounds, each of which has a threshold; the first that misses it is named."""
    verdicts: list[bool | None] = []
    low: list[str] = []
    for name, mark in marks.items():
        known = [part.value for score in scores for part in score.parts if (part.kind, part.name) == ("round", name)]
        verdicts.append(_reaches(known, wanted, mark))
        if verdicts[-1] is False:
            mean = fmean(known) if known else 0.0
            low.append(f"{name} has {_on(mean, result.scale)}, and needs at least {_on(mark, result.scale)}")
    passed = False if low else (True if all(verdicts) else None)
    reason = "; ".join([*low, *([result.reason] if result.reason else [])])[:LONGEST_REASON]
    return result.model_copy(update={"passed": passed, "reason": reason})


def _on(value: float, scale: tuple[float, float] | None) -> str:
    low, high = scale or (0.0, 1.0)
    return f"{low + value * (high - low):.4g}"


def _parts(scores: Sequence[Score]) -> Iterator[PartMean]:
    """The means of parts of the same name."""
    found: dict[tuple[str, str], list[Part]] = {}
    for score in scores:
        for part in score.parts:
            found.setdefault((part.kind, part.name), []).append(part)
    for parts in found.values():
        first = parts[0]
        yield PartMean(kind=first.kind, name=first.name, value=fmean(part.value for part in parts), weight=first.weight)


def scale_of(spec: ScorerSpec) -> tuple[float, float] | None:
    """The ends of the scale that a rubric is written on; None for scorers that have none."""
    given = spec.options.get("scale")
    if not isinstance(given, list) or len(given) != 2:
        return None
    ends = [float(end) for end in given if isinstance(end, (int, float)) and not isinstance(end, bool)]
    return (ends[0], ends[1]) if len(ends) == 2 and ends[0] < ends[1] else None


Results = Mapping[str, Sequence[CaseResult]]
"""For each suite its cases, in the order of its eval set."""

EVERY = 1.0
"""The rate that is required where none is set: every case has to pass."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check; `rates` has the slices of each suite, `overall` first."""

    rates: PassRates
    decision: Decision
    missing: Missing


def conclude_check(
    suites: Sequence[Suite],
    results: Results,
    policy: RunPolicy,
    unfinished: Finding | None,
    idle: Sequence[Finding] = (),
) -> Checked:
    """Judge a check.

    Args:
        results: every case, also those without a sample.
        unfinished: what ended the run early, or None.
        idle: checks that show nothing.
    """
    rates, best, worst = (_rates(suites, results, policy.alpha, missing) for missing in (None, True, False))
    lacking = _missing(suites, results)
    if unfinished is not None and lacking.samples:
        return Checked(rates, Decision.of([unfinished], policy), lacking)
    measured, kindest, harshest = (
        Decision.of(_findings(suites, each, results, policy, idle), policy) for each in (rates, best, worst)
    )
    if not lacking.samples:
        return Checked(rates, measured, lacking)
    if unfinished is None:
        lacking = replace(lacking, best=kindest.verdict, worst=harshest.verdict)
    if measured.verdict is Verdict.INCONCLUSIVE:
        return Checked(rates, measured, lacking)
    # What fails whatever is missing is a BLOCK; missing scores that could decide leave the verdict open.
    if kindest.verdict is harshest.verdict:
        return Checked(rates, measured if measured.verdict is kindest.verdict else kindest, lacking)
    missing = SamplesMissing(
        severity="undecided",
        samples=lacking.samples,
        total=lacking.total,
        best=kindest.verdict,
        worst=harshest.verdict,
    )
    return Checked(rates, Decision.of([missing], policy), lacking)


def _findings(
    suites: Sequence[Suite], rates: PassRates, results: Results, policy: RunPolicy, idle: Sequence[Finding]
) -> Iterator[Finding]:
    rows = [(suite, rate) for suite in suites for rate in rates.suites[suite.name]]
    for suite, rate in rows:
        if rate.blocking and rate.state is PassState.MISSED:
            failed = _failed_cases(suite, results[suite.name]) if rate.wanted == EVERY else []
            yield PassRateMissed(**pass_rate_fields(suite, rate, checked=True), failed=failed)
    for suite in suites:
        yield from _gaps(suite, results[suite.name])
    for suite, rate in rows:
        if rate.doubtful and policy.fail_on == "hold":
            yield PassRateUnproven(**pass_rate_fields(suite, rate, checked=True))
    yield from idle
    for suite, rate in rows:
        if rate.slice == OVERALL and rate.n and rate.state is not PassState.MISSED:
            yield PassRateMet(**pass_rate_fields(suite, rate, checked=True))


def _gaps(suite: Suite, results: Sequence[CaseResult]) -> Iterator[Finding]:
    cases = members(suite.exam.cases, suite.exam.dimensions)
    judged = {
        name
        for name, places in cases.items()
        if any(results[place].state is not CaseState.UNSCORED for place in places)
    }
    yield from unmeasured_slices(suite, judged)
    for name in suite.exam.policy.required:
        if name not in cases:
            yield RequiredSliceEmpty(suite=suite.name, slice=name)


def _rates(suites: Sequence[Suite], results: Results, alpha: float, missing: bool | None) -> PassRates:
    """The share of cases that pass in each slice; `missing` is what cases without a score are taken for."""
    found = {suite.name: tuple(_of_suite(suite, results[suite.name], alpha, missing)) for suite in suites}
    judged = sum(rate.blocking for rates in found.values() for rate in rates)
    return PassRates(found, judged, {suite.name: alpha for suite in suites})


def _of_suite(suite: Suite, results: Sequence[CaseResult], alpha: float, missing: bool | None) -> Iterator[PassRate]:
    own = units_of(suite)
    for name, positions in members(suite.exam.cases, suite.exam.dimensions).items():
        chosen = [place for place in positions if results[place].counts or name != OVERALL]
        passed = {place: _passed(results[place], missing) for place in chosen}
        rows = [place for place, one in passed.items() if one is not None]
        yield _rate(suite, name, [bool(passed[place]) for place in rows], own[rows], alpha)


def _passed(result: CaseResult, missing: bool | None) -> bool | None:
    return missing if result.state is CaseState.UNSCORED else result.state is CaseState.PASSED


def _rate(suite: Suite, name: str, passed: Sequence[bool], units: Ints, alpha: float) -> PassRate:
    policy, n = suite.exam.policy, len(passed)
    wanted = own_rate(suite.exam, name)
    if name == OVERALL:
        wanted = policy.wanted_rate(OVERALL) or EVERY
    advisory = name in policy.advisory
    if n == 0:
        return PassRate.of_none(name, wanted, advisory=advisory)
    rate, worth = sum(passed) / n, effective_units(units)
    span = wilson(rate * worth, worth, alpha=alpha)
    state = _rate_state(rate, span.lower, wanted)
    return PassRate(
        slice=name,
        n=n,
        units=int(np.unique(units).size),
        passed=float(sum(passed)),
        rate=rate,
        lower=span.lower,
        upper=span.upper,
        wanted=wanted,
        state=state,
        doubtful=state is PassState.UNPROVEN,
        blocking=wanted is not None and not advisory,
        advisory=advisory,
    )


def _rate_state(rate: float, lower: float, wanted: float | None) -> PassState:
    """Compares the rate itself: this tests what was measured, and the interval shows how sure that is."""
    if wanted is None:
        return PassState.NO_THRESHOLD
    if not meets_threshold(rate, wanted):
        return PassState.MISSED
    # No number of cases proves that every one of them passes.
    return PassState.MET if wanted == EVERY or meets_threshold(lower, wanted) else PassState.UNPROVEN


def _missing(suites: Sequence[Suite], results: Results) -> Missing:
    several = len(suites) > 1
    reasons: Counter[str] = Counter()
    cases: list[str] = []
    for suite in suites:
        for case, result in zip(suite.exam.cases, results[suite.name], strict=True):
            reasons.update(result.missing)
            cases += [f"{suite.name}/{case.id}" if several else case.id] * bool(result.missing)
    total = sum(suite.samples * len(suite.exam.cases) for suite in suites)
    return Missing(reasons.total(), total, None, None, reasons, tuple(cases))


def _failed_cases(suite: Suite, results: Sequence[CaseResult]) -> list[str]:
    rows = zip(suite.exam.cases, results, strict=True)
    return [case.id for case, result in rows if result.state is CaseState.FAILED and result.counts]


CaseKey = tuple[str, str]
"""Suite and id of a case."""


@dataclass(frozen=True, slots=True)
class ReportedCases:
    """What a user saw of a check that runs cases in advance; the record has no more.

    Args:
        skipped: cases that have no part in the check after all.
        ended: why there are no more; None where all were shown.
    """

    cases: frozenset[CaseKey]
    skipped: frozenset[CaseKey] = frozenset()
    ended: RunInterrupted | None = None


@dataclass(frozen=True, slots=True)
class UnreportedCalls:
    """Calls for cases that nobody saw; `spent_usd` is None where it is not known."""

    cases: int
    calls: int
    spent_usd: float | None

    @property
    def finding(self) -> CallsUnreported:
        """As a finding of the run."""
        return CallsUnreported(cases=self.cases, calls=self.calls, spent_usd=self.spent_usd)


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
        self._collector = Collector(resolved, tools, stop, seed)

    @property
    def taken(self) -> bool:
        """Is there any sample?"""
        return len(self._collector.samples) > 0

    @property
    def idle_checks(self) -> list[Finding]:
        """Checks of tools that no agent has, and by judges that give all answers one score."""
        grids = self._grids()
        blind = blind_judges(grids, {grid.suite.name: grid.suite.samples for grid in grids})
        # Other scorers of a suite have thresholds of their own.
        alone = [judge for judge in blind_findings(blind) if judge.severity == "undecided"]
        return [*alone, *(finding for grid in grids for finding in unknown_tools(grid.suite, grid.talks))]

    async def all(self) -> None:
        """Take every sample of every suite, case after case."""
        jobs = (job for suite in self._resolved.suites for case in suite.exam.cases for job in _jobs(suite, case))
        await self._collector.ask(jobs, min(self._tools.workers, max(1, count(self._resolved.suites))))

    async def one(self, suite: Suite, case: Case) -> tuple[CaseResult, tuple[Sample, ...]]:
        """Take the samples of one case; the result comes with the samples and their texts."""
        await self._collector.ask(_jobs(suite, case), suite.samples)
        alone = replace(suite, exam=replace(suite.exam, cases=(case,)))
        samples = SampleGrid(alone, self._collector.samples).whole_case(1, 0)
        return self._result(suite, case, samples), tuple(samples)

    def finish(self) -> RunRecord:
        """The record of what was taken, which is also given to the sink."""
        grids = {grid.suite.name: grid for grid in self._grids()}
        results = {
            name: [
                self._result(grid.suite, case, grid.whole_case(1, position))
                for position, case in enumerate(grid.suite.exam.cases)
            ]
            for name, grid in grids.items()
        }
        policy, cause = self._resolved.policy, self._stop.cause
        checked = conclude_check(self._resolved.suites, results, policy, cause, self.idle_checks)
        run = self._record(checked, grids, results)
        return keep(run, self._collector.samples, self._tools, self._stop, time.perf_counter() - self._started)

    def _grids(self) -> list[SampleGrid]:
        return [SampleGrid(suite, self._collector.samples) for suite in self._resolved.suites]

    def withdraw(self, shown: ReportedCases) -> UnreportedCalls:
        """Drop the samples of all cases but those shown, at least one, before `finish`; what they cost is returned."""
        table = self._collector.samples
        unshown = table.where(lambda key: key[:2] not in shown.cases)
        self._collector.samples = table.where(lambda key: key[:2] in shown.cases)
        kept: dict[str, list[str]] = {}
        for suite in self._resolved.suites:
            ids = [case.id for case in suite.exam.cases if (suite.name, case.id) not in shown.skipped]
            kept |= {suite.name: ids} if ids else {}
        cases = {key[:2] for key in table.keys} - shown.cases
        gone = UnreportedCalls(len(cases), calls_record(unshown).made, dollars_spent(unshown)[0])
        resolved = with_cases(self._resolved, kept)
        self._resolved = replace(resolved, notes=(*resolved.notes, *([gone.finding] if gone.calls else [])))
        return gone

    def _result(self, suite: Suite, case: Case, samples: Sequence[Sample]) -> CaseResult:
        return case_result(suite, case, samples, self._stop.reason)

    def _record(
        self, checked: Checked, grids: Mapping[str, SampleGrid], results: Mapping[str, list[CaseResult]]
    ) -> RunRecord:
        assessment = Assessment(Quality((), 0, None), checked.rates, {}, checked.decision, checked.missing)
        took = time.perf_counter() - self._started
        run = record(
            RunResult(
                self._resolved,
                self._collector.samples,
                assessment,
                {},
                self._seed,
                self._created,
                took,
                self._tools.members,
            )
        )
        new = [_with_checks(grids[one.name], one, results[one.name]) for one in run.new]
        return run.model_copy(update={"kind": "check", "new": new})


def _with_checks(grid: SampleGrid, kept: NewSuiteRecord, results: list[CaseResult]) -> NewSuiteRecord:
    """The record with the result of each case, and the outputs of those that do not pass."""
    told = [(one.state, one.score or 0.0, row.id) for row, one in zip(kept.cases, results, strict=True)]
    chosen = {case for _, _, case in sorted(one for one in told if one[0] != "passed")[:INFORMATIVE_CASES]}
    cases = []
    for position, (row, result) in enumerate(zip(kept.cases, results, strict=True)):
        blank: dict[str, object] = {"input": None, "expected": None, "outputs": []}
        extra = shown_case(grid, position) if row.id in chosen else blank
        cases.append(row.model_copy(update={"check": result, **extra}))
    return kept.model_copy(update={"cases": cases})


def _jobs(suite: Suite, case: Case) -> Iterator[Job]:
    for index in range(suite.samples):
        yield Job(suite, case, ArmName.CANDIDATE, index)
