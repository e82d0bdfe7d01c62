"""The clock of what comes before a run: it ends what takes too long, and touches nothing else."""

import signal
import time
from collections.abc import Iterator
from itertools import count
from types import FrameType

import pytest

from gate.engine.signals import within_minutes
from gate.errors import CannotEvaluate

SHORT = 0.02 / 60


@pytest.fixture(autouse=True)
def handler() -> Iterator[list[int]]:
    """What a handler from before is told."""
    told: list[int] = []

    def take(number: int, frame: FrameType | None) -> None:
        told.append(number)

    before = signal.signal(signal.SIGALRM, take)
    yield told
    assert signal.getsignal(signal.SIGALRM) is take
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    signal.signal(signal.SIGALRM, before)


def told() -> tuple[str, str]:
    return "it took too long", "make it shorter"


def without_end() -> None:
    for _ in count():
        try:
            time.sleep(0.001)
        except Exception:
            raise AssertionError("what ends the work is no error that the work goes on after") from None


def test_work_without_end_is_given_up(handler: list[int]) -> None:
    with pytest.raises(CannotEvaluate, match="it took too long") as caught:
        within_minutes(SHORT, without_end, told)
    assert (caught.value.exit_code, caught.value.hint) == (3, "make it shorter")
    assert handler == []


class Stubborn:
    """Python drops what is raised while an object is deleted."""

    def __del__(self) -> None:
        without_end()


def test_an_end_that_python_drops_comes_again() -> None:
    def work() -> None:
        Stubborn()
        without_end()

    with pytest.raises(CannotEvaluate):
        within_minutes(SHORT, work, told)


def test_what_is_done_in_time_is_returned_and_a_later_signal_is_not_ours(handler: list[int]) -> None:
    assert within_minutes(10, lambda: 5, told) == 5
    signal.raise_signal(signal.SIGALRM)
    assert handler == [signal.SIGALRM]


def test_an_error_that_a_library_raises_because_of_the_end_is_the_end() -> None:
    """A driver that is interrupted while it leaves its pipeline complains about the pipeline."""

    def work() -> None:
        try:
            without_end()
        finally:
            raise OSError("cannot exit pipeline mode while busy")

    with pytest.raises(CannotEvaluate, match="it took too long"):
        within_minutes(SHORT, work, told)
