"""How alike two vectors of rates are: in direction alone, and in size."""

import math

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import FloatArray, finite_vector
from gate.stats.undefined import Undefined


def cosine(first: npt.ArrayLike, second: npt.ArrayLike) -> float | Undefined:
    """Cosine of the angle between two vectors. It does not see size: (10, 20) and (20, 40) are the same to it.

    Args:
        first, second: float[N].

    Returns:
        1 for two zero vectors, which are equal; `Undefined` where one alone is zero, for it has no direction.

    Raises:
        ValueError: unequal lengths, or a number that is not finite.
    """
    one, other = _both(first, second)
    if not one.size:
        return Undefined("there is nothing to compare")
    # Scaled first, or the squares of tiny rates would vanish.
    sizes = [float(np.max(np.abs(vector))) for vector in (one, other)]
    if sizes == [0.0, 0.0]:
        return 1.0
    if 0.0 in sizes:
        return Undefined("one side is zero throughout, and so has no direction")
    one, other = one / sizes[0], other / sizes[1]
    found = float(np.dot(one, other)) / math.sqrt(float(np.dot(one, one)) * float(np.dot(other, other)))
    return min(1.0, max(-1.0, found))


def closeness(first: npt.ArrayLike, second: npt.ArrayLike) -> float | Undefined:
    """1 minus the mean absolute difference (J. Gower, Biometrics 27, 1971, 857-871, for values with a range of 1).

    1 means equal, 0 as far apart as rates can be; rates of 10 and 20 % are 0.85 close to 20 and 40 %.

    Args:
        first, second: float[N], each in [0, 1].

    Returns:
        `Undefined` for empty vectors.

    Raises:
        ValueError: unequal lengths, or a number outside [0, 1].
    """
    one, other = _both(first, second)
    if not one.size:
        return Undefined("there is nothing to compare")
    if min(one.min(), other.min()) < 0.0 or max(one.max(), other.max()) > 1.0:
        raise ValueError("Rates must lie between 0 and 1.")
    return 1.0 - float(np.mean(np.abs(one - other)))


def _both(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    one, other = finite_vector(first, "first"), finite_vector(second, "second")
    if len(one) != len(other):
        raise ValueError(f"Both vectors must have the same length, not {len(one)} and {len(other)}.")
    return one, other
