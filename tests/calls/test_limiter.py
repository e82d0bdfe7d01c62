"""What may be under way at once."""

import asyncio

from gate.calls.interface import Provider
from gate.calls.limits import Limiter
from tests.calls.scripted import Scripted, completion, request


async def use(limiter: Limiter, provider: Provider) -> None:
    async with limiter.slot(provider):
        await provider.complete(request())


def test_a_provider_of_its_own_limit() -> None:
    async def work() -> tuple[int, int]:
        one, free, limiter = Scripted([completion()], max_in_flight=1), Scripted([completion()]), Limiter(4)
        await asyncio.gather(*(use(limiter, provider) for provider in (one, free) for _ in range(20)))
        return one.most, free.most

    assert asyncio.run(work()) == (1, 4)


def test_waiting_for_a_busy_provider_holds_no_slot_of_the_others() -> None:
    async def work() -> bool:
        limiter = Limiter(2)
        busy = Scripted([completion()], max_in_flight=1, gate=asyncio.Event())
        waiting = [asyncio.ensure_future(use(limiter, busy)) for _ in range(5)]
        await asyncio.sleep(0)
        await asyncio.wait_for(use(limiter, Scripted([completion()])), 1)
        assert busy.gate is not None
        busy.gate.set()
        await asyncio.gather(*waiting)
        return busy.seen == 5

    assert asyncio.run(work())


def test_a_cancelled_request_gives_its_slot_back() -> None:
    async def work() -> int:
        limiter, stuck = Limiter(1), Scripted([completion()], gate=asyncio.Event())
        task = asyncio.ensure_future(use(limiter, stuck))
        waiting = asyncio.ensure_future(use(limiter, stuck))
        await asyncio.sleep(0)
        task.cancel()
        waiting.cancel()
        await asyncio.gather(task, waiting, return_exceptions=True)
        free = Scripted([completion()])
        await asyncio.wait_for(use(limiter, free), 1)
        return free.seen

    assert asyncio.run(work()) == 1
