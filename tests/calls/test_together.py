"""What is waited for at once: the order of the results, and what an error leaves behind."""

import asyncio

import pytest

from gate.calls.interface import together
from gate.errors import GateError


def test_results_have_the_order_of_the_questions_and_not_that_of_the_answers() -> None:
    async def main() -> list[str]:
        answered = asyncio.Event()

        async def slow() -> str:
            await answered.wait()
            return "slow"

        async def quick() -> str:
            answered.set()
            return "quick"

        async with asyncio.timeout(10):
            return await together([slow(), quick()])

    assert asyncio.run(main()) == ["slow", "quick"]


def test_an_error_ends_the_others_and_leaves_none_behind() -> None:
    ended: list[str] = []

    async def hangs() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("hangs")

    async def fails() -> None:
        raise GateError("the key is wrong")

    async def main() -> set[asyncio.Task[None]]:
        with pytest.raises(GateError, match="the key is wrong"):
            await together([hangs(), fails()])
        return {task for task in asyncio.all_tasks() if task is not asyncio.current_task()}

    assert asyncio.run(main()) == set()
    assert ended == ["hangs"]
