"""Waits for several things at once; how many of them are really asked at the same time is a limiter's to say."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

Found = TypeVar("Found")


async def together(asked: Iterable[Coroutine[Any, Any, Found]]) -> list[Found]:
    """Wait for all of them.

    Args:
        asked: started in this order, all before the first one is waited for.

    Returns:
        What each came to, in the same order, whichever was first.

    Raises:
        Exception: the first that one of them raised; by then the others have been cancelled.
    """
    tasks = [asyncio.ensure_future(one) for one in asked]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
