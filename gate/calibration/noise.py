"""Makes a noise calibration from a finished A/A run: noise per suite, false blocks, and advice on samples."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gate.calls.interface import StepProgress
from gate.config.values import OVERALL
from gate.engine import noise
from gate.engine.arrays import cluster_numbers
from gate.engine.compare import finite_bound
from gate.engine.forecast import reach
from gate.engine.noise import Spread, compares_itself
from gate.errors import GateError
from gate.record.calibration import (
    CalibrationRecord,
    ChoiceRecord,
    DriftRecord,
    FalseBlocksRecord,
    RateRecord,
    SuiteCalibration,
)
from gate.record.comparison import State, undetected_share
from gate.record.run import CaseRecord, RunRecord, SuiteRecord
from gate.stats.arrays import BLOCKABLE_UNITS
from gate.stats.intervals import normal_quantile
from gate.stats.maxt import joint_test
from gate.stats.power import WHOLE, BlockRate, Effort, cases_needed, effort_for, false_blocks, layout_critical
from gate.values import without_score

SAMPLES = (1, 2, 3, 5)
TIMES = (1, 2, 3)
POWER = 0.8
EFFECT = 0.10


@dataclass(frozen=True, slots=True)
class Measurable:
    """The size of a suite.

    Args:
        cases, units, samples: n, independent units, k.
    """

    cases: int
    units: int
    samples: int
    calls_per_sample: float


def choices(suite: Measurable, seen: noise.MeasuredNoise, critical: float) -> list[ChoiceRecord]:
    """Choices of samples and cases; repeats only if their noise is known.

    Args:
        critical: critical value of the run's layout, in standard errors.
    """
    samples = SAMPLES if seen.varies and seen.split is not None and seen.split.sigma > 0.0 else (1,)
    return [_choice(suite, seen, critical, (k, times)) for k in samples for times in TIMES]


def _choice(suite: Measurable, seen: noise.MeasuredNoise, critical: float, choice: tuple[int, int]) -> ChoiceRecord:
    k, times = choice
    low, high = seen.at(k)
    found = reach(Spread(low, high, "measured", ""), suite.units * times, critical, POWER)
    cases = suite.cases * times
    calls = round(2 * k * cases * suite.calls_per_sample)
    return ChoiceRecord(samples=k, cases=cases, calls=calls, best=found.best, worst=found.worst)


def advice(suite: Measurable, seen: noise.MeasuredNoise | None, critical: float) -> Iterator[str]:
    """Advice on samples and cases, in sentences.

    Args:
        critical: critical value of the run's layout, in standard errors.
    """
    n, k = suite.cases, suite.samples
    if seen is None:
        yield "Noise cannot be measured with one case. Add cases."
        return
    if not seen.varies:
        yield (
            "No score varied, as is usual at temperature 0. samples: 1 is enough; more cases show more. A small "
            f"change may still not show: up to {min(3, n)} in {n} cases may change by chance, and fewer than 6 cases "
            "that drop prove nothing."
        )
        return
    if seen.split is None:
        yield (
            "With one sample per case, noise between cases and noise within cases cannot be separated. To see whether "
            "repeats help, calibrate with --samples 2 or more. Until then the total is used."
        )
    elif seen.split.sigma <= 1e-9:
        yield "Samples of one case never differed. samples: 1 is enough; more cases show more."
    elif k > 1:
        single, repeated = (_needed(suite, seen, critical, samples) for samples in (1, k))
        if single is not None and repeated is not None:
            yield (
                f"More cases are better than more samples: to detect a drop of {EFFECT:.2f} in all cases, use "
                f"{single:,} cases with samples: 1 ({2 * single:,} answers) rather than {repeated:,} with samples: {k} "
                f"({2 * k * repeated:,} answers)."
            )
            return
    needed = _needed(suite, seen, critical, 1)
    if needed is not None:
        have = f"you have {n:,}"
        yield f"To detect a drop of {EFFECT:.2f} in all cases, you need about {needed:,} cases with samples: 1; {have}."


def _needed(suite: Measurable, seen: noise.MeasuredNoise, critical: float, k: int) -> int | None:
    """Cases that show the drop even if it breaks whole cases."""
    units = cases_needed(seen.at(k)[1], EFFECT, critical, spread=WHOLE, power=POWER)
    return None if units is None else math.ceil(units * suite.cases / suite.units)


@dataclass(frozen=True, slots=True)
class _Part:
    """One suite of the run."""

    record: SuiteRecord
    scores: noise.ScoreTable
    units: NDArray[np.int64] | None
    blocking: dict[str, NDArray[np.int64]]

    @property
    def labels(self) -> NDArray[np.int64]:
        return np.arange(self.scores.n) if self.units is None else self.units

    @property
    def unit_count(self) -> int:
        return int(np.unique(self.labels).size)


def calibrate(run: RunRecord, steps: StepProgress, effort: Effort | None = None) -> CalibrationRecord:
    """Estimate the noise from a run.

    Args:
        effort: of the simulation; None chooses at most half a minute, or no simulation if the run is too large.

    Raises:
        GateError: no suite has a case with scores of both arms.
    """
    parts = [_part(suite) for suite in run.suites]
    scored = [part for part in parts if part.scores.n]
    if not scored:
        hint = "use the run.json of gate calibrate, or of a gate diff that was not skipped"
        raise GateError("noise cannot be measured: this run has no case with scores of both arms", hint)
    slices, units = _stacked(scored)
    n = int(units.size)
    ties = _ties(scored)
    effort = effort or effort_for(n, len(slices), sum(2 * part.scores.baseline.size for part in scored))
    critical = math.inf
    if slices and effort is not None:
        critical = layout_critical(slices, n, alpha=run.method.alpha, clusters=units, ties=ties)
    elif slices:
        critical = -normal_quantile(run.method.alpha / len(slices))
    return CalibrationRecord(
        tool_version=run.tool_version,
        created=run.created,
        seed=run.seed,
        unfinished=_unfinished(run),
        false_blocks=None if effort is None else _false_blocks(run, scored, steps, effort),
        not_resampled="" if effort is not None or not slices else _too_large(n, len(slices)),
        suites=[_suite(part, run.method.alpha, critical) for part in scored],
        notes=list(_notes(run, parts)),
    )


def _part(suite: SuiteRecord) -> _Part:
    scores = noise.table(suite)
    cases = [suite.cases[position] for position in scores.ids]
    units = cluster_numbers([(case.id, case.cluster) for case in cases])
    labels = np.arange(len(cases)) if units is None else units
    members = _members(cases)
    nobody = np.empty(0, dtype=np.int64)
    blocking = {}
    quality = suite.quality
    names = {row.slice: quality.local(row) for row in (quality.overall, *quality.slices) if not row.advisory}
    for name, own in names.items():
        rows = np.arange(len(cases)) if own == OVERALL else members.get(_parted(own), nobody)
        if np.unique(labels[rows]).size >= BLOCKABLE_UNITS:
            blocking[name] = rows
    return _Part(suite, scores, units, blocking)


def _members(cases: Sequence[CaseRecord]) -> dict[tuple[str, str], NDArray[np.int64]]:
    """Positions of the cases of each slice, by dimension and value."""
    found: dict[tuple[str, str], list[int]] = {}
    for position, case in enumerate(cases):
        for slice_ in case.slices.items():
            found.setdefault(slice_, []).append(position)
    return {slice_: np.array(positions, dtype=np.int64) for slice_, positions in found.items()}


def _parted(name: str) -> tuple[str, str]:
    dimension, _, value = name.partition("=")
    return dimension, value


def _stacked(parts: Sequence[_Part]) -> tuple[dict[str, NDArray[np.int64]], NDArray[np.int64]]:
    """The slices of all suites, and the unit of each case, numbered across suites."""
    slices: dict[str, NDArray[np.int64]] = {}
    units = []
    start = count = 0
    for part in parts:
        slices.update({f"{part.record.name}/{name}": rows + start for name, rows in part.blocking.items()})
        units.append(part.labels + count)
        start, count = start + part.scores.n, count + part.unit_count
    return slices, np.concatenate(units)


def _ties(parts: Sequence[_Part]) -> float:
    """Share of deltas that are 0, for the critical value; a suite without variation adds no zeros."""
    tied = [part.scores.deltas == 0.0 for part in parts]
    return float(sum(zeros.sum() for zeros in tied if not zeros.all()) / sum(zeros.size for zeros in tied))


def _false_blocks(
    run: RunRecord, parts: Sequence[_Part], steps: StepProgress, effort: Effort
) -> FalseBlocksRecord | None:
    slices, units = _stacked(parts)
    if not slices:
        return None
    pools = [np.hstack([part.scores.baseline, part.scores.candidate]) for part in parts]
    steps.start(effort.replicates)
    alpha, seed = run.method.alpha, run.seed
    try:
        found = false_blocks(
            pools, slices, clusters=units, alpha=alpha, effort=effort, seed=seed, step=lambda: steps.step(None)
        )
    finally:
        steps.finish()
    return FalseBlocksRecord(
        joint=_rate(found.joint),
        familiar=_rate(found.familiar),
        promised=run.method.alpha,
        slices=len(slices),
        replicates=effort.replicates,
    )


def _too_large(cases: int, slices: int) -> str:
    return f"{cases:,} cases in {slices:,} slices are too many to resample"


def _rate(found: BlockRate) -> RateRecord:
    return RateRecord(rate=found.rate, error=found.error)


def _suite(part: _Part, alpha: float, critical: float) -> SuiteCalibration:
    scores, record = part.scores, part.record
    seen = noise.measured(scores, part.units)
    right = np.hstack([scores.baseline, scores.candidate]).min(axis=1) >= 1.0 - 1e-9
    split = seen.split if seen is not None and seen.varies else None
    same = compares_itself(record)
    rows = (record.quality.overall, *record.quality.slices)
    measurable = Measurable(scores.n, part.unit_count, scores.k, _calls_per_sample(record))
    return SuiteCalibration(
        name=record.name,
        same_arms=same,
        cases=scores.n,
        units=part.unit_count,
        samples=scores.k,
        left_out=len(record.cases) - scores.n,
        tau=None if split is None else split.tau,
        sigma=None if split is None else split.sigma,
        sd=None if seen is None else seen.total,
        varied=seen is not None and seen.varies,
        ties=float(np.mean(scores.deltas == 0.0)),
        always_right=float(np.mean(right)),
        drift=_drift(part, alpha),
        fell=[row.slice for row in rows if same and row.state is State.REGRESSION],
        choices=[] if seen is None else choices(measurable, seen, critical),
        advice=list(advice(measurable, seen, critical)),
    )


def _drift(part: _Part, alpha: float) -> DriftRecord:
    whole = {OVERALL: np.arange(part.scores.n)}
    found = joint_test(part.scores.deltas, whole, alpha=alpha, clusters=part.units)[OVERALL]
    deltas, units = part.scores.deltas, part.unit_count
    return DriftRecord(
        baseline=float(part.scores.baseline.mean()),
        mean=found.mean or 0.0,
        lower=finite_bound(found.lower),
        upper=finite_bound(found.upper),
        shown=found.upper < 0.0 or found.lower > 0.0,
        undetected=undetected_share(units, alpha) if units and not deltas.any() else None,
    )


def _calls_per_sample(record: SuiteRecord) -> float:
    """One for the answer, plus those of its judges."""
    taken = sum(score is not None for case in record.cases for score in (*case.baseline, *case.candidate))
    return max(1.0, record.calls.made / taken) if taken else 1.0


def _unfinished(run: RunRecord) -> str:
    if run.missing.samples == 0:
        return ""
    why = f": {run.missing.reasons[0].reason}" if run.missing.reasons else ""
    return f"{without_score(run.missing.samples, run.missing.total)}{why}"


def _notes(run: RunRecord, parts: Sequence[_Part]) -> Iterator[str]:
    for part in parts:
        name = part.record.name
        if part.scores.n == 0:
            yield f"{name} is left out: it has no case with scores of both arms."
            continue
        if not compares_itself(part.record):
            yield (
                f"{name} compared two versions, so tau, ties and drift include the effect of the change. "
                "Only sigma, the noise within a case, is noise alone."
            )
        units = part.record.quality.overall
        if part.units is None and units.units < units.n:
            yield f"{name} has clusters that this record does not list. Its cases are treated as independent."
    if run.method.name != "maxt":
        yield f"The run used the method {run.method.name}; the default of gate diff is the joint test."
