"""What runs inside a Dask worker: a chunk of requests, asked all at once."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from gate.errors import GateError, MissingKey
from gate.providers.elsewhere.answering import Unpriced, answer, no_files
from gate.providers.elsewhere.wire import Item, dumps, loads, pack_error
from gate.providers.endpoints import Keys
from gate.providers.factory import Factory

VERSION = 1
"""Of what is sent; a worker with another version of the gate says so rather than guess."""


@dataclass(frozen=True, slots=True)
class ChunkSetup:
    """How a worker makes its providers.

    Args:
        read_keys: reads keys from the worker's own environment; a function of a module, for Dask sends its name only.
        openai_base_url, anthropic_base_url: the addresses that the main process uses. They are no secret, and an
            answer is filed under its address.
        connections: requests that may be under way at once.
    """

    read_keys: Callable[[], Keys]
    openai_base_url: str | None
    anthropic_base_url: str | None
    connections: int


def run_chunk(version: int, setup: ChunkSetup, chunk: bytes) -> bytes:
    """Ask every request of a chunk.

    Args:
        version: of what is sent.
        setup: how providers are made; they are kept for the chunks to come.
        chunk: JSON, a list of packed requests.

    Returns:
        JSON, the list of their outcomes.
    """
    from distributed import secede

    # Waiting is no work: the slot is free for the next chunk.
    secede()
    requests = loads(chunk)
    if version != VERSION:
        error = GateError(
            f"the Dask worker's prompt-gate speaks version {VERSION}, this one {version}",
            "install the same version of prompt-gate on every worker",
        )
        return dumps([pack_error(error) for _ in requests])
    packed = [item for item in requests if isinstance(item, list)]
    future = asyncio.run_coroutine_threadsafe(_answers(setup, packed), _loop())
    return dumps([*future.result()])


async def _answers(setup: ChunkSetup, requests: list[Item]) -> list[Item]:
    factory = _factory(setup)
    return await asyncio.gather(*(_answer(factory, request) for request in requests))


async def _answer(factory: Factory, request: Item) -> Item:
    outcome = await answer(factory, request)
    if outcome[:2] == ["error", "MissingKey"]:
        return pack_error(
            MissingKey(f"on a Dask worker, {outcome[2]}", "set it in the environment of every Dask worker")
        )
    return outcome


@cache
def _factory(setup: ChunkSetup) -> Factory:
    """The providers of this process; used in the loop below only."""
    keys = replace(
        setup.read_keys(), openai_base_url=setup.openai_base_url, anthropic_base_url=setup.anthropic_base_url
    )
    return Factory(keys, Path(), setup.connections, no_files, Unpriced())


_lock = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    """An event loop of this process for all chunks: connections are shared, and Dask's own loop is left in peace."""
    with _lock:
        return _started_loop()


@cache
def _started_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="gate", daemon=True).start()
    return loop
