"""Figures that a store saves of a run next to the record, so that many runs can be compared."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean
from typing import Literal, TypeAlias

from gate.config.values import OVERALL, parse_store_name
from gate.record.comparison import ArmAxis, AxisComparison, Comparison, JuryResult, PassRate, Verdict
from gate.record.parts import JudgeQuote
from gate.record.run import NewCaseRecord, NewSuiteRecord, RunRecord, SuiteRecord
from gate.record.transcript import ArmName, mean_score

Axis: TypeAlias = Literal["quality", "cost", "latency"]


@dataclass(frozen=True, slots=True)
class Context:
    """Where a run comes from.

    Args:
        repository: `owner/name`, or another name; may be empty.
        branch: of the candidate, or the one that was pushed to; may be empty.
        event: GitHub's word, `local` for a run by hand.
    """

    repository: str = ""
    branch: str = ""
    event: str = "local"
    pull_request: int | None = None
    pushed_by: str = ""


@dataclass(frozen=True, slots=True)
class HistoryFigure:
    """One slice of one suite of one run, on one axis.

    Args:
        axis: quality in [0, 1], cost in dollars or latency in seconds for one sample.
        slice: `overall`, or `dimension=value`.
        baseline, candidate: means of the arms; None where an arm has none.
        error: standard error of the candidate's mean; None where it is unknown.
        change, lower, upper: of the comparison, with its interval: absolute for quality, otherwise relative.
        undetected: of quality, where no case changed: the largest share of all cases that may change; else None.
    """

    axis: Axis
    slice: str
    n: int
    units: int
    baseline: float | None
    candidate: float | None
    error: float | None
    change: float | None
    lower: float | None
    upper: float | None
    state: str
    undetected: float | None = None


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case in one arm.

    Args:
        mean: of the scores; None without any.
        variance: between the scores, unbiased; None with fewer than two.
    """

    case: str
    arm: ArmName
    n: int
    missing: int
    mean: float | None
    variance: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far the judges of a scorer agree, with each other or with people.

    Args:
        kind: `jury` is how often two of its judges agree, `people` the agreement that a calibration found.
        value, lower, upper: the share with its interval; None where there is none.
        why_not: why there is none; otherwise empty.
    """

    scorer: str
    kind: Literal["jury", "people"]
    answers: int
    value: float | None
    lower: float | None
    upper: float | None
    why_not: str


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """One suite of a run; `store` is the store's suite that has the cases, empty where a file has them."""

    name: str
    store: str
    figures: tuple[HistoryFigure, ...]
    results: tuple[CaseResult, ...]
    agreements: tuple[Agreement, ...]


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in a list; empty texts and None are unknown.

    Args:
        digest: SHA-256 of the record, as `sha256:…`.
        waived: what made it green whatever the verdict; mostly empty.
        kind: see `gate.record.run.RunRecord`.
    """

    id: int
    digest: str
    created: datetime
    stored: datetime
    context: Context
    commit: str
    verdict: Verdict
    exit_code: int
    waived: str
    kind: str
    suites: tuple[str, ...]
    samples: int
    spent_usd: float | None
    forgotten: datetime | None = None


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """A figure in a trend."""

    run: int
    created: datetime
    branch: str
    event: str
    verdict: Verdict
    figure: HistoryFigure


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Filter for lists of runs; an empty field matches every run."""

    suite: str = ""
    verdict: Verdict | None = None
    repository: str = ""
    branch: str = ""
    pull_request: int | None = None


@dataclass(frozen=True, slots=True)
class CaseOverTime:
    """One case in the newest runs of its suite.

    Args:
        variance: of the scores within one run and arm, pooled; None where no arm of a run has two samples.
        spread: the largest difference between the arms of one run; 0 where there is only one arm.
    """

    case: str
    runs: int
    paired: int
    samples: int
    missing: int
    variance: float | None
    lowest: float
    highest: float
    spread: float


@dataclass(frozen=True, slots=True)
class CaseInRun:
    """One case in one run, by the names it had there; baseline and candidate are mean scores, or None."""

    run: int
    suite: str
    case: str
    created: datetime
    verdict: Verdict
    baseline: float | None
    candidate: float | None


@dataclass(frozen=True, slots=True)
class JudgeOverTime:
    """How far the judges of one scorer agreed in one run."""

    run: int
    created: datetime
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class OverrideRow:
    """A label that was to override the gate.

    Args:
        role: of that person in the repository; may be empty.
        reason: given by that person; may be empty.
        why_not: why it does not count, as a sentence; otherwise empty.
    """

    run: RunRow
    label: str
    by: str | None
    at: str | None
    commit: str
    role: str
    reason: str
    counted: bool
    why_not: str


def suites_of(run: RunRecord) -> tuple[SuiteResult, ...]:
    """The suites of a run, those with two arms first."""
    return (*(_compared(suite, run.method.alpha) for suite in run.suites), *map(_alone, run.new))


def tries(run: RunRecord) -> bool:
    """Did the run take samples outside its suites: of an edited eval set, or of new rules?"""
    return any(change.trials for change in run.exam_changes) or any(suite.trials for suite in run.promises)


def _compared(suite: SuiteRecord, alpha: float) -> SuiteResult:
    quality = [suite.quality.overall, *suite.quality.slices]
    figures = (
        *(_quality(one, suite, alpha) for one in quality),
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
    suite: SuiteRecord | NewSuiteRecord, figures: tuple[HistoryFigure, ...], results: tuple[CaseResult, ...]
) -> SuiteResult:
    agreements = tuple(_agreements(suite.juries, suite.exam.judges))
    return SuiteResult(suite.name, _stored(suite.exam.store), figures, results, agreements)


def _stored(label: str) -> str:
    """The suite of a store that a label names, without its version."""
    named = parse_store_name(label)
    return "" if named is None else named.name


def _quality(one: Comparison, suite: SuiteRecord, alpha: float) -> HistoryFigure:
    name = suite.quality.local(one)
    means = [
        (case.cluster or f"\n{case.id}", fmean(scored))
        for case in suite.cases
        if _inside(case.slices, name) and (scored := [score for score in case.candidate if score is not None])
    ]
    return HistoryFigure(
        axis="quality",
        slice=name,
        n=one.n,
        units=one.units,
        baseline=one.baseline,
        candidate=one.candidate,
        error=_error(means),
        change=one.mean,
        lower=one.lower,
        upper=one.upper,
        state=one.state.value,
        undetected=one.undetected(alpha),
    )


def _rate(one: PassRate, cases: Sequence[NewCaseRecord]) -> HistoryFigure:
    """The mean score, with the state of the pass rate: both kinds of run fit into one trend."""
    means = [
        (f"\n{case.id}", fmean(scored))
        for case in cases
        if _inside(case.slices, one.slice) and (scored := [score for score in case.scores if score is not None])
    ]
    mean = fmean(value for _, value in means) if means else None
    return HistoryFigure(
        "quality", one.slice, one.n, one.units, None, mean, _error(means), None, None, None, one.state.value
    )


def _axis(one: AxisComparison) -> HistoryFigure:
    state = "not_compared" if not one.compared else "exceeded" if one.exceeded else "within"
    means = one.baseline.mean, one.candidate.mean
    return HistoryFigure(one.axis, OVERALL, one.n, one.n, *means, None, one.change, one.lower, one.upper, state)


def _level(axis: Axis, one: ArmAxis, applicable: bool) -> Iterator[HistoryFigure]:
    if applicable:
        yield HistoryFigure(axis, OVERALL, one.calls, one.calls, None, one.mean, None, None, None, None, "alone")


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
    """Unbiased; in plain floats: exact fractions would take a fifth of the time in which a run is stored."""
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def _agreements(juries: Sequence[JuryResult], judges: Sequence[JudgeQuote]) -> Iterator[Agreement]:
    for jury in {one.scorer: one for one in juries}.values():
        share = jury.share
        yield Agreement(jury.scorer, "jury", jury.answers, share.value, share.lower, share.upper, "")
    for judge in {one.scorer: one for one in judges}.values():
        value, lower, upper = judge.agreement or (None, None, None)
        why_not = "" if judge.agreement else judge.reason or judge.standing
        yield Agreement(judge.scorer, "people", judge.answers, value, lower, upper, why_not)


def _inside(slices: dict[str, str], name: str) -> bool:
    dimension, _, value = name.partition("=")
    return name == OVERALL or slices.get(dimension) == value


def _error(means: Iterable[tuple[str, float]]) -> float | None:
    """Standard error of the mean of cases that come in units; None with fewer than two units."""
    units: dict[str, list[float]] = defaultdict(list)
    for unit, value in means:
        units[unit].append(value)
    g, n = len(units), sum(map(len, units.values()))
    if g < 2:
        return None
    mean = math.fsum(value for unit in units.values() for value in unit) / n
    return math.sqrt(g / (g - 1) * math.fsum((math.fsum(unit) - mean * len(unit)) ** 2 for unit in units.values())) / n
