"""What judgements and labels say together, figure by figure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gate.domain.jsonvalue import digest
from gate.domain.judge_calibration import (
    AgreementRecord,
    ConsistencyRecord,
    FigureRecord,
    GradesRecord,
    MaybeFigure,
    NoFigure,
    PeopleRecord,
    ShareRecord,
    ThresholdRecord,
)
from gate.domain.labels import Labelled
from gate.stats.agreement import crossed, kappa, share_of_agreement
from gate.stats.arrays import FloatArray, IntArray
from gate.stats.confusion import balanced_accuracy, confusion
from gate.stats.consistency import consistency
from gate.stats.gwet import ac1
from gate.stats.krippendorff import alpha
from gate.stats.lengthbias import length_bias
from gate.stats.ranks import mean_difference, rank_correlation
from gate.stats.ratings import Ratings
from gate.stats.resampling import Drawing
from gate.stats.threshold import best_threshold
from gate.stats.undefined import Estimate, Undefined
from gate.stats.wilson import Rate

VERDICTS = (0.0, 1.0)
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """Labels and judgements of the answers that have both.

    Args:
        rows: the labelled answers.
        people: [N, people] labels.
        scores: [N, repeats] the judge's.
        mark: at least this is a pass, for judge and people.
        drawing: units of the N answers, seed, level.
    """

    rows: Sequence[Labelled]
    people: Ratings
    scores: Ratings
    mark: float
    drawing: Drawing

    @property
    def verdicts(self) -> Ratings:
        """The judge's, as pass and fail."""
        return passes(self.scores, self.mark)

    @property
    def labels(self) -> Ratings:
        """People's, as pass and fail."""
        return passes(self.people, self.mark)

    @property
    def judged_mean(self) -> FloatArray:
        return means(self.scores)

    @property
    def label_mean(self) -> FloatArray:
        return means(self.people)


def units_of(rows: Sequence[Labelled]) -> IntArray:
    """int[N]: answers of one cluster are one unit, and so are answers to one question."""
    keys = [row.case.cluster or digest(row.case.question) for row in rows]
    return np.unique(np.array(keys), return_inverse=True)[1].astype(np.int64)


def table_of(rows: Sequence[Sequence[float | None]]) -> Ratings:
    """Ratings from rows of any length; None is missing."""
    width = max((len(row) for row in rows), default=0)
    values, present = np.zeros((len(rows), width)), np.zeros((len(rows), width), dtype=np.bool_)
    for place, row in enumerate(rows):
        for column, value in enumerate(row):
            if value is not None:
                values[place, column], present[place, column] = value, True
    return Ratings.of(values, present)


def passes(ratings: Ratings, mark: float) -> Ratings:
    """1 for a rating of at least the mark, else 0."""
    return Ratings.of((ratings.values >= mark - _TOLERANCE).astype(np.float64), ratings.present)


def means(ratings: Ratings) -> FloatArray:
    """float[N], of those that were given."""
    total: FloatArray = np.where(ratings.present, ratings.values, 0.0).sum(axis=1) / np.maximum(ratings.counts, 1.0)
    return total


def agreement(found: Figures, left_out: int) -> AgreementRecord:
    """How often the judge and people say the same.

    Args:
        found: one answer at least.
        left_out: answers that the judge gave no score.
    """
    tables = crossed(found.labels, found.verdicts, VERDICTS)
    counts = confusion(tables, found.drawing)
    share = share_of_agreement(tables, found.drawing)
    n = len(tables)
    return AgreementRecord(
        share=rate_record(share),
        worst=(share.rate or 0.0) * n / (n + left_out),
        kappa=figure(kappa(tables, found.drawing)),
        ac1=figure(ac1(tables, found.drawing)),
        passed_right=counts.passed_right,
        passed_wrong=counts.passed_wrong,
        failed_right=counts.failed_right,
        failed_wrong=counts.failed_wrong,
        true_pass=_maybe_rate(counts.true_pass, "people fail every answer"),
        true_fail=_maybe_rate(counts.true_fail, "people pass every answer"),
        balanced=figure(balanced_accuracy(counts)),
        always_pass=counts.always_pass,
    )


def people(found: Figures, graded: bool) -> PeopleRecord | None:
    """How far people agree among themselves; None where no answer has two labels."""
    several = found.people.counts >= 2
    if not several.any():
        return None
    labels = found.labels
    tallies = labels.tallies(np.array(VERDICTS))[several]
    m = tallies.sum(axis=1)
    same = (tallies * (tallies - 1.0)).sum(axis=1) / (m * (m - 1.0))
    coefficient = alpha(found.people, found.drawing, level="interval") if graded else alpha(labels, found.drawing)
    return PeopleRecord(answers=int(several.sum()), share=float(same.mean()), alpha=figure(coefficient))


def grades(found: Figures) -> GradesRecord:
    """Scores against grades."""
    apart = found.judged_mean - found.label_mean
    return GradesRecord(
        apart=float(np.abs(apart).mean()),
        above=figure(mean_difference(apart, found.drawing)),
        order=figure(rank_correlation(found.judged_mean, found.label_mean, found.drawing)),
    )


def repeated(found: Figures) -> ConsistencyRecord | NoFigure:
    """The same answer, judged again."""
    seen = consistency(found.scores, found.mark, found.drawing)
    if isinstance(seen, Undefined):
        return NoFigure(reason=seen.reason)
    return ConsistencyRecord(
        answers=seen.items,
        flips=rate_record(seen.flips),
        two_differ=seen.two_differ,
        within_sd=seen.within_sd,
        widest=seen.widest,
    )


def by_length(found: Figures) -> MaybeFigure:
    """What an answer twice as long gets more at the same label."""
    lengths = np.array([max(1, len(row.output)) for row in found.rows], dtype=np.float64)
    return figure(length_bias(found.judged_mean, found.label_mean, lengths, found.drawing))


def threshold(found: Figures) -> ThresholdRecord | NoFigure:
    """The threshold that best matches people."""
    choice = best_threshold(found.scores, found.labels, found.drawing)
    if isinstance(choice, Undefined):
        return NoFigure(reason=choice.reason)
    now = balanced_accuracy(confusion(crossed(found.labels, found.verdicts, VERDICTS), found.drawing))
    return ThresholdRecord(
        best=choice.threshold,
        fitted=choice.balanced,
        honest=choice.honest,
        now=now.value if isinstance(now, Estimate) else 0.0,
        lowest=choice.lowest,
        highest=choice.highest,
    )


def figure(found: Estimate | Undefined) -> MaybeFigure:
    """As the record has it; an infinite bound becomes a missing figure."""
    if isinstance(found, Undefined):
        return NoFigure(reason=found.reason)
    if not np.isfinite([found.lower, found.upper]).all():
        return NoFigure(reason="too few answers for an interval")
    return FigureRecord(value=found.value, lower=found.lower, upper=found.upper)


def rate_record(rate: Rate) -> ShareRecord:
    """As the record has it; without answers anything is possible."""
    return ShareRecord(value=rate.rate or 0.0, lower=rate.lower, upper=rate.upper)


def _maybe_rate(rate: Rate, reason: str) -> MaybeFigure:
    return NoFigure(reason=reason) if rate.rate is None else rate_record(rate)
