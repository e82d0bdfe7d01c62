"""The simulation of early stopping agrees with the gate."""

import numpy as np
import pytest

from benchmarks.statistics import early_stopping
from benchmarks.statistics.early_stopping import Scene, judged
from benchmarks.statistics.simulation.score_regimes import REGIMES
from benchmarks.statistics.simulation.score_repeats import deltas
from benchmarks.statistics.simulation.slice_layouts import ONE


@pytest.mark.parametrize("regime", early_stopping.LOOKED_AT)
def test_repeats_have_the_mean_of_their_regime(regime: str) -> None:
    fall = 0.2
    one = deltas(regime, np.random.default_rng(1), (3, 10_000), fall)
    other = REGIMES[regime].deltas(np.random.default_rng(2), 10_000, fall)
    assert one.mean() == pytest.approx(-fall, abs=0.02)
    assert one.mean(axis=0).std() == pytest.approx(other.std(), rel=0.08)
    assert deltas(regime, np.random.default_rng(1), (3, 10_000), -fall).mean() == pytest.approx(fall, abs=0.02)


def test_a_large_drop_is_found_at_the_first_look() -> None:
    plain, early = judged(Scene("R3", ONE, 100, 5, 0.4), np.random.default_rng(4), 1)
    assert (plain.blocks, plain.rises, plain.calls) == (True, False, 1.0)
    assert (early.blocks, early.rises, early.calls) == (True, False, pytest.approx(1 / 5))
