"""The port to whoever sends requests from somewhere else, and the provider that stands for it here."""

from collections.abc import Callable
from typing import Protocol

from gate.domain.model import Params
from gate.providers.base import Completion, Request


class Executor(Protocol):
    """Sends requests from other processes, with keys of their own. Journal, limits, budget and retries stay here."""

    async def complete(self, request: Request) -> Completion:
        """Send one request, once; a cancelled one is given up, there too where that is possible.

        Raises:
            Transient: worth another try; so is a request whose worker died.
            Rejected: this request will never work.
            GateError: no request will work: `Misconfigured`, `MissingKey`, no scheduler.
        """
        ...

    async def close(self) -> None:
        """Close connections; a second call does nothing."""
        ...


class Elsewhere:
    """A model that is asked by an executor; what can be known without asking is answered here.

    Args:
        executor: who asks.
        check: raises `Misconfigured` for a parameter that the model's interface does not take.
        lane: what shares a rate limit with it; see `gate.providers.base.Provider.lane`.
    """

    max_in_flight: int | None = None
    priced = True

    def __init__(self, executor: Executor, check: Callable[[Params], None], lane: str) -> None:
        self._executor = executor
        self._check = check
        self.lane = lane

    def check(self, params: Params) -> None:
        """Raise `Misconfigured` for a parameter that the interface does not take, before anything is spent."""
        self._check(params)

    async def complete(self, request: Request) -> Completion:
        """Send one request, once; see `Executor.complete`."""
        return await self._executor.complete(request)

    async def close(self) -> None:
        """Nothing is held: the executor belongs to the factory."""
