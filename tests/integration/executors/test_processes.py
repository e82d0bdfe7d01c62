"""Worker processes: the same answers, and no way to lose one."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.domain.absence import Failed
from gate.domain.model import ModelRef, Params
from gate.domain.sample import Reply
from gate.errors import CannotEvaluate, MissingKey
from gate.providers.base import Misconfigured, Transient
from gate.providers.elsewhere.processes import MOST_DEATHS, ProcessExecutor
from gate.providers.elsewhere.worker import Setup
from gate.providers.endpoints import Keys
from gate.providers.factory import Factory
from tests.integration.executors.asking import SECRET, Asking, essence, keys_for, question, until, use
from tests.support.model_server import Behaviour, ModelServer

ROOT = Path(__file__).parents[3]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def alive(pid: int) -> bool:
    """Is there such a process, other than a dead one that nobody has waited for?"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_the_answers_are_those_of_one_process(server: ModelServer) -> None:
    keys = keys_for(server)
    here = use(keys, lambda: None, lambda asking: asking.all(80))
    there = use(keys, lambda: ProcessExecutor(2, Setup(keys, 16)), lambda asking: asking.all(80))
    assert essence(there) == essence(here)
    assert all(isinstance(reply, Reply) and reply.latency_s for reply in there)
    assert server.requests == 160


def test_a_worker_that_is_killed_is_replaced_and_no_answer_is_lost(server: ModelServer) -> None:
    keys = keys_for(server)
    server.behaviour = Behaviour(latency_s=0.05)
    executor = ProcessExecutor(2, Setup(keys, 16))

    async def work(asking: Asking) -> tuple[list[Reply | Failed], int]:
        running = asyncio.create_task(asking.all(80))
        for enough in (20, 50):
            await until(lambda enough=enough: len(server.ledger) >= enough)
            os.kill(executor.pids[0], signal.SIGKILL)
        return await running, asking.caller.counters.retried

    found, retried = use(keys, lambda: executor, work)
    assert [reply.text for reply in found if isinstance(reply, Reply)] == [f"word{number}" for number in range(80)]
    assert retried > 0


def test_workers_that_keep_dying_end_the_run(server: ModelServer) -> None:
    keys = keys_for(server)
    server.behaviour = Behaviour(faults=("hang",) * 20)
    executor = ProcessExecutor(1, Setup(keys, 16))

    async def work(asking: Asking) -> None:
        provider = asking.factory.provider(question(0).model, Params())
        for _ in range(MOST_DEATHS + 1):
            call = asyncio.create_task(provider.complete(question(0)))
            await until(lambda: len(executor.pids) == 1)
            os.kill(executor.pids[0], signal.SIGKILL)
            with pytest.raises(Transient, match="the worker process that asked ended by signal 9"):
                await call
        with pytest.raises(CannotEvaluate, match="ended 6 times, the last one by signal 9") as caught:
            await provider.complete(question(0))
        assert "memory" in caught.value.hint

    use(keys, lambda: executor, work)


def test_a_worker_that_is_stuck_is_replaced(server: ModelServer) -> None:
    keys = keys_for(server)
    executor = ProcessExecutor(1, Setup(keys, 16), patience_s=0.2)

    async def work(asking: Asking) -> None:
        provider = asking.factory.provider(question(0).model, Params())
        await provider.complete(question(0))
        os.kill(executor.pids[0], signal.SIGSTOP)
        with pytest.raises(Transient, match="signal 9"):
            await provider.complete(question(0, Params(timeout_s=0.1)))
        assert (await provider.complete(question(2))).text == "word2"

    use(keys, lambda: executor, work)


def test_a_cancelled_call_is_given_up_by_its_worker() -> None:
    async def main() -> None:
        asked, left = asyncio.Event(), asyncio.Event()

        async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            asked.set()
            await reader.read()
            left.set()
            writer.close()

        listener = await asyncio.start_server(hang, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
        executor = ProcessExecutor(1, Setup(Keys("k", "k", url, url), 16))
        call = asyncio.create_task(executor.complete(question(0)))
        await asked.wait()
        call.cancel()
        await left.wait()
        assert len(executor.pids) == 1
        await executor.close()
        listener.close()

    asyncio.run(main())


def test_signals_for_the_whole_job_are_the_main_process_business(server: ModelServer) -> None:
    keys = keys_for(server)
    executor = ProcessExecutor(1, Setup(keys, 16))

    async def work(asking: Asking) -> tuple[int, ...]:
        await asking.all(1)
        pids = executor.pids
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(pids[0], number)
        await asking.all(10)
        assert executor.pids == pids
        assert os.getpgid(pids[0]) != os.getpgid(0)
        return pids

    (pid,) = use(keys, lambda: executor, work)
    assert not alive(pid)


def test_keys_are_neither_in_arguments_nor_in_the_environment(server: ModelServer) -> None:
    keys = keys_for(server)
    executor = ProcessExecutor(1, Setup(keys, 16))

    async def work(asking: Asking) -> bytes:
        await asking.all(1)
        place = Path(f"/proc/{executor.pids[0]}")
        return (place / "cmdline").read_bytes() + (place / "environ").read_bytes()

    assert SECRET.encode() not in use(keys, lambda: executor, work)
    assert SECRET in server.headers[-1]["Authorization"]
    assert SECRET not in repr(Setup(keys, 16))


ORPHANS = """
import asyncio, sys
from gate.providers.elsewhere.processes import ProcessExecutor
from gate.providers.elsewhere.worker import Setup
from gate.providers.endpoints import Keys
from tests.integration.executors.asking import Asking, question

async def main(url):
    keys = Keys("k", "k", url + "/v1", url)
    executor = ProcessExecutor(2, Setup(keys, 16))
    calls = asyncio.gather(*(executor.complete(question(number)) for number in range(8)))
    await asyncio.sleep(0)
    print(*executor.pids, flush=True)
    await calls

asyncio.run(main(sys.argv[1]))
"""


@pytest.mark.parametrize("started", [True, False], ids=["asking", "starting"])
def test_workers_end_with_a_main_process_that_is_killed(server: ModelServer, started: bool) -> None:
    server.behaviour = Behaviour(latency_s=60)
    command = [sys.executable, "-c", ORPHANS, server.url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}) as main:
        assert main.stdout is not None
        pids = [int(word) for word in main.stdout.readline().split()]
        assert len(pids) == 2

        async def work() -> None:
            if started:
                await until(lambda: server.in_flight == 8)
            main.kill()
            await until(lambda: not any(alive(pid) for pid in pids))

        asyncio.run(work())


def test_what_can_be_known_here_is_known_without_an_sdk_and_without_a_worker() -> None:
    code = """
import sys
from pathlib import Path
from gate.domain.model import ModelRef, Params
from gate.providers.elsewhere.processes import ProcessExecutor
from gate.providers.elsewhere.worker import Setup
from gate.providers.endpoints import Keys
from gate.providers.factory import Factory
keys = Keys("k", "k")
executor = ProcessExecutor(2, Setup(keys, 4))
factory = Factory(keys, Path(), 4, lambda _: "", executor=executor)
for model in (ModelRef("openai", "gpt-4o"), ModelRef("anthropic", "claude-sonnet-5-5")):
    provider = factory.provider(model, Params())
    provider.check(Params(max_output_tokens=5))
    assert provider.priced and provider.max_in_flight is None
    print(type(provider).__name__)
assert not {"openai", "anthropic", "aiohttp", "distributed"} & set(sys.modules)
assert executor.pids == ()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["Elsewhere", "Elsewhere"]


def test_mistakes_are_found_here() -> None:
    executor = ProcessExecutor(1, Setup(Keys(), 4))
    with pytest.raises(MissingKey, match="OPENAI_API_KEY is not set"):
        Factory(Keys(), Path(), 4, lambda _: "", executor=executor).provider(ModelRef("openai", "gpt-4o"), Params())
    factory = Factory(Keys("k", "k"), Path(), 4, lambda _: "", executor=executor)
    with pytest.raises(Misconfigured, match="takes no temperature"):
        factory.provider(ModelRef("openai", "gpt-5"), Params()).check(Params(temperature=1.0))
    with pytest.raises(Misconfigured, match="takes no seed"):
        factory.provider(ModelRef("anthropic", "claude"), Params()).check(Params(seed=1))


def test_models_without_a_service_answer_in_this_process() -> None:
    executor = ProcessExecutor(1, Setup(Keys(), 4))
    factory = Factory(Keys(), Path(), 4, lambda _: '{"input": "a", "output": "b"}', executor=executor)
    for model in (ModelRef("fake", "echo"), ModelRef("replay", "a.jsonl")):
        assert factory.provider(model, Params()).priced is False
    assert executor.pids == ()


def test_a_closed_executor_says_so(server: ModelServer) -> None:
    keys = keys_for(server)
    executor = ProcessExecutor(1, Setup(keys, 4))
    use(keys, lambda: executor, lambda asking: asking.all(1))

    async def late() -> None:
        await executor.close()
        await executor.complete(question(0))

    with pytest.raises(CannotEvaluate, match="closed"):
        asyncio.run(late())
