"""How long one rendering of a template may take, in seconds of the processor: a turn of a loop may cost anything."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any

from jinja2.exceptions import SecurityError

from gate.inputs.limits import RENDERING_S


class TooLong(SecurityError):
    """A rendering that was given up."""


_ending: ContextVar[tuple[float, float]] = ContextVar("ending")
"""When the rendering at hand has used up its time, by the clock of the thread, and how much it had."""


@contextmanager
def limited(seconds: float = RENDERING_S) -> Iterator[None]:
    """Let what is rendered or folded inside take so long.

    Args:
        seconds: of the processor, in this thread; who waits for another process loses nothing.
    """
    token = _ending.set((time.thread_time() + seconds, seconds))
    try:
        yield
    finally:
        _ending.reset(token)


def check() -> None:
    """Called wherever a template does work: at each turn, filter, test, call, operator and piece of the result.

    Raises:
        TooLong: the time is used up.
    """
    end, seconds = _ending.get((float("inf"), 0.0))
    if time.thread_time() > end:
        raise TooLong(f"takes longer than {seconds:g} s to render; shorten its loops, or the values that they work on")


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter or test of Jinja's that looks at the time first; what it says of its own arguments stays."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        check()
        return function(*args, **kwargs)

    return run
