"""The simulated scores have the mean and the dependence of their definitions."""

import numpy as np
import pytest

from benchmarks.statistics.simulation.score_regimes import REGIMES
from gate.stats.power import DIFFUSE, WHOLE

N = 20_000


@pytest.mark.parametrize("name", list(REGIMES))
def test_an_unchanged_prompt_has_no_mean_change(name: str) -> None:
    deltas = REGIMES[name].deltas(np.random.default_rng(1), N)
    assert np.abs(deltas).max() <= 1.0
    assert abs(deltas.mean()) < 5 * deltas.std() * np.sqrt(REGIMES[name].variants / N)


@pytest.mark.parametrize("name", list(REGIMES))
def test_a_drop_has_the_requested_size(name: str) -> None:
    for spread in (None, 0.0, DIFFUSE, WHOLE):
        deltas = REGIMES[name].deltas(np.random.default_rng(2), N, 0.1, spread)
        error = 5 * deltas.std() * np.sqrt(REGIMES[name].variants / N)
        assert deltas.mean() == pytest.approx(-0.1, abs=error), spread


@pytest.mark.parametrize("name", ["R1a", "R2", "R3", "R4"])
def test_the_baseline_has_its_mean_and_scores_are_on_their_scale(name: str) -> None:
    a, b = REGIMES[name].arms(np.random.default_rng(3), np.ones(N))
    assert a.mean() == pytest.approx(REGIMES[name].mean, abs=0.01)
    assert min(a.min(), b.min()) >= 0.0 and max(a.max(), b.max()) <= 1.0


def test_whole_cases_add_more_variance_than_a_diffuse_change() -> None:
    for name in ("R1a", "R2", "R3", "R4"):
        sds = [REGIMES[name].deltas(np.random.default_rng(4), N, 0.1, spread).std() for spread in (0.0, DIFFUSE, WHOLE)]
        assert sds == sorted(sds)


def test_variants_are_correlated_and_other_cases_are_not() -> None:
    def correlation(name: str) -> float:
        groups = REGIMES[name].deltas(np.random.default_rng(5), N).reshape(-1, 5)
        return float(np.corrcoef(groups[:, 0], groups[:, 1])[0, 1])

    assert correlation("R5") == pytest.approx(0.3, abs=0.05)
    assert correlation("R1a") == pytest.approx(0.0, abs=0.05)
