"""Judges labelled answers, each several times, with the same calls as a run."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gate.calls.interface import Stop
from gate.cases.labels import Labelled
from gate.config.scorer import ScorerSpec
from gate.engine.run import FAILURES_IN_A_ROW, Tools, until_done
from gate.record.calibration import (
    AgreementRecord,
    ConsistencyRecord,
    FigureRecord,
    GradesRecord,
    JuryRecord,
    MaybeFigure,
    MemberRecord,
    NoFigure,
    PeopleRecord,
    ShareRecord,
    SliceRecord,
)
from gate.record.findings.unfinished import CannotSave, ServiceFailed
from gate.record.transcript import ArmName, Part, Reply, Sample, Score, Unpriced, Unscored, Usage
from gate.scoring.interface import Subject
from gate.scoring.panel import validate
from gate.stats.agreement import (
    Ratings,
    ResamplingOptions,
    confusion,
    consistency,
    crossed,
    kappa,
    kappa_of_two,
    share_among,
    share_of_agreement,
)
from gate.stats.arrays import Estimate, FloatArray, IntArray, Undefined
from gate.stats.association import length_bias, mean_difference
from gate.stats.intervals import Rate
from gate.values import digest

RECORDED = "recorded"
SUITE = "judge"

ScoreOf = Callable[[Subject, int], Awaitable[Score]]


@dataclass(slots=True)
class RepeatedScores:
    """The scores of one answer, by repeat; fewer if the run ended early."""

    scores: dict[int, Score] = field(default_factory=dict)

    @property
    def values(self) -> list[float]:
        """The scores in the order of the repeats."""
        found = (self.scores[index].value for index in sorted(self.scores))
        return [value for value in found if not isinstance(value, Unscored)]


@dataclass(slots=True)
class JudgeRun:
    """Judges every answer once before any answer twice, so that a run that ends early covers all answers."""

    spec: ScorerSpec
    tools: Tools
    stop: Stop
    found: list[RepeatedScores] = field(default_factory=list, init=False)
    _unscored: int = field(default=0, init=False)
    _scored: bool = field(default=False, init=False)

    async def judge(self, rows: Sequence[Labelled], repeats: int) -> list[RepeatedScores]:
        """Judge each recorded answer `repeats` times; one result for each row, in order.

        Raises:
            GateError: an error that no retry fixes (wrong key, unknown model).
        """
        self.found = [RepeatedScores() for _ in rows]
        score = self._scorer()
        jobs = ((position, index) for index in range(repeats) for position in range(len(rows)))
        self.tools.progress.start(len(rows) * repeats)
        workers = min(self.tools.workers, len(rows) * repeats)
        try:
            await until_done([self._work(jobs, rows, score) for _ in range(workers)], self.stop)
        finally:
            self.tools.progress.finish()
        return self.found

    def _scorer(self) -> ScoreOf:
        if self.spec.judged:
            return self.tools.judge(self.spec).score

        async def by_code(subject: Subject, index: int) -> Score:
            return validate(self.spec, subject)

        return by_code

    async def _work(self, jobs: Iterator[tuple[int, int]], rows: Sequence[Labelled], score: ScoreOf) -> None:
        for position, index in jobs:
            if self.stop.reason is not None:
                return
            row = rows[position]
            found = await score(Subject(row.case, row.output), index)
            self.found[position].scores[index] = found
            self._watch(found)
            self._keep(row, index, found)

    def _watch(self, score: Score) -> None:
        if not isinstance(score.value, Unscored):
            self._scored = True
            return
        if cause := self.tools.exhausted():
            self.stop.drain(cause)
        self._unscored += 1
        if not self._scored and self._unscored >= FAILURES_IN_A_ROW:
            self.stop.drain(ServiceFailed(calls=self._unscored, error=score.value.reason))

    def _keep(self, row: Labelled, index: int, score: Score) -> None:
        reply = Reply(row.output, RECORDED, Usage(), Unpriced("n/a"), latency_s=None)
        sample = Sample(SUITE, row.case.id, ArmName.CANDIDATE, index, reply, (score,), score.value)
        try:
            self.tools.sink.sample(sample)
        except OSError as error:
            self.stop.drain(CannotSave(what="judgements", reason=error.strerror or str(error)))
        self.tools.progress.advance(sample, self.tools.spent_usd())


VERDICTS = (0.0, 1.0)
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """Labels and judgements of the N answers that have both.

    Args:
        people: [N, people] labels.
        scores: [N, repeats] of the judge.
        mark: threshold of a pass, for judge and people.
        drawing: units of the answers, seed, level.
    """

    rows: Sequence[Labelled]
    people: Ratings
    scores: Ratings
    mark: float
    drawing: ResamplingOptions

    @property
    def verdicts(self) -> Ratings:
        """The judge's scores as pass and fail."""
        return passes(self.scores, self.mark)

    @property
    def labels(self) -> Ratings:
        """The labels as pass and fail."""
        return passes(self.people, self.mark)

    @property
    def judged_mean(self) -> FloatArray:
        return means(self.scores)

    @property
    def label_mean(self) -> FloatArray:
        return means(self.people)


def units_of(rows: Sequence[Labelled]) -> IntArray:
    """int[N]: answers of one cluster, or to one question, are one unit."""
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
    """1 for a rating of at least the threshold, else 0."""
    return Ratings.of((ratings.values >= mark - _TOLERANCE).astype(np.float64), ratings.present)


def means(ratings: Ratings) -> FloatArray:
    """float[N], of the existing ratings."""
    total: FloatArray = np.where(ratings.present, ratings.values, 0.0).sum(axis=1) / np.maximum(ratings.counts, 1.0)
    return total


def agreement(found: Figures, left_out: int) -> AgreementRecord:
    """Agreement of the judge with people."""
    tables = crossed(found.labels, found.verdicts, VERDICTS)
    counts = confusion(tables, found.drawing)
    share = share_of_agreement(tables, found.drawing)
    n = len(tables)
    return AgreementRecord(
        share=rate_record(share),
        worst=(share.rate or 0.0) * n / (n + left_out),
        kappa=figure(kappa(tables, found.drawing)),
        passed_right=counts.passed_right,
        passed_wrong=counts.passed_wrong,
        failed_right=counts.failed_right,
        failed_wrong=counts.failed_wrong,
        true_pass=_maybe_rate(counts.true_pass, "people fail every answer"),
        true_fail=_maybe_rate(counts.true_fail, "people pass every answer"),
        always_pass=counts.always_pass,
    )


def people(found: Figures) -> PeopleRecord | None:
    """Agreement between people; None if no answer has two labels."""
    share = share_among(found.labels, found.drawing)
    if share.rate is None:
        return None
    return PeopleRecord(answers=int((found.people.counts >= 2).sum()), share=share.rate)


def grades(found: Figures) -> GradesRecord:
    """Scores compared with grades."""
    apart = found.judged_mean - found.label_mean
    return GradesRecord(
        apart=float(np.abs(apart).mean()),
        above=figure(mean_difference(apart, found.drawing)),
    )


def repeated(found: Figures) -> ConsistencyRecord | NoFigure:
    """Agreement of the judge with itself on the same answer."""
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
    """Extra score of an answer of twice the length with the same label."""
    lengths = np.array([max(1, len(row.output)) for row in found.rows], dtype=np.float64)
    return figure(length_bias(found.judged_mean, found.label_mean, lengths, found.drawing))


def figure(found: Estimate | Undefined) -> MaybeFigure:
    """The figure of the record; missing if a bound is infinite."""
    if isinstance(found, Undefined):
        return NoFigure(reason=found.reason)
    if not np.isfinite([found.lower, found.upper]).all():
        return NoFigure(reason="too few answers for an interval")
    return FigureRecord(value=found.value, lower=found.lower, upper=found.upper)


def rate_record(rate: Rate) -> ShareRecord:
    """The share of the record; without answers its interval is the whole range."""
    return ShareRecord(value=rate.rate or 0.0, lower=rate.lower, upper=rate.upper)


def _maybe_rate(rate: Rate, reason: str) -> MaybeFigure:
    return NoFigure(reason=reason) if rate.rate is None else rate_record(rate)


def jury(found: Figures, judged: Sequence[RepeatedScores]) -> JuryRecord | None:
    """Agreement of each judge of a jury with people, and between the judges; None for a single judge."""
    names = list(dict.fromkeys(part.name for one in judged for part in _opinions(one)))
    if len(names) < 2:
        return None
    drawn = list(_each_judgement(judged))
    verdicts = passes(table_of([[opinions.get(name) for name in names] for _, opinions in drawn]), found.mark)
    units = np.asarray(found.drawing.clusters)[[position for position, _ in drawn]]
    drawing = replace(found.drawing, clusters=units)
    return JuryRecord(
        members=[MemberRecord(name=name, share=_member(name, found, judged)) for name in names],
        share=rate_record(share_among(verdicts, drawing)),
        kappa=figure(kappa_of_two(verdicts, drawing)) if len(names) == 2 else None,
    )


def slices(found: Figures) -> list[SliceRecord]:
    """The share of agreement within each slice, the largest slices first."""
    members: dict[str, list[int]] = {}
    for place, row in enumerate(found.rows):
        for dimension, value in row.case.slices.items():
            members.setdefault(f"{dimension}={value}", []).append(place)
    largest = sorted(members.items(), key=lambda one: (-len(one[1]), one[0]))
    tables = crossed(found.labels, found.verdicts, VERDICTS)
    units = np.asarray(found.drawing.clusters)
    return [
        SliceRecord(
            name=name,
            answers=len(places),
            units=len(np.unique(units[places])),
            share=rate_record(share_of_agreement(tables[places], replace(found.drawing, clusters=units[places]))),
        )
        for name, places in largest
    ]


def _member(name: str, found: Figures, judged: Sequence[RepeatedScores]) -> ShareRecord:
    own = table_of([[part.value for part in _opinions(one) if part.name == name] for one in judged])
    places = np.flatnonzero(own.counts > 0)
    tables = crossed(found.labels, passes(own, found.mark), VERDICTS)
    return rate_record(
        share_of_agreement(tables, replace(found.drawing, clusters=np.asarray(found.drawing.clusters)[places]))
    )


def _opinions(one: RepeatedScores) -> list[Part]:
    return [part for score in one.scores.values() for part in score.parts if part.kind == "judge"]


def _each_judgement(judged: Sequence[RepeatedScores]) -> Iterator[tuple[int, dict[str, float]]]:
    for position, one in enumerate(judged):
        for score in one.scores.values():
            yield position, {part.name: part.value for part in score.parts if part.kind == "judge"}
