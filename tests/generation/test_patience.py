"""Whoever waits for a slow model is told so."""

import asyncio

from gate.generation.tests import EVERY_S, Deadline


class Counting:
    """Steps that count themselves."""

    def __init__(self) -> None:
        self.taken = 0

    def start(self, total: int) -> None:
        return

    def step(self, spent_usd: float | None, *, failed: bool = False) -> None:
        self.taken += 1

    def finish(self) -> None:
        return


def test_a_line_while_no_answer_comes() -> None:
    """The packaged model wrote for 91 seconds without one."""
    said: list[str] = []

    async def work() -> str:
        steps, turns = Counting(), asyncio.Queue[None]()

        async def sleep(seconds: float) -> None:
            assert seconds == EVERY_S
            await turns.get()

        async def pass_time() -> None:
            turns.put_nowait(None)
            for _ in range(5):
                await asyncio.sleep(0)

        patience = Deadline(steps, said.append, sleep)

        async def slow() -> str:
            await pass_time()
            await pass_time()
            patience.step(None)
            await pass_time()
            await pass_time()
            return f"{steps.taken} step"

        return await patience.during(slow())

    assert asyncio.run(work()) == "1 step"
    assert said == [f"still waiting for an answer: {seconds} s" for seconds in (20, 40, 20)]
