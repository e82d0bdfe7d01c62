"""The end of what takes too long outside of a run, where no budget counts."""

import signal
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

from gate.errors import CannotEvaluate

Result = TypeVar("Result")

AGAIN_S = 1.0
"""Seconds until a time that is over is told once more: Python drops what is raised while an object is deleted."""


class _TimeOver(BaseException):
    """The clock has run out; nothing on the way takes it for one of the errors that it goes on after."""


def in_time(minutes: float, work: Callable[[], Result], told: Callable[[], tuple[str, str]]) -> Result:
    """Do what is done outside of a run, in the main thread, and give it up when it takes longer, whatever it is at.

    It ends between two steps of Python; a step inside a library in C is waited for. Where the end hits a library while
    it cleans up, that one may raise an error of its own in its place; it is the end all the same. What comes after is
    never touched: the clock stands still, and the handler is the one from before. No context manager, because the time
    may be over while one is left.

    Args:
        minutes: by the clock on the wall.
        work: what is done.
        told: a sentence on what took so long, and what helps against it; asked when the time is over.

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
            signal.setitimer(signal.ITIMER_REAL, minutes * 60.0, AGAIN_S)
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
