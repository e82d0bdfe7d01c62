"""What a plan warns of."""

from collections.abc import Sequence

import pytest

from gate.domain.forecast import Spending, Spread
from gate.domain.suite import Budget, RunPolicy, Suite, SuitePolicy
from gate.domain.usage import Cost, Dollars, Unpriced
from gate.engine.cautions import budget_warnings, warnings
from gate.engine.forecast import Question, layout, suite_forecast
from tests.support.runs import suite


def warned(planned: Sequence[Suite]) -> list[tuple[bool, str]]:
    found = layout(planned, RunPolicy())
    spread = Spread(0.2, 0.3, "measured", "")
    forecasts = [suite_forecast(one, spread, found, Question(0.1, 0.8)) for one in planned]
    return [(one.severe, one.text) for one in warnings(forecasts, planned)]


def spending(cost: Cost, calls: int = 100, minutes: float = 3.0) -> Spending:
    return Spending((), calls, cost, "the price of openai:new is not known", minutes, 8)


def test_a_required_slice_that_is_too_small_or_not_there() -> None:
    rows = [{"tier": "gold" if i < 3 else "free"} for i in range(40)]
    required = SuitePolicy(required=("tier=gold", "tier=none", "tier=free", "overall"))
    found = warned([suite(rows, policy=required)])
    assert [severe for severe, _ in found] == [True, True]
    assert "tier=gold has 3 independent cases and needs 10" in found[0][1]
    assert "tier=none has no case" in found[1][1]


def test_a_small_slice_can_never_block_and_an_advisory_one_need_not() -> None:
    rows = [{"tier": "gold" if i < 3 else "free", "lang": "pt" if i < 2 else "en"} for i in range(40)]
    found = warned([suite(rows, policy=SuitePolicy(advisory=("lang=pt",)))])
    assert found == [(False, "can never block, under 10 independent cases: tier=gold (3)")]


def test_a_small_suite_is_told_once() -> None:
    found = warned([suite([{"tier": "gold"}] * 9)])
    assert len(found) == 1
    assert found[0][0]
    assert "every run is a HOLD" in found[0][1]


def test_many_small_slices_are_counted() -> None:
    rows = [{"customer": f"c{i // 4:02}"} for i in range(40)]
    assert warned([suite(rows)])[0][1].endswith("customer=c04 (4) and 5 more")


@pytest.mark.parametrize(
    ("budget", "cost", "said"),
    [
        (Budget(max_calls=99), Dollars(1.0), "budget.max_calls is 99"),
        (Budget(max_usd=0.5), Dollars(1.0), "budget.max_usd is $0.5"),
        (Budget(max_usd=0.5), Unpriced("unknown"), "would not start"),
        (Budget(max_minutes=2.9), Dollars(1.0), "budget.max_minutes is 2.9"),
    ],
)
def test_a_budget_that_would_not_suffice(budget: Budget, cost: Cost, said: str) -> None:
    found = list(budget_warnings(spending(cost), budget))
    assert [one.severe for one in found] == [True]
    assert said in found[0].text


def test_a_budget_that_suffices() -> None:
    enough = Budget(max_calls=100, max_usd=1.0, max_minutes=3.0)
    assert list(budget_warnings(spending(Dollars(1.0)), enough)) == []
    assert list(budget_warnings(spending(Unpriced("n/a")), enough)) == []
    assert list(budget_warnings(spending(Unpriced("unknown")), Budget())) == []
