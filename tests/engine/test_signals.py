"""A signal is heard where something can be done about it."""

import signal

import pytest

from gate.engine.signals import ENDING, signals_ignored, signals_later, signals_reported
from gate.errors import CannotEvaluate


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_counts_once_what_was_begun_is_known(number: signal.Signals) -> None:
    known = False
    with pytest.raises(CannotEvaluate, match=number.name), signals_reported():
        with signals_later():
            signal.raise_signal(number)
            known = True
        pytest.fail("the signal came to nothing")
    assert known


@pytest.mark.parametrize("number", ENDING)
def test_nothing_is_heard_while_the_outcome_is_told(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with signals_ignored():
        signal.raise_signal(number)
    assert signal.getsignal(number) is before
