"""Gwet's AC and Krippendorff's alpha against published figures and slow definitions."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gate.stats.agreement import Drawing, Level, Ratings, Weights, ac, ac1, alpha, crossed, weight_table
from gate.stats.arrays import Estimate, Undefined
from tests.stats.published import BEN_AND_GERRY, KRIPPENDORFF, MEG_AND_OWEN, from_table, ratings

FEW = Drawing(resamples=100)


def value_of(found: Estimate | Undefined) -> float:
    assert isinstance(found, Estimate)
    assert -1.0 <= found.lower <= found.value <= found.upper <= 1.0
    return found.value


@pytest.mark.parametrize(
    ("table", "level", "expected"),
    [
        (MEG_AND_OWEN, "nominal", 0.095),
        (BEN_AND_GERRY, "nominal", 0.692),
        (KRIPPENDORFF, "nominal", 0.743),
        (KRIPPENDORFF, "interval", 0.849),
    ],
)
def test_published_alphas(table: np.ndarray, level: Level, expected: float) -> None:
    assert value_of(alpha(ratings(table), FEW, level=level)) == pytest.approx(expected, abs=0.0005)


def test_the_published_ac1_of_four_raters() -> None:
    """0.77544 in K. Gwet's own package irrCAC (`gwet.ac1.raw(cac.raw4raters)`)."""
    assert value_of(ac(ratings(KRIPPENDORFF), FEW)) == pytest.approx(0.77544, abs=5e-6)


def test_ac1_keeps_its_meaning_where_kappa_does_not() -> None:
    """The second table of Feinstein and Cicchetti: agreement 0.85, kappa 0.32; chance is 2 * 0.875 * 0.125."""
    left, right = from_table([[80, 10], [5, 5]])
    both = Ratings.of(np.hstack([left.values, right.values]))
    assert value_of(ac(both, FEW)) == pytest.approx((0.85 - 0.21875) / (1 - 0.21875))


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 0.5, 1.0])] * 2), min_size=1, max_size=15))
def test_ac1_of_two_sides_is_ac_of_two_raters(pairs: list[tuple[float, float]]) -> None:
    both, categories = np.array(pairs), [0.0, 0.5, 1.0]
    found = ac1(crossed(Ratings.of(both[:, :1]), Ratings.of(both[:, 1:]), categories), FEW)
    assert value_of(found) == pytest.approx(value_of(ac(Ratings.of(both), FEW, categories=categories)))


def test_ac1_of_nothing() -> None:
    assert isinstance(ac1(np.ones((3, 1, 1)), FEW), Undefined)
    assert isinstance(ac1(np.zeros((0, 2, 2)), FEW), Undefined)


tables = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.lists(st.sampled_from([None, 0.0, 0.5, 1.0]), min_size=raters, max_size=raters), min_size=1, max_size=10
    )
)


def as_ratings(rows: list[list[float | None]]) -> Ratings:
    values = np.array([[0.0 if one is None else one for one in row] for row in rows])
    return Ratings.of(values, [[one is not None for one in row] for row in rows])


@given(tables, st.sampled_from(["nominal", "interval"]))
def test_alpha_is_what_its_definition_says(rows: list[list[float | None]], level: Level) -> None:
    """Observed over expected disagreement, both as sums over pairs of ratings."""

    def apart(a: float, b: float) -> float:
        return float(a != b) if level == "nominal" else (a - b) ** 2

    units = [given for row in rows if len(given := [one for one in row if one is not None]) > 1]
    pooled = list(itertools.chain.from_iterable(units))
    n = len(pooled)
    found = alpha(as_ratings(rows), FEW, level=level)
    expected = sum(apart(a, b) for a, b in itertools.permutations(pooled, 2)) / (n * (n - 1)) if n > 1 else 0.0
    if expected < 1e-12:
        assert isinstance(found, Undefined)
        return
    observed = sum(sum(apart(a, b) for a, b in itertools.permutations(u, 2)) / (len(u) - 1) for u in units) / n
    assert value_of(found) == pytest.approx(max(-1.0, 1 - observed / expected), abs=1e-9)


@given(tables, st.sampled_from(["nominal", "linear", "quadratic"]))
def test_ac_is_what_its_definition_says(rows: list[list[float | None]], weights: Weights) -> None:
    categories = np.array([0.0, 0.5, 1.0])
    table = weight_table(categories, weights)
    place = {0.0: 0, 0.5: 1, 1.0: 2}
    units = [[place[one] for one in row if one is not None] for row in rows]
    pairs = [np.mean([table[a, b] for a, b in itertools.permutations(u, 2)]) for u in units if len(u) > 1]
    found = ac(as_ratings(rows), FEW, weights=weights, categories=categories)
    if not pairs:
        assert found == Undefined("no item has two ratings")
        return
    shares = np.mean([[u.count(c) / len(u) for c in range(3)] for u in units if u], axis=0)
    chance = table.sum() / 6 * float((shares * (1 - shares)).sum())
    assert value_of(found) == pytest.approx(max(-1.0, (np.mean(pairs) - chance) / (1 - chance)), abs=1e-9)


@given(tables)
def test_neither_the_order_of_items_nor_of_raters_matters(rows: list[list[float | None]]) -> None:
    turned = [row[::-1] for row in rows[::-1]]
    for level in ("nominal", "interval"):
        one, other = alpha(as_ratings(rows), FEW, level=level), alpha(as_ratings(turned), FEW, level=level)
        assert isinstance(one, Undefined) == isinstance(other, Undefined)
        if isinstance(one, Estimate):
            assert value_of(other) == pytest.approx(one.value)


@pytest.mark.parametrize("figure", [ac, alpha])
def test_one_category_gives_no_coefficient(figure: object) -> None:
    assert callable(figure)
    assert isinstance(figure(Ratings.of(np.ones((5, 3))), FEW), Undefined)
    assert isinstance(figure(Ratings.of([[0.0, 1.0]], [[True, False]]), FEW), Undefined)


@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_complete_agreement_is_not_certainty(level: Level) -> None:
    both = Ratings.of(np.repeat([[0.0], [1.0]], 10, axis=0).repeat(3, axis=1))
    for found in (alpha(both, FEW, level=level), ac(both, FEW)):
        assert isinstance(found, Estimate)
        assert found.value == found.upper == 1.0
        assert 0.5 < found.lower < 0.9


def test_complete_disagreement_is_not_certainty_either() -> None:
    """Forty answers of which a judge gets every one wrong: as if its labels had been turned round."""
    tables = crossed(*from_table([[0, 20], [20, 0]]), (0.0, 1.0))
    for found in (ac1(tables, FEW), ac(Ratings.of([[0.0, 1.0], [1.0, 0.0]] * 20), FEW)):
        assert isinstance(found, Estimate)
        assert (found.value, found.lower) == (-1.0, -1.0)
        assert found.upper == pytest.approx(2 * stats.binomtest(0, 40).proportion_ci(method="wilson").high - 1)
    nominal = alpha(Ratings.of([[0.0, 1.0], [1.0, 0.0]] * 20), FEW)
    assert isinstance(nominal, Estimate)
    assert nominal.lower < nominal.upper


def test_a_single_item_leaves_everything_open() -> None:
    found = alpha(Ratings.of([[0.0, 1.0, 1.0]]), FEW)
    assert isinstance(found, Estimate)
    assert (found.lower, found.upper, found.units) == (-1.0, 1.0, 1)
