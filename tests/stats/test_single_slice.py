"""The interval of a slice that stands outside the family."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.arrays import EMPTY
from gate.stats.maxt import joint_test, single_slice
from tests.stats.layouts import Layout, layouts


@given(layouts(), st.sampled_from([0.025, 0.1]), st.sampled_from([0.0, 0.05]))
def test_it_is_the_joint_test_of_that_slice_and_no_other(layout: Layout, alpha: float, margin: float) -> None:
    options = {"alpha": alpha, "margin": margin, "flips": 399, "seed": 3}
    for name, positions in layout.slices.items():
        clusters = None if layout.clusters is None else layout.clusters[positions]
        alone = single_slice(layout.deltas[positions], clusters=clusters, **options)
        joint = joint_test(layout.deltas, {name: positions}, clusters=layout.clusters, **options)
        assert alone == joint[name]


def test_a_small_slice_of_a_joint_test_is_seen_alone() -> None:
    deltas = np.random.default_rng(5).integers(-3, 2, 30) / 3
    together = joint_test(deltas, {"overall": np.arange(30), "small": np.arange(9)})
    assert together["small"] == single_slice(deltas[:9])


def test_no_cases() -> None:
    assert single_slice([]) == EMPTY


@pytest.mark.parametrize(
    ("deltas", "message"), [([math.nan], "deltas must be finite; entry 0"), ([[0.1]], "deltas must be a vector")]
)
def test_refusals(deltas: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        single_slice(deltas)
