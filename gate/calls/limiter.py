"""How many requests may be under way at once: overall, and at each provider that names a limit of its own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gate.providers.base import Provider


class Limiter:
    """Slots for requests.

    Args:
        overall: requests under way at once, 1 or more.
    """

    def __init__(self, overall: int) -> None:
        self._overall = asyncio.Semaphore(overall)
        # The provider is kept beside its semaphore, so that no other one can get the same id.
        self._own: dict[int, tuple[Provider, asyncio.Semaphore]] = {}

    @asynccontextmanager
    async def slot(self, provider: Provider) -> AsyncIterator[None]:
        """Wait for a slot and hold it; a cancelled request gives it back."""
        if provider.max_in_flight is None:
            async with self._overall:
                yield
            return
        # Its own slot first: what waits for a busy local model must not keep others from the network.
        async with self._semaphore(provider, provider.max_in_flight), self._overall:
            yield

    def _semaphore(self, provider: Provider, limit: int) -> asyncio.Semaphore:
        _, semaphore = self._own.setdefault(id(provider), (provider, asyncio.Semaphore(limit)))
        return semaphore
