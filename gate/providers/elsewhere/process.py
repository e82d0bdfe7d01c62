"""A worker process as the main process sees it."""

import asyncio
import itertools
import socket
import subprocess  # noqa: S404
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from gate.errors import CannotEvaluate
from gate.providers.base import Completion, Request, Transient
from gate.providers.elsewhere.frames import Frames
from gate.providers.elsewhere.wire import Item, pack_request, unpack_outcome
from gate.providers.elsewhere.worker import Setup

# The search path comes from this process: a worker must not look for modules in the working directory, which may be a
# stranger's checkout.
_BOOT = (
    "import sys; sys.path[:] = sys.argv[2:]; from gate.providers.elsewhere.worker import main; main(int(sys.argv[1]))"
)
_LOOKS = 6
"""How often, in the time of its patience, the main process looks for calls that are overdue."""
_ENDING_S = 2.0


@dataclass(slots=True)
class _Call:
    future: asyncio.Future[Completion]
    overdue_at: float


class WorkerProcess:
    """One process; starts at once, in the running event loop.

    Args:
        setup: what it must know.
        patience_s: so many seconds after a request's own time-out, a worker without an answer is stuck, and is killed.
        died: is called when the process is gone though nobody closed it, before its calls hear of it.

    Raises:
        CannotEvaluate: the process cannot be started.
    """

    def __init__(self, setup: Setup, patience_s: float, died: Callable[["WorkerProcess"], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._patience_s = patience_s
        self._died = died
        self._closing = False
        self._calls: dict[int, _Call] = {}
        self._numbers = itertools.count()
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = _started(ours, theirs)
        self._frames = Frames(self._heard, self._lost)
        self._frames.say(setup.pack())
        self._connecting = self._loop.create_task(self._loop.create_connection(lambda: self._frames, sock=ours))
        self._look = self._loop.call_later(self._patience_s / _LOOKS, self._find_overdue)

    @property
    def load(self) -> int:
        """Calls in flight."""
        return len(self._calls)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def ending(self) -> str:
        """How the process ended."""
        code = self._process.returncode
        if code is None:
            return "not at all"
        return f"by signal {-code}" if code < 0 else f"with exit status {code}"

    async def ask(self, request: Request) -> Completion:
        """Have a request sent; see `Executor.complete`."""
        future: asyncio.Future[Completion] = self._loop.create_future()
        number = next(self._numbers)
        self._calls[number] = _Call(future, self._loop.time() + request.params.timeout_s + self._patience_s)
        self._frames.say(["ask", number, pack_request(request)])
        try:
            return await future
        except asyncio.CancelledError:
            if self._calls.pop(number, None) is not None:
                self._frames.say(["drop", number])
            raise

    async def close(self) -> None:
        """Let the process end; kill it when it does not."""
        self._closing = True
        self._look.cancel()
        # A process that is closed as soon as it was made has no connection yet.
        await asyncio.gather(self._connecting, return_exceptions=True)
        self._frames.close()
        with suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(self._process.wait, _ENDING_S)
        self._process.kill()
        self._process.wait()

    def _heard(self, items: list[Item]) -> None:
        for number, packed in items:
            call = self._calls.pop(cast(int, number), None)
            if call is None or call.future.done():
                continue
            outcome = unpack_outcome(cast(Item, packed))
            if isinstance(outcome, Completion):
                call.future.set_result(outcome)
            else:
                call.future.set_exception(outcome)

    def _lost(self) -> None:
        if not self._closing:
            self._look.cancel()
            # Its end of the connection is closed a moment before the process can be waited for.
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(0.1)
            self._process.kill()
            self._process.wait()
            self._died(self)
        calls, self._calls = list(self._calls.values()), {}
        for call in calls:
            if not call.future.done():
                how = "was closed" if self._closing else f"ended {self.ending}"
                call.future.set_exception(Transient(f"the worker process that asked {how}"))

    def _find_overdue(self) -> None:
        now = self._loop.time()
        if any(now > call.overdue_at for call in self._calls.values()):
            self._process.kill()
        self._look = self._loop.call_later(self._patience_s / _LOOKS, self._find_overdue)


def _started(ours: socket.socket, theirs: socket.socket) -> "subprocess.Popen[bytes]":
    descriptor = theirs.fileno()
    try:
        # A group of its own: Ctrl-C on the terminal is for the main process.
        return subprocess.Popen(  # noqa: S603 its own interpreter and its own code
            [sys.executable, "-P", "-c", _BOOT, str(descriptor), *sys.path],
            pass_fds=(descriptor,),
            process_group=0,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        ours.close()
        raise CannotEvaluate(f"a worker process cannot be started: {error.strerror}", "use fewer processes") from None
