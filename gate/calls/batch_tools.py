"""What batches are worked with, and how a lost one is found again."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from gate.calls.batch_ledger import BatchLedger, Entry
from gate.calls.estimate import Pricer
from gate.calls.port import Memory
from gate.domain.model import ModelRef, Params
from gate.providers.base import Transient
from gate.providers.batches.port import BatchService, Gone

T = TypeVar("T")

ATTEMPTS = 4
_LONGEST_PAUSE_S = 60.0
_PEEKED = 100


@dataclass(frozen=True, slots=True)
class BatchTools:
    """What batches are worked with; `bootstrap` makes them.

    Args:
        services: the batch interface of a model.
        memory: known answers, and the place for new ones.
        ledger: which batches are under way.
        price: prices an answer of a batch.
        wall_clock: seconds since the epoch.
        sleep: waits for so many seconds.
    """

    services: Callable[[ModelRef, Params], BatchService]
    memory: Memory
    ledger: BatchLedger
    price: Pricer
    wall_clock: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask again while that makes sense; only for what does no harm when it is done twice.

        Raises:
            Transient: the last of several.
        """
        for attempt in range(1, ATTEMPTS):
            try:
                return await ask()
            except Transient as transient:
                await self.pause(attempt, transient)
        return await ask()

    async def pause(self, attempt: int, transient: Transient) -> None:
        """Wait before another attempt."""
        await self.sleep(min(_LONGEST_PAUSE_S, max(transient.retry_after_s or 0.0, 2.0**attempt)))


async def settle(entry: Entry, service: BatchService, tools: BatchTools) -> Entry | None:
    """Find out which batch an entry is that was written down before it was submitted.

    Returns:
        The entry, sure or not yet; None when the submission never arrived: the entry is dropped.

    Raises:
        Transient: the service cannot be asked now.
    """
    if not entry.sure and not entry.ids:
        others = (other for other in tools.ledger.entries(tools.wall_clock()) if other.name != entry.name)
        known = frozenset(name for other in others for name in other.ids)
        found = await tools.patiently(lambda: service.find(entry.found_by(known)))
        entry = replace(entry, ids=found.ids, sure=found.sure and bool(found.ids))
    if not entry.sure:
        entry = await _narrowed(entry, service, tools)
    if not entry.ids:
        tools.ledger.drop(entry)
        return None
    tools.ledger.save(entry)
    return entry


async def _narrowed(entry: Entry, service: BatchService, tools: BatchTools) -> Entry:
    """Candidates that have ended show by their results whether they are the batch."""
    running = []
    for name in entry.ids:
        try:
            state = await tools.patiently(partial(service.status, name))
            if not state.over:
                running.append(name)
            elif await tools.patiently(partial(_names_one_of, service, name, entry.keys)):
                return replace(entry, ids=(name,), sure=True)
        except Gone:
            continue
    return replace(entry, ids=tuple(running))


async def _names_one_of(service: BatchService, batch_id: str, keys: frozenset[str]) -> bool:
    looked_at = 0
    async for result in service.results(batch_id):
        looked_at += 1
        if result.custom_id or looked_at >= _PEEKED:
            return result.custom_id in keys
    return False
