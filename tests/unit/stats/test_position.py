"""Position bias of a pairwise judge."""

import numpy as np
import pytest

from gate.stats.position import PositionBias, position_bias
from gate.stats.resampling import Drawing
from gate.stats.undefined import Estimate, Undefined


def test_a_judge_that_likes_what_it_reads_first() -> None:
    rng = np.random.default_rng(1)
    truth = rng.random(200)
    found = position_bias(np.clip(truth + 0.1, 0, 1), np.clip(truth - 0.1, 0, 1), Drawing())
    assert isinstance(found, PositionBias)
    assert isinstance(found.gain, Estimate)
    assert found.gain.lower > 0.1
    assert found.reversed.rate == pytest.approx(np.mean(np.abs(truth - 0.5) < 0.1))


def test_a_tie_is_no_reversal() -> None:
    found = position_bias(np.array([0.5, 1.0, 1.0]), np.array([0.0, 0.5, 0.0]), Drawing())
    assert isinstance(found, PositionBias)
    assert found.reversed.rate == pytest.approx(1 / 3)


def test_without_pairs_there_is_nothing_to_say() -> None:
    assert position_bias(np.array([]), np.array([]), Drawing()) == Undefined("no pair was judged in both orders")
    with pytest.raises(ValueError, match="the same pairs"):
        position_bias(np.ones(1), np.ones(2), Drawing())
