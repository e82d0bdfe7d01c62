"""Cosine and closeness: what each sees, and what they say of nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.arrays import Undefined
from gate.stats.association import closeness, cosine

RATES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=8)


def test_cosine_does_not_see_size_and_closeness_does() -> None:
    assert cosine([0.1, 0.2], [0.2, 0.4]) == pytest.approx(1.0)
    assert closeness([0.1, 0.2], [0.2, 0.4]) == pytest.approx(0.85)


def test_zero_vectors_have_an_answer() -> None:
    assert cosine([0, 0], [0, 0]) == 1.0
    assert isinstance(cosine([0, 0], [0, 0.01]), Undefined)
    assert closeness([0, 0], [0, 0]) == 1.0
    assert closeness([0, 0], [1, 1]) == 0.0


def test_nothing_is_undefined() -> None:
    assert isinstance(cosine([], []), Undefined)
    assert isinstance(closeness([], []), Undefined)


@given(RATES)
def test_both_are_bounded_and_do_not_mind_the_order(pairs: list[tuple[float, float]]) -> None:
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    found = cosine(first, second)
    assert isinstance(found, Undefined) or 0.0 <= found <= 1.0
    assert found == cosine(second, first)
    near = closeness(first, second)
    assert not isinstance(near, Undefined) and 0.0 <= near <= 1.0
    assert closeness(first, first) == 1.0
    own = cosine(first, first)
    assert not isinstance(own, Undefined) and own == pytest.approx(1.0)
