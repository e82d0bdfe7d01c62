"""The mean of paired differences against scipy, and where there is none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gate.stats.arrays import Estimate, Undefined
from gate.stats.intervals import paired_mean


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30))
def test_it_is_the_paired_t_interval(values: list[float]) -> None:
    found = paired_mean(values)
    assert isinstance(found, Estimate) and found.units == len(values)
    assert found.value == pytest.approx(np.mean(values)) and found.lower <= found.value <= found.upper
    if (error := float(stats.sem(values))) > 1e-9:
        expected = stats.t.interval(0.95, len(values) - 1, found.value, error)
        assert (found.lower, found.upper) == pytest.approx(expected)


def test_fewer_than_two_show_nothing() -> None:
    assert isinstance(paired_mean([]), Undefined) and isinstance(paired_mean([0.3]), Undefined)
