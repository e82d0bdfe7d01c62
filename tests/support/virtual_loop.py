"""An event loop with virtual time: time passes only when all tasks wait, so simulations are fast and repeatable."""

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

Result = TypeVar("Result")


class _Idle(selectors.DefaultSelector):
    """Jumps over the time that it is told to wait."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise RuntimeError("deadlock: nothing is due, and nothing will happen")
        self.now += max(0.0, timeout)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop without real time; `loop.time()` is the clock."""

    def __init__(self) -> None:
        self._idle = _Idle()
        super().__init__(self._idle)

    def time(self) -> float:
        return self._idle.now


def simulate(work: Callable[[], Awaitable[Result]]) -> Result:
    """Run to the end in virtual time.

    Raises:
        RuntimeError: everything waits for something that never comes.
    """
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(_await(work))
    finally:
        pending = asyncio.all_tasks(loop)
        for task in pending:
            task.cancel()
        if pending:
            loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
        loop.close()


async def _await(work: Callable[[], Awaitable[Result]]) -> Result:
    return await work()
