import pytest

from gate.record.transcript import Cost, Dollars, Unpriced, Unscored
from tests.scoring.validators.scored import judged


@pytest.mark.parametrize(
    ("seconds", "value", "reason"),
    [
        (1.5, 1.0, "took 1.5 s, at most 2 s"),
        (2.0, 1.0, "took 2 s, at most 2 s"),
        (2.345, 0.0, "took 2.35 s, more than 2 s"),
        (None, Unscored("the time that the answer took is unknown"), "at most 2 s"),
    ],
)
def test_latency(seconds: float | None, value: float | Unscored, reason: str) -> None:
    found = judged({"latency": 2}, "x", latency_s=seconds)
    assert (found.value, found.reason) == (value, reason)


@pytest.mark.parametrize(
    ("price", "value", "reason"),
    [
        (Dollars(0.005), 1.0, "cost $0.0050, at most $0.01"),
        (Dollars(0.01), 1.0, "cost $0.010, at most $0.01"),
        (Dollars(0.02), 0.0, "cost $0.020, more than $0.01"),
        (Unpriced("unknown"), Unscored("the answer has an unknown price"), "at most $0.01"),
        (Unpriced("n/a"), Unscored("the answer has no price"), "at most $0.01"),
        (None, Unscored("the answer has an unknown price"), "at most $0.01"),
    ],
)
def test_cost(price: Cost | None, value: float | Unscored, reason: str) -> None:
    found = judged({"cost": 0.01}, "x", cost=price)
    assert (found.value, found.reason) == (value, reason)


def test_what_is_not_known_stays_so_when_it_is_negated() -> None:
    assert isinstance(judged({"latency": 2, "negate": True}, "x").value, Unscored)
