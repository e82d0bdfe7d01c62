"""Requests sent by the workers of a Dask cluster, in chunks: this side, and what runs inside a worker.

Dask transports requests and outcomes as Python objects: anyone who reaches the scheduler can run code on both ends.
"""

import asyncio
import importlib.util
import logging
import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from gate.calls.budget import PriceList
from gate.calls.endpoints import ADDRESSES, Keys
from gate.calls.interface import Completion, RejectedRequest, Request, Transient
from gate.calls.providers.factory import Factory
from gate.config.models import ProviderServer
from gate.errors import CannotEvaluate, GateError, MissingKey, with_extra

if TYPE_CHECKING:
    from distributed import Client

Outcome: TypeAlias = Completion | Exception

MOST_REQUESTS = 32
"""Requests of one chunk."""
WINDOW_S = 0.01
"""A request waits this long for others: a task of Dask costs about a millisecond of its scheduler."""
CONNECT_S = 10.0

_OVERDUE_S = 60.0
"""A chunk that is this late, after the longest time-out of its requests, is lost."""
_SAME_VERSION = "install the same version of prompt-gate on every worker"


@dataclass(frozen=True, slots=True)
class ChunkSetup:
    """How a worker makes its providers.

    Args:
        read_keys: reads the worker's own environment; a module-level function, for Dask sends only its name.
        addresses: of services, by variable, in the main process: an answer is filed under its address.
        servers: from `providers:`, by name, without their keys.
        version: of the package; the worker must have the same.
    """

    read_keys: Callable[[Mapping[str, ProviderServer]], Keys]
    addresses: tuple[tuple[str, str], ...]
    connections: int
    servers: tuple[tuple[str, ProviderServer], ...] = ()
    version: str = version("prompt-gate")


@dataclass(slots=True)
class _Call:
    request: Request
    future: asyncio.Future[Completion]


class DaskExecutor:
    """Workers of a cluster whose scheduler is at `tcp://host:port`; connects with the first request."""

    def __init__(self, address: str, setup: ChunkSetup, connect_s: float = CONNECT_S) -> None:
        if importlib.util.find_spec("distributed") is None:
            raise GateError(
                "a Dask executor needs the package distributed, which is not installed",
                with_extra("distributed"),
            )
        self._address = address
        self._setup = setup
        self._connect_s = connect_s
        self._waiting: list[_Call] = []
        self._timer: asyncio.TimerHandle | None = None
        self._connecting: asyncio.Task[Client] | None = None
        self._chunks: set[asyncio.Task[None]] = set()

    async def complete(self, request: Request) -> Completion:
        """Have a worker send a request. Raises `CannotEvaluate`."""
        if self._connecting is None:
            self._connecting = asyncio.create_task(_connected(self._address, self._connect_s))
        # One connection for all: a call that is cancelled must not break it off for the others.
        client = await asyncio.shield(self._connecting)
        call = _Call(request, asyncio.get_running_loop().create_future())
        self._waiting.append(call)
        if len(self._waiting) >= MOST_REQUESTS:
            self._send(client)
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(WINDOW_S, self._send, client)
        return await call.future

    async def close(self) -> None:
        """Leave the cluster; requests under way at its workers are not waited for."""
        if self._timer is not None:
            self._timer.cancel()
        for chunk in self._chunks:
            chunk.cancel()
        await asyncio.gather(*self._chunks, return_exceptions=True)
        connecting, self._connecting = self._connecting, None
        if connecting is None:
            return
        if not connecting.done():
            connecting.cancel()
        found = (await asyncio.gather(connecting, return_exceptions=True))[0]
        if not isinstance(found, BaseException):
            await found.close(timeout=2)

    def _send(self, client: "Client") -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        calls, self._waiting = [call for call in self._waiting if not call.future.done()], []
        if calls:
            task = asyncio.create_task(self._run(client, calls))
            self._chunks.add(task)
            task.add_done_callback(self._chunks.discard)

    async def _run(self, client: "Client", calls: list[_Call]) -> None:
        outcomes: list[Outcome]
        try:
            outcomes = await self._outcomes(client, [call.request for call in calls])
        except (Transient, GateError) as error:
            outcomes = [error] * len(calls)
        for call, outcome in zip(calls, outcomes, strict=True):
            if call.future.done():
                continue
            if isinstance(outcome, Completion):
                call.future.set_result(outcome)
            else:
                call.future.set_exception(outcome)

    async def _outcomes(self, client: "Client", requests: list[Request]) -> list[Outcome]:
        from distributed import KilledWorker

        limit = max(request.params.timeout_s for request in requests) + _OVERDUE_S
        try:
            task = client.submit(run_chunk, self._setup, requests, pure=False)
            async with asyncio.timeout(limit):
                return cast("list[Outcome]", await task)
        except KilledWorker:
            raise Transient("the Dask workers that made this call died") from None
        except TimeoutError:
            raise Transient(f"no Dask worker answered within {limit:g} s") from None
        except asyncio.CancelledError:
            if (current := asyncio.current_task()) is not None and current.cancelling():
                raise
            raise _gone(self._address) from None
        except Exception as error:
            raise _gone(self._address) if client.status != "running" else _defect(error) from None


async def _connected(address: str, connect_s: float) -> "Client":
    import distributed

    # Lost connections are reported by the gate.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client: Any = await distributed.Client(address, asynchronous=True, timeout=connect_s, set_as_default=False)
    except Exception as error:
        # Another program may listen there: Dask then fails in unusual ways, such as with a MemoryError.
        raise CannotEvaluate(
            f"cannot reach the Dask scheduler at {address}: {type(error).__name__}",
            "start it with: dask scheduler --port 8786, or check the address",
        ) from None
    try:
        await client.wait_for_workers(1, timeout=connect_s)
    except TimeoutError:
        await client.close(timeout=2)
        raise CannotEvaluate(
            f"the Dask scheduler at {address} has no worker", f"start one with: dask worker {address}"
        ) from None
    return cast("Client", client)


def _gone(address: str) -> CannotEvaluate:
    return CannotEvaluate(
        f"the connection to the Dask scheduler at {address} was lost", "start it again, then run the evaluation again"
    )


def _defect(error: Exception) -> CannotEvaluate:
    return CannotEvaluate(f"a Dask worker failed: {type(error).__name__}", _SAME_VERSION)


def run_chunk(setup: ChunkSetup, requests: list[Request]) -> list[Outcome]:
    """Inside a worker: send every request of a chunk, all at once. Its providers are reused for later chunks."""
    from distributed import secede

    # Waiting is no work: the slot is free for the next chunk.
    secede()
    if setup.version != (mine := version("prompt-gate")):
        error = GateError(f"a Dask worker has prompt-gate {mine}, the main process {setup.version}", _SAME_VERSION)
        return [error] * len(requests)
    return asyncio.run_coroutine_threadsafe(_answers(setup, requests), _loop()).result()


async def _answers(setup: ChunkSetup, requests: list[Request]) -> list[Outcome]:
    factory = _factory(setup)
    return await asyncio.gather(*(_answer(factory, request) for request in requests))


async def _answer(factory: Factory, request: Request) -> Outcome:
    try:
        return await factory.provider(request.model, request.params).complete(request)
    except MissingKey as error:
        return MissingKey(f"on a Dask worker, {error.message}", "set it in the environment of every Dask worker")
    except (Transient, RejectedRequest, GateError) as error:
        return error
    except Exception as error:
        # Type and place, not its words, which may hold anything.
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{type(error).__name__} in {frame.name}, line {frame.lineno}"
        return CannotEvaluate(f"a Dask worker failed: {place}", "this is a bug in Prompt Gate: please report it")


class _Unpriced(PriceList):
    """The main process knows prices; a worker does not load them."""

    def prepare(self) -> None:
        """Load nothing."""


@cache
def _factory(setup: ChunkSetup) -> Factory:
    """The providers of this process; used in the loop below only."""
    servers = dict(setup.servers)
    own = setup.read_keys(servers).variables
    keys = {name: value for name, value in own.items() if name not in ADDRESSES}
    return Factory(Keys({**keys, **dict(setup.addresses)}, servers), Path(), setup.connections, _no_files, _Unpriced())


def _no_files(path: str) -> str:
    """Refuse to read: recorded answers stay in the main process."""
    raise FileNotFoundError(path)


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
