"""Where the calls layer takes its time from."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """Clocks and sleep.

    Args:
        clock: seconds that only grow; no jump of the wall clock moves it.
        sleep: waits for so many seconds.
        wall_clock: seconds since the epoch, for people to read.
    """

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    wall_clock: Callable[[], float] = time.time
