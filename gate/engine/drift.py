"""Do answers that were taken earlier still look like those that are taken now?"""

from collections.abc import Sequence

import numpy as np

from gate.stats.maxt import single_slice

LEVEL = 0.01
"""Two-sided: so often answers are thrown away that were as good as new, which costs calls and nothing else."""


def drifted(earlier: Sequence[float], fresh: Sequence[float], seed: int) -> bool:
    """Did the scores of the same questions move between two sittings?

    The sign-flip test of `gate.stats.maxt`, in both directions.

    Args:
        earlier: float[n], scores of the answers that were kept.
        fresh: float[n], scores of the answers to the same requests now.
        seed: of the sign flips.
    """
    moved = np.asarray(fresh, dtype=np.float64) - np.asarray(earlier, dtype=np.float64)
    if moved.size == 0:
        return False
    ways = [single_slice(way, alpha=LEVEL / 2, seed=seed) for way in (moved, -moved)]
    return any(way.p is not None and way.p <= LEVEL / 2 for way in ways)
