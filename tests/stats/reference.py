"""The joint test once more, as slowly and plainly as the definition reads: for a handful of units."""

import itertools
import math
from collections.abc import Mapping, Sequence


def p_values(
    deltas: Sequence[float], slices: Mapping[str, Sequence[int]], clusters: Sequence[int], margin: float
) -> dict[str, float]:
    """Joint p-values by enumeration of all sign vectors."""
    units = sorted({clusters[case] for cases in slices.values() for case in cases})
    z = {name: _studentised(deltas, cases, clusters, units, margin) for name, cases in slices.items()}
    minima = [
        min(sum(sign * value for sign, value in zip(signs, row, strict=True)) for row in z.values())
        for signs in itertools.product((1, -1), repeat=len(units))
    ]
    observed = {name: sum(row) for name, row in z.items()}
    return {name: (1 + sum(m <= total + 1e-9 for m in minima)) / (len(minima) + 1) for name, total in observed.items()}


def _studentised(
    deltas: Sequence[float], cases: Sequence[int], clusters: Sequence[int], units: Sequence[int], margin: float
) -> list[float]:
    sums = [math.fsum(deltas[case] + margin for case in cases if clusters[case] == unit) for unit in units]
    y = [math.copysign(abs(x) ** 0.99, x) if abs(x) >= 1e-9 else 0.0 for x in sums]
    norm = math.sqrt(sum(value * value for value in y))
    return [value / norm for value in y]
