"""The kinds of scores that the simulation draws, for a prompt that changed and for one that did not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gate.stats.arrays import FloatArray

SAMPLES = 3
"""Samples per case and arm, unless a regime says otherwise."""

_VARIANTS = 5  # cases that share a source in regime R5
_COPIES = 0.55  # how often a variant copies its source's outcome: correlation 0.55^2 = 0.3 between variants


class Arms(Protocol):
    """Mean scores of each case in both arms, float[n] each.

    `kept` is float[n]: the share of its score that the candidate keeps in each case; 1 means no change.
    """

    def __call__(self, rng: np.random.Generator, kept: FloatArray) -> tuple[FloatArray, FloatArray]: ...


@dataclass(frozen=True, slots=True)
class Regime:
    """One kind of scores.

    Args:
        variants: consecutive cases that share a source.
    """

    name: str
    words: str
    mean: float
    arms: Arms
    spread: float = 0.0
    variants: int = 1

    def deltas(self, rng: np.random.Generator, n: int, fall: float = 0.0, spread: float | None = None) -> FloatArray:
        """Candidate minus baseline of n cases.

        Args:
            spread: 0: every case loses the same share of its score. 1: the affected cases lose all of it. In between,
                affected cases lose s = fall + spread (1 - fall) points on average, and their share is fall / s. None
                means the regime's default.
        """
        h = self.spread if spread is None else spread
        size = min(self.mean, fall + h * (1.0 - fall))
        hit = rng.random(n) < fall / size if fall else np.zeros(n, dtype=bool)
        baseline, candidate = self.arms(rng, np.where(hit, 1.0 - size / self.mean, 1.0))
        return candidate - baseline


def _pass_rates(rng: np.random.Generator, rates: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    a, b = (rng.binomial(SAMPLES, rate) / SAMPLES for rate in rates)
    return a, b


def _binary(alpha: float, beta: float) -> Arms:
    def arms(rng: np.random.Generator, kept: FloatArray) -> tuple[FloatArray, FloatArray]:
        p = rng.beta(alpha, beta, len(kept))
        return _pass_rates(rng, (p, p * kept))

    return arms


def _rubric(rng: np.random.Generator, kept: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Points 1 to 5 as 1 + Binomial(4, p), scaled to [0, 1]."""
    p = rng.beta(8, 2, len(kept))
    a, b = (rng.binomial(4 * SAMPLES, rate) / (4 * SAMPLES) for rate in (p, p * kept))
    return a, b


def _judge(rng: np.random.Generator, kept: FloatArray) -> tuple[FloatArray, FloatArray]:
    """1.0 with a probability that the case draws, else Beta(6, 2)."""
    perfect = rng.beta(2, 2, len(kept))
    shape = (SAMPLES, len(kept))
    a, b = (np.where(rng.random(shape) < perfect, 1.0, rng.beta(6, 2, shape)).mean(axis=0) for _ in range(2))
    return a, b * kept


def _ties(rng: np.random.Generator, kept: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Nine cases of ten always pass, the tenth passes with probability 0.2."""
    p = np.where(rng.random(len(kept)) < 0.1, 0.2, 1.0)
    return _pass_rates(rng, (p, p * kept))


def _variants(rng: np.random.Generator, kept: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Each sample of a variant copies its source's outcome, or draws its own."""
    n = len(kept)
    p = np.repeat(rng.beta(8, 2, -(-n // _VARIANTS)), _VARIANTS)[:n]

    def arm(rate: FloatArray) -> FloatArray:
        luck = np.repeat(rng.random((SAMPLES, -(-n // _VARIANTS))), _VARIANTS, axis=1)[:, :n]
        copied = rng.random((SAMPLES, n)) < _COPIES
        scores: FloatArray = (np.where(copied, luck, rng.random((SAMPLES, n))) < rate).mean(axis=0)
        return scores

    return arm(p), arm(p * kept)


def _moved(low: float, high: float, shift: Callable[[np.random.Generator, int], FloatArray]) -> Arms:
    """Pass rates that change case by case while their mean stays the same."""

    def arms(rng: np.random.Generator, kept: FloatArray) -> tuple[FloatArray, FloatArray]:
        p = low + (high - low) * rng.beta(8, 2, len(kept))
        return _pass_rates(rng, (p, (p + shift(rng, len(kept))) * kept))

    return arms


def _even(rng: np.random.Generator, n: int) -> FloatArray:
    return 0.1 * rng.choice([-1.0, 1.0], n)


def _skewed(rng: np.random.Generator, n: int) -> FloatArray:
    """The misleading direction: a sample without the few cases that improve looks like a drop."""
    return np.where(rng.random(n) < 0.2, 0.2, -0.05)


def _extreme(rng: np.random.Generator, n: int) -> FloatArray:
    return np.where(rng.random(n) < 0.1, 0.54, -0.06)


def _frozen(rng: np.random.Generator, kept: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Temperature 0: one draw per arm and case, repeated."""
    p = rng.beta(8, 2, len(kept))
    a, b = ((rng.random(len(kept)) < rate).astype(np.float64) for rate in (p, p * kept))
    return a, b


def _redrawn(rng: np.random.Generator, kept: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Each arm draws its own pass rates."""
    a, b = rng.beta(0.8, 0.2, (2, len(kept)))
    return _pass_rates(rng, (a, b * kept))


REGIMES: Mapping[str, Regime] = {
    regime.name: regime
    for regime in (
        Regime("R1a", "binary, pass rate Beta(8, 2)", 0.8, _binary(8, 2)),
        Regime("R1b", "binary, pass rate Beta(0.8, 0.2): bimodal", 0.8, _binary(0.8, 0.2)),
        Regime("R2", "rubric 1 to 5, left-skewed", 0.8, _rubric),
        Regime("R3", "judge score, half of them 1.0", 0.875, _judge),
        Regime("R4", "mostly ties; a fall breaks whole cases", 0.92, _ties, spread=1.0),
        Regime("R5", "five correlated variants per source", 0.8, _variants, variants=_VARIANTS),
        Regime("R6", "mean-neutral: half the cases up, half down", 0.76, _moved(0.2, 0.9, _even)),
        Regime("R6s", "mean-neutral: one case in five rises, the others fall", 0.66, _moved(0.1, 0.8, _skewed)),
        Regime("R6x", "R6s in the extreme: one in ten rises by 0.54", 0.18, _moved(0.1, 0.2, _extreme)),
        Regime("R7", "temperature 0, each case redrawn once per arm", 0.8, _frozen),
        Regime("R8", "mean-neutral: pass rates redrawn per arm, Beta(0.8, 0.2)", 0.8, _redrawn),
    )
}
