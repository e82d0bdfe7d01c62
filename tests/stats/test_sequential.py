"""The joint test with looks: what it keeps for any data, what it promises on average, and when it ends."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.arrays import FloatArray, IntArray
from gate.stats.maxt import joint_test
from gate.stats.sequential import (
    Boundary,
    Look,
    Plan,
    Sequential,
    alpha_spent,
    continuation_limit,
    overall_level,
    sequential_test,
)
from tests.stats.layouts import tag_layout

FLIPS = 199
LOOKS = 3
RUNS = 45


class Path:
    """Three binary samples of each case and arm."""

    def __init__(self, seed: int, n: int, fall: float = 0.0) -> None:
        rng = np.random.default_rng(seed)
        p = rng.beta(8, 2, n)
        single = (rng.random((LOOKS, n)) < p * (1 - fall)).astype(float) - (rng.random((LOOKS, n)) < p)
        self.means: FloatArray = np.cumsum(single, axis=0) / np.arange(1, LOOKS + 1)[:, None]
        self.slices: dict[str, IntArray] = tag_layout(rng, n)
        self.clusters: IntArray | None = None if seed % 2 else rng.integers(0, max(1, 2 * n // 3), n)

    def run(self, looks: int = LOOKS, plan: Plan | None = None, *, sign: float = 1.0, **options: object) -> Sequential:
        rows = [Look(sign * mean, self.slices) for mean in self.means[:looks]]
        return sequential_test(rows, plan or Plan(LOOKS), clusters=self.clusters, flips=FLIPS, **options)  # type: ignore[arg-type]


@st.composite
def paths(draw: st.DrawFn) -> Path:
    return Path(draw(st.integers(0, 2**32 - 1)), draw(st.integers(1, 50)), draw(st.sampled_from([0.0, 0.2, 0.6])))


def test_little_is_spent_before_the_end() -> None:
    assert [alpha_spent(0.025, look / 5) for look in (1, 2, 4, 5)] == pytest.approx((0.00025, 0.0005, 0.001, 0.025))


@given(st.floats(0.001, 0.4), st.integers(1, 8))
def test_spending_grows_to_the_level_and_has_an_inverse(alpha: float, looks: int) -> None:
    levels = [alpha_spent(alpha, look / looks) for look in range(1, looks + 1)]
    assert levels == sorted(levels)
    assert levels[-1] == alpha
    for number, level in enumerate(levels, 1):
        if level > 1e-9:
            assert overall_level(level, number / looks) == pytest.approx(alpha, rel=1e-4)


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 0.2))
def test_no_more_flips_cross_than_may_be_spent(seed: int, alpha: float) -> None:
    minima = np.cumsum(np.random.default_rng(seed).normal(size=(4, 199)), axis=0)
    crossed = np.zeros(199, dtype=np.bool_)
    for number, row in enumerate(minima, 1):
        found = Boundary(alpha_spent(alpha, number / 4), np.sort(row[~crossed]), int(np.count_nonzero(crossed)))
        crossed |= row < -found.critical - 1e-9
        assert (1 + np.count_nonzero(crossed)) / 200 <= max(found.level, 1 / 200) + 1e-9
        assert found.flips == 199


@given(st.integers(0, 2**32 - 1), st.integers(10, 12), st.sampled_from([0.0, 0.1]))
def test_with_one_look_it_is_the_joint_test(seed: int, n: int, margin: float) -> None:
    """Exactly, where all flips are tried."""
    path = Path(2 * (seed // 2) + 1, n, 0.4)
    plain = joint_test(path.means[-1], path.slices, margin=margin)
    looked = sequential_test([Look(path.means[-1], path.slices)], Plan(1), margin=margin)
    assert looked.over
    assert (looked.joint.critical, looked.joint.family) == (pytest.approx(plain.critical), plain.family)
    assert looked.joint.keys() == {name for name, row in plain.slices.items() if row.blockable}
    for name, one in looked.joint.items():
        row = plain[name]
        assert (one.n, one.units, one.mean, one.p) == (row.n, row.units, row.mean, row.p)
        assert (one.lower, one.upper) == pytest.approx((row.lower, row.upper))


@given(paths(), st.sampled_from([0.0, 0.05]), st.integers(1, LOOKS), st.booleans())
def test_bound_and_p_agree_at_every_look(path: Path, margin: float, looks: int, last: bool) -> None:
    found = path.run(looks, margin=margin, last=last)
    p = [row.p for row in found.joint.values() if row.p is not None]
    for row in found.joint.values():
        assert row.p is not None
        assert (row.upper < -margin) == (row.p <= 0.025)
    if found.over and found.looked < LOOKS and not last:
        assert min(p, default=1.0) <= 0.025 or min(p, default=1.0) > 0.10
    else:
        assert found.looked == looks


@given(paths())
def test_a_look_says_the_same_whatever_comes_after_it(path: Path) -> None:
    for looks in (1, 2):
        earlier = path.run(looks)
        if earlier.over:
            assert path.run(LOOKS) == earlier


@given(paths(), st.integers(0, 2**32 - 1))
def test_the_order_of_the_cases_does_not_matter(path: Path, seed: int) -> None:
    there = path.run()
    order = np.random.default_rng(seed).permutation(path.means.shape[1])
    place = np.argsort(order)
    path.means = path.means[:, order]
    path.slices = {name: place[rows] for name, rows in path.slices.items()}
    path.clusters = None if path.clusters is None else path.clusters[order]
    back = path.run()
    assert (back.over, back.looked) == (there.over, there.looked)
    for name, row in there.joint.slices.items():
        assert back.joint[name].p == row.p
        assert (back.joint[name].lower, back.joint[name].upper) == pytest.approx((row.lower, row.upper), abs=1e-9)


@given(paths(), st.integers(1, LOOKS))
def test_swapping_the_arms_mirrors_every_look(path: Path, looks: int) -> None:
    """At the last look, before which neither arm ends the test."""
    there, back = path.run(looks, last=True), path.run(looks, last=True, sign=-1.0)
    for name in there.joint:
        assert (back.joint[name].lower, back.joint[name].upper) == pytest.approx(
            (-there.joint[name].upper, -there.joint[name].lower)
        )
    assert back.joint.critical == there.joint.critical


def test_a_disaster_ends_the_test_for_all_slices() -> None:
    n = 100
    slices = {"overall": np.arange(n), "bad": np.arange(50), "good": np.arange(50, n)}
    means = np.where(np.arange(n) < 50, -1.0, 0.0)
    found = sequential_test([Look(means, slices)], Plan(LOOKS))
    assert (found.over, found.looked) == (True, 1)
    assert found.joint["bad"].p == pytest.approx(found.joint["overall"].p)
    assert found.joint["good"].p == 1.0


def test_a_watched_slice_goes_on_while_it_may_show_a_rise() -> None:
    rng = np.random.default_rng(3)
    look = Look(rng.choice([-1.0, 0.0, 1.0], 100, p=[0.2, 0.5, 0.3]), {"overall": np.arange(100)})
    assert sequential_test([look] * 2, Plan(LOOKS)).over
    assert not sequential_test([look] * 2, Plan(LOOKS, watched=frozenset({"overall"}))).over


def test_of_unchanged_prompts_no_more_go_on_than_the_rule_says() -> None:
    """Whatever the slices: many pull requests, and three standard errors."""
    going = [0] * LOOKS
    for run in range(RUNS):
        found = Path(2 * run + 1, 60).run(plan=Plan(LOOKS, watched=frozenset({"overall"})), seed=run)
        for look in range(found.looked - 1):
            going[look] += 1
    for look in range(LOOKS - 1):
        level = continuation_limit((look + 1) / LOOKS)
        assert 0 < going[look] <= RUNS * level + 3 * math.sqrt(RUNS * level * (1 - level))


def test_false_blocks_stay_within_the_level() -> None:
    """Twelve slices apart: many pull requests, 2.5 % and three standard errors; HOLDs likewise."""
    slices = {str(i): np.arange(20 * i, 20 * i + 20) for i in range(12)}
    least = []
    for run in range(RUNS):
        path = Path(2 * run + 1, 240)
        path.slices = slices
        least.append(min(row.p or 0.0 for row in path.run(seed=run).joint.values()))
    for level in (0.025, 0.10):
        hits = sum(p <= level for p in least)
        assert 0 < hits <= RUNS * level + 3 * math.sqrt(RUNS * level * (1 - level))
