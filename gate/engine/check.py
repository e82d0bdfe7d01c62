"""`gate check`: each case against its thresholds, and the verdict that follows from the pass rates."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from statistics import fmean

import numpy as np

from gate.cases.case import Case, members
from gate.config.policy import OVERALL, RunPolicy
from gate.config.scorer import ScorerSpec
from gate.engine.arrays import Ints, units_of
from gate.engine.assess import Missing, asked_again, listed, named
from gate.engine.compare import PassRates
from gate.record.comparison import Decision, PassRate, PassState, Verdict
from gate.record.parts import CaseResult, CaseState, PartMean, ScorerResult
from gate.record.sample import Part, Sample, Score
from gate.record.transcript import Unscored
from gate.scoring.pass_rule import mark_in_case, reaches, round_marks
from gate.stats.rates import effective_units, wilson
from gate.suite import Exam, Suite
from gate.values import undecided

NEVER_TAKEN = "never taken"
LONGEST_REASON = 2_000
"""Characters of a reason in the part of the record that every case has."""


def case_result(suite: Suite, case: Case, samples: Sequence[Sample], untaken: str = NEVER_TAKEN) -> CaseResult:
    """Whether a case passes.

    The mean over its samples must reach the threshold: that of the combined score where the case or its exam has one,
    else that of each scorer, or of each round where rounds have thresholds. So a validator, whose threshold is 1, must
    accept every sample, while the noise of a judge is averaged out. Missing samples are taken for 0 and for 1: only
    where both give the same result does the case pass or fail.

    Args:
        samples: those of this case, failed ones included, in the order of their index.
        untaken: why there are no more.
    """
    exam = suite.exam
    threshold = exam.threshold_of(case)
    scorers = tuple(
        _scorer(spec, None if threshold is not None else case, samples, suite.samples) for spec in exam.scorers_of(case)
    )
    combined = [sample.score for sample in samples]
    known = [score for score in combined if not isinstance(score, Unscored)]
    missing = [score.reason for score in combined if isinstance(score, Unscored)]
    missing += [untaken] * (suite.samples - len(samples))
    verdicts = [_reaches(known, suite.samples, threshold)] if threshold is not None else [s.passed for s in scorers]
    return CaseResult(
        state=_state(verdicts),
        score=fmean(known) if known else None,
        mark=threshold,
        scorers=scorers,
        missing=tuple(reason[:LONGEST_REASON] for reason in missing),
        counts=not excused(case, exam),
    )


def excused(case: Case, exam: Exam) -> bool:
    """Is the case left out of what is asked of all cases?

    Cases of an advisory slice always are. Where every single case must pass, so are those of a slice with a rate of its
    own.
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
    """Does the mean of `wanted` scores reach the mark, whatever the missing ones are? None where they decide."""
    worst = fsum(known) / wanted
    best = worst + (wanted - len(known)) / wanted
    if reaches(worst, mark):
        return True
    return None if reaches(best, mark) else False


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
            low.append(f"{name} has {_on(mean, result.scale)}, and at least {_on(mark, result.scale)} is wanted")
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
"""For each suite its cases, in the order of its exam."""

EVERY = 1.0
"""The rate that is required where nobody set one: every case has to pass."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check; `rates` has the slices of each suite, `overall` first."""

    rates: PassRates
    decision: Decision
    missing: Missing


def conclude(suites: Sequence[Suite], results: Results, policy: RunPolicy, unfinished: str | None) -> Checked:
    """Judge a check.

    `results` has every case, also those without a sample; `unfinished` says why the run ended early, or is None.
    """
    rates, best, worst = (_rates(suites, results, policy.alpha, missing) for missing in (None, True, False))
    lacking = _missing(suites, results)
    if lacking.samples and unfinished is None:
        kindest, harshest = (_decide(suites, each, results, policy).verdict for each in (best, worst))
        lacking = replace(lacking, best=kindest, worst=harshest)
    if unfinished is not None and lacking.samples:
        failed = _failed(suites, results)
        so_far = (f"Failed so far: {named(failed)}.",) if failed else ()
        reasons = (f"The evaluation was not finished: {unfinished}.", *so_far)
        return Checked(rates, Decision(Verdict.INCONCLUSIVE, 3, reasons), lacking)
    return Checked(rates, _settled(suites, (rates, best, worst), results, policy, lacking), lacking)


def _settled(
    suites: Sequence[Suite],
    rates: tuple[PassRates, PassRates, PassRates],
    results: Results,
    policy: RunPolicy,
    missing: Missing,
) -> Decision:
    """What fails whatever is missing is a BLOCK; missing scores that could decide leave the verdict open."""
    measured, kindest, harshest = (_decide(suites, each, results, policy) for each in rates)
    if not missing.samples:
        return measured
    if kindest.verdict is harshest.verdict:
        return measured if measured.verdict is kindest.verdict else kindest
    why = (
        f"{undecided(missing.samples, missing.total)}: "
        f"{missing.best} if all of them had gone well, {missing.worst} if all had gone badly."
    )
    return Decision(Verdict.INCONCLUSIVE, 3, (why, *asked_again(missing)))


def _decide(suites: Sequence[Suite], rates: PassRates, results: Results, policy: RunPolicy) -> Decision:
    rows = [(suite, rate) for suite in suites for rate in rates.suites[suite.name]]
    missed = [one for one in rows if one[1].blocking and one[1].state is PassState.MISSED]
    if missed:
        return Decision(Verdict.BLOCK, 1, tuple(_shortfall(*one, results[one[0].name]) for one in missed))
    gaps = tuple(gap for suite in suites for gap in _gaps(suite, rates.suites[suite.name]))
    if gaps:
        return Decision(Verdict.INCONCLUSIVE, 3, gaps)
    doubtful = [
        f"{_told(*one)}, which is not beyond doubt: the lower bound is {_percent(one[1].lower)}."
        for one in rows
        if one[1].doubtful
    ]
    if doubtful and policy.fail_on == "hold":
        return Decision(Verdict.HOLD, 1, tuple(doubtful))
    return Decision(Verdict.PASS, 0, tuple(f"{_told(*one)}." for one in rows if one[1].slice == OVERALL))


def _gaps(suite: Suite, rates: Sequence[PassRate]) -> Iterator[str]:
    found = {rate.slice: rate.n for rate in rates}
    for name in suite.exam.policy.required:
        if not found.get(name):
            yield f"{suite.name}: the required slice {name} has no cases."


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
    if not reaches(rate, wanted):
        return PassState.MISSED
    # No number of cases proves that every one of them passes.
    return PassState.MET if wanted == EVERY or reaches(lower, wanted) else PassState.UNPROVEN


def _missing(suites: Sequence[Suite], results: Results) -> Missing:
    several = len(suites) > 1
    reasons: Counter[str] = Counter()
    cases: list[str] = []
    for suite in suites:
        for case, result in zip(suite.exam.cases, results[suite.name], strict=True):
            reasons.update(result.missing)
            cases += [f"{suite.name}/{case.id}" if several else case.id] * bool(result.missing)
    total = sum(suite.samples * len(suite.exam.cases) for suite in suites)
    return Missing(reasons.total(), total, None, None, listed(reasons), tuple(cases))


def _failed(suites: Sequence[Suite], results: Results) -> list[str]:
    prefix = {suite.name: f"{suite.name}/" if len(suites) > 1 else "" for suite in suites}
    return [prefix[suite.name] + case for suite in suites for case in _failed_of(suite, results[suite.name])]


def _failed_of(suite: Suite, results: Sequence[CaseResult]) -> list[str]:
    found = zip(suite.exam.cases, results, strict=True)
    return [case.id for case, one in found if one.state is CaseState.FAILED and one.counts]


def _shortfall(suite: Suite, rate: PassRate, results: Sequence[CaseResult]) -> str:
    if rate.wanted != EVERY:
        return f"{_told(suite, rate)}."
    failed = named(_failed_of(suite, results))
    return f"{suite.name}: {_count(rate.n - round(rate.passed), rate.n)} failed: {failed}."


def _told(suite: Suite, rate: PassRate) -> str:
    wanted = "" if rate.wanted in (None, EVERY) else f"; at least {_percent(rate.wanted)} are wanted"
    where = suite.name if rate.slice == OVERALL else f"{suite.name}/{rate.slice}"
    return f"{where}: {_count(round(rate.passed), rate.n)} passed{wanted}"


def _count(some: int, n: int) -> str:
    return f"{some:,} of {n:,} case{'' if n == 1 else 's'}"


def _percent(value: float | None) -> str:
    return f"{(value or 0.0) * 100:.1f}".removesuffix(".0") + " %"
