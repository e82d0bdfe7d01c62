"""Takes the answers of a batch that is over into the memory."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from gate.calls.batch_ledger import Entry
from gate.calls.batch_tools import BatchTools
from gate.calls.port import NotKept
from gate.domain.absence import Failed
from gate.domain.sample import Origin, Reply
from gate.domain.usage import Dollars
from gate.errors import CannotEvaluate
from gate.providers.base import Completion, Request, Transient
from gate.providers.batches.port import BatchService, BatchState, Gone, Result

_Answer: TypeAlias = tuple[str, Request, Reply]

_AT_ONCE = 256
"""Answers that are written down together."""
_SPARE_LINES = 100


@dataclass(slots=True)
class Tally:
    """What the results of batches came to.

    Args:
        taken: requests whose answers were kept.
        failed: requests without an answer.
        usd: dollars of the answers whose price is known.
        unpriced: answers whose price is not.
        foreign, doubled, unreadable: lines of the results that were passed over: of no request of the batch, of a
            request that had one already, no JSON object.
        cut: results that went on after they should have ended.
        reasons: why there is no answer, and how often.
    """

    taken: set[str] = field(default_factory=set)
    failed: int = 0
    usd: float = 0.0
    unpriced: int = 0
    foreign: int = 0
    doubled: int = 0
    unreadable: int = 0
    cut: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def collected(self) -> int:
        return len(self.taken)

    def notes(self) -> list[str]:
        """What a reader should know, one clean line each."""
        passed_over = (
            (self.unreadable, "not readable"),
            (self.foreign, "of no request of the batch"),
            (self.doubled, "of a request that had one already"),
        )
        notes = [f"{number} lines of the results were passed over: {what}" for number, what in passed_over if number]
        if self.cut:
            notes.append("the results of a batch went on after they should have ended; the rest was not read")
        return notes + [f"{number} answers are missing: {why}" for why, number in self.reasons.most_common(3)]


@dataclass(frozen=True, slots=True)
class Harvest:
    """Takes over the answers of one batch that is over.

    Args:
        entry: the batch.
        service: who has the results.
        wanted: requests of this run, by key; answers to others stay where they are.
        tools: memory, ledger and prices.
    """

    entry: Entry
    service: BatchService
    wanted: Mapping[str, Request]
    tools: BatchTools

    async def collect(self, state: BatchState, tally: Tally) -> None:
        """Keep every answer, note every failure, and write down that the results were looked at.

        Raises:
            Transient: the results cannot be read now; what was kept so far stays kept.
            CannotEvaluate: an answer cannot be kept.
        """
        now = self.tools.wall_clock()
        origin = Origin(self.entry.sitting, min(now, state.ended_at or now))
        seen: set[str] = set()
        new = self.entry.open
        failed: dict[str, str] = {}
        group: list[_Answer] = []
        try:
            async for result in self._results(tally):
                if not self._first(result, seen, tally) or result.custom_id not in new:
                    continue
                request = self.wanted.get(result.custom_id)
                if isinstance(result.outcome, Failed):
                    failed[result.custom_id] = result.outcome.reason
                elif request is not None:
                    group.append((result.custom_id, request, self._reply(request, result.outcome, origin)))
                if len(group) >= _AT_ONCE:
                    await self._keep(group, tally)
        except Transient:
            await self._keep(group, tally)
            self._save(tally, {})
            raise
        await self._keep(group, tally)
        missing = (new & self.wanted.keys()) - seen
        failed |= dict.fromkeys(missing, state.reason or f"{self.service.name} has no result for it in the batch")
        tally.failed += len(failed)
        tally.reasons.update(failed.values())
        self._save(tally, failed)

    async def _results(self, tally: Tally) -> AsyncIterator[Result]:
        """The results, as many as there can be; none where they are gone."""
        left = 2 * len(self.entry.keys) + _SPARE_LINES
        try:
            async for result in self.service.results(self.entry.ids[0]):
                if left == 0:
                    tally.cut += 1
                    return
                left -= 1
                yield result
        except Gone:
            return

    def _save(self, tally: Tally, failed: Mapping[str, str]) -> None:
        entry = self.entry
        taken = entry.taken | (entry.keys & tally.taken)
        self.tools.ledger.save(replace(entry, taken=taken, failed={**entry.failed, **failed}))

    def _first(self, result: Result, seen: set[str], tally: Tally) -> bool:
        """Is this the first line of a request of the batch? Any other is counted and passed over."""
        key = result.custom_id
        tally.unreadable += not key
        tally.foreign += bool(key) and key not in self.entry.keys
        tally.doubled += key in seen
        if key not in self.entry.keys or key in seen:
            return False
        seen.add(key)
        return True

    async def _keep(self, group: list[_Answer], tally: Tally) -> None:
        """Write answers down together: one by one, each would wait for the disk. The group is empty afterwards."""
        try:
            await asyncio.gather(*(self.tools.memory.keep(request, reply) for _, request, reply in group))
        except NotKept as lost:
            raise CannotEvaluate(
                f"the answers of the batch cannot be kept: {lost.reason}",
                "mend that and run the same command again: the results stay at the service for weeks",
            ) from None
        for key, _, reply in group:
            tally.taken.add(key)
            if isinstance(reply.cost, Dollars):
                tally.usd += reply.cost.amount
            else:
                tally.unpriced += 1
        group.clear()

    def _reply(self, request: Request, completion: Completion, origin: Origin) -> Reply:
        cost = self.tools.price(request.model, request.params, completion.model_id, completion.usage)
        return Reply(
            text=completion.text,
            model_id=completion.model_id,
            usage=completion.usage,
            cost=cost,
            latency_s=None,
            stop_reason=completion.stop_reason,
            origin=origin,
        )
