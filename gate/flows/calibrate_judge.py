"""Labelled answers and what a judge said of them become a calibration."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version

import numpy as np

from gate.config.scorerspec import ScorerSpec
from gate.domain.absence import Unscored
from gate.domain.jsonvalue import digest
from gate.domain.judge_calibration import (
    DisagreementRecord,
    JudgeCalibrationRecord,
    JudgingRecord,
    LabelsRecord,
    NoFigure,
)
from gate.domain.labels import Labels
from gate.flows import judge_breakdown, judge_figures
from gate.flows.judge_figures import Figures
from gate.flows.judge_identity import identity
from gate.flows.judge_limits import limits
from gate.flows.judging import Judged
from gate.stats.arrays import IntArray
from gate.stats.resampling import Drawing

SHOWN = 10
"""Answers on which judge and people are furthest apart."""
OUTPUT_CHARS = 400
SLICES = 100
_NOTHING = NoFigure(reason="no answer has a score")


@dataclass(frozen=True, slots=True)
class Ended:
    """How the judging went.

    Args:
        created: when it began.
        repeats: times that each answer was to be judged.
        unfinished: why it ended early; empty otherwise.
        spent_usd: dollars; None where no price is known.
    """

    created: datetime
    repeats: int
    unfinished: str
    spent_usd: float | None


def seed_of(labels: Labels, spec: ScorerSpec) -> int:
    """A hash of labels and judge, so that nobody can choose the resamples."""
    return int(digest([labels.digest, identity(spec).digest])[:12], 16)


def conclude(labels: Labels, spec: ScorerSpec, judged: Sequence[Judged], ended: Ended) -> JudgeCalibrationRecord:
    """Put judgements beside labels; no calls.

    Args:
        labels: what people say.
        spec: the scorer.
        judged: one for each row of the labels.
        ended: how the judging went.
    """
    judge, seed = identity(spec), seed_of(labels, spec)
    places = [place for place, one in enumerate(judged) if one.values]
    own, rows = [judged[place] for place in places], [labels.rows[place] for place in places]
    units = judge_figures.units_of(labels.rows)
    people = judge_figures.table_of([row.labels for row in labels.rows])
    found = Figures(
        rows=rows,
        people=judge_figures.table_of([row.labels for row in rows]),
        scores=judge_figures.table_of([one.values for one in own]),
        mark=judge.threshold,
        drawing=Drawing(clusters=units[places], seed=seed),
    )
    some = bool(places)
    passing = judge_figures.means(judge_figures.passes(people, judge.threshold))
    slices = judge_breakdown.slices(found) if some else []
    differing = _differing(found) if some else []
    record = JudgeCalibrationRecord(
        tool_version=version("prompt-gate"),
        created=ended.created.isoformat(timespec="seconds"),
        seed=seed,
        unfinished=ended.unfinished,
        judge=judge,
        labels=_labels(labels, len(np.unique(units)), float(passing.mean())),
        judging=_judging(judged, units[places], ended),
        agreement=judge_figures.agreement(found, len(judged) - len(places)) if some else None,
        people=judge_figures.people(found, labels.graded) if some else None,
        grades=judge_figures.grades(found) if some and labels.graded else None,
        consistency=judge_figures.repeated(found) if some else _NOTHING,
        length=judge_figures.by_length(found) if some else _NOTHING,
        threshold=judge_figures.threshold(found) if some else _NOTHING,
        jury=judge_breakdown.jury(found, own) if some else None,
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


def _judging(judged: Sequence[Judged], with_score: IntArray, ended: Ended) -> JudgingRecord:
    """The units of the answers that have a score stand for these."""
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
    """The answers where most judgements and most labels differ as pass and fail, those furthest apart first."""
    verdicts, labels = judge_figures.means(found.verdicts), judge_figures.means(found.labels)
    apart = np.abs(found.judged_mean - found.label_mean)
    order = sorted(range(len(apart)), key=lambda place: (-apart[place], place))
    return [place for place in order if abs(verdicts[place] - labels[place]) > 0.5]


def _disagreement(found: Figures, place: int, judged: Judged) -> DisagreementRecord:
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
