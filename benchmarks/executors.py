"""What executors cost: CPU of the main process and of its workers for each call, against a server of its own process.

    python -m benchmarks.executors in-process processes:2 --calls 6000 --latency-ms 20 --in-flight 64

Wall times depend on what else the machine does, and on the server, which takes its share of the same cores.
"""

import argparse
import asyncio
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gate.calls.caller import Caller, CallPolicy
from gate.domain.model import ModelRef, Params
from gate.domain.prompt import Message
from gate.domain.sample import Reply
from gate.inputs.executor import parse_executor
from gate.providers.base import Request
from gate.providers.elsewhere.make import make_executor
from gate.providers.elsewhere.processes import ProcessExecutor
from gate.providers.factory import Factory, Keys
from gate.settings.keys import read_keys

SYSTEM = "You answer questions of customers of a shop. quality=0.9 " + "Be kind, brief and exact. " * 40
MODELS = {"openai": ModelRef("openai", "gpt-4o-mini"), "anthropic": ModelRef("anthropic", "claude-sonnet-5-5")}


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be done.

    Args:
        model: who is asked.
        url: of the server.
        calls, in_flight: how many calls, and how many at once.
    """

    model: ModelRef
    url: str
    calls: int
    in_flight: int


@dataclass(frozen=True, slots=True)
class Cost:
    """What it came to.

    Args:
        wall_s: seconds from the first request to the last answer.
        main_s, workers_s: CPU seconds of the main process meanwhile, and of its workers in all.
        main_mib, worker_mib: largest resident memory of the main process and of any worker.
    """

    wall_s: float
    main_s: float
    workers_s: float
    main_mib: float
    worker_mib: float


async def measure(work: Work, executor: str) -> Cost:
    """Make the calls, after a few that start workers and load what is needed."""
    keys = Keys("sk-bench", "sk-bench", f"{work.url}/v1", work.url)
    elsewhere = make_executor(parse_executor(executor), keys, read_keys, work.in_flight)
    factory = Factory(keys, Path(), work.in_flight, lambda _: "", executor=elsewhere)
    caller = Caller(factory.provider, CallPolicy(work.in_flight), random.Random(1), factory.price)

    async def lane(numbers: Iterator[int]) -> None:
        for number in numbers:
            user = f"answer=word{number} number={number}"
            request = Request((Message("system", SYSTEM), Message("user", user)), work.model, Params())
            if not isinstance(answer := await caller.call(request), Reply):
                raise SystemExit(f"a call failed: {answer.reason}")

    async def lanes(numbers: Iterator[int]) -> None:
        await asyncio.gather(*(lane(numbers) for _ in range(work.in_flight)))

    try:
        await lanes(iter(range(-work.in_flight, 0)))
        pids = elsewhere.pids if isinstance(elsewhere, ProcessExecutor) else ()
        wall, cpu, theirs = time.perf_counter(), time.process_time(), sum(map(cpu_s, pids))
        await lanes(iter(range(work.calls)))
        wall, cpu, theirs = time.perf_counter() - wall, time.process_time() - cpu, sum(map(cpu_s, pids)) - theirs
        return Cost(wall, cpu, theirs, peak_mib("self"), max(map(peak_mib, pids), default=0.0))
    finally:
        await factory.close()


def cpu_s(pid: int) -> float:
    """CPU seconds that a process has used."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def peak_mib(pid: int | str) -> float:
    """The largest resident memory that a process has had."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


@contextmanager
def serving(latency_ms: float) -> Iterator[str]:
    """A server in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.server", "--latency-ms", str(latency_ms)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def main() -> None:
    """Measure one executor in this process, or several in processes of their own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("executors", nargs="+", metavar="EXECUTOR")
    parser.add_argument("--model", choices=list(MODELS), default="openai")
    parser.add_argument("--calls", type=int, default=6000)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--latency-ms", type=float, default=20.0)
    parser.add_argument("--url", help="a server that is there already")
    options = parser.parse_args()
    if options.url:
        work = Work(MODELS[options.model], options.url, options.calls, options.in_flight)
        for executor in options.executors:
            cost = asyncio.run(measure(work, executor))
            print(
                f"| {executor} | {cost.wall_s:.1f} | {cost.main_s / work.calls * 1000:.3f} "
                f"| {cost.workers_s / work.calls * 1000:.3f} | {cost.main_mib:.0f} | {cost.worker_mib:.0f} |",
                flush=True,
            )
        return
    print("| executor | wall, s | CPU of main, ms a call | CPU of workers, ms a call | main, MiB | worker, MiB |")
    print("|---|---|---|---|---|---|", flush=True)
    rest = [argument for argument in sys.argv[1:] if argument not in options.executors]
    for executor in options.executors:
        # A server each: it remembers what it was asked.
        with serving(options.latency_ms) as url:
            subprocess.run([sys.executable, "-m", "benchmarks.executors", executor, *rest, "--url", url], check=True)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
