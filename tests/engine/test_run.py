import asyncio
from collections.abc import Iterator

import pytest

from gate.calls.interface import Stop
from gate.engine.run import FAILURES_IN_A_ROW, Runner
from gate.engine.schedule import Job, Schedule
from gate.errors import GateError
from gate.record.sample import Sample
from gate.record.transcript import Failed, Unscored
from gate.suite import Suite
from tests.support.fakes import Memory
from tests.support.runs import reply, suite


def jobs(one: Suite) -> Iterator[Job]:
    """Case after case, so that the tests know which comes when."""
    ordered = sorted(Schedule((one,), 0).all_pairs(), key=lambda pair: (pair.index, pair.case.id))
    return (job for pair in ordered for job in pair.jobs())


def sample(job: Job, *, failed: bool = False) -> Sample:
    answer = Failed("connection refused", 6) if failed else reply()
    return Sample(job.suite.name, job.case.id, job.arm, job.index, answer, (), Unscored("x") if failed else 1.0)


def test_no_more_than_the_workers_are_busy_at_once() -> None:
    busy = most = 0

    async def take(job: Job) -> tuple[Sample, ...]:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await asyncio.sleep(0)
        busy -= 1
        return (sample(job),)

    memory = Memory()
    asyncio.run(Runner(take, memory.sample, Stop(), 4).run(jobs(suite([{}] * 50))))
    assert most == 4
    assert len(memory.samples) == 100


def test_a_service_that_never_answers_is_given_up() -> None:
    async def take(job: Job) -> tuple[Sample, ...]:
        return (sample(job, failed=True),)

    stop, memory = Stop(), Memory()
    asyncio.run(Runner(take, memory.sample, stop, 1).run(jobs(suite([{}] * 500))))
    assert len(memory.samples) == FAILURES_IN_A_ROW
    assert stop.reason is not None
    assert "connection refused" in stop.reason


def test_failures_among_answers_do_not_stop_a_run() -> None:
    turn = iter(range(10_000))

    async def take(job: Job) -> tuple[Sample, ...]:
        return (sample(job, failed=next(turn) > 0),)

    stop, memory = Stop(), Memory()
    asyncio.run(Runner(take, memory.sample, stop, 1).run(jobs(suite([{}] * 50))))
    assert stop.reason is None
    assert len(memory.samples) == 100


def test_drain_finishes_what_is_under_way() -> None:
    stop, memory = Stop(), Memory()

    async def take(job: Job) -> tuple[Sample, ...]:
        await asyncio.sleep(0)
        stop.drain("enough")
        await asyncio.sleep(0)
        return (sample(job),)

    asyncio.run(Runner(take, memory.sample, stop, 3).run(jobs(suite([{}] * 50))))
    assert len(memory.samples) == 3


def test_now_gives_up_what_is_under_way() -> None:
    stop, memory = Stop(), Memory()

    async def take(job: Job) -> tuple[Sample, ...]:
        await asyncio.sleep(3600)
        return (sample(job),)

    async def main() -> None:
        asyncio.get_running_loop().call_later(0.01, stop.now, "SIGTERM")
        await Runner(take, memory.sample, stop, 3).run(jobs(suite([{}] * 50)))

    asyncio.run(main())
    assert (memory.samples, stop.reason) == ([], "SIGTERM")


def test_a_mistake_of_the_user_ends_the_run_at_once() -> None:
    async def take(job: Job) -> tuple[Sample, ...]:
        if job.case.id == "c002":
            raise GateError("the key is wrong")
        await asyncio.sleep(0 if job.case.id < "c002" else 3600)
        return (sample(job),)

    with pytest.raises(GateError, match="the key is wrong"):
        asyncio.run(Runner(take, Memory().sample, Stop(), 8).run(jobs(suite([{}] * 50))))
