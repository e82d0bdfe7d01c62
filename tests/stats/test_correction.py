"""Adjusted p-values, and the levels that belong to them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.marginal import Corrected, Correction, correct

families = st.lists(st.one_of(st.floats(0.0, 1.0), st.integers(0, 40).map(lambda count: count / 400)), max_size=12)
corrections = st.sampled_from(["none", "bonferroni", "holm"])


def test_holm_by_hand() -> None:
    """Four slices at 5 %: 0.01 <= 0.05 / 4, 0.015 <= 0.05 / 3, 0.03 > 0.05 / 2."""
    assert correct([0.03, 0.01, 0.04, 0.015], 0.05, "holm") == [
        Corrected(0.06, 0.025),
        Corrected(0.04, 0.0125),
        Corrected(0.06, 0.025),
        Corrected(0.045, pytest.approx(0.05 / 3)),
    ]


def test_bonferroni_by_hand() -> None:
    assert correct([0.01, 0.3], 0.05, "bonferroni") == [Corrected(0.02, 0.025), Corrected(0.6, 0.025)]


def test_ties_share_a_level() -> None:
    assert correct([0.01, 0.01], 0.05, "holm") == [Corrected(0.02, 0.025)] * 2


def test_no_slices() -> None:
    assert correct([], 0.05, "holm") == correct([], 0.05, "bonferroni") == []


@given(families, corrections, st.sampled_from([0.025, 0.1]))
def test_rejected_exactly_when_the_own_p_is_at_most_the_level(
    p_values: list[float], correction: Correction, alpha: float
) -> None:
    for p, one in zip(p_values, correct(p_values, alpha, correction), strict=True):
        assert one.rejected(alpha) == (p <= one.level * (1 + 1e-12))
        assert p <= one.p <= 1.0
        assert one.level <= alpha


@given(families)
def test_holm_rejects_whatever_bonferroni_does(p_values: list[float]) -> None:
    strict, stepwise = correct(p_values, 0.05, "bonferroni"), correct(p_values, 0.05, "holm")
    assert all(holm.p <= bonferroni.p for holm, bonferroni in zip(stepwise, strict, strict=True))


@given(st.permutations([0.001, 0.01, 0.01, 0.02, 0.03, 0.6]))
def test_the_order_does_not_matter(p_values: list[float]) -> None:
    plain = {p: one for p, one in zip(sorted(p_values), correct(sorted(p_values), 0.05, "holm"), strict=True)}
    assert correct(p_values, 0.05, "holm") == [plain[p] for p in p_values]
