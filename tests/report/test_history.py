import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.record.comparison import Verdict
from gate.record.history import HistoryFigure, HistoryPoint
from gate.report.history import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WHISKERS,
    WIDTH,
    ChartValue,
    lay_out_chart,
    trend_view,
)
from gate.stats.intervals import t_quantile

BEGIN = datetime(2026, 11, 1, 9, tzinfo=UTC)
FIGURE = HistoryFigure("quality", "overall", 20, 16, 0.7, 0.6, 0.02, -0.1, -0.15, -0.05, "regression")


def point(place: int, figure: HistoryFigure = FIGURE, event: str = "pull_request") -> HistoryPoint:
    return HistoryPoint(place, BEGIN + timedelta(days=place), "main", event, Verdict.PASS, figure)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=100), st.floats(0, 0.3))
def test_every_point_lies_inside_the_frame_with_its_interval(values: list[float], reach: float) -> None:
    found = lay_out_chart([ChartValue(one, (one - reach, one + reach)) for one in values], (0.0, 1.0), str)
    assert len(found.spots) == len(values)
    for spot in found.spots:
        assert LEFT <= spot.x <= WIDTH - RIGHT
        assert spot.lower is not None
        assert spot.upper is not None
        assert TOP <= spot.upper <= spot.y <= spot.lower <= HEIGHT - BOTTOM
    assert bool(found.bands) == (len(values) > WHISKERS)
    assert found.marks
    assert all(TOP <= mark.y <= HEIGHT - BOTTOM for mark in found.marks)


@given(st.lists(st.floats(1e-9, 1e6), min_size=2, max_size=20))
def test_a_larger_value_lies_higher(values: list[float]) -> None:
    spots = lay_out_chart([ChartValue(one, None) for one in values], (0.0, None), str).spots
    for (one, spot), (other, beside) in zip(
        zip(values, spots, strict=True), zip(values[1:], spots[1:], strict=True), strict=False
    ):
        assert one <= other or spot.y <= beside.y
        assert spot.x < beside.x


def test_the_interval_is_that_of_students_t_over_the_units() -> None:
    row = trend_view([point(1)], "quality").rows[0]
    reach = t_quantile(0.975, 15) * 0.02
    assert math.isclose(reach, 0.0426, abs_tol=1e-4)
    assert row.interval == f"{0.6 - reach:.3f} to {0.6 + reach:.3f}"
    assert row.change == "−0.100 [−0.150, −0.050]"


@pytest.mark.parametrize("figure", [replace(FIGURE, error=None), replace(FIGURE, units=1)])
def test_an_interval_that_nobody_can_tell_is_not_drawn(figure: HistoryFigure) -> None:
    view = trend_view([point(1, figure)], "quality")
    assert view.rows[0].interval == "–"
    assert view.chart is not None
    assert view.chart.spots[0].lower is None
