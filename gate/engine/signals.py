"""What ends a run early: a signal, or the minutes that it may take."""

import asyncio
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Literal, TypeVar

from gate.calls.interface import Stop
from gate.errors import CannotEvaluate, Terminated
from gate.record.findings.unfinished import RunInterrupted

ENDING: Mapping[signal.Signals, Literal["SIGINT", "SIGTERM"]] = {signal.SIGINT: "SIGINT", signal.SIGTERM: "SIGTERM"}
"""Signals that end a run."""


class _Ended(BaseException):
    """A signal came; not an Exception, so that no handler of errors swallows it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.signal = ENDING[signal.Signals(number)]


@contextmanager
def ended_by_signals(stop: Stop) -> Iterator[None]:
    """Within an event loop: the first signal ends the run with what there is, a second Ctrl-C ends the process."""
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in ENDING}

    def end(number: signal.Signals) -> None:
        stop.interrupted = stop.interrupted or number is signal.SIGINT
        stop.now(RunInterrupted(signal=ENDING[number]))
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
def signals_reported() -> Iterator[None]:
    """Outside of a run: the first signal becomes an error, reported like any other; later ones change nothing.

    A container's first process is never ended by a signal that it does not handle: it would go on until it is killed,
    and nobody would be told.

    Raises:
        Terminated: a signal came.
    """

    def end(number: int, frame: FrameType | None) -> None:
        for each in ENDING:
            signal.signal(each, signal.SIG_IGN)
        raise _Ended(number)

    before = {number: signal.signal(number, end) for number in ENDING}
    try:
        yield
    except _Ended as ended:
        raise Terminated(ended.signal) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


@contextmanager
def signals_later() -> Iterator[None]:
    """Delay signals until this is over, so that what was begun on GitHub is known and can be ended."""
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


@contextmanager
def signals_ignored() -> Iterator[None]:
    """Ignore signals while results are reported: this takes seconds, and an open check would block a merge."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


Result = TypeVar("Result")


SIGNAL_EVERY_S = 1.0
"""Seconds until an expired time is signalled again: Python drops what is raised while an object is deleted."""


class _TimeOver(BaseException):
    """The time is over; not an Exception, so that no handler of errors swallows it."""


def within_minutes(minutes: float, work: Callable[[], Result], told: Callable[[], tuple[str, str]]) -> Result:
    """Run `work` in the main thread, outside of a run, and interrupt it when it takes longer than this.

    It ends between two steps of Python; a step inside a library in C is waited for. Where the end hits a library while
    it cleans up, that one may raise another error instead; it is the end all the same. What comes after is
    never touched: the clock stands still, and the handler is the one from before. No context manager, because the time
    may be over while one is left.

    Args:
        minutes: of wall-clock time.
        told: gives what took so long, and a hint, a sentence each; called when the time is over.

    Raises:
        CannotEvaluate: the time is over.
    """
    running, over = True, False

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal over
        if running:
            over = True
            raise _TimeOver

    before = signal.signal(signal.SIGALRM, end)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, minutes * 60.0, SIGNAL_EVERY_S)
            return work()
        finally:
            running = False
    except (_TimeOver, Exception):
        running = False
        if not over:
            raise
        raise CannotEvaluate(*told()) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before if before is not None else signal.SIG_DFL)
