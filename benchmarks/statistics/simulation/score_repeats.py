"""The regimes sample by sample, for looks after each repeat of the cases."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

import numpy as np

from benchmarks.statistics.simulation.score_regimes import REGIMES
from gate.stats.arrays import FloatArray

Arm: TypeAlias = Callable[[FloatArray], FloatArray]
"""From the share of its score that each case keeps, float[n], to samples, float[k, n]."""
Drawn: TypeAlias = Callable[[np.random.Generator, int, int], tuple[Arm, Arm]]
"""From a generator, k and n to the arms, which share the random draws of the cases."""

_COPIES = 0.55


def deltas(name: str, rng: np.random.Generator, shape: tuple[int, int], fall: float = 0.0) -> FloatArray:
    """Candidate minus baseline of each sample, float[k, n]."""
    (k, n), regime = shape, REGIMES[name]
    size = min(regime.mean, abs(fall) + regime.spread * (1.0 - abs(fall)))
    hit = rng.random(n) < abs(fall) / size if fall else np.zeros(n, dtype=bool)
    baseline, candidate = _DRAWN[name](rng, k, n)
    found = candidate(np.where(hit, 1.0 - size / regime.mean, 1.0)) - baseline(np.ones(n))
    return -found if fall < 0.0 else found


def _passes(rng: np.random.Generator, k: int, p: FloatArray, kept: FloatArray) -> FloatArray:
    return (rng.random((k, len(p))) < p * kept).astype(np.float64)


def _both(arm: Arm) -> tuple[Arm, Arm]:
    return arm, arm


def _binary(alpha: float, beta: float, rng: np.random.Generator, k: int, n: int) -> tuple[Arm, Arm]:
    return _both(partial(_passes, rng, k, rng.beta(alpha, beta, n)))


def _rubric(rng: np.random.Generator, k: int, n: int) -> tuple[Arm, Arm]:
    p = rng.beta(8, 2, n)
    return _both(lambda kept: rng.binomial(4, p * kept, (k, n)) / 4)


def _judge(rng: np.random.Generator, k: int, n: int) -> tuple[Arm, Arm]:
    perfect = rng.beta(2, 2, n)
    return _both(lambda kept: kept * np.where(rng.random((k, n)) < perfect, 1.0, rng.beta(6, 2, (k, n))))


def _ties(rng: np.random.Generator, k: int, n: int) -> tuple[Arm, Arm]:
    return _both(partial(_passes, rng, k, np.where(rng.random(n) < 0.1, 0.2, 1.0)))


def _variants(rng: np.random.Generator, k: int, n: int) -> tuple[Arm, Arm]:
    size = REGIMES["R5"].variants
    p = np.repeat(rng.beta(8, 2, -(-n // size)), size)[:n]

    def arm(kept: FloatArray) -> FloatArray:
        luck = np.repeat(rng.random((k, -(-n // size))), size, axis=1)[:, :n]
        own = rng.random((k, n)) >= _COPIES
        samples: FloatArray = (np.where(own, rng.random((k, n)), luck) < p * kept).astype(np.float64)
        return samples

    return _both(arm)


def _moved(rng: np.random.Generator, k: int, n: int) -> tuple[Arm, Arm]:
    p = 0.2 + 0.7 * rng.beta(8, 2, n)
    shifted = p + 0.1 * rng.choice([-1.0, 1.0], n)
    return partial(_passes, rng, k, p), partial(_passes, rng, k, shifted)


_DRAWN: Mapping[str, Drawn] = {
    "R1a": partial(_binary, 8, 2),
    "R1b": partial(_binary, 0.8, 0.2),
    "R2": _rubric,
    "R3": _judge,
    "R4": _ties,
    "R5": _variants,
    "R6": _moved,
}
