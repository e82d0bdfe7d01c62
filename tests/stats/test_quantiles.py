"""Quantiles for reports."""

import math

import numpy as np
import pytest

from gate.stats.bootstrap import Quantiles, quantile, quantiles


def test_p50_and_p95() -> None:
    assert quantiles(np.arange(101.0)[::-1]) == Quantiles(50.0, 95.0)


def test_one_value_is_every_quantile() -> None:
    assert quantiles([0.7]) == Quantiles(0.7, 0.7)


def test_between_neighbours() -> None:
    assert quantile([1.0, 2.0], 0.25) == pytest.approx(1.25)


@pytest.mark.parametrize(
    ("values", "q", "message"),
    [([], 0.5, "at least one number"), ([math.nan], 0.5, "must be finite"), ([1.0], 1.5, "between 0 and 1")],
)
def test_refusals(values: list[float], q: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        quantile(values, q)
