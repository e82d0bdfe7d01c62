"""Share of agreement and Cohen's kappa against published tables, the definition, and what must not change them."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from gate.stats.agreement import Drawing, Ratings, all_agreed, crossed, kappa, share_of_agreement
from gate.stats.arrays import Estimate, Undefined
from tests.stats.published import from_table

FEW = Drawing(resamples=200)


def value_of(found: Estimate | Undefined) -> float:
    assert isinstance(found, Estimate)
    assert found.lower <= found.value <= found.upper
    return found.value


# A. Feinstein and D. Cicchetti, Journal of Clinical Epidemiology 43, 1990, 543-549: the two tables of their first
# paradox, both with an agreement of 0.85; the first line is the example of many textbooks.
@pytest.mark.parametrize(
    ("table", "agreement", "expected"),
    [
        ([[20, 5], [10, 15]], 0.70, 0.40),
        ([[40, 9], [6, 45]], 0.85, 0.70),
        ([[80, 10], [5, 5]], 0.85, 0.32),
    ],
)
def test_published_tables(table: list[list[int]], agreement: float, expected: float) -> None:
    tables = crossed(*from_table(table))
    assert share_of_agreement(tables, FEW).rate == pytest.approx(agreement)
    assert value_of(kappa(tables, FEW)) == pytest.approx(expected, abs=0.005)


def test_the_share_has_the_wilson_interval_of_its_items() -> None:
    tables = crossed(*from_table([[40, 9], [6, 45]]))
    expected = stats.binomtest(85, 100).proportion_ci(method="wilson")
    found = share_of_agreement(tables, FEW)
    assert (found.lower, found.upper) == pytest.approx((expected.low, expected.high), abs=1e-9)


verdicts = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=40)


@given(verdicts)
def test_kappa_is_what_the_definition_says(pairs: list[tuple[int, int]]) -> None:
    left, right = np.array(pairs).T
    n = len(pairs)
    observed = sum(a == b for a, b in pairs) / n
    chance = sum((left == c).sum() * (right == c).sum() for c in range(3)) / n**2
    found = kappa(crossed(Ratings.of(left[:, None]), Ratings.of(right[:, None])), FEW)
    if chance > 1 - 1e-9:
        assert isinstance(found, Undefined)
    else:
        assert value_of(found) == pytest.approx((observed - chance) / (1 - chance), abs=1e-9)


@given(verdicts, st.randoms())
def test_neither_the_order_of_items_nor_the_names_of_categories_matter(
    pairs: list[tuple[int, int]], rng: object
) -> None:
    left, right = np.array(pairs).T
    assume(len(np.unique(np.concatenate([left, right]))) > 1)
    plain = kappa(crossed(Ratings.of(left[:, None]), Ratings.of(right[:, None])), FEW)
    order = np.random.default_rng(1).permutation(len(pairs))
    names = np.array([7.0, -1.0, 3.0])
    moved = kappa(crossed(Ratings.of(names[left[order]][:, None]), Ratings.of(names[right[order]][:, None])), FEW)
    assert value_of(moved) == pytest.approx(value_of(plain))


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 1.0])] * 5), min_size=1, max_size=12))
def test_several_ratings_of_an_item_count_as_the_mean_over_all_pairs(rows: list[tuple[float, ...]]) -> None:
    table = np.array(rows)
    people, judge = Ratings.of(table[:, :2]), Ratings.of(table[:, 2:])
    agreed = np.mean([[a == b for a, b in itertools.product(row[:2], row[2:])] for row in rows])
    assert share_of_agreement(crossed(people, judge), FEW).rate == pytest.approx(agreed)


def test_an_item_that_one_side_did_not_rate_says_nothing() -> None:
    people = Ratings.of([[1.0], [0.0], [1.0]], [[True], [True], [False]])
    judge = Ratings.of([[1.0], [1.0], [0.0]])
    tables = crossed(people, judge)
    assert len(tables) == 2
    assert share_of_agreement(tables, FEW).rate == 0.5


def test_one_category_gives_no_kappa() -> None:
    found = kappa(crossed(*from_table([[12]])), FEW)
    assert found == Undefined("all answers are of one kind, so agreement beyond chance cannot be told")


def test_complete_agreement_is_not_certainty() -> None:
    """Every resample agrees completely, too; twenty answers do not show that the judge never errs."""
    found = kappa(crossed(*from_table([[10, 0], [0, 10]])), FEW)
    assert isinstance(found, Estimate)
    agreed = stats.binomtest(20, 20).proportion_ci(method="wilson").low
    assert (found.value, found.upper) == (1.0, 1.0)
    assert found.lower == pytest.approx((agreed - 0.5) / 0.5)


@pytest.mark.parametrize("table", [[[0, 0], [20, 80]], [[0, 20], [0, 80]]])
def test_a_side_that_always_says_the_same_leaves_kappa_open(table: list[list[int]]) -> None:
    """Kappa is 0 in every resample, and would not be with the answers that this side has not seen."""
    found = kappa(crossed(*from_table(table)), FEW)
    assert isinstance(found, Estimate)
    agreed = stats.binomtest(80, 100).proportion_ci(method="wilson")
    assert found.value == 0.0
    assert (found.lower, found.upper) == pytest.approx(((agreed.low - 0.8) / 0.2, (agreed.high - 0.8) / 0.2))


def test_clusters_widen_what_items_would_narrow() -> None:
    tables = crossed(*from_table([[40, 9], [6, 45]]))
    # Each cluster holds four neighbours, which are alike.
    clustered = Drawing(clusters=np.arange(100) // 4)
    alone, together = kappa(tables, Drawing()), kappa(tables, clustered)
    assert isinstance(alone, Estimate)
    assert isinstance(together, Estimate)
    assert (alone.units, together.units) == (100, 25)
    assert together.upper - together.lower > 1.5 * (alone.upper - alone.lower)
    wide, narrow = share_of_agreement(tables, clustered), share_of_agreement(tables, Drawing())
    assert wide.rate == narrow.rate
    assert wide.upper - wide.lower > 1.5 * (narrow.upper - narrow.lower)


def test_the_same_seed_gives_the_same_interval() -> None:
    tables = crossed(*from_table([[40, 9], [6, 45]]))
    assert kappa(tables, Drawing(seed=4)) == kappa(tables, Drawing(seed=4))
    assert kappa(tables, Drawing(seed=4)) != kappa(tables, Drawing(seed=5))


def test_the_interval_holds_the_true_kappa_about_as_often_as_it_says() -> None:
    """Two raters with kappa 0.6 at 80 % passes: of 300 samples of 100 items, 95 % should hold it."""
    rate = 0.8
    chance = rate**2 + (1 - rate) ** 2
    observed = 0.6 * (1 - chance) + chance
    off = (1 - observed) / 2
    cells = [1 - rate - off, off, off, rate - off]
    rng = np.random.default_rng(11)
    held = 0
    for seed in range(120):
        rows = np.repeat(np.eye(4), rng.multinomial(100, cells), axis=0).reshape(-1, 2, 2)
        found = kappa(rows, Drawing(seed=seed, resamples=400))
        held += isinstance(found, Estimate) and found.lower <= 0.6 <= found.upper
    assert 0.90 <= held / 120 <= 1.0


def test_all_agreed_counts_items_that_were_rated_twice() -> None:
    table = Ratings.of([[1, 1, 1], [1, 0, 1], [0, 0, 9], [1, 9, 9]], [[1, 1, 1], [1, 1, 1], [1, 1, 0], [1, 0, 0]])
    assert all_agreed(table, FEW).rate == pytest.approx(2 / 3)
    assert all_agreed(Ratings.of([[1.0]]), FEW).rate is None


def test_categories_that_nobody_used_keep_their_place() -> None:
    once = Ratings.of([[1.0]])
    assert crossed(once, once, [0.0, 1.0]).tolist() == [[[0.0, 0.0], [0.0, 1.0]]]
