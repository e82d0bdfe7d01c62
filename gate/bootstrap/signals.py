"""What ends a run from outside: Ctrl-C, and the signals of a runner that cancels a job."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from gate.calls.stop import Stop
from gate.errors import CannotEvaluate

ENDING = {
    signal.SIGINT: "it was interrupted (SIGINT)",
    signal.SIGTERM: "the process was asked to end (SIGTERM)",
}


class _Ended(BaseException):
    """A signal came; nothing on the way takes it for one of the errors that it goes on after."""


@contextmanager
def ended_by_signals(stop: Stop) -> Iterator[None]:
    """Within an event loop: the first signal ends the run with what there is, a second Ctrl-C ends the process.

    Args:
        stop: the switch of the run.
    """
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in ENDING}

    def end(number: signal.Signals) -> None:
        stop.interrupted = stop.interrupted or number is signal.SIGINT
        stop.now(ENDING[number])
        if number is signal.SIGINT:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.default_int_handler)

    for number in ENDING:
        loop.add_signal_handler(number, end, number)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


@contextmanager
def told_of_signals() -> Iterator[None]:
    """Outside of a run: the first signal becomes an error, which is told like any other; later ones change nothing.

    A container's first process is never ended by a signal that it does not handle: it would go on until it is killed,
    and nobody would be told.

    Raises:
        CannotEvaluate: a signal came.
    """

    def end(number: int, frame: FrameType | None) -> None:
        for each in ENDING:
            signal.signal(each, signal.SIG_IGN)
        raise _Ended(f"The evaluation was not finished: {ENDING[signal.Signals(number)]}")

    before = {number: signal.signal(number, end) for number in ENDING}
    try:
        yield
    except _Ended as ended:
        raise CannotEvaluate(str(ended), "run the job again") from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


@contextmanager
def signals_later() -> Iterator[None]:
    """A signal that comes meanwhile counts when this is over: what was begun on GitHub is known, and can be ended."""
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


@contextmanager
def deaf_to_signals() -> Iterator[None]:
    """What was measured is told to its end: telling takes seconds, and a check that is left open blocks a merge."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
