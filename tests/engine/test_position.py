"""Bias by position: what the order of two answers did to a judge."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.engine.arrays import Grid
from gate.engine.samples import SampleTable
from gate.engine.scorer_changes import position, positions
from gate.record.sample import ArmName, Part, Sample, Score
from gate.scoring.interface import SHOWN_FIRST, SHOWN_SECOND
from tests.support.runs import reply, suite

WORTH = st.sampled_from([0.0, 0.5, 1.0])


def arrays(*pairs: tuple[float, float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    first, second = (np.array(one) for one in zip(*pairs, strict=True))
    return first, second, np.arange(len(pairs))


def test_a_judge_that_likes_the_first_place() -> None:
    found = position("judge", *arrays(*[(1.0, 0.0)] * 20))
    assert (found.pairs, found.first.value, found.turned.value, found.tied.value) == (20, 1.0, 1.0, 0.0)
    assert (found.won.value, found.lost.value) == (0.0, 0.0)
    assert 0.5 < found.first.lower < 1.0


def test_a_judge_that_sees_the_answers_alone() -> None:
    found = position("judge", *arrays(*[(1.0, 1.0), (0.0, 0.0)] * 10, (0.5, 0.5)))
    assert (found.first.value, found.turned.value) == (0.5, 0.0)
    assert found.tied.value == pytest.approx(1 / 21)
    assert found.won.value == found.lost.value == pytest.approx(10 / 21)
    assert found.first.lower < 0.5 < found.first.upper


def test_samples_of_one_case_prove_no_more_than_the_case() -> None:
    once = position("judge", *arrays(*[(1.0, 0.0)] * 5))
    often = position("judge", np.ones(15), np.zeros(15), np.repeat(np.arange(5), 3))
    assert often.first == once.first


def test_a_tie_in_one_order_alone_is_no_tie() -> None:
    found = position("judge", *arrays((0.5, 1.0), (1.0, 0.5)))
    assert (found.tied.value, found.turned.value, found.first.value) == (0.0, 1.0, 0.5)


@given(st.lists(st.tuples(WORTH, WORTH), min_size=1, max_size=40))
def test_shares_are_shares_and_the_other_arm_sees_the_same_bias(pairs: list[tuple[float, float]]) -> None:
    mine = position("judge", *arrays(*pairs))
    other = position("judge", *arrays(*[(1.0 - second, 1.0 - first) for first, second in pairs]))
    assert mine.first.value == pytest.approx(other.first.value)
    for one in (mine.first, mine.turned, mine.tied):
        assert 0.0 <= one.value <= 1.0
        if one.lower is None or one.upper is None:
            assert (len(pairs), one.lower, one.upper) == (1, None, None)
            continue
        assert one.lower <= one.value + 1e-9 and one.value <= one.upper + 1e-9


def test_it_is_read_off_the_candidates_scores() -> None:
    one = suite([{}] * 3, samples=1)

    def sample(case: str, arm: ArmName, worth: tuple[float, float] | None) -> Sample:
        names = (SHOWN_FIRST, SHOWN_SECOND)
        parts = tuple(Part("order", name, value) for name, value in zip(names, worth, strict=True)) if worth else ()
        score = Score("style", sum(worth) / 2 if worth else 0.5, parts=parts)
        return Sample(one.name, case, arm, 0, reply(), (score,), score.value)

    ids = [case.id for case in one.exam.cases]
    worths = [(1.0, 0.0), (1.0, 1.0), None]
    samples = [sample(case, ArmName.CANDIDATE, worth) for case, worth in zip(ids, worths, strict=True)]
    samples += [
        sample(case, ArmName.BASELINE, worth and (1 - worth[1], 1 - worth[0]))
        for case, worth in zip(ids, worths, strict=True)
    ]
    (found,) = positions(Grid(one, SampleTable.holding(samples)))
    assert (found.scorer, found.pairs, found.first.value, found.turned.value) == ("style", 2, 0.75, 0.5)
