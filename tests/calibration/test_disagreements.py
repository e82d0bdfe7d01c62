"""Which answers a calibration shows on which judge and people are apart."""

import numpy as np

from gate.calibration.judge import SHOWN
from gate.record.calibration import DisagreementRecord
from tests.support.labelled import calibration, judged, labels


def shown(people: list[float], scores: list[float]) -> list[DisagreementRecord]:
    """By graded labels, so that how far an answer is off can differ; it passes at 0.7."""
    found = labels([[one] for one in people], graded=True)
    return calibration(found, judged(len(people), 1, lambda answer, _: scores[answer])).disagreements


def test_those_furthest_apart_come_first_and_ties_in_the_order_of_the_file() -> None:
    """Without the last one, which is far apart and passes with both."""
    found = shown([0.8, 0.0, 1.0, 0.6, 0.0, 0.9, 1.0], [0.6, 1.0, 0.5, 0.8, 1.0, 0.9, 0.7])
    assert [one.id for one in found] == ["a1", "a4", "a2", "a0", "a3"]
    assert [one.where for one in found[:2]] == ["l.jsonl:2", "l.jsonl:5"]
    assert [(one.people, one.judge) for one in found[:3]] == [(0.0, 1.0), (0.0, 1.0), (1.0, 0.5)]
    assert (found[0].output, found[0].reason) == ("answer 1", "reason 1")


def test_of_many_the_furthest_apart_are_shown() -> None:
    people = np.linspace(0.0, 0.6, 3 * SHOWN)
    rng = np.random.default_rng(1)
    rng.shuffle(people)
    found = shown(people.tolist(), [0.9] * len(people))
    assert [one.people for one in found] == sorted(people)[:SHOWN]
