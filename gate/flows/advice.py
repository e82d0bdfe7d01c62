"""Which samples and cases to choose, once the noise is known."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from gate.domain.calibration import ChoiceRecord
from gate.domain.forecast import Spread
from gate.engine import noise
from gate.engine.forecast import reach
from gate.stats.power import WHOLE, cases_needed

SAMPLES = (1, 2, 3, 5)
TIMES = (1, 2, 3)
POWER = 0.8
EFFECT = 0.10


@dataclass(frozen=True, slots=True)
class Measurable:
    """What a choice starts from.

    Args:
        cases, units, samples: n, independent units, k.
        calls_per_sample: the answer and its judgements.
    """

    cases: int
    units: int
    samples: int
    calls_per_sample: float


def choices(suite: Measurable, seen: noise.Measured, critical: float) -> list[ChoiceRecord]:
    """Samples and cases to choose from; repeats are on the menu only where something is known about them.

    Args:
        suite: as it is now.
        seen: its noise.
        critical: of the run's layout, in standard errors.
    """
    samples = SAMPLES if seen.varies and seen.split is not None and seen.split.sigma > 0.0 else (1,)
    return [_choice(suite, seen, critical, (k, times)) for k in samples for times in TIMES]


def _choice(suite: Measurable, seen: noise.Measured, critical: float, choice: tuple[int, int]) -> ChoiceRecord:
    k, times = choice
    low, high = seen.at(k)
    found = reach(Spread(low, high, "measured", ""), suite.units * times, critical, POWER)
    cases = suite.cases * times
    calls = round(2 * k * cases * suite.calls_per_sample)
    return ChoiceRecord(samples=k, cases=cases, calls=calls, best=found.best, worst=found.worst)


def advice(suite: Measurable, seen: noise.Measured | None, critical: float) -> Iterator[str]:
    """Which choice to take, in sentences.

    Args:
        suite: as it is now.
        seen: its noise; None with one case.
        critical: of the run's layout, in standard errors.
    """
    n, k = suite.cases, suite.samples
    if seen is None:
        yield "One case says nothing about noise: add cases first."
        return
    if not seen.varies:
        yield (
            "No score varied, as is usual at temperature 0: samples: 1 is enough, and more cases show more. That is no "
            f"promise that any change would show: up to {min(3, n)} in {n} cases may move by chance, and fewer than 6 "
            "cases that fall prove nothing."
        )
        return
    if seen.split is None:
        yield (
            "One sample per case cannot tell the noise between cases from the noise within them: calibrate with "
            "--samples 2 or more to see what repeats are worth. Until then the total counts."
        )
    elif seen.split.sigma <= 1e-9:
        yield "Samples of one case never differed: samples: 1 is enough, and more cases show more."
    elif k > 1:
        single, repeated = (_needed(suite, seen, critical, samples) for samples in (1, k))
        if single is not None and repeated is not None:
            yield (
                f"Cases before repeats: to see a fall of {EFFECT:.2f} in all cases, take {single:,} cases with "
                f"samples: 1 ({2 * single:,} answers) rather than {repeated:,} with samples: {k} "
                f"({2 * k * repeated:,} answers)."
            )
            return
    needed = _needed(suite, seen, critical, 1)
    if needed is not None:
        have = "you have them" if needed <= n else f"you have {n:,}"
        yield f"To see a fall of {EFFECT:.2f} in all cases takes about {needed:,} cases with samples: 1; {have}."


def _needed(suite: Measurable, seen: noise.Measured, critical: float, k: int) -> int | None:
    """Cases that show the fall even if it breaks whole cases."""
    units = cases_needed(seen.at(k)[1], EFFECT, critical, spread=WHOLE, power=POWER)
    return None if units is None else math.ceil(units * suite.cases / suite.units)
