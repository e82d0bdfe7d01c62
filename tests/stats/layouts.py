"""What the statistics are tried on: score differences, overlapping slices, clusters."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from gate.stats.arrays import FloatArray, IntArray


@dataclass(frozen=True)
class Layout:
    """Deltas of N cases, their slices and, perhaps, clusters."""

    deltas: FloatArray
    slices: dict[str, IntArray]
    clusters: IntArray | None


@st.composite
def layouts(draw: st.DrawFn, min_cases: int = 1, max_cases: int = 40) -> Layout:
    """Binary scores of three samples, graded scores, or all the same; few or many slices; ties everywhere."""
    n = draw(st.integers(min_cases, max_cases))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["thirds", "graded", "same", "sparse", "falling"]))
    deltas = {
        "thirds": rng.integers(-3, 4, n) / 3,
        "graded": rng.normal(-0.1, 0.3, n),
        "same": np.full(n, rng.choice([-1 / 3, 0.0, 0.5])),
        "sparse": np.where(rng.random(n) < 0.15, rng.choice([-1.0, 1.0], n), 0.0),
        "falling": -rng.integers(0, 3, n) / 3,
    }[kind]
    share = rng.random(draw(st.integers(1, 6)))
    slices = {f"s{i}": np.flatnonzero(rng.random(n) < p) for i, p in enumerate(share)}
    clusters = rng.integers(0, max(1, n // 2), n) if draw(st.booleans()) else None
    return Layout(deltas, {"overall": np.arange(n)} | slices, clusters)


def tag_layout(rng: np.random.Generator, n: int) -> dict[str, IntArray]:
    """Overall and eleven tag slices of four dimensions."""
    slices = {"overall": np.arange(n)}
    for dimension, values in {"tier": 3, "lang": 3, "length": 3, "task": 2}.items():
        tags = rng.integers(0, values, n)
        slices |= {f"{dimension}={value}": np.flatnonzero(tags == value) for value in range(values)}
    return slices


def binary_deltas(rng: np.random.Generator, n: int, fall: float = 0.0) -> FloatArray:
    """Three samples per case and arm, right with probability p ~ Beta(8, 2), and p - fall for the candidate."""
    p = rng.beta(8, 2, n)
    deltas: FloatArray = (rng.binomial(3, np.clip(p - fall, 0, 1)) - rng.binomial(3, p)) / 3
    return deltas
