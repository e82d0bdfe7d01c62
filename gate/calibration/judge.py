"""Makes a judge calibration from labelled answers and the judge's scores, and states its limits."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version

import numpy as np

from gate.calibration import judge_agreement
from gate.calibration.judge_agreement import Figures, RepeatedScores
from gate.cases.labels import Labels
from gate.config.scorer import ScorerSpec
from gate.record.calibration import (
    AgreementRecord,
    DisagreementRecord,
    FigureRecord,
    JudgeCalibrationRecord,
    JudgingRecord,
    LabelsRecord,
    MaybeFigure,
    NoFigure,
)
from gate.record.transcript import Unscored
from gate.resolve.judges import identity
from gate.stats.agreement import ResamplingOptions
from gate.stats.arrays import IntArray
from gate.stats.intervals import normal_quantile
from gate.values import digest

FEW = 30
FEW_OF_A_LABEL = 10
NARROW = 0.05
"""Largest half width of the agreement's interval without a warning."""


def limits(record: JudgeCalibrationRecord) -> Iterator[str]:
    """Warnings for the reader, the most serious first."""
    agreement = record.agreement
    if agreement is None:
        yield "The judge scored no answer, so nothing is known about it."
        return
    yield from _left_out(record, agreement)
    yield from _no_better(agreement)
    yield from _few(record, agreement)
    yield from _of_one_kind(agreement)
    if record.labels.people < 2:
        yield (
            "Each answer has one label, so agreement between people is unknown, and so is the agreement that a judge "
            "could reach."
        )
    if record.judging.repeats < 2 and record.judge.models:
        yield "Each answer was judged once, so the judge's consistency is unknown. To measure it, use --repeats."


def answers_needed(share: float) -> int:
    """Independent answers for an interval of the agreement of the half width `NARROW` (normal approximation)."""
    z = normal_quantile(0.975)
    spread = max(share * (1.0 - share), 0.05 * 0.95)
    return math.ceil(z * z * spread / NARROW**2)


def _left_out(record: JudgeCalibrationRecord, agreement: AgreementRecord) -> Iterator[str]:
    missing = record.labels.answers - record.judging.judged
    if missing:
        yield (
            f"{missing:,} of {record.labels.answers:,} answers have no score and are left out of the figures. If "
            f"the judge were wrong on all of them, the agreement would be {_percent(agreement.worst)}."
        )


def _no_better(agreement: AgreementRecord) -> Iterator[str]:
    constant = max(agreement.always_pass, 1.0 - agreement.always_pass)
    word = "passes" if agreement.always_pass >= 0.5 else "fails"
    if agreement.share.lower <= constant:
        yield (
            f"A judge that always {word} would agree with people on {_percent(constant)}. "
            "The agreement does not show that this judge is better."
        )
    if isinstance(agreement.kappa, FigureRecord) and agreement.kappa.lower <= 0.0:
        yield "The interval of kappa includes 0: the agreement may be chance."


def _few(record: JudgeCalibrationRecord, agreement: AgreementRecord) -> Iterator[str]:
    units, share = record.judging.units, agreement.share
    half = (share.upper - share.lower) / 2.0
    known = f"the agreement is known to ± {half * 100:.0f} points"
    if half > NARROW:
        needed = answers_needed(share.value)
        known += f"; ± {NARROW * 100:.0f} needs about {needed:,} independent answers"
    if units < FEW:
        word = "answer is" if units == 1 else "answers are"
        yield f"{units} independent {word} too few: {known}."
    elif half > NARROW:
        yield f"{known[0].upper()}{known[1:]}."


def _of_one_kind(agreement: AgreementRecord) -> Iterator[str]:
    kinds: tuple[tuple[str, str, float, MaybeFigure], ...] = (
        ("fail", "fails", agreement.failed_right + agreement.passed_wrong, agreement.true_fail),
        ("pass", "passes", agreement.passed_right + agreement.failed_wrong, agreement.true_pass),
    )
    for word, verb, count, rate in kinds:
        if not isinstance(rate, FigureRecord):
            yield f"People {word} no answer, so it is unknown whether the judge {verb} such answers."
        elif count < FEW_OF_A_LABEL:
            yield (
                f"People {word} only {_answers(count)}: the judge {verb} between {_percent(rate.lower)} and "
                f"{_percent(rate.upper)} of such answers."
            )


def _answers(count: float) -> str:
    number = f"{count:.1f}".removesuffix(".0")
    return f"{number} answer{'' if number == '1' else 's'}"


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"


SHOWN = 10
"""Limit of shown disagreements."""
OUTPUT_CHARS = 400
SLICES = 100
_NOTHING = NoFigure(reason="no answer has a score")


@dataclass(frozen=True, slots=True)
class JudgingEnd:
    """How the judging ended.

    Args:
        repeats: planned judgements per answer.
        unfinished: why it ended early; else empty.
        spent_usd: None if a price is unknown.
    """

    created: datetime
    repeats: int
    unfinished: str
    spent_usd: float | None


def seed_of(labels: Labels, spec: ScorerSpec) -> int:
    """A hash of labels and judge, so that the resamples cannot be chosen."""
    return int(digest([labels.digest, identity(spec).digest])[:12], 16)


def conclude(
    labels: Labels, spec: ScorerSpec, judged: Sequence[RepeatedScores], ended: JudgingEnd
) -> JudgeCalibrationRecord:
    """Compare judgements with labels; no calls."""
    judge, seed = identity(spec), seed_of(labels, spec)
    places = [place for place, one in enumerate(judged) if one.values]
    own, rows = [judged[place] for place in places], [labels.rows[place] for place in places]
    units = judge_agreement.units_of(labels.rows)
    people = judge_agreement.table_of([row.labels for row in labels.rows])
    found = Figures(
        rows=rows,
        people=judge_agreement.table_of([row.labels for row in rows]),
        scores=judge_agreement.table_of([one.values for one in own]),
        mark=judge.threshold,
        drawing=ResamplingOptions(clusters=units[places], seed=seed),
    )
    some = bool(places)
    passing = judge_agreement.means(judge_agreement.passes(people, judge.threshold))
    slices = judge_agreement.slices(found) if some else []
    differing = _differing(found) if some else []
    record = JudgeCalibrationRecord(
        tool_version=version("prompt-gate"),
        created=ended.created.isoformat(timespec="seconds"),
        seed=seed,
        unfinished=ended.unfinished,
        judge=judge,
        labels=_labels(labels, len(np.unique(units)), float(passing.mean())),
        judging=_judging(judged, units[places], ended),
        agreement=judge_agreement.agreement(found, len(judged) - len(places)) if some else None,
        people=judge_agreement.people(found) if some else None,
        grades=judge_agreement.grades(found) if some and labels.graded else None,
        consistency=judge_agreement.repeated(found) if some else _NOTHING,
        length=judge_agreement.by_length(found) if some else _NOTHING,
        jury=judge_agreement.jury(found, own) if some else None,
        slices=slices[:SLICES],
        more_slices=max(0, len(slices) - SLICES),
        differing=len(differing),
        disagreements=[_disagreement(found, place, own[place]) for place in differing[:SHOWN]],
        limits=[],
    )
    return record.model_copy(update={"limits": list(limits(record))})


def _labels(labels: Labels, units: int, passing: float) -> LabelsRecord:
    return LabelsRecord(
        file=labels.file,
        digest=labels.digest,
        answers=len(labels.rows),
        units=units,
        people=labels.people,
        graded=labels.graded,
        low=labels.scale.low,
        high=labels.scale.high,
        passing=passing,
    )


def _judging(judged: Sequence[RepeatedScores], with_score: IntArray, ended: JudgingEnd) -> JudgingRecord:
    """`with_score` has the units of the scored answers."""
    scores = [score for one in judged for score in one.scores.values()]
    reasons = Counter(score.value.reason for score in scores if isinstance(score.value, Unscored))
    return JudgingRecord(
        repeats=ended.repeats,
        judged=len(with_score),
        units=len(np.unique(with_score)),
        unscored=dict(reasons.most_common()),
        calls=sum(score.calls for score in scores),
        reused=sum(score.reused for score in scores),
        spent_usd=ended.spent_usd,
    )


def _differing(found: Figures) -> list[int]:
    """Answers on which judge and people disagree, the largest differences first."""
    verdicts, labels = judge_agreement.means(found.verdicts), judge_agreement.means(found.labels)
    apart = np.abs(found.judged_mean - found.label_mean)
    order = sorted(range(len(apart)), key=lambda place: (-apart[place], place))
    return [place for place in order if abs(verdicts[place] - labels[place]) > 0.5]


def _disagreement(found: Figures, place: int, judged: RepeatedScores) -> DisagreementRecord:
    case, mean = found.rows[place].case, float(found.judged_mean[place])
    scored = [(one.value, one.reason) for one in judged.scores.values() if not isinstance(one.value, Unscored)]
    _, reason = min(scored, key=lambda one: abs(one[0] - mean))
    return DisagreementRecord(
        id=case.id,
        where=case.where,
        cluster=case.cluster or "",
        question=(case.messages[-1].content if case.messages else case.question)[:OUTPUT_CHARS],
        people=float(found.label_mean[place]),
        judge=mean,
        output=found.rows[place].output[:OUTPUT_CHARS],
        reason=reason[:OUTPUT_CHARS],
    )
