"""Where things lie in drawings: every number is where its scale says, and none is lost."""

import re
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gate import numbers
from gate.record.comparison import State, Verdict
from gate.record.transcript import ArmName, Dollars, Reply
from gate.report.page.cases import ArmFigures, GatheredSamples
from gate.report.page.charts import TradeoffPoint, delta_histogram, distribution_curves, linear_scale, tradeoffs
from gate.report.page.forest import FOLDED, ROWS, SLICES_SHOWN, forests
from gate.report.page.samples import gather_samples
from tests.golden.builders import comparison, run, suite
from tests.support.large_run import answered_run
from tests.support.runs import table_of

VALUES = st.floats(-1.0, 1.0)


@given(st.lists(st.floats(-1e9, 1e9), max_size=8))
def test_a_scale_holds_zero_and_all_values_in_their_order(values: list[float]) -> None:
    scale = linear_scale(values, least=0.1)
    places = [scale.at(value) for value in sorted([0.0, *values])]
    assert places == sorted(places)
    assert 0.0 <= places[0] and places[-1] <= 100.0
    assert scale.low <= 0.0 <= scale.high and scale.high - scale.low >= 0.1 * 0.999
    marks = scale.marks()
    assert 2 <= len(marks) <= 13
    assert all(scale.low - 1e-6 * abs(scale.low) <= mark <= scale.high + 1e-6 * abs(scale.high) for mark in marks)


@given(st.lists(VALUES | st.none(), min_size=5, max_size=60))
def test_every_case_is_in_one_bar_or_did_not_move(values: list[float | None]) -> None:
    found, known = delta_histogram(values), [value for value in values if value is not None]
    if len(known) < 5:
        assert found is None
        return
    assert found is not None
    moved = [value for value in known if abs(value) > numbers.ZERO]
    assert sum(bar.count for bar in found.bars if bar.dropped) == sum(value < 0 for value in moved)
    assert sum(bar.count for bar in found.bars) == len(moved)
    assert f"{len(known) - len(moved)} did not change" in found.told
    assert all(bar.height > 0 for bar in found.bars)


@given(st.lists(st.floats(0.001, 100.0), min_size=5, max_size=400))
def test_a_curve_rises_to_all_answers_and_marks_its_quantiles(values: list[float]) -> None:
    spread = ArmFigures(values={ArmName.BASELINE: values, ArmName.CANDIDATE: []})
    found = distribution_curves("", "Latency", spread, numbers.duration)
    assert found is not None
    (curve,) = found.curves
    steps = re.findall(r"H([\d.]+)V([\d.]+)", curve.path)
    across, up = [float(x) for x, _ in steps], [float(y) for _, y in steps]
    assert across == sorted(across) and up == sorted(up, reverse=True)
    assert curve.figures[0] == numbers.duration(float(np.quantile(values, 0.5)))
    assert curve.figures[1] == numbers.duration(float(np.quantile(values, 0.95)))


def test_slices_stand_with_their_dimension_and_the_rest_is_folded_and_counted() -> None:
    def one(number: int) -> tuple[str, State, float]:
        if number % 50 == 0:
            return f"d{number % 7}=v{number}", State.REGRESSION, -0.3
        return f"d{number % 7}=v{number}", State.NOISE, 0.0

    slices = [comparison(name, state, 40, 0.8, (mean, -0.4, 0.1)) for name, state, mean in map(one, range(2_000))]
    overall = comparison("overall", State.REGRESSION, 40, 0.8, (-0.3, -0.4, -0.1))
    (forest,) = forests(run(Verdict.BLOCK, [suite(overall, slices, [])]))
    kept = [line for group in forest.groups[1:] for line in group.lines]
    assert sum(line.row.state is State.REGRESSION for line in kept) == 40
    assert len(kept) <= 40 + SLICES_SHOWN and forest.groups[0].lines[0].overall
    assert forest.count + len(kept) == FOLDED and forest.more == 2_000 - FOLDED
    for group in (*forest.groups[1:], *forest.folded):
        assert {line.row.name.partition("=")[0] for line in group.lines} == {group.name}


def test_trade_offs_of_all_cases_are_those_of_the_axes_and_slices_those_of_their_cases() -> None:
    run, taken = answered_run(60, 9)
    gathered = gather_samples(run, table_of(taken))
    found = tradeoffs(run, gathered)
    assert found is not None
    points = {point.name: point for point in found.points}
    suite = run.suites[0]
    assert points["overall"].cost == numbers.change(suite.cost.change)
    assert points["overall"].latency == numbers.change(suite.latency.change)
    german = {case.id for case in suite.cases if case.slices["lang"] == "de"}
    replies = [(one.arm, one.reply) for one in taken if one.case_id in german]
    spent = dict.fromkeys(ArmName, 0.0)
    for arm, reply in replies:
        assert isinstance(reply, Reply) and isinstance(reply.cost, Dollars)
        spent[arm] += reply.cost.amount
    assert points["lang=de"].cost == numbers.change(spent[ArmName.CANDIDATE] / spent[ArmName.BASELINE] - 1)
    assert points["lang=de"].y > points["overall"].y


def test_without_samples_one_suite_is_no_cloud_and_labels_do_not_meet() -> None:
    run, taken = answered_run(60, 9)
    assert tradeoffs(run, GatheredSamples()) is None
    found = tradeoffs(run, gather_samples(run, table_of(taken)))
    assert found is not None
    named = sorted((point for point in found.points if point.label), key=lambda point: point.y)
    assert named
    assert all(b.y - a.y >= 13 or not _touch(_box(a), _box(b)) for a, b in pairwise(named))


def _box(point: TradeoffPoint) -> tuple[float, float]:
    """From where to where a point and its name reach."""
    width = 9 + 6.4 * len(point.name) if point.label else 0
    return (point.x - width, point.x) if point.left else (point.x, point.x + width)


def _touch(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def test_many_suites_share_the_room_and_what_moved_keeps_its_own() -> None:
    still = [comparison(f"x=v{n}", State.NOISE, 40, 0.8, (0.0, -0.1, 0.1)) for n in range(20)]
    fallen = [comparison(f"y=v{n}", State.REGRESSION, 40, 0.8, (-0.3, -0.4, -0.2)) for n in range(15)]
    overall = comparison("overall", State.NOISE, 40, 0.8, (0.0, -0.1, 0.1))
    suites = [suite(overall, still + (fallen if n == 7 else []), [], name=f"s{n:03}") for n in range(200)]
    found = forests(run(Verdict.BLOCK, suites))
    counts = [sum(len(group.lines) for group in (*one.groups, *one.folded)) - 1 for one in found]
    assert sum(counts) <= ROWS + len(fallen)
    assert counts[7] == 15 and all("y=" in line.row.name for line in found[7].groups[-1].lines)
    assert [one.more + count for one, count in zip(found, counts, strict=True)] == [
        35 if n == 7 else 20 for n in range(200)
    ]
