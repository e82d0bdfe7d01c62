"""Compares the gate's requests with a plain loop over the same SDK, and prints the overhead of the gate.

    python -m benchmarks.wire            6,000 calls of 0.1 s, 64 in flight, three pairs
    python -m benchmarks.wire --quick    1,000 calls, one pair

Each way runs in its own process, which imports the SDK, creates a client and calls a local server:

- bare: `client.chat.completions.create(…)` or `client.messages.create(…)` with a semaphore of 64, the SDK's aiohttp
  transport and no retries;
- gate: the same requests through `gate.calls`, with limits, budget and retries. It parses and prices every answer, and
  writes it to the journal.

The two ways alternate, so that other load on the machine slows both. The ratios are ratios of medians.
"""

import argparse
import asyncio
import json
import os
import platform
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.engine import IN_FLIGHT, serving

LATENCY_MS = 100
WALL_GOAL, CPU_GOAL = 1.1, 1.3
SYSTEM = "Answer. quality=0.9"
KEY = "no-key-for-the-loopback"


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of one process, including start-up."""

    wall_s: float
    cpu_s: float


def question(number: int) -> str:
    """A unique user message."""
    return f"slice=pro answer=word{number}"


async def bare_openai(url: str, calls: int) -> int:
    """A plain loop over `AsyncOpenAI`."""
    import openai

    client = openai.AsyncOpenAI(
        api_key=KEY, base_url=f"{url}/v1", max_retries=0, http_client=openai.DefaultAioHttpClient()
    )

    async def ask(number: int) -> bool:
        turns = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question(number)}]
        reply = await client.chat.completions.create(model="m", messages=turns)
        return bool(reply.choices[0].message.content)

    answered = await _in_a_semaphore(ask, calls)
    await client.close()
    return answered


async def bare_anthropic(url: str, calls: int) -> int:
    """A plain loop over `AsyncAnthropic`."""
    import anthropic

    http = anthropic.DefaultAioHttpClient()
    client = anthropic.AsyncAnthropic(api_key=KEY, base_url=url, max_retries=0, http_client=http)

    async def ask(number: int) -> bool:
        turns = [{"role": "user", "content": question(number)}]
        reply = await client.messages.create(
            model="m", max_tokens=4096, system=[{"type": "text", "text": SYSTEM}], messages=turns
        )
        return bool(reply.content)

    answered = await _in_a_semaphore(ask, calls)
    await client.close()
    return answered


async def _in_a_semaphore(ask: Callable[[int], Awaitable[bool]], calls: int) -> int:
    semaphore = asyncio.Semaphore(IN_FLIGHT)

    async def one(number: int) -> bool:
        async with semaphore:
            return await ask(number)

    return sum(await asyncio.gather(*map(one, range(calls))))


async def through_the_gate(provider: str, url: str, calls: int) -> int:
    """The same requests through `gate.calls`, with a journal."""
    from gate.calls.cache import AnswerStore
    from gate.calls.caller import Caller, CallPolicy
    from gate.calls.endpoints import Keys
    from gate.calls.interface import Request
    from gate.calls.providers.factory import Factory
    from gate.config.models import ModelRef, Params
    from gate.messages import Message
    from gate.record.transcript import Reply

    keys = Keys(
        {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "OPENAI_BASE_URL": f"{url}/v1", "ANTHROPIC_BASE_URL": url}
    )
    with tempfile.TemporaryDirectory() as folder:
        factory = Factory(keys, Path(folder), IN_FLIGHT, str)
        with AnswerStore(Path(folder) / "answers.db", factory.address, "benchmark") as store:
            policy = CallPolicy(concurrency=IN_FLIGHT)
            caller = Caller(factory.provider, policy, random.Random(1), factory.price, memory=store)
            model, params, system = ModelRef(provider, "m"), Params(), Message("system", SYSTEM)

            async def one(number: int) -> bool:
                turns = (system, Message("user", question(number)))
                return isinstance(await caller.call(Request(turns, model, params)), Reply)

            answered = sum(await asyncio.gather(*map(one, range(calls))))
        await factory.close()
    return answered


def way(name: str, provider: str, url: str, calls: int) -> None:
    """Run in the measured process: send the requests and print the CPU seconds."""
    bare = {"openai": bare_openai, "anthropic": bare_anthropic}
    work = bare[provider](url, calls) if name == "bare" else through_the_gate(provider, url, calls)
    if (answered := asyncio.run(work)) != calls:
        raise SystemExit(f"{answered} of {calls} calls were answered")
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps(used.ru_utime + used.ru_stime))


def measured(name: str, provider: str, url: str, calls: int) -> Spent:
    """Measure one process."""
    words = [sys.executable, "-m", "benchmarks.wire", "--way", name, "--of", provider, "--url", url]
    started = time.perf_counter()
    done = subprocess.run(
        [*words, "--calls", str(calls)], cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{name} {provider} failed:\n{done.stderr}")
    return Spent(time.perf_counter() - started, float(json.loads(done.stdout)))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="1,000 calls, one pair")
    parser.add_argument("--way", choices=("bare", "gate"), help=argparse.SUPPRESS)
    parser.add_argument("--of", default="openai", help=argparse.SUPPRESS)
    parser.add_argument("--url", default="", help=argparse.SUPPRESS)
    parser.add_argument("--calls", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        way(options.way, options.of, options.url, options.calls)
        return
    calls, pairs = (1_000, 1) if options.quick else (6_000, 3)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    title = f"{machine}, load {os.getloadavg()[0]:.2f} at the start, {calls:,} calls of 0.1 s, {IN_FLIGHT} in flight"
    table = Table(title=title, title_justify="left")
    for column in ("requests by", "wall s", "bare", "ratio", "CPU s", "bare", "ratio", "goal met"):
        table.add_column(column, justify="left" if column in ("requests by", "goal met") else "right")
    with serving("--latency-ms", str(LATENCY_MS)) as url:
        for provider, client in (("openai", "AsyncOpenAI"), ("anthropic", "AsyncAnthropic")):
            turns = [
                (measured("bare", provider, url, calls), measured("gate", provider, url, calls)) for _ in range(pairs)
            ]
            wall, cpu = (
                [statistics.median(getattr(pair[side], kind) for pair in turns) for side in (1, 0)]
                for kind in ("wall_s", "cpu_s")
            )
            ratios = (wall[0] / wall[1], cpu[0] / cpu[1])
            missed = [
                word
                for word, ratio, goal in zip(("wall", "CPU"), ratios, (WALL_GOAL, CPU_GOAL), strict=True)
                if ratio > goal
            ]
            table.add_row(
                client,
                *(f"{value:.2f}" for value in (*wall, ratios[0], *cpu, ratios[1])),
                f"wall {WALL_GOAL:g}, CPU {CPU_GOAL:g}: {'no: ' + ', '.join(missed) if missed else 'yes'}",
            )
    Console(width=150 if not sys.stdout.isatty() else None).print(table)


if __name__ == "__main__":
    main()
