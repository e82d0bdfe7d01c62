"""A rubric's reply is read by the scale that was asked for."""

import json
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gate.config.rubrics import Dimension, Rubric
from gate.record.transcript import Part
from gate.scoring.interface import weighted_mean
from gate.scoring.judge_reply import MalformedVerdict, VerdictForm
from gate.scoring.verdict import Verdict
from tests.support.fakes import reply


def read(score: object, low: float = 1.0, high: float = 5.0) -> Verdict:
    dimensions = (Dimension("brevity", "Is short.", 0.5), Dimension("tone", "Is warm.", 0.5))
    said = {"brevity": {"reason": "r", "score": low}, "tone": {"reason": "r", "score": score}}
    return VerdictForm(Rubric(dimensions, low, high)).read(reply(json.dumps(said)))


@pytest.mark.parametrize("score", [1, 5, 4.0])
def test_whole_numbers_of_a_scale_with_few_steps_are_read(score: float) -> None:
    assert read(score).marks[1].score == score


@pytest.mark.parametrize(("score", "low", "high"), [(4.5, 1.0, 5.0), (0.5, 0.0, 1.0), (-0.25, -1.0, 1.0)])
def test_a_score_between_two_of_its_steps_is_none(score: float, low: float, high: float) -> None:
    with pytest.raises(MalformedVerdict, match=r"tone\.score is not a whole number$"):
        read(score, low, high)


def test_sentences_of_several_dimensions_stand_in_one_row() -> None:
    dimensions = (Dimension("tone", "Is warm.", 0.5), Dimension("brevity", "Is short.", 0.5))
    said = {"tone": {"reason": "Kind.", "score": 4}, "brevity": {"reason": "Too long.", "score": 2}}
    found = VerdictForm(Rubric(dimensions, 1.0, 5.0)).read(reply(json.dumps(said)))
    assert found.reason == "brevity 2 of 5: Too long; tone 4 of 5: Kind."


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.001, 10)), min_size=2, max_size=6), st.randoms())
@example([(0.1, 1.0), (0.2, 1.0), (0.3, 1.0)], Random(0))
def test_the_order_of_the_dimensions_changes_no_digit(rows: list[tuple[float, float]], random: Random) -> None:
    parts = tuple(Part("dimension", "d", value, weight) for value, weight in rows)
    assert weighted_mean(parts) == weighted_mean(parts[::-1]) == weighted_mean(tuple(random.sample(parts, len(parts))))
