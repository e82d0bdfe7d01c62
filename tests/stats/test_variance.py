"""The split of noise into parts between and within cases."""

import numpy as np
import pytest

from gate.stats.power import Noise, split_noise


def test_known_parts_are_found_again() -> None:
    rng = np.random.default_rng(1)
    n, k, tau, sigma = 20_000, 3, 0.3, 0.2
    base = rng.normal(0.5, 0.2, (n, 1))
    a = base + rng.normal(0, sigma, (n, k))
    b = base + rng.normal(0, tau, (n, 1)) + rng.normal(0, sigma, (n, k))
    noise = split_noise(a, b)
    assert noise is not None
    assert (noise.tau, noise.sigma) == pytest.approx((tau, sigma), rel=0.02)


def test_the_parts_add_up_to_the_variance_of_the_mean() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.random((50, 4)), rng.random((50, 4)) + rng.normal(0, 0.5, (50, 1))
    noise = split_noise(a, b)
    assert noise is not None
    deltas = b.mean(axis=1) - a.mean(axis=1)
    assert (noise.tau**2 + 2 * noise.sigma**2 / 4) / 50 == pytest.approx(deltas.var(ddof=1) / 50)


def test_no_spread_between_cases_is_zero() -> None:
    assert split_noise([[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]) == Noise(0.0, pytest.approx(0.5**0.5))


@pytest.mark.parametrize("shape", [(1, 3), (5, 1), (0, 3)])
def test_one_case_or_one_sample_cannot_be_split(shape: tuple[int, int]) -> None:
    assert split_noise(np.zeros(shape), np.zeros(shape)) is None
