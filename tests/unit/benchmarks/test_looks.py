"""The table of looks simulates what the gate computes."""

import numpy as np
import pytest

from benchmarks import looks
from benchmarks.simulation.layouts import ONE, TAGS
from benchmarks.simulation.peeking import Scene, SharedSigns, judged, trajectory
from benchmarks.simulation.regimes import REGIMES
from benchmarks.simulation.repeats import deltas
from gate.stats.course import Plan


@pytest.mark.parametrize("regime", looks.REGIMES)
@pytest.mark.parametrize("fall", [0.0, 0.2])
def test_repeats_have_the_mean_of_their_regime(regime: str, fall: float) -> None:
    one = deltas(regime, np.random.default_rng(1), (3, 20_000), fall)
    other = REGIMES[regime].deltas(np.random.default_rng(2), 20_000, fall)
    assert one.mean() == pytest.approx(-fall, abs=0.02)
    assert one.mean(axis=0).std() == pytest.approx(other.std(), rel=0.08)
    assert deltas(regime, np.random.default_rng(1), (3, 20_000), -fall).mean() == pytest.approx(fall, abs=0.02)


def test_units_are_clusters_where_cases_are_variants() -> None:
    path = trajectory(Scene("R5", TAGS, 100, 3), np.random.default_rng(3))
    assert path.tables[0].y.shape == (20, 18)
    assert path.tables[0].units[0] == 20
    assert path.members.shape == (100, 18)


def test_a_disaster_is_found_at_the_second_look_and_the_rest_is_saved() -> None:
    signs = SharedSigns.drawn(998, 1)
    path = trajectory(Scene("R3", ONE, 100, 3, 0.4), np.random.default_rng(4))
    found = judged(path, Plan(3), signs)
    assert (found.blocks, found.finds, found.rises) == (True, True, False)
    assert found.calls == pytest.approx(2 / 3)
    assert judged(path, Plan(1), signs).calls == 1.0


def test_the_command_prints_a_row_for_each_scene(capsys: pytest.CaptureFixture[str]) -> None:
    assert looks.main(["--quick", "--scale", "0.01"]) in (0, 1)
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert len(rows) == 4 + len(list(looks.unchanged(True))) + len(list(looks.changed(True)))
