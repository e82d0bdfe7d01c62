"""Intervals drawn in text."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from gate.report.view.comparisons import BAR_WIDTH, BarInterval, BarScale, bar_scale, interval_bar

BOUNDS = st.floats(-1.5, 1.5)
INTERVALS = st.builds(BarInterval, st.floats(-1, 1), BOUNDS, BOUNDS).map(
    lambda i: BarInterval(i.mean, min(i.lower, i.mean), max(i.upper, i.mean))
)


def scale_of(rows: Iterable[BarInterval]) -> BarScale:
    return bar_scale(value for row in rows for value in row)


def test_a_fall_a_doubt_a_rise_and_nothing() -> None:
    rows = [
        BarInterval(-0.4, -0.6, -0.2),
        BarInterval(-0.1, -0.3, 0.1),
        BarInterval(0.2, 0.05, 0.4),
    ]
    scale = scale_of(rows)
    assert [interval_bar(row, scale) for row in (*rows, None)] == [
        " ├──●──┤ │       ",
        "     ├──●┼─┤     ",
        "         │├─●──┤ ",
        "         │       ",
    ]


def test_ends_off_the_scale_are_arrows() -> None:
    scale = BarScale(-0.5, 0.5)
    assert interval_bar(BarInterval(-0.25, -1.0, 1.0), scale) == "◄────●──┼───────►"
    assert interval_bar(BarInterval(-0.25, -1.0, -0.1), scale).startswith("◄")
    assert interval_bar(BarInterval(0.25, 0.1, 1.0), scale).endswith("►")


@given(st.lists(INTERVALS, min_size=1, max_size=6))
def test_every_bar_has_the_same_width_and_one_mean(rows: list[BarInterval]) -> None:
    scale = scale_of(rows)
    for row in rows:
        bar = interval_bar(row, scale)
        assert len(bar) == BAR_WIDTH
        assert bar.count("●") == 1


@given(st.lists(INTERVALS, min_size=1, max_size=6))
def test_a_bar_touches_zero_only_if_its_interval_does(rows: list[BarInterval]) -> None:
    scale = scale_of(rows)
    for row in rows:
        bar = interval_bar(row, scale)
        if row.upper < -1e-9:
            assert bar[scale.zero] == "│"
            assert bar[scale.zero + 1 :].strip() == ""
        if row.lower > 1e-9:
            assert bar[scale.zero] == "│"
            assert bar[: scale.zero].strip() == ""


@given(st.lists(INTERVALS, min_size=2, max_size=6), st.data())
def test_larger_values_are_never_further_left(rows: list[BarInterval], data: st.DataObject) -> None:
    scale = scale_of(rows)
    one, two = sorted([data.draw(st.floats(-1, 1)), data.draw(st.floats(-1, 1))])
    assert scale.column(one) <= scale.column(two)
