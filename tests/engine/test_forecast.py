"""What a planned run could show."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.policy import RunPolicy, SlicePolicy, SuitePolicy
from gate.engine.forecast import FallToShow, layout, reach, suite_forecast, tier
from gate.engine.noise import Spread
from tests.support.runs import suite

SPREAD = Spread(0.2, 0.3, "measured", "")
QUESTION = FallToShow(0.10, 0.8)
ROWS = [{"tier": "gold" if i % 2 else "free", "lang": "pt" if i < 4 else "en"} for i in range(60)]


@pytest.mark.parametrize(
    ("units", "name"),
    [
        (0, "never blocks"),
        (9, "never blocks"),
        (10, "below the floor"),
        (29, "below the floor"),
        (30, "decides"),
        (99, "decides"),
        (100, "comfortable"),
        (300, "ample"),
    ],
)
def test_tiers(units: int, name: str) -> None:
    assert tier(units) == name


def test_the_family_is_what_the_run_would_test() -> None:
    planned = [suite(ROWS, policy=SuitePolicy(advisory=("tier=gold",))), suite([{}] * 9, name="b")]
    found = layout(planned, RunPolicy())
    assert found.tested == {"support/overall", "support/tier=free", "support/lang=en"}
    assert 1.96 < found.critical < 2.6
    assert found.alone(30) == pytest.approx(1.96, abs=0.12)
    assert found.alone(9) == math.inf


def test_one_slice_has_the_usual_critical_value_and_the_familiar_rule_always_has() -> None:
    assert layout([suite([{}] * 100)], RunPolicy()).critical == pytest.approx(1.96, abs=0.1)
    familiar = layout([suite(ROWS)], RunPolicy(method="percentile"))
    assert familiar.critical == pytest.approx(1.96, abs=0.001)


def test_slices_are_marked_and_their_numbers_agree_with_each_other() -> None:
    planned = suite(ROWS, policy=SuitePolicy(required=("lang=pt",), advisory=("tier=gold",)))
    found = suite_forecast(planned, SPREAD, layout([planned], RunPolicy()), QUESTION)
    rows = {row.slice: row for row in found.slices}
    assert (rows["lang=pt"].required, rows["lang=pt"].tested, rows["lang=pt"].units) == (True, False, 4)
    assert (rows["tier=gold"].advisory, rows["tier=gold"].tested) == (True, False)
    overall = rows["overall"]
    at_best = FallToShow(overall.detectable.best or 0.0, 0.8)
    again = suite_forecast(planned, SPREAD, layout([planned], RunPolicy()), at_best).slices[0]
    assert again.power.best == pytest.approx(0.8, abs=0.001)
    assert again.cases_needed.best == pytest.approx(60, abs=1)


def test_clusters_count_as_one_and_their_cases_are_what_is_needed() -> None:
    names = [f"s{i // 5}" for i in range(100)]
    planned = suite([{}] * 100, clusters=names)
    row = suite_forecast(planned, SPREAD, layout([planned], RunPolicy()), QUESTION).slices[0]
    assert (row.cases, row.units, row.tier) == (100, 20, "below the floor")
    alone = suite([{}] * 20)
    single = suite_forecast(alone, SPREAD, layout([alone], RunPolicy()), QUESTION).slices[0]
    assert row.detectable.worst == pytest.approx(single.detectable.worst or 0.0, abs=0.02)
    assert (row.cases_needed.worst or 0) > 4 * (single.cases_needed.worst or 0)


def test_without_noise_six_cases_still_have_to_fall() -> None:
    found = reach(Spread(0.0, 0.1, "measured", ""), 300, 2.0, 0.8)
    assert found.best is not None
    assert found.best >= 6 / 300
    assert found.worst is not None
    assert found.worst >= found.best


def test_a_margin_has_to_be_left_behind_first() -> None:
    free, lax = suite(ROWS), suite(ROWS, policy=SuitePolicy(margin=0.05, slices={"tier=gold": SlicePolicy(margin=0.2)}))
    found = {
        one: suite_forecast(planned, SPREAD, layout([planned], RunPolicy()), QUESTION)
        for one, planned in (("free", free), ("lax", lax))
    }
    before, after = found["free"].slices[0], found["lax"].slices[0]
    assert after.margin == 0.05
    assert after.detectable.best == pytest.approx((before.detectable.best or 0.0) + 0.05)
    assert (after.power.best or 0.0) < (before.power.best or 0.0)
    assert (after.cases_needed.best or 0.0) > (before.cases_needed.best or 0.0)
    (gold,) = [row for row in found["lax"].slices if row.slice == "tier=gold"]
    assert (gold.power.best, gold.power.worst, gold.cases_needed.best) == (0.0, 0.0, None)


def test_a_correction_makes_each_slice_pay_for_the_others() -> None:
    plain = layout([suite(ROWS)], RunPolicy(method="t"))
    paid = layout([suite(ROWS)], RunPolicy(method="t", correction="bonferroni"))
    assert plain.critical == pytest.approx(1.96, abs=0.001)
    assert paid.critical == pytest.approx(2.498, abs=0.001)  # 0.025 / 4


def test_ties_make_the_test_less_strict() -> None:
    tied = Spread(0.2, 0.2, "measured", "", ties=0.9)
    usual, less = (layout([suite(ROWS)], RunPolicy(), found).critical for found in ({}, {"support": tied}))
    assert less < usual


@given(
    st.integers(10, 2000),
    st.integers(1, 500),
    st.floats(0.0, 0.6),
    st.floats(0.0, 0.3),
    st.floats(1.9, 3.2),
    st.floats(0.5, 0.95),
)
def test_more_cases_never_show_less(
    units: int, more: int, low: float, wider: float, critical: float, power: float
) -> None:
    spread = Spread(low, low + wider, "measured", "")
    small, large = reach(spread, units, critical, power), reach(spread, units + more, critical, power)
    for one, other in ((small.best, large.best), (small.worst, large.worst)):
        assert one is None or (other is not None and other <= one + 1e-12)
    if small.best is not None and small.worst is not None:
        assert small.best <= small.worst
