"""Synthetic labelled answers and judgements for tests of a judge's calibration."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import numpy as np

from gate.calibration.judge import JudgingEnd, conclude
from gate.calibration.judge_agreement import RepeatedScores
from gate.cases.case import Case
from gate.cases.labels import Labelled, Labels, LabelScale
from gate.config.scorer import ScorerSpec
from gate.record.calibration import JudgeCalibrationRecord
from gate.record.transcript import Part, Score, Unscored

JUDGE = ScorerSpec("judge", "judge", {"criteria": "Is right.", "model": "fake:judge", "threshold": 0.7})
CREATED = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)

Says = Callable[[int, int], float | Unscored]
"""From answer and repeat to the judge's score."""


def labels(values: Sequence[Sequence[float | None]], *, graded: bool = False) -> Labels:
    """One answer for each row of labels, every answer to a question of its own."""
    rows = tuple(
        Labelled(Case(f"a{place}", f"question {place}", where=f"l.jsonl:{place + 1}"), f"answer {place}", tuple(row))
        for place, row in enumerate(values)
    )
    return Labels("l.jsonl", "0" * 64, rows, graded, LabelScale())


def judged(count: int, repeats: int, says: Says) -> list[RepeatedScores]:
    """The judge's scores of each answer."""
    return [
        RepeatedScores({index: Score("judge", says(place, index), f"reason {place}") for index in range(repeats)})
        for place in range(count)
    ]


def by_jury(count: int, opinions: Sequence[Callable[[int], float]]) -> list[RepeatedScores]:
    """One judgement of each answer, by several judges."""
    found = []
    for place in range(count):
        parts = tuple(Part("judge", f"j{number}", one(place)) for number, one in enumerate(opinions))
        value = float(np.mean([part.value for part in parts]))
        found.append(RepeatedScores({0: Score("judge", value, "so they say", parts=parts)}))
    return found


def calibration(
    found: Labels, said: Sequence[RepeatedScores], *, spec: ScorerSpec = JUDGE, repeats: int = 1, unfinished: str = ""
) -> JudgeCalibrationRecord:
    """The record of labels and judgements."""
    return conclude(found, spec, said, JudgingEnd(CREATED, repeats, unfinished, 0.25))
