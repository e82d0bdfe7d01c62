"""What repeated judging of one answer shows."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.agreement import Consistency, Drawing, Ratings, consistency
from gate.stats.arrays import Undefined


def test_a_known_table() -> None:
    """Of three answers one flips, one wavers without flipping, and one does not move."""
    scores = Ratings.of([[0.2, 0.8], [0.75, 1.0], [0.5, 0.5]])
    found = consistency(scores, 0.7, Drawing())
    assert isinstance(found, Consistency)
    assert found.items == 3
    assert found.flips.rate == pytest.approx(1 / 3)
    assert found.two_differ == pytest.approx(1 / 3)
    assert found.within_sd == pytest.approx(np.sqrt((0.18 + 0.03125) / 3))
    assert found.widest == pytest.approx(0.6)


scores = st.lists(
    st.lists(st.sampled_from([None, 0.0, 0.25, 0.5, 0.75, 1.0]), min_size=4, max_size=4), min_size=1, max_size=10
)


@given(scores)
def test_is_what_the_definitions_say(rows: list[list[float | None]]) -> None:
    values = np.array([[0.0 if one is None else one for one in row] for row in rows])
    given = [[one for one in row if one is not None] for row in rows]
    found = consistency(Ratings.of(values, [[one is not None for one in row] for row in rows]), 0.5, Drawing())
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


def test_a_score_at_the_mark_passes() -> None:
    found = consistency(Ratings.of([[0.1 + 0.2, 0.3]]), 0.3, Drawing())
    assert isinstance(found, Consistency)
    assert found.flips.rate == 0.0


def test_clusters_count_in_place_of_answers() -> None:
    rows = Ratings.of(np.tile([[0.0, 1.0], [1.0, 1.0]], (10, 1)))
    alone, together = consistency(rows, 0.5, Drawing()), consistency(rows, 0.5, Drawing(clusters=np.arange(20) // 4))
    assert isinstance(alone, Consistency)
    assert isinstance(together, Consistency)
    assert together.flips.lower < alone.flips.lower
