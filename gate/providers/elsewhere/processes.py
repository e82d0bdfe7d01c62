"""Requests sent by worker processes on this machine, each with an event loop and connections of its own."""

import asyncio

from gate.errors import CannotEvaluate
from gate.providers.base import Completion, Request
from gate.providers.elsewhere.process import WorkerProcess
from gate.providers.elsewhere.worker import Setup

MOST_DEATHS = 5
"""Workers that die in one run and are replaced."""

PATIENCE_S = 30.0


class ProcessExecutor:
    """A fixed number of worker processes, started by the first request; see `gate.providers.executor.Executor`.

    Args:
        count: processes, 1 or more.
        setup: keys, addresses, connections.
        patience_s: a worker whose answer is so many seconds late, after the request's own time-out, is replaced.
    """

    keys_elsewhere = False

    def __init__(self, count: int, setup: Setup, patience_s: float = PATIENCE_S) -> None:
        self._count = count
        self._setup = setup
        self._patience_s = patience_s
        self._workers: list[WorkerProcess] = []
        self._deaths = 0
        self._last = ""
        self._closed = False

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes that are there now."""
        return tuple(worker.pid for worker in self._workers)

    async def complete(self, request: Request) -> Completion:
        """Have the worker with the fewest calls send a request; see `Executor.complete`.

        Raises:
            CannotEvaluate: workers kept dying, or none can be started.
        """
        if self._deaths > MOST_DEATHS:
            raise CannotEvaluate(
                f"worker processes ended {self._deaths} times, the last one {self._last}",
                "signal 9 often means too little memory; try fewer processes, or none",
            )
        if self._closed:
            raise CannotEvaluate("the worker processes are closed")
        while len(self._workers) < self._count:
            self._workers.append(WorkerProcess(self._setup, self._patience_s, self._bury))
        return await min(self._workers, key=_load).ask(request)

    async def close(self) -> None:
        """End the processes; killed are those that do not end within 2 s."""
        self._closed = True
        workers, self._workers = self._workers, []
        await asyncio.gather(*(worker.close() for worker in workers))

    def _bury(self, worker: WorkerProcess) -> None:
        self._deaths += 1
        self._last = worker.ending
        if worker in self._workers:
            self._workers.remove(worker)


def _load(worker: WorkerProcess) -> int:
    return worker.load
