"""How the cases of a simulated pull request are cut into slices."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from gate.stats.arrays import IntArray

Slices: TypeAlias = Mapping[str, IntArray]

_TAGS = {"tier": 3, "language": 8, "length": 3, "difficulty": 3}


@dataclass(frozen=True, slots=True)
class Layout:
    """Slices over the cases of one pull request."""

    words: str
    slices: int
    parts: int
    draw: Callable[[np.random.Generator, int], Slices]


def disjoint(parts: int) -> Layout:
    """Slices of n cases each that share none."""
    return Layout(f"{parts} apart" if parts > 1 else "1", parts, parts, partial(_apart, parts))


def _apart(parts: int, _rng: np.random.Generator, cases: int) -> Slices:
    return {str(part): chosen for part, chosen in enumerate(np.split(np.arange(cases), parts))}


def _tagged(rng: np.random.Generator, cases: IntArray, prefix: str) -> dict[str, IntArray]:
    slices = {f"{prefix}overall": cases}
    for dimension, values in _TAGS.items():
        share = 1.0 / np.arange(1, values + 1)  # few cases have the rarer values, as in most suites
        tags = rng.choice(values, len(cases), p=share / share.sum())
        slices |= {f"{prefix}{dimension}={value}": cases[tags == value] for value in range(values)}
    return slices


def _tags(rng: np.random.Generator, cases: int) -> Slices:
    return _tagged(rng, np.arange(cases), "")


def _suites(rng: np.random.Generator, cases: int) -> Slices:
    first, second = np.array_split(np.arange(cases), [2 * cases // 3])
    return _tagged(rng, first, "a/") | _tagged(rng, second, "b/")


ONE = disjoint(1)
TWELVE = disjoint(12)


def _with_all(rng: np.random.Generator, cases: int) -> Slices:
    return {**_apart(12, rng, cases), "overall": np.arange(cases)}


TWELVE_AND_ALL = Layout("12 apart and overall", 13, 12, _with_all)
TAGS = Layout("18 tags", 18, 1, _tags)
"""Overall and 17 slices of four dimensions, over the same cases."""
SUITES = Layout("36, two suites", 36, 1, _suites)
"""Two suites, two thirds and one third of the cases, each with overall and 17 tags."""
