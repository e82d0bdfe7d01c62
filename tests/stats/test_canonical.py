"""The canonical order sees what was measured, and nothing else."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.arrays import FloatArray
from gate.stats.maxt import canonical_rows


def representatives(y: FloatArray) -> FloatArray:
    order, lead = canonical_rows([y])
    return (y * lead[:, None])[order]


@st.composite
def matrices(draw: st.DrawFn) -> FloatArray:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.integers(1, 30)), draw(st.integers(1, 5))
    y = rng.integers(-2, 3, shape) / 3 if draw(st.booleans()) else rng.normal(size=shape)
    y = np.unique(y, axis=1)
    y[0, 0] = 1.0
    return np.unique(y, axis=1)


@given(matrices(), st.integers(0, 2**32 - 1))
def test_permuted_rows_and_flipped_signs_give_the_same_rows(y: FloatArray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 1.0], len(y))
    shuffled = (y * signs[:, None])[rng.permutation(len(y))]
    assert np.array_equal(representatives(y), representatives(shuffled))


@given(matrices(), st.integers(0, 2**32 - 1))
def test_rearranged_columns_give_the_same_rows_up_to_mirror_images(y: FloatArray, seed: int) -> None:
    columns = np.random.default_rng(seed).permutation(y.shape[1])
    before, after = representatives(y), representatives(y[:, columns])
    assert np.array_equal(np.unique(before, axis=1), np.unique(after, axis=1))


def test_a_symmetric_layout_is_ordered_slice_by_slice() -> None:
    """Two disjoint slices of equal content: every column alone ties, and still the units must not interleave."""
    y = np.zeros((12, 2))
    y[::2, 0] = y[1::2, 1] = 1.0
    halves = representatives(y)[:6], representatives(y)[6:]
    assert all(len(np.unique(half, axis=0)) == 1 for half in halves)


def test_scaled_rows_keep_their_order() -> None:
    y = np.random.default_rng(3).integers(-3, 4, (50, 4)) / 3
    y[0] = 1.0
    assert np.array_equal(canonical_rows([y])[0], canonical_rows([0.37 * y])[0])
