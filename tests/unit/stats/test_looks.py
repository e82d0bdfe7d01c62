"""The joint test with looks: what it keeps for any data, what it promises on average, and when it stops."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.arrays import FloatArray, IntArray
from gate.stats.course import Plan, Standing
from gate.stats.looks import Look, Looks, joint_looks
from gate.stats.maxt import joint_test
from gate.stats.spending import boundary, overall_level, spent
from tests.unit.stats.layouts import THOROUGH, tag_layout

FLIPS = 199
LOOKS = 3


class Path:
    """Three binary samples of each case and arm."""

    def __init__(self, seed: int, n: int, fall: float = 0.0) -> None:
        rng = np.random.default_rng(seed)
        p = rng.beta(8, 2, n)
        single = (rng.random((LOOKS, n)) < p * (1 - fall)).astype(float) - (rng.random((LOOKS, n)) < p)
        self.means: FloatArray = np.cumsum(single, axis=0) / np.arange(1, LOOKS + 1)[:, None]
        self.slices: dict[str, IntArray] = tag_layout(rng, n)
        self.clusters: IntArray | None = None if seed % 2 else rng.integers(0, max(1, 2 * n // 3), n)

    def run(self, looks: int = LOOKS, plan: Plan | None = None, *, sign: float = 1.0, **options: object) -> Looks:
        rows = [Look(sign * mean, self.slices) for mean in self.means[:looks]]
        return joint_looks(rows, plan or Plan(LOOKS), clusters=self.clusters, flips=FLIPS, **options)  # type: ignore[arg-type]


@st.composite
def paths(draw: st.DrawFn) -> Path:
    return Path(draw(st.integers(0, 2**32 - 1)), draw(st.integers(1, 50)), draw(st.sampled_from([0.0, 0.2, 0.6])))


def test_spending_is_that_of_the_normal_boundaries() -> None:
    """z = 3.710 and 2.511 for three looks (Lan and DeMets 1983); the first of four is 4.333 or beyond."""
    assert spent(0.025, 3) == pytest.approx((0.000104, 0.00605, 0.025), rel=0.01)
    assert spent(0.025, 1) == (0.025,)
    assert spent(0.025, 4)[0] == pytest.approx(0.5 * math.erfc(4.333 / math.sqrt(2)), rel=0.01)


@THOROUGH
@given(st.floats(0.001, 0.4), st.integers(1, 8))
def test_spending_grows_to_the_level_and_has_an_inverse(alpha: float, looks: int) -> None:
    levels = spent(alpha, looks)
    assert list(levels) == sorted(levels)
    assert levels[-1] == alpha
    for number, level in enumerate(levels, 1):
        if level > 1e-9:
            assert overall_level(level, number / looks) == pytest.approx(alpha, rel=1e-4)


@THOROUGH
@given(st.integers(0, 2**32 - 1), st.floats(0.01, 0.2))
def test_no_more_flips_cross_than_may_be_spent(seed: int, alpha: float) -> None:
    minima = np.cumsum(np.random.default_rng(seed).normal(size=(4, 199)), axis=0)
    crossed = np.zeros(199, dtype=np.bool_)
    for level, row in zip(spent(alpha, 4), minima, strict=True):
        found, crossed = boundary(row, crossed, level)
        assert (1 + np.count_nonzero(crossed)) / 200 <= max(level, 1 / 200) + 1e-9
        assert found.flips == 199


@THOROUGH
@given(st.integers(0, 2**32 - 1), st.integers(10, 12), st.sampled_from([0.0, 0.1]))
def test_with_one_look_it_is_the_joint_test(seed: int, n: int, margin: float) -> None:
    """Exactly, where all flips are tried."""
    path = Path(2 * (seed // 2) + 1, n, 0.4)
    plain = joint_test(path.means[0], path.slices, margin=margin)
    looked = path.run(1, Plan(1), margin=margin)
    assert (looked.joint.critical, looked.joint.family) == (pytest.approx(plain.critical), plain.family)
    for name, row in plain.slices.items():
        one = looked.joint[name]
        assert (one.n, one.units, one.mean, one.p, one.blockable) == (row.n, row.units, row.mean, row.p, row.blockable)
        assert (one.lower, one.upper) == pytest.approx((row.lower, row.upper))


@THOROUGH
@given(paths(), st.sampled_from([0.0, 0.05]), st.booleans())
def test_bound_and_p_agree_wherever_a_slice_was_settled(path: Path, margin: float, drop: bool) -> None:
    for looks, closing in itertools.product((1, 2, 3), (False, True)):
        found = path.run(looks, Plan(LOOKS, drop=drop), margin=margin, closing=closing)
        for name, row in found.joint.slices.items():
            if row.p is not None:
                assert (row.upper < -margin) == (row.p <= 0.025)
                assert (found.standing[name] is Standing.REGRESSION) == (row.p <= 0.025)
            if found.standing[name] is Standing.FUTILE:
                assert row.p is not None
                assert row.p > 0.10


@THOROUGH
@given(paths())
def test_a_look_repeats_what_the_looks_before_it_said(path: Path) -> None:
    earlier, later = path.run(2), path.run(3)
    for name, standing in earlier.standing.items():
        if standing in (Standing.REGRESSION, Standing.FUTILE):
            assert later.joint[name] == earlier.joint[name]
            assert later.looked[name] == earlier.looked[name]


@THOROUGH
@given(paths(), st.integers(0, 2**32 - 1))
def test_the_order_of_the_cases_does_not_matter(path: Path, seed: int) -> None:
    there = path.run()
    order = np.random.default_rng(seed).permutation(path.means.shape[1])
    place = np.argsort(order)
    path.means = path.means[:, order]
    path.slices = {name: place[rows] for name, rows in path.slices.items()}
    path.clusters = None if path.clusters is None else path.clusters[order]
    back = path.run()
    assert (back.standing, back.looked) == (there.standing, there.looked)
    for name, row in there.joint.slices.items():
        assert back.joint[name].p == row.p
        assert (back.joint[name].lower, back.joint[name].upper) == pytest.approx((row.lower, row.upper), abs=1e-9)


@THOROUGH
@given(paths())
def test_swapping_the_arms_mirrors_every_look(path: Path) -> None:
    """All looks of all slices, so that neither arm ends the run sooner."""
    plan = Plan(LOOKS, chance=0.0, alpha=1e-6)
    there, back = path.run(plan=plan), path.run(plan=plan, sign=-1.0)
    for name in there.joint:
        assert (back.joint[name].lower, back.joint[name].upper) == pytest.approx(
            (-there.joint[name].upper, -there.joint[name].lower)
        )
    assert back.joint.critical == there.joint.critical


def test_a_disaster_is_settled_at_once_and_nothing_in_doubt_is_given_up() -> None:
    n = 100
    slices = {"overall": np.arange(n), "bad": np.arange(50), "good": np.arange(50, n)}
    means = np.zeros((LOOKS, n))
    means[:, :50] = -1.0
    found = joint_looks([Look(row, slices) for row in means[:1]], Plan(LOOKS))
    assert found.standing["bad"] is found.standing["overall"] is Standing.REGRESSION
    assert found.open == ("good",)
    assert joint_looks([Look(row, slices) for row in means[:2]], Plan(LOOKS)).standing["good"] is Standing.FUTILE


def test_a_watched_slice_goes_on_while_it_may_show_a_rise() -> None:
    rng = np.random.default_rng(3)
    means = [rng.choice([-1.0, 0.0, 1.0], 100, p=[0.15, 0.5, 0.35])]
    looks = [Look(row, {"overall": np.arange(100)}) for row in means]
    assert joint_looks(looks, Plan(LOOKS)).open == ()
    assert joint_looks(looks, Plan(LOOKS, watched=frozenset({"overall"}))).open == ("overall",)


def test_a_run_that_was_broken_off_may_spend_all_at_its_last_look() -> None:
    path = Path(5, 50, 0.5)
    first, closed = path.run(1), path.run(1, closing=True)
    assert first.joint["overall"].p == pytest.approx(
        overall_level(closed.joint["overall"].p or 0.0, 1 / LOOKS), rel=1e-6
    )
    assert Standing.OPEN not in closed.standing.values()


def test_slices_that_cannot_block_hold_nothing_up() -> None:
    slices = {"overall": np.arange(9), "none": np.arange(0)}
    found = joint_looks([Look(np.ones(9), slices)], Plan(LOOKS))
    assert found.open == ()
    assert set(found.standing.values()) == {Standing.OUTSIDE}
    assert found.joint["none"].n == 0


def test_false_blocks_stay_within_the_level_with_and_without_dropping() -> None:
    """Twelve slices apart, where dropping saves most: 80 pull requests, 2.5 % and three standard errors."""
    blocks = {True: 0, False: 0}
    slices = {str(i): np.arange(20 * i, 20 * i + 20) for i in range(12)}
    for run, drop in itertools.product(range(80), (True, False)):
        path = Path(2 * run + 1, 240)
        path.slices = slices
        found = path.run(plan=Plan(LOOKS, drop=drop), seed=run)
        blocks[drop] += Standing.REGRESSION in found.standing.values()
    assert max(blocks.values()) <= 80 * 0.025 + 3 * math.sqrt(80 * 0.025 * 0.975)
    assert min(blocks.values()) > 0


@pytest.mark.parametrize(
    ("looks", "plan", "words"),
    [
        (0, Plan(3), "1 to 3 looks"),
        (2, Plan(1), "1 to 1 looks"),
        (1, Plan(3, alpha=0.7), "one-sided level"),
        (1, Plan(3, watched=frozenset({"nobody"})), "watched names 'nobody'"),
    ],
)
def test_refusals(looks: int, plan: Plan, words: str) -> None:
    row = Look(np.zeros(20), {"overall": np.arange(20)})
    with pytest.raises(ValueError, match=words):
        joint_looks([row] * looks, plan)


def test_slices_may_not_come_and_go() -> None:
    one, other = (Look(np.zeros(20), {name: np.arange(20)}) for name in ("a", "b"))
    with pytest.raises(ValueError, match="Look 2 must have the cases and slices of look 1"):
        joint_looks([one, other], replace(Plan(2)))


def test_what_is_remembered_of_one_run_is_not_taken_for_another() -> None:
    path = Path(1, 40, 0.2)
    others = [Path(seed, 40, 0.2) for seed in range(3, 9)]
    first, reseeded = path.run(seed=1), path.run(seed=2)
    for other in others:
        assert other.run(seed=1).joint != first.joint
    assert path.run(seed=1) == first
    assert reseeded.joint != first.joint
