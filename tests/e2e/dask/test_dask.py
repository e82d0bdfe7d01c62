"""A real Dask cluster on this machine: the same answers, workers that die, a scheduler that is away or goes away."""

import asyncio
import multiprocessing
import os
import signal
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Any

import pytest

from gate.calls import dask
from gate.calls.dask import ChunkSetup, DaskExecutor, run_chunk
from gate.calls.endpoints import Keys
from gate.environment.settings import read_keys
from gate.errors import CannotEvaluate, GateError, MissingKey
from gate.record.transcript import Failed, Reply
from tests.e2e.dask.asking import SECRET, Asking, essence, keys_for, question, until, use
from tests.support.command import gate, write_jsonl
from tests.support.keys import service_keys
from tests.support.model_server import Behaviour, ModelServer

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.forget()
    return running


@pytest.fixture(scope="module")
def forks() -> Iterator[ForkServerContext]:
    """Processes that are forked from one that has loaded what workers and schedulers need."""
    # Other workers of a run of the tests only collect this file, and need not load it.
    import dask
    from distributed.utils import get_mp_context

    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        context = get_mp_context()
        context.set_forkserver_preload(["pytest", "distributed", "openai", "anthropic", "gate.calls.dask"])
        yield context
        forkserver._forkserver._stop()


@pytest.fixture(scope="module")
def cluster(forks: ForkServerContext) -> Iterator[Any]:
    """A worker with keys of its own, which are not those of this process."""
    keys = {"OPENAI_API_KEY": SECRET, "ANTHROPIC_API_KEY": SECRET, "PYTHONPATH": str(ROOT)}
    import distributed

    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None, silence_logs=50, env=keys
    ) as cluster:
        yield cluster


def addresses(server: ModelServer) -> tuple[tuple[str, str], ...]:
    return ("OPENAI_BASE_URL", f"{server.url}/v1"), ("ANTHROPIC_BASE_URL", server.url)


def setup_for(server: ModelServer) -> ChunkSetup:
    return ChunkSetup(read_keys, addresses(server), 16)


def without_keys(server: ModelServer) -> Keys:
    return service_keys(None, None, f"{server.url}/v1", server.url)


def test_the_answers_are_those_of_one_process(server: ModelServer, cluster: Any) -> None:
    make = lambda: DaskExecutor(cluster.scheduler_address, setup_for(server))  # noqa: E731
    there = use(without_keys(server), make, lambda asking: asking.all(20), concurrency=64)
    assert server.requests == 20
    keys = {headers["Authorization"] for headers in server.headers if "Authorization" in headers}
    assert keys == {f"Bearer {SECRET}"}, "the workers' own"
    server.forget()
    here = use(keys_for(server), lambda: None, lambda asking: asking.all(20))
    assert essence(there) == essence(here)
    assert all(isinstance(reply, Reply) and reply.latency_s and reply.attempts == 1 for reply in there)


def test_errors_arrive_as_they_are(server: ModelServer, cluster: Any) -> None:
    server.behaviour = Behaviour(faults=("429",), retry_after="0.25")
    executor = DaskExecutor(cluster.scheduler_address, setup_for(server))

    async def work(asking: Asking) -> int:
        await asking.all(4)
        return asking.caller.counters.retried

    assert use(without_keys(server), lambda: executor, work) == 4


def no_keys(servers: object) -> Keys:
    return Keys()


def test_a_worker_without_a_key_says_so(cluster: Any) -> None:
    executor = DaskExecutor(cluster.scheduler_address, ChunkSetup(no_keys, (), 4))

    async def work(asking: Asking) -> None:
        with pytest.raises(MissingKey, match="on a Dask worker, openai:gpt-4o-mini needs a key") as caught:
            await asking.all(1)
        assert caught.value.hint == "set it in the environment of every Dask worker"

    use(Keys(), lambda: executor, work)


def test_a_worker_of_another_version_says_so(server: ModelServer, cluster: Any) -> None:
    import distributed

    with distributed.Client(cluster, set_as_default=False) as client:
        other = replace(setup_for(server), version="0.0.1")
        (error,) = client.submit(run_chunk, other, [question(0)], pure=False).result()
    assert isinstance(error, GateError)
    assert error.message.startswith("a Dask worker has prompt-gate ")
    assert error.message.endswith(", the main process 0.0.1")


def test_a_scheduler_that_is_away(server: ModelServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    executor = DaskExecutor(f"tcp://127.0.0.1:{port}", setup_for(server), connect_s=1.0)
    with pytest.raises(CannotEvaluate, match="cannot reach the Dask scheduler"):
        use(without_keys(server), lambda: executor, lambda asking: asking.all(3))


def test_something_else_that_listens_there(server: ModelServer) -> None:
    address = server.url.replace("http", "tcp")
    executor = DaskExecutor(address, setup_for(server))
    with pytest.raises(CannotEvaluate, match="cannot reach the Dask scheduler"):
        use(without_keys(server), lambda: executor, lambda asking: asking.all(1))


def some_keys(servers: object) -> Keys:
    return service_keys(SECRET, SECRET)


def serve_as_scheduler(line: Connection) -> None:
    import distributed

    async def main() -> None:
        async with distributed.Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
            line.send(scheduler.address)
            await scheduler.finished()

    asyncio.run(main())


@pytest.fixture
def scheduler(forks: ForkServerContext) -> Iterator[tuple[ForkServerProcess, str]]:
    """A scheduler in a process of its own, without workers."""
    here, there = multiprocessing.Pipe()
    process = forks.Process(target=serve_as_scheduler, args=(there,))
    process.start()
    there.close()
    with here:
        yield process, here.recv()
    process.kill()
    process.join()


def test_a_scheduler_without_workers_and_one_that_goes_away(
    server: ModelServer, scheduler: tuple[ForkServerProcess, str]
) -> None:
    process, address = scheduler
    executor = DaskExecutor(address, setup_for(server), connect_s=2.0)
    with pytest.raises(CannotEvaluate, match="has no worker") as caught:
        use(without_keys(server), lambda: executor, lambda asking: asking.all(1))
    assert "dask worker" in caught.value.hint
    server.behaviour = Behaviour(latency_s=60)

    import distributed

    async def main() -> None:
        async with distributed.Worker(address, nthreads=1, silence_logs=50):
            there = ChunkSetup(some_keys, addresses(server), 16)
            asking = Asking(without_keys(server), DaskExecutor(address, there))
            running = asyncio.create_task(asking.all(8))
            await until(lambda: server.in_flight == 8)
            process.kill()
            with pytest.raises(CannotEvaluate, match="was lost"):
                await running
            await asking.factory.close()
            # The worker's providers were made in this process.
            asyncio.run_coroutine_threadsafe(dask._factory(there).close(), dask._loop()).result()

    asyncio.run(main())


def test_without_the_package_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(GateError) as caught:
        DaskExecutor("tcp://scheduler:8786", ChunkSetup(no_keys, (), 4))
    assert "pip install '.[distributed]'" in caught.value.hint


def test_a_comparison_whose_requests_the_cluster_sends(server: ModelServer, cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text("quality=0.9")
    (tmp_path / "new.md").write_text("quality=0.9 be kind")
    cases = [{"id": str(number), "input": f"answer=w{number}", "expected": f"w{number}"} for number in range(6)]
    write_jsonl(tmp_path / "cases.jsonl", cases)
    files = ("old.md", "new.md", "--cases", "cases.jsonl")
    env = {
        "GATE_EXECUTOR": cluster.scheduler_address.replace("tcp://", "dask://"),
        "OPENAI_BASE_URL": f"{server.url}/v1",
    }
    outcome = gate("diff", *files, "--model", "openai:gpt-4o-mini", "--json", cwd=tmp_path, env=env)
    assert outcome.record.calls.made == server.requests > 0, outcome.err
    assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {SECRET}"}
    refused = gate(
        "diff",
        *files,
        "--model",
        "fake:oracle",
        cwd=tmp_path,
        env={"GATE_EXECUTOR": "dask://me:hunter2@scheduler:8786"},
    )
    assert (refused.code, "hunter2" in refused.err) == (2, False)
    assert "set GATE_EXECUTOR=dask://scheduler:8786" in refused.err


def test_a_worker_that_is_killed_loses_no_answer(server: ModelServer, cluster: Any) -> None:
    """The last test of this cluster, which starts the worker again."""
    server.behaviour = Behaviour(latency_s=0.1)
    executor = DaskExecutor(cluster.scheduler_address, setup_for(server))

    async def work(asking: Asking) -> list[Reply | Failed]:
        running = asyncio.create_task(asking.all(60))
        await until(lambda: len(server.ledger) >= 20)
        os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
        return await running

    found = use(without_keys(server), lambda: executor, work, concurrency=32)
    assert [reply.text for reply in found if isinstance(reply, Reply)] == [f"word{number}" for number in range(60)]
