"""Many slices, each looked at alone: what its p-value becomes, and which level its interval is held to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Correction: TypeAlias = Literal["none", "bonferroni", "holm"]

ROUNDING = 1e-12
"""A p-value that exceeds its level by less than this share is at the level."""

_TIE = 1e-9


@dataclass(frozen=True, slots=True)
class Corrected:
    """One slice among the others.

    Args:
        p: adjusted p-value; the slice is rejected when it is at most alpha.
        level: what its own p-value is compared with, and so the level of each bound.
    """

    p: float
    level: float

    def rejected(self, alpha: float) -> bool:
        return self.p <= alpha * (1.0 + ROUNDING)


def correct(p_values: Sequence[float], alpha: float, correction: Correction) -> list[Corrected]:
    """Adjust the p-values of a family.

    Holm: the j-th smallest of S p-values is compared with alpha / (S - j + 1), and from the first that fails on all
    are held to that step's level. (C. Bonferroni, 1936; S. Holm, Scandinavian Journal of Statistics 6, 1979, 65-70.)

    Args:
        p_values: one for each slice of the family.
        alpha: one-sided level for all together; for each alone with "none".
        correction: the method.

    Returns:
        One for each p-value, in the order given.

    Raises:
        ValueError: an unknown correction.
    """
    if correction not in get_args(Correction):
        raise ValueError(f"correction must be one of {', '.join(get_args(Correction))}, not {correction!r}.")
    if correction == "holm":
        return _holm(p_values, alpha)
    share = len(p_values) if correction == "bonferroni" else 1
    return [Corrected(min(1.0, share * p), alpha / share) for p in p_values]


def _holm(p_values: Sequence[float], alpha: float) -> list[Corrected]:
    found: dict[int, Corrected] = {}
    largest, first, failed = 0.0, 0, 0.0  # first: where the current ties begin; failed: the level of the first failure
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for step, position in enumerate(order):
        p = p_values[position]
        if p > p_values[order[first]] * (1.0 + _TIE):
            first = step  # equal p-values share a level, so that their order does not matter
        remaining = len(order) - first
        largest = max(largest, min(1.0, remaining * p))
        one = Corrected(largest, failed or alpha / remaining)
        if not one.rejected(alpha):
            failed = one.level
        found[position] = one
    return [found[position] for position in range(len(order))]
