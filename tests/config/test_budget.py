"""A budget names the setting of each limit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.policy import Budget
from gate.values import exact_dollars


def test_the_dollar_limit_names_its_setting() -> None:
    assert Budget(max_usd=0.5).usd_said == "budget.max_usd is $0.5"
    assert Budget().lowered("max_usd", 2.0, "the input max-cost-usd").usd_said == "the input max-cost-usd is $2"


@given(st.floats(1e-12, 1e9))
def test_exact_dollars_have_six_digits_and_no_exponent(amount: float) -> None:
    shown = exact_dollars(amount)
    assert "e" not in shown.lower()
    assert float(shown[1:].replace(",", "")) == pytest.approx(amount, rel=1e-5)
