"""The noise of a suite, from a record or assumed."""

import math

import numpy as np
import pytest

from gate.cases.case import Case
from gate.engine import noise
from gate.record.sample import ArmName
from tests.support.finished import finished
from tests.support.runs import suite

ROWS = [{"tier": "gold"}] * 12


def test_the_scores_of_a_record_are_read_case_by_case() -> None:
    made = finished([suite(ROWS, samples=2)], lambda case, arm, index: 1.0 if arm is ArmName.BASELINE else 0.5 * index)
    found = noise.table(made.suites[0])
    assert (found.n, found.k) == (12, 2)
    assert found.baseline.tolist() == [[1.0, 1.0]] * 12
    assert found.candidate.tolist() == [[0.0, 0.5]] * 12
    assert found.deltas.tolist() == [-0.75] * 12


def test_known_noise_within_cases_is_found_and_scaled_to_other_repeats() -> None:
    rng = np.random.default_rng(3)
    scores = rng.random((4000, 4)) < 0.8
    table = noise.ScoreTable(np.arange(4000), scores[:, :2].astype(float), scores[:, 2:].astype(float))
    found = noise.measured(table)
    assert found is not None
    assert found.split is not None
    assert found.split.sigma == pytest.approx(0.4, abs=0.01)
    low, high = found.at(8)
    assert low == high == pytest.approx(math.sqrt(found.split.tau**2 + 2 * found.split.sigma**2 / 8))
    assert found.at(1)[0] > found.at(2)[0] > found.at(3)[0]


def test_ties_are_carried_over_for_the_same_number_of_samples_only() -> None:
    scores = np.repeat([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [0.0, 1.0]], 10, axis=0)
    found = noise.measured(noise.ScoreTable(np.arange(40), scores[:, :1], scores[:, 1:]))
    assert found is not None
    assert noise.spread(found, 1, ".gate/last", same_arms=True).ties == 0.5
    assert noise.spread(found, 2, ".gate/last", same_arms=True).ties == 0.0


def test_one_sample_gives_its_total_and_a_range_for_more() -> None:
    rng = np.random.default_rng(3)
    scores = (rng.random((500, 2)) < 0.8).astype(float)
    found = noise.measured(noise.ScoreTable(np.arange(500), scores[:, :1], scores[:, 1:]))
    assert found is not None
    assert found.split is None
    assert found.at(1) == (found.total, found.total)
    assert found.at(4) == (pytest.approx(found.total / 2), found.total)


@pytest.mark.parametrize("fall", [0.0, 1.0])
def test_no_noise_seen_is_bounded_by_the_rule_of_three(fall: float) -> None:
    table = noise.ScoreTable(np.arange(300), np.ones((300, 3)), np.full((300, 3), 1.0 - fall))
    found = noise.measured(table)
    assert found is not None
    assert not found.varies
    assert found.at(3) == (0.0, pytest.approx(0.1))
    assert "at most 3 cases in 300" in noise.spread(found, 3, ".gate/last", same_arms=True).said


def test_variants_that_agree_make_a_unit_as_noisy_as_a_case() -> None:
    rng = np.random.default_rng(4)
    base, other = (np.repeat((rng.random((200, 1)) < 0.7).astype(float), 5, axis=0) for _ in range(2))
    table = noise.ScoreTable(np.arange(1000), base, other)
    alike = noise.measured(table, np.repeat(np.arange(200), 5))
    apart = noise.measured(table, None)
    assert alike is not None
    assert apart is not None
    assert alike.stretch == pytest.approx(1.0, abs=0.01)
    assert apart.stretch == 1.0
    mixed = noise.measured(table, np.tile(np.arange(200), 5))
    assert mixed is not None
    assert mixed.stretch < 0.6


def test_what_is_assumed_is_a_range_that_shrinks_with_repeats() -> None:
    one, three = noise.assumed(1), noise.assumed(3)
    assert one.ties == 0.0
    assert (one.low, one.high) == (pytest.approx(0.4), pytest.approx(0.5385, abs=1e-4))
    assert three.high == pytest.approx(one.high / math.sqrt(3))
    assert one.basis == "assumed"


def _by_index(case: Case, arm: ArmName, index: int) -> float:
    return float((int(case.id[1:]) + index * (2 if arm is ArmName.BASELINE else 3)) % 3 == 0)
