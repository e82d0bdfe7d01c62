"""Numbers as a reader sees them."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate import numbers
from gate.values import counted

TABLE: list[tuple[Callable[..., str], tuple[object, ...], str]] = [
    (numbers.score, (0.8124,), "0.812"),
    (numbers.score, (0.0,), "0.000"),
    (numbers.score, (None,), "–"),
    (numbers.delta, (0.024,), "+0.024"),
    (numbers.delta, (-0.0612,), "−0.061"),
    (numbers.delta, (-1e-17,), "0.000"),
    (numbers.delta, (-0.00004,), "−0.00004"),
    (numbers.delta, (-0.0003,), "−0.00030"),
    (numbers.dropped_or_improved, (-0.417,), "dropped by 0.417"),
    (numbers.dropped_or_improved, (0.0,), "did not change"),
    (numbers.two_decimals, (-0.1,), "−0.10"),
    (numbers.score_change, (numbers.ScoreFigure(-0.061, -0.092, -0.029, 0.5),), "−0.061 [−0.092, −0.029]"),
    (numbers.score_change, (numbers.ScoreFigure(-0.061, None, 0.7, 0.5),), "−0.061 [−0.500, +0.500]"),
    (numbers.grade_change, (numbers.ScoreFigure(-0.061, None, 0.7, 0.5), 4), "−0.24 [−2.00, +2.00]"),
    (numbers.percent, (0.025,), "2.5 %"),
    (numbers.change, (0.034,), "+3.4 %"),
    (numbers.change, (-0.213,), "−21 %"),
    (numbers.change, (0.0001,), "+0.010 %"),
    (numbers.change, (-1e-8,), "0 %"),
    (numbers.relative_change, (0.02, 0.01, 0.03), "+2.0 % [+1.0 %, +3.0 %]"),
    (numbers.relative_change, (0.02, 0.01, None), "+2.0 %, at least +1.0 %"),
    (numbers.relative_change, (0.02, None, 0.03), "+2.0 %, at most +3.0 %"),
    (numbers.relative_change, (0.02, None, None), "+2.0 %, no interval"),
    (numbers.dollars, (1234.567,), "$1,234.57"),
    (numbers.dollars, (0.997,), "$1.00"),
    (numbers.dollars, (0.0874,), "$0.087"),
    (numbers.dollars, (0.0000612,), "$0.000061"),
    (numbers.dollars, (0.0,), "$0.00"),
    (numbers.duration, (0.0032,), "3.2 ms"),
    (numbers.duration, (0.9999,), "1.0 s"),
    (numbers.duration, (59.97,), "1 min"),
    (numbers.duration, (75,), "1 min 15 s"),
    (numbers.duration, (7500,), "2 h 5 min"),
    (numbers.duration, (0.0,), "0 ms"),
    (numbers.duration_change, (-1.2,), "−1.2 s"),
    (numbers.duration_change, (-2e-9,), "0 ms"),
    (numbers.tokens, (1234567,), "1,234,567"),
    (counted, (1, "case"), "1 case"),
    (counted, (2, "try", "tries"), "2 tries"),
    (numbers.rough_count, (112,), "about 110"),
    (numbers.rough_count, (42000,), "more than 10,000"),
    (numbers.points, (-0.712,), "−71"),
    (numbers.points_interval, (-0.71, -0.72, -0.7), "−71 [−72, −70]"),
    (numbers.rough_tokens, (1934,), "1,900"),
]


def test_table() -> None:
    for function, values, shown in TABLE:
        assert function(*values) == shown, (function.__name__, values)


@given(st.floats(-1, 1))
def test_a_delta_shows_its_sign_unless_it_is_nothing(value: float) -> None:
    shown = numbers.delta(value)
    if abs(value) < numbers.ZERO * 0.999:
        assert shown == "0.000"
    elif abs(value) > numbers.ZERO * 1.001:
        assert shown[0] == ("−" if value < 0 else "+")
        assert float(shown[1:]) > 0
        assert abs(float(shown[1:]) - abs(value)) <= max(0.0005, abs(value) * 0.06) + 1e-12


@given(st.floats(1e-12, 1e6))
def test_dollars_are_close_and_plain(amount: float) -> None:
    shown = numbers.dollars(amount)
    assert "e" not in shown
    assert float(shown[1:].replace(",", "")) == pytest.approx(amount, rel=0.06)
