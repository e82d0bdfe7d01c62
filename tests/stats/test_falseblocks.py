"""The false-block rate that is measured on an A/A run."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.arrays import FloatArray
from gate.stats.power import BlockRate, Effort, effort_for, false_blocks
from tests.stats.layouts import tag_layout

FEW = Effort(replicates=60, flips=199, resamples=200)


def pool(rng: np.random.Generator, n: int, k: int = 3) -> FloatArray:
    """Right or wrong, two arms of k samples side by side, p ~ Beta(8, 2)."""
    scores: FloatArray = (rng.random((n, 2 * k)) < rng.beta(8, 2, n)[:, None]).astype(np.float64)
    return scores


def test_the_joint_test_keeps_its_promise_and_the_familiar_rule_does_not() -> None:
    rng = np.random.default_rng(1)
    slices = tag_layout(rng, 60)
    found = false_blocks([pool(rng, 60)], slices, effort=Effort(60, 199, 200), seed=1)
    assert found.joint.rate <= 0.025 + 3 * found.joint.error
    assert found.familiar.rate > 0.15
    assert found.familiar.rate > found.joint.rate + 3 * (found.joint.error + found.familiar.error)


def test_an_effect_in_the_run_is_dealt_to_both_arms() -> None:
    # Every case fell by 1: pooled and dealt, nothing is left to be found.
    scores = np.repeat([[1.0, 0.0]], 40, axis=0)
    found = false_blocks([scores], {"overall": np.arange(40)}, effort=Effort(100, 199, 100))
    assert found.joint.rate <= 0.025 + 3 * found.joint.error


def test_clusters_count_as_one() -> None:
    # Nine sources are too few to block, however many variants each of them has.
    rng = np.random.default_rng(2)
    scores = (rng.random((90, 2)) < 0.5).astype(np.float64)
    slices, effort = {"overall": np.arange(90)}, Effort(100, 199, 200)
    apart = false_blocks([scores], slices, effort=effort)
    together = false_blocks([scores], slices, clusters=np.repeat(np.arange(9), 10), effort=effort)
    assert apart.familiar.blocks > 0
    assert (together.joint.blocks, together.familiar.blocks) == (0, 0)


def test_scores_that_never_differ_never_block() -> None:
    found = false_blocks([np.ones((30, 4))], {"overall": np.arange(30)}, effort=FEW)
    assert (found.joint.blocks, found.familiar.blocks) == (0, 0)


def test_every_replicate_is_told() -> None:
    told: list[None] = []
    false_blocks([np.ones((20, 2))], {"a": np.arange(20)}, effort=FEW, step=lambda: told.append(None))
    assert len(told) == FEW.replicates


@given(st.integers(1, 30), st.integers(0, 8), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_any_layout_gives_rates_and_the_same_ones_again(first: int, second: int, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = first + second
    pools = [pool(rng, first, k), pool(rng, second, 1)]
    slices = {"overall": np.arange(n), "some": np.flatnonzero(rng.random(n) < 0.5), "none": np.empty(0, dtype=int)}
    clusters = np.concatenate([rng.integers(0, 4, first), 4 + rng.integers(0, 3, second)])
    few = Effort(3, 49, 20)
    once, again = (false_blocks(pools, slices, clusters=clusters, effort=few, seed=seed) for _ in range(2))
    assert once == again
    assert 0 <= once.joint.blocks <= 3
    assert 0 <= once.familiar.blocks <= 3


def test_no_block_at_all_still_has_an_error() -> None:
    assert BlockRate(0, 400).error == pytest.approx(0.0025, rel=0.01)
    assert BlockRate(100, 400).error == pytest.approx(0.0217, rel=0.01)


def test_large_sets_take_fewer_replicates_and_huge_ones_none() -> None:
    usual, large = effort_for(1000, 20, 6000), effort_for(100_000, 1, 200_000)
    assert usual is not None
    assert large is not None
    assert usual.replicates == 400
    assert 40 <= large.replicates < 100
    assert effort_for(100_000, 20, 600_000) is None
    assert effort_for(40, 4000, 240) is None


@given(st.integers(0, 10**7), st.integers(0, 10**5), st.integers(0, 10**8))
def test_more_cases_or_slices_never_take_more_replicates(cases: int, slices: int, scores: int) -> None:
    def replicates(found: Effort | None) -> int:
        return 0 if found is None else found.replicates

    here = replicates(effort_for(cases, slices, scores))
    assert here == 0 or 40 <= here <= 400
    assert replicates(effort_for(cases + 1, slices, scores)) <= here
    assert replicates(effort_for(cases, slices + 1, scores)) <= here
    assert replicates(effort_for(cases, slices, scores + 1)) <= here
