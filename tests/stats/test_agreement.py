"""Agreement of raters against published figures and slow definitions."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gate.stats.agreement import (
    Consistency,
    Ratings,
    ResamplingOptions,
    confusion,
    consistency,
    crossed,
    kappa,
    kappa_of_two,
    share_among,
    share_of_agreement,
)
from gate.stats.arrays import Estimate, Undefined
from tests.stats.published import from_table
from tests.stats.reference import wilson_bounds

FEW = ResamplingOptions(resamples=200)


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
    found = share_of_agreement(tables, FEW)
    assert (found.lower, found.upper) == pytest.approx(wilson_bounds(85, 100), abs=1e-9)


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


def test_one_category_gives_no_kappa() -> None:
    found = kappa(crossed(*from_table([[12]])), FEW)
    assert found == Undefined("all answers are of one kind, so agreement beyond chance cannot be measured")


def test_complete_agreement_is_not_certainty() -> None:
    """Every resample agrees completely, too; twenty answers do not show that the judge never errs."""
    found = kappa(crossed(*from_table([[10, 0], [0, 10]])), FEW)
    assert isinstance(found, Estimate)
    agreed = wilson_bounds(20, 20)[0]
    assert (found.value, found.upper) == (1.0, 1.0)
    assert found.lower == pytest.approx((agreed - 0.5) / 0.5)


@pytest.mark.parametrize("table", [[[0, 0], [20, 80]], [[0, 20], [0, 80]]])
def test_a_side_that_always_says_the_same_leaves_kappa_open(table: list[list[int]]) -> None:
    """Kappa is 0 in every resample, and would not be with the answers that this side has not seen."""
    found = kappa(crossed(*from_table(table)), FEW)
    assert isinstance(found, Estimate)
    low, high = wilson_bounds(80, 100)
    assert found.value == 0.0
    assert (found.lower, found.upper) == pytest.approx(((low - 0.8) / 0.2, (high - 0.8) / 0.2))


def test_clusters_widen_what_items_would_narrow() -> None:
    tables = crossed(*from_table([[40, 9], [6, 45]]))
    # Each cluster holds four neighbours, which are alike.
    clustered = ResamplingOptions(clusters=np.arange(100) // 4)
    alone, together = kappa(tables, ResamplingOptions()), kappa(tables, clustered)
    assert isinstance(alone, Estimate)
    assert isinstance(together, Estimate)
    assert (alone.units, together.units) == (100, 25)
    assert together.upper - together.lower > 1.5 * (alone.upper - alone.lower)
    wide, narrow = share_of_agreement(tables, clustered), share_of_agreement(tables, ResamplingOptions())
    assert wide.rate == narrow.rate
    assert wide.upper - wide.lower > 1.5 * (narrow.upper - narrow.lower)


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
        found = kappa(rows, ResamplingOptions(seed=seed, resamples=400))
        held += isinstance(found, Estimate) and found.lower <= 0.6 <= found.upper
    assert 0.90 <= held / 120 <= 1.0


tables = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.lists(st.sampled_from([None, 0.0, 0.5, 1.0]), min_size=raters, max_size=raters), min_size=1, max_size=10
    )
)


def as_ratings(rows: list[list[float | None]]) -> Ratings:
    values = np.array([[0.0 if one is None else one for one in row] for row in rows])
    return Ratings.of(values, [[one is not None for one in row] for row in rows])


@given(tables)
def test_the_share_among_raters_is_that_of_their_pairs(rows: list[list[float | None]]) -> None:
    units = [given for row in rows if len(given := [one for one in row if one is not None]) > 1]
    found = share_among(as_ratings(rows), FEW)
    if not units:
        assert found.rate is None
        return
    pairs = [np.mean([a == b for a, b in itertools.combinations(unit, 2)]) for unit in units]
    assert found.rate == pytest.approx(np.mean(pairs))
    assert (found.lower, found.upper) == pytest.approx(wilson_bounds(float(np.mean(pairs)) * len(units), len(units)))


def test_the_share_among_raters_counts_clusters_once() -> None:
    rows = Ratings.of(np.tile([[0.0, 0.0, 1.0], [1.0, 1.0, 1.0]], (10, 1)))
    alone, together = share_among(rows, FEW), share_among(rows, ResamplingOptions(clusters=np.arange(20) // 4))
    assert alone.rate == together.rate == pytest.approx(2 / 3)
    assert together.upper - together.lower > alone.upper - alone.lower


def test_kappa_of_two_raters_leaves_out_what_only_one_rated() -> None:
    left, right = from_table([[20, 5], [10, 15]])
    values = np.hstack([np.vstack([left.values, [[1.0]]]), np.vstack([right.values, [[0.0]]])])
    present = np.ones_like(values, dtype=bool)
    present[-1, 1] = False
    found = kappa_of_two(Ratings.of(values, present), ResamplingOptions(clusters=np.arange(51) // 2))
    assert value_of(found) == pytest.approx(0.4)
    assert isinstance(found, Estimate) and found.units == 25


PLAIN = ResamplingOptions()


def test_counts_and_rates_of_a_known_table() -> None:
    """People by judge, fail first: 30 fails of which 18 are caught, 70 passes of which 63 pass."""
    found = confusion(crossed(*from_table([[18, 12], [7, 63]])), PLAIN)
    assert (found.failed_right, found.passed_wrong, found.failed_wrong, found.passed_right) == (18, 12, 7, 63)
    assert (found.true_pass.rate, found.true_fail.rate) == pytest.approx((0.9, 0.6))
    assert (found.true_fail.lower, found.true_fail.upper) == pytest.approx(wilson_bounds(18, 30))
    assert found.always_pass == pytest.approx(0.7)


def test_a_judge_that_passes_everything_agrees_often_and_knows_nothing() -> None:
    tables = crossed(*from_table([[0, 10], [0, 90]]))
    found = confusion(tables, PLAIN)
    assert np.trace(tables.mean(axis=0)) == pytest.approx(0.9)
    assert (found.true_pass.rate, found.true_fail.rate) == (1.0, 0.0)


def test_a_split_vote_counts_half_for_either_side() -> None:
    people = Ratings.of([[1.0, 0.0], [1.0, 1.0]])
    found = confusion(crossed(people, Ratings.of([[1.0], [1.0]])), PLAIN)
    assert (found.passed_right, found.passed_wrong) == (1.5, 0.5)
    assert found.true_pass.rate == 1.0
    # Half an answer counts as one, and ten halves as five.
    assert found.true_fail.upper == pytest.approx(wilson_bounds(0, 1)[1])
    split = confusion(crossed(Ratings.of([[1.0, 0.0]] * 10), Ratings.of([[1.0]] * 10)), PLAIN)
    assert split.true_pass.lower == pytest.approx(wilson_bounds(5, 5)[0])


def test_clusters_count_in_place_of_answers() -> None:
    tables = crossed(*from_table([[18, 12], [7, 63]]))
    clustered = confusion(tables, ResamplingOptions(clusters=np.arange(100) // 2))
    assert (clustered.true_fail.lower, clustered.true_fail.upper) == pytest.approx(wilson_bounds(9, 15))


scores = st.lists(
    st.lists(st.sampled_from([None, 0.0, 0.25, 0.5, 0.75, 1.0]), min_size=4, max_size=4), min_size=1, max_size=10
)


@given(scores)
def test_is_what_the_definitions_say(rows: list[list[float | None]]) -> None:
    values = np.array([[0.0 if one is None else one for one in row] for row in rows])
    given = [[one for one in row if one is not None] for row in rows]
    found = consistency(
        Ratings.of(values, [[one is not None for one in row] for row in rows]), 0.5, ResamplingOptions()
    )
    several = [row for row in given if len(row) > 1]
    if not several:
        assert found == Undefined("no answer was judged twice")
        return
    assert isinstance(found, Consistency)
    verdicts = [[one >= 0.5 for one in row] for row in several]
    assert found.flips.rate == pytest.approx(np.mean([len(set(row)) > 1 for row in verdicts]))
    pairs = [np.mean([a != b for a, b in itertools.combinations(row, 2)]) for row in verdicts]
    assert found.two_differ == pytest.approx(np.mean(pairs))
    pooled = sum(np.var(row, ddof=1) * (len(row) - 1) for row in several) / sum(len(row) - 1 for row in several)
    assert found.within_sd == pytest.approx(np.sqrt(pooled))
    assert found.widest == pytest.approx(max(max(row) - min(row) for row in several))


def test_repeats_in_clusters_count_once() -> None:
    rows = Ratings.of(np.tile([[0.0, 1.0], [1.0, 1.0]], (10, 1)))
    alone, together = (
        consistency(rows, 0.5, ResamplingOptions()),
        consistency(rows, 0.5, ResamplingOptions(clusters=np.arange(20) // 4)),
    )
    assert isinstance(alone, Consistency)
    assert isinstance(together, Consistency)
    assert together.flips.lower < alone.flips.lower
