"""What the page shows of a run's samples: times and costs of all of them, and the answers of the most changed cases."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gate.engine.arrays import case_figures
from gate.engine.record_parts import transcript_record
from gate.engine.samples import ARMS, SCORED, Bools, Columns, Floats, Ints, SampleTable
from gate.record.run import NewCaseRecord, NewSuiteRecord, RunRecord, SuiteRecord
from gate.record.transcript import Failed, Reply, Sample, Score
from gate.report.escape import visible
from gate.report.page.cases import SHOWN, ArmFigures, GatheredSamples, KeptAnswers, no_samples
from gate.report.slices import all_suites

ANSWER_CHARS = 6_000
REASON_CHARS = 1_000
SCORES_KEPT = 30
_SAME = 1e-6
_LEAST = 1e-12
"""Seconds or dollars; smaller than any real value, and a ratio to less would be unbounded."""


@dataclass(frozen=True, slots=True)
class SampleBounds:
    """How much is taken."""

    cases: int = SHOWN
    answers: int = 12
    chars: int = 8_000_000
    samples: int = 400_000


BOUNDS = SampleBounds()


def gather_samples(run: RunRecord, samples: SampleTable, bounds: SampleBounds = BOUNDS) -> GatheredSamples:
    """Take the figures of all samples that belong to a run, and the texts of those that the page shows."""
    found, columns = no_samples(run, bounds.cases), samples.samples[: bounds.samples]
    if not len(columns):
        return found
    own = np.zeros(len(columns), dtype=np.bool_)
    for suite in all_suites(run):
        rows, belongs = _samples_of(suite, samples, columns)
        own[rows[belongs]] = True
        fresh = belongs & ~(columns["failed"] | columns["reused"] | columns["warmup"])[rows]
        for figures, name in ((found.seconds, "latency_s"), (found.dollars, "cost")):
            values = columns[name][rows]
            known = fresh & (values >= _LEAST)
            if known.any():
                # Means of times are those of logarithms, as latency is compared.
                figures[suite.name] = _arm_figures(suite, values, known, geometric=name == "latency_s")
    # Other suites are those of edited cases and of rules, which are tried beside the run.
    names = {suite.name for suite in all_suites(run)}
    of_run = np.array([key[0] in names for key in samples.keys], dtype=np.bool_)[columns["key"]]
    found.seen, found.strange = int(own.sum()), int((of_run & ~own).sum())
    found.scored = int((own & (columns["reason"] == SCORED)).sum())
    _keep_answers(found, samples, own, bounds)
    return found


def _samples_of(suite: SuiteRecord | NewSuiteRecord, samples: SampleTable, columns: Columns) -> tuple[Ints, Bools]:
    """int[2, N, k] and bool[2, N, k]: where the samples of a suite are, and which have the scores of the record.

    A file of another run has others.
    """
    recorded = _recorded_scores(suite)
    rows = samples.rows_of(suite.name, [case.id for case in suite.cases], recorded.shape[2])
    there = (rows >= 0) & (rows < len(columns))
    rows[~there] = 0
    values = np.where(columns["reason"] == SCORED, columns["score"], np.nan)[rows]
    same = (np.isnan(values) & np.isnan(recorded)) | (np.abs(values - recorded) < _SAME)
    return rows, there & same


def _recorded_scores(suite: SuiteRecord | NewSuiteRecord) -> Floats:
    """float[2, N, k]; NaN where a sample has no score, infinite where there is none."""
    cases: list[tuple[Sequence[float | None], Sequence[float | None]]] = [
        ((), case.scores) if isinstance(case, NewCaseRecord) else (case.baseline, case.candidate)
        for case in suite.cases
    ]
    found = np.full((len(ARMS), len(cases), max((len(arm) for arms in cases for arm in arms), default=0)), np.inf)
    for case, arms in enumerate(cases):
        for arm, scores in enumerate(arms):
            found[arm, case, : len(scores)] = [np.nan if score is None else score for score in scores]
    return found


def _arm_figures(suite: SuiteRecord | NewSuiteRecord, values: Floats, known: Bools, *, geometric: bool) -> ArmFigures:
    means = case_figures(values, known, geometric=geometric)
    pairs = zip(means.positions.tolist(), means.means.T.tolist(), strict=True)
    return ArmFigures(
        {arm: own[there].tolist() for arm, own, there in zip(ARMS, values, known, strict=True)},
        {(suite.name, suite.cases[position].id): (before, after) for position, (before, after) in pairs},
    )


def _keep_answers(found: GatheredSamples, samples: SampleTable, own: Bools, bounds: SampleBounds) -> None:
    answers = [found.answers.get(key[:2]) for key in samples.keys]
    shown = np.array([kept is not None for kept in answers], dtype=np.bool_)
    numbers = samples.samples["key"]
    for row in np.flatnonzero(own & shown[numbers[: len(own)]]).tolist():
        if (kept := answers[numbers[row]]) is None:
            continue
        room = len(kept.samples) < bounds.answers and found.chars < bounds.chars
        if (sample := samples.whole(row) if room else None) is not None:
            found.chars += _keep(kept, sample)
        else:
            kept.left_out += 1


def _keep(kept: KeptAnswers, sample: Sample) -> int:
    """Keep one answer; returns how many characters that are."""
    slim = _slim(sample)
    kept.transcripts[len(kept.samples)] = transcript_record(sample)
    kept.samples.append(slim)
    text = f"{slim.reply.text}{slim.reply.thinking}" if isinstance(slim.reply, Reply) else slim.reply.reason
    return len(text) + sum(len(score.reason) for score in slim.scores)


def _slim(sample: Sample) -> Sample:
    """The sample without text beyond what is shown."""
    scores = tuple(_slim_score(score) for score in sample.scores[:SCORES_KEPT])
    reply = sample.reply
    if isinstance(reply, Reply):
        texts = _cut(reply.text, ANSWER_CHARS), _cut(reply.thinking, ANSWER_CHARS)
        reply = replace(reply, text=texts[0], thinking=texts[1], transcript=None, effort=None)
    else:
        reply = Failed(_cut(reply.reason, REASON_CHARS), reply.attempts)
    return replace(sample, reply=reply, scores=scores)


def _slim_score(score: Score) -> Score:
    parts = tuple(replace(part, reason=_cut(part.reason, REASON_CHARS)) for part in score.parts[:SCORES_KEPT])
    return replace(score, reason=_cut(score.reason, REASON_CHARS), parts=parts)


def _cut(text: str, limit: int) -> str:
    """Both ends of a long text. The middle is cut first, with room for a key across the cut, which is masked."""
    if len(text) <= limit:
        return text
    half = limit // 2
    note = f" […{len(text) - 2 * half:,} characters left out…] "
    return visible(text[: 4 * half])[:half] + note + visible(text[-4 * half :])[-half:]
