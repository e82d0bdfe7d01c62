"""The monthly cap: what is left of it, when it stops a run, and what is kept for later."""

from datetime import UTC, datetime, timedelta, timezone
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gate.domain.absence import Failed
from gate.domain.spending import Outlay
from gate.domain.suite import MONTHLY, Budget
from gate.errors import CannotEvaluate
from gate.flows.spending import Spent, month_of, noted, within
from tests.unit.stats.layouts import THOROUGH

NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
DOLLARS = st.floats(0, 1e6, allow_nan=False)


def alone(dollars: float) -> Spent:
    """All of it without a pull request."""
    return Spent({}, dollars)


def test_the_month_is_that_of_utc() -> None:
    tokyo = timezone(timedelta(hours=9))
    assert month_of(datetime(2026, 12, 1, 8, 59, tzinfo=tokyo)) == "2026-11"
    assert month_of(datetime(2026, 12, 1, 9, 0, tzinfo=tokyo)) == "2026-12"


def test_what_was_spent_this_month_is_that_of_comments_and_of_the_ledger() -> None:
    ledger = {"1.1": Outlay("2026-11", 2.0), "2.1": Outlay("2026-10", 50.0), "3.2": Outlay("2026-11", 0.25)}
    assert noted(ledger, NOW) == 2.25
    assert noted({}, NOW) == 0.0
    assert Spent({7: 1.5, 8: 0.25}, noted(ledger, NOW)).dollars == 4.0


@given(st.lists(DOLLARS, max_size=8), st.randoms())
@example([0.1, 0.2, 0.3], Random(0))
def test_the_order_in_which_it_was_spent_changes_no_cent(spent: list[float], random: Random) -> None:
    def total(found: list[float]) -> tuple[float, float]:
        ledger = {str(number): Outlay("2026-11", dollars) for number, dollars in enumerate(found)}
        return noted(ledger, NOW), Spent(dict(enumerate(found))).dollars

    assert total(spent) == total(spent[::-1]) == total(random.sample(spent, len(spent)))


def test_without_a_cap_nothing_changes() -> None:
    budget = Budget(max_usd=5)
    assert within(budget, alone(1e9), NOW) is budget
    assert within(budget, Failed("nobody can tell"), NOW) is budget


@pytest.mark.parametrize(
    ("own", "already", "left"), [(5.0, 0.0, 5.0), (5.0, 46.0, 4.0), (None, 46.0, 4.0), (0.0, 1.0, 0.0)]
)
def test_a_run_gets_the_smaller_of_its_own_budget_and_the_rest(own: float | None, already: float, left: float) -> None:
    budget = Budget(max_calls=7, max_usd=own, max_usd_per_month=50)
    found = within(budget, alone(already), NOW)
    assert (found.max_calls, found.max_usd, found.max_usd_per_month) == (7, left, 50)
    assert found.setting("max_usd") == ("budget.max_usd" if left == own else MONTHLY)


@pytest.mark.parametrize(("already", "setting"), [(46.0, MONTHLY), (10.0, "the input max-cost-usd")])
def test_the_smaller_of_an_input_and_the_rest_is_what_set_the_limit(already: float, setting: str) -> None:
    budget = Budget(max_usd_per_month=50).lowered("max_usd", 5.0, "the input max-cost-usd")
    found = within(budget, alone(already), NOW)
    assert (found.setting("max_usd"), found.rest_of_month) == (setting, setting == MONTHLY)


@pytest.mark.parametrize(
    ("now", "turns"),
    [(NOW, "2026-12-01"), (NOW.replace(month=12), "2027-01-01"), (NOW.replace(month=1), "2026-02-01")],
)
def test_nothing_left_stops_the_run_and_says_until_when(now: datetime, turns: str) -> None:
    with pytest.raises(CannotEvaluate) as caught:
        within(Budget(max_usd_per_month=50), alone(50.125), now)
    assert caught.value.message == (
        f"the cap of $50 per month is used up: $50.12 was spent in {now:%Y-%m}, "
        f"and the next month begins on {turns} (UTC)"
    )
    assert "budget.max_usd_per_month" in caught.value.hint
    assert caught.value.exit_code == 3


def test_a_refusal_names_the_pull_requests_that_hold_the_most() -> None:
    def hint(already: Spent) -> str:
        with pytest.raises(CannotEvaluate) as caught:
            within(Budget(max_usd_per_month=50), already, NOW)
        return caught.value.hint

    pulls = {7: 1.0, 12: 1e9, 3: 40.0, 5: 40.0, 9: 0.0}
    told = "the comments that count the most are on #12 ($1,000,000,000.00), #3 ($40.00), #5 ($40.00)"
    advice = "wait until then, or raise budget.max_usd_per_month on the base"
    assert hint(Spent(pulls, sealed=True)) == f"{advice}; {told}"
    assert hint(Spent(pulls)).startswith(f"{advice}; {told}; delete what no run of the gate wrote")
    assert hint(Spent({9: 0.0}, others=60.0)) == advice


def test_a_small_month_is_told_with_its_digits() -> None:
    with pytest.raises(CannotEvaluate) as caught:
        within(Budget(max_usd_per_month=0.0004), Spent({7: 0.000412}), NOW)
    assert "the cap of $0.0004 per month is used up: $0.00041 was spent in 2026-11" in caught.value.message
    assert "#7 ($0.00041)" in caught.value.hint


def test_a_cap_of_nothing_and_dust_leave_nothing() -> None:
    for cap, already in ((0.0, 0.0), (0.3, 0.1 + 0.2 - 1e-12)):
        with pytest.raises(CannotEvaluate, match="used up"):
            within(Budget(max_usd_per_month=cap), alone(already), NOW)


def test_what_cannot_be_read_stops_the_run() -> None:
    with pytest.raises(CannotEvaluate, match="max_usd_per_month cannot be kept: cannot read the comments"):
        within(Budget(max_usd_per_month=50), Failed("cannot read the comments"), NOW)


@THOROUGH
@given(DOLLARS, st.none() | DOLLARS, DOLLARS)
def test_a_run_never_gets_more_than_is_left(cap: float, own: float | None, already: float) -> None:
    budget = Budget(max_usd=own, max_usd_per_month=cap)
    try:
        left = within(budget, alone(already), NOW).max_usd
    except CannotEvaluate:
        assert already >= cap - 1e-6
        return
    assert left is not None
    assert left + already <= cap + 1e-6
    assert own is None or left <= own
