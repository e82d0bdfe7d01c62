"""The budget, looked at before each request."""

from dataclasses import dataclass

from gate.calls.budget import BudgetGuard
from gate.domain.suite import Budget
from gate.domain.usage import Dollars, Unpriced


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def test_no_limits() -> None:
    guard = BudgetGuard(Budget(), Clock())
    guard.spend(Dollars(1e9))
    assert [guard.take() for _ in range(1000)] == [None] * 1000
    assert guard.refused is None


def test_calls() -> None:
    guard = BudgetGuard(Budget(max_calls=2), Clock())
    assert [guard.take(), guard.take()] == [None, None]
    assert guard.refused is None
    assert guard.take() == "the budget of 2 calls is used up"
    assert guard.refused == "the budget of 2 calls is used up"


def test_no_calls_at_all() -> None:
    assert BudgetGuard(Budget(max_calls=0), Clock()).take() is not None


def test_dollars() -> None:
    guard = BudgetGuard(Budget(max_usd=0.5), Clock())
    guard.spend(Dollars(0.49))
    guard.spend(Unpriced("n/a"))
    assert guard.take() is None
    guard.spend(Dollars(0.01))
    assert guard.take() == "the budget of $0.5 is used up"


def test_minutes() -> None:
    clock = Clock()
    guard = BudgetGuard(Budget(max_minutes=1.5), clock)
    clock.now += 89.9
    assert guard.take() is None
    clock.now += 0.1
    assert guard.take() == "the budget of 1.5 minutes is used up"


def test_the_first_refusal_is_remembered() -> None:
    clock = Clock()
    guard = BudgetGuard(Budget(max_calls=0, max_minutes=1), clock)
    guard.take()
    clock.now += 1e6
    guard.take()
    assert guard.refused == "the budget of 0 calls is used up"
