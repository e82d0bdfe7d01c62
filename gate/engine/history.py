"""What is kept of a run so that many can be looked at together: figures slice by slice, and results case by case."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean

from gate.config.policy import OVERALL
from gate.domain.comparison import ArmAxis, AxisComparison, Comparison
from gate.domain.history import Agreement, Axis, CaseResult, Figure, SuiteResult
from gate.domain.judge_quote import JudgeQuote
from gate.domain.judged import JuryResult
from gate.domain.passrate import PassRate
from gate.domain.record import RunRecord
from gate.domain.record_compared import CaseRecord, SuiteRecord
from gate.domain.record_new import NewCaseRecord, NewSuiteRecord
from gate.domain.sample import ArmName, mean_score
from gate.inputs.storenames import parse


def suites_of(run: RunRecord) -> tuple[SuiteResult, ...]:
    """The suites of a run, those with two arms first."""
    return (*map(_compared, run.suites), *map(_alone, run.new))


def tries(run: RunRecord) -> bool:
    """Did the run take samples that none of its suites counts: of an edited exam, or of new promises?"""
    return any(change.trials for change in run.exam_changes) or any(suite.trials for suite in run.promises)


def _compared(suite: SuiteRecord) -> SuiteResult:
    quality = [suite.quality.overall, *suite.quality.slices]
    figures = (
        *(_quality(one, suite.cases) for one in quality),
        *(_axis(one) for one in (suite.cost, suite.latency) if one.applicable),
    )
    results = tuple(
        _result(case.id, arm, scores)
        for case in suite.cases
        for arm, scores in ((ArmName.BASELINE, case.baseline), (ArmName.CANDIDATE, case.candidate))
    )
    return _of_suite(suite, figures, results)


def _alone(suite: NewSuiteRecord) -> SuiteResult:
    figures = (
        *(_rate(one, suite.cases) for one in (suite.overall, *suite.slices)),
        *_level("cost", suite.cost, suite.priced),
        *_level("latency", suite.latency, suite.latency.mean is not None),
    )
    results = tuple(_result(case.id, ArmName.CANDIDATE, case.scores) for case in suite.cases)
    return _of_suite(suite, figures, results)


def _of_suite(
    suite: SuiteRecord | NewSuiteRecord, figures: tuple[Figure, ...], results: tuple[CaseResult, ...]
) -> SuiteResult:
    return SuiteResult(
        name=suite.name,
        alone=isinstance(suite, NewSuiteRecord),
        prompt=suite.candidate.path,
        model=suite.candidate.model,
        digest=suite.candidate.digest,
        exam=suite.exam.digest,
        cases=suite.exam.cases,
        store=_stored(suite.exam.store),
        figures=figures,
        results=results,
        agreements=tuple(_agreements(suite.juries, suite.exam.judges)),
    )


def _stored(label: str) -> str:
    """The suite of a store that a label names, whatever its version."""
    named = parse(label)
    return "" if named is None else named.name


def _quality(one: Comparison, cases: Sequence[CaseRecord]) -> Figure:
    means = [
        (case.cluster or f"\n{case.id}", fmean(scored))
        for case in cases
        if _inside(case.slices, one.slice) and (scored := [score for score in case.candidate if score is not None])
    ]
    return Figure(
        axis="quality",
        slice=one.slice,
        n=one.n,
        units=one.units,
        baseline=one.baseline,
        candidate=one.candidate,
        error=_error(means),
        change=one.mean,
        lower=one.lower,
        upper=one.upper,
        state=one.state.value,
    )


def _rate(one: PassRate, cases: Sequence[NewCaseRecord]) -> Figure:
    """The mean score, beside the state of the pass rate: the two kinds of run stand in one trend."""
    means = [
        (f"\n{case.id}", fmean(scored))
        for case in cases
        if _inside(case.slices, one.slice) and (scored := [score for score in case.scores if score is not None])
    ]
    mean = fmean(value for _, value in means) if means else None
    return Figure("quality", one.slice, one.n, one.units, None, mean, _error(means), None, None, None, one.state.value)


def _axis(one: AxisComparison) -> Figure:
    state = "not_compared" if not one.compared else "exceeded" if one.exceeded else "within"
    means = one.baseline.mean, one.candidate.mean
    return Figure(one.axis, OVERALL, one.n, one.n, *means, None, one.change, one.lower, one.upper, state)


def _level(axis: Axis, one: ArmAxis, applicable: bool) -> Iterator[Figure]:
    if applicable:
        yield Figure(axis, OVERALL, one.calls, one.calls, None, one.mean, None, None, None, None, "alone")


def _result(case: str, arm: ArmName, scores: Sequence[float | None]) -> CaseResult:
    known = [score for score in scores if score is not None]
    mean = mean_score(scores)
    return CaseResult(
        case=case,
        arm=arm,
        n=len(known),
        missing=len(scores) - len(known),
        mean=mean,
        variance=None if mean is None or len(known) < 2 else _variance(known, mean),
    )


def _variance(values: Sequence[float], mean: float) -> float:
    """Unbiased; in plain floats, as exact fractions are a fifth of what it takes to store a run."""
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def _agreements(juries: Sequence[JuryResult], judges: Sequence[JudgeQuote]) -> Iterator[Agreement]:
    for jury in {one.scorer: one for one in juries}.values():
        alpha = jury.alpha
        value, lower, upper = (None, None, None) if alpha is None else (alpha.value, alpha.lower, alpha.upper)
        yield Agreement(jury.scorer, "jury", jury.answers, value, lower, upper, jury.why_not)
    for judge in {one.scorer: one for one in judges}.values():
        value, lower, upper = judge.agreement or (None, None, None)
        why_not = "" if judge.agreement else judge.reason or judge.standing
        yield Agreement(judge.scorer, "people", judge.answers, value, lower, upper, why_not)


def _inside(slices: dict[str, str], name: str) -> bool:
    dimension, _, value = name.partition("=")
    return name == OVERALL or slices.get(dimension) == value


def _error(means: Iterable[tuple[str, float]]) -> float | None:
    """Standard error of the mean of cases that come in units.

    (W. Cochran, Sampling Techniques, 1977, section 9A.)

    Args:
        means: of each case, with its unit.

    Returns:
        None with fewer than two units.
    """
    units: dict[str, list[float]] = defaultdict(list)
    for unit, value in means:
        units[unit].append(value)
    g, n = len(units), sum(map(len, units.values()))
    if g < 2:
        return None
    mean = math.fsum(value for unit in units.values() for value in unit) / n
    return math.sqrt(g / (g - 1) * math.fsum((math.fsum(unit) - mean * len(unit)) ** 2 for unit in units.values())) / n
