"""A judge's two kinds of mistakes, told apart: what it passes of what people pass, and fails of what people fail."""

import math
from dataclasses import dataclass

import numpy as np

from gate.stats.arrays import TOLERANCE, FloatArray
from gate.stats.resampling import Drawing
from gate.stats.undefined import Estimate, Undefined
from gate.stats.wilson import Rate, wilson


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts and rates; counts are fractions where an item was rated several times.

    Args:
        passed_right, failed_right: both sides agree.
        passed_wrong: people fail, the judge passes.
        failed_wrong: people pass, the judge fails.
        true_pass, true_fail: share of what people pass (fail) that the judge passes (fails).
    """

    passed_right: float
    passed_wrong: float
    failed_right: float
    failed_wrong: float
    true_pass: Rate
    true_fail: Rate

    @property
    def always_pass(self) -> float:
        """Share of agreement of a judge that passes everything."""
        return (self.passed_right + self.failed_wrong) / self.total

    @property
    def total(self) -> float:
        return self.passed_right + self.passed_wrong + self.failed_right + self.failed_wrong


def confusion(tables: FloatArray, drawing: Drawing) -> Confusion:
    """Counts and rates of pass and fail.

    Args:
        tables: float[M, 2, 2], people by judge, fail before pass; each sums to 1.
        drawing: clusters of the M items, which count in place of items in the rates' intervals, and the level.

    Raises:
        ValueError: no items, or tables of another size.
    """
    if tables.ndim != 3 or tables.shape[1:] != (2, 2) or not len(tables):
        raise ValueError("tables must be float[M, 2, 2] with M at least 1.")
    (failed_right, passed_wrong), (failed_wrong, passed_right) = tables.sum(axis=0).tolist()
    return Confusion(
        passed_right=passed_right,
        passed_wrong=passed_wrong,
        failed_right=failed_right,
        failed_wrong=failed_wrong,
        true_pass=_rate(tables[:, 1, 1], tables[:, 1].sum(axis=1), drawing),
        true_fail=_rate(tables[:, 0, 0], tables[:, 0].sum(axis=1), drawing),
    )


def balanced_accuracy(found: Confusion) -> Estimate | Undefined:
    """The mean of both rates: 0.5 for a judge that always says the same, whatever the labels.

    The interval puts those of the two rates together as if they were independent, which they are: they rest on
    different items (square-and-add; R. Newcombe, Statistics in Medicine 17, 1998, 873-890).

    Returns:
        `Undefined` where people only pass, or only fail.
    """
    passing, failing = found.true_pass, found.true_fail
    if passing.rate is None or failing.rate is None:
        return Undefined(f"people {'fail' if passing.rate is None else 'pass'} every answer")
    value = (passing.rate + failing.rate) / 2.0
    below = math.hypot(passing.rate - passing.lower, failing.rate - failing.lower) / 2.0
    above = math.hypot(passing.upper - passing.rate, failing.upper - failing.rate) / 2.0
    return Estimate(value, max(0.0, value - below), min(1.0, value + above), math.floor(found.total + TOLERANCE))


def _rate(right: FloatArray, all_of_them: FloatArray, drawing: Drawing) -> Rate:
    """Of the items of one label; their number is that of their units, and no more than their weights sum to."""
    weight = float(all_of_them.sum())
    concerned = all_of_them > TOLERANCE
    units = len(np.unique(drawing.units(len(right))[concerned]))
    if units == 0:
        return wilson(0, 0, alpha=drawing.alpha)
    n = max(1, min(units, math.floor(weight + TOLERANCE)))
    return wilson(min(1.0, float(right.sum()) / weight) * n, n, alpha=drawing.alpha)
