"""Submits requests in batches, finds lost batches again, and collects the answers."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias, TypeVar, cast

from gate.calls.batches.anthropic import AnthropicBatches
from gate.calls.batches.ledger import BatchLedger, LedgerEntry
from gate.calls.batches.openai import OpenAIBatches
from gate.calls.batches.service import (
    MOST_BYTES,
    BatchGone,
    BatchPlace,
    BatchResult,
    BatchService,
    BatchState,
    SubmissionMark,
)
from gate.calls.budget import Pricer
from gate.calls.interface import (
    AnswerNotSaved,
    Completion,
    Memory,
    Misconfigured,
    RejectedRequest,
    Request,
    Transient,
    reply_of,
)
from gate.calls.providers.clients import ServiceProvider
from gate.calls.providers.factory import Factory
from gate.config.models import ModelRef, Params
from gate.errors import CannotEvaluate, GateError
from gate.record.transcript import Dollars, Failed, Origin, Reply
from gate.values import digest

T = TypeVar("T")

ATTEMPTS = 4
_LONGEST_PAUSE_S = 60.0
_PEEKED = 100


def batch_service(factory: Factory, model: ModelRef, params: Params) -> BatchService:
    """The batch interface of a model; nothing is sent.

    Raises:
        GateError: as `Factory.provider` does; the model has no such interface, or requests are sent by an executor.
    """
    if factory.remote:
        raise GateError("batches are sent from this process only", "unset GATE_EXECUTOR, or run without --batch")
    interface = factory.interface(model)
    if interface in (None, "openai-responses") or model.provider in ("azure", "bedrock", "vertex"):
        raise Misconfigured(f"{model} has no batch interface", "run without --batch")
    provider = cast("ServiceProvider", factory.provider(model, params))
    place = BatchPlace(model.provider, factory.address(model), model.name)
    if interface == "openai":
        return OpenAIBatches(provider, place)
    return AnthropicBatches(provider, place)


@dataclass(frozen=True, slots=True)
class BatchTools:
    """What batches are worked with; made by `gate.app`."""

    services: Callable[[ModelRef, Params], BatchService]
    memory: Memory
    ledger: BatchLedger
    price: Pricer
    wall_clock: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Retry after transient errors, and raise the last one; only for calls that are safe to repeat."""
        for attempt in range(1, ATTEMPTS):
            try:
                return await ask()
            except Transient as transient:
                await self.pause(attempt, transient)
        return await ask()

    async def pause(self, attempt: int, transient: Transient) -> None:
        """Wait before another attempt."""
        await self.sleep(min(_LONGEST_PAUSE_S, max(transient.retry_after_s or 0.0, 2.0**attempt)))


async def find_submitted(entry: LedgerEntry, service: BatchService, tools: BatchTools) -> LedgerEntry | None:
    """Find out which batch an entry is that was written down before its submission; None when it never arrived."""
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


async def _narrowed(entry: LedgerEntry, service: BatchService, tools: BatchTools) -> LedgerEntry:
    """Keep the candidate whose results name requests of the batch, or else those that still run."""
    running = []
    for name in entry.ids:
        try:
            state = await tools.patiently(partial(service.status, name))
            if not state.over:
                running.append(name)
            elif await tools.patiently(partial(_names_one_of, service, name, entry.keys)):
                return replace(entry, ids=(name,), sure=True)
        except BatchGone:
            continue
    return replace(entry, ids=tuple(running))


async def _names_one_of(service: BatchService, batch_id: str, keys: frozenset[str]) -> bool:
    looked_at = 0
    async for result in service.results(batch_id):
        looked_at += 1
        if result.custom_id or looked_at >= _PEEKED:
            return result.custom_id in keys
    return False


_FOUND_WITHIN_S = 48 * 3600.0


@dataclass(slots=True)
class BatchSubmitter:
    """Submits requests to one service, in as many batches as its limits require.

    Args:
        submission: names all batches that are submitted together.
        submitted: requests submitted now, rather than found to have been submitted before.
        unfit: keys of requests that fit into no batch, or can never be sent.
        unsent: keys of requests that could not be submitted now.
    """

    service: BatchService
    submission: str
    tools: BatchTools
    entries: list[LedgerEntry] = field(default_factory=list)
    submitted: int = 0
    unfit: set[str] = field(default_factory=set)
    unsent: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    async def send(self, requests: Mapping[str, Request]) -> None:
        """Submit requests, by key. Raises `CannotEvaluate`, `Misconfigured`."""
        try:
            for keys, lines in self._batches(requests):
                self.entries.append(await self._submit(keys, lines))
        except Transient as transient:
            there = self.unfit.union(*(entry.keys for entry in self.entries))
            self.unsent = requests.keys() - there
            self.notes.append(f"{len(self.unsent)} requests could not be submitted: {transient.reason}")

    def _batches(self, requests: Mapping[str, Request]) -> Iterator[tuple[list[str], list[bytes]]]:
        """Keys and lines of one batch after another; only one is in memory."""
        size = 0
        keys: list[str] = []
        lines: list[bytes] = []
        for key, request in requests.items():
            self.service.check(request.params)
            line = self._line(key, request)
            if line is None:
                self.unfit.add(key)
                continue
            if keys and (len(keys) >= self.service.most_requests or size + len(line) + 1 > MOST_BYTES):
                yield keys, lines
                keys, lines, size = [], [], 0
            keys.append(key)
            lines.append(line)
            size += len(line) + 1
        if keys:
            yield keys, lines

    def _line(self, key: str, request: Request) -> bytes | None:
        try:
            line = self.service.encode(key, request)
        except RejectedRequest:
            return None
        return line if len(line) < MOST_BYTES else None

    async def _submit(self, keys: Sequence[str], lines: Sequence[bytes]) -> LedgerEntry:
        now, place = self.tools.wall_clock(), self.service.place
        entry = LedgerEntry(place, self.submission, submission_mark(place, keys), now, frozenset(keys))
        if (known := await self._known(entry)) is not None:
            self.notes.append(f"{self.service.name} has these requests already in {known.ids[0]}")
            return known
        self.tools.ledger.save(entry)
        try:
            name = await self._accepted(entry, lines)
        except RejectedRequest as rejected:
            self.tools.ledger.drop(entry)
            raise CannotEvaluate(f"the service refused the batch: {rejected.reason}", "run without --batch") from None
        except GateError:
            self.tools.ledger.drop(entry)
            raise
        self.submitted += len(keys)
        if isinstance(name, str):
            name = replace(entry, ids=(name,), sure=True)
            self.tools.ledger.save(name)
        return name

    async def _accepted(self, entry: LedgerEntry, lines: Sequence[bytes]) -> str | LedgerEntry:
        """Submit a batch, and again only when it is known not to have arrived. Gives the id; or the entry, as far as
        known, when the answer to the submission was lost."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await self.service.submit(lines, entry.found_by(frozenset()))
            except Transient as transient:
                await self.tools.pause(attempt, transient)
                trouble = transient
            try:
                if (found := await find_submitted(entry, self.service, self.tools)) is not None:
                    return found
            except Transient:
                return entry
            if attempt < ATTEMPTS:
                self.tools.ledger.save(entry)
        raise trouble

    async def _known(self, entry: LedgerEntry) -> LedgerEntry | None:
        """The same batch, submitted by a run whose ledger is lost; only for services that store marks."""
        if not self.service.keeps_marks:
            return None
        ledger, now = self.tools.ledger, self.tools.wall_clock()
        known = frozenset(name for other in ledger.entries(now) for name in other.ids)
        mark = SubmissionMark(entry.mark, entry.submission, now - _FOUND_WITHIN_S, len(entry.keys), known)
        found = await self.tools.patiently(lambda: self.service.find(mark))
        if not found.ids:
            return None
        entry = replace(entry, submission=found.submission or entry.submission, ids=found.ids, sure=True)
        ledger.save(entry)
        return entry


def submission_mark(place: BatchPlace, keys: Sequence[str]) -> str:
    """The same for the same requests at the same place, whoever submits them."""
    return digest([place.provider, place.address, place.model, *sorted(keys)])


_Answer: TypeAlias = tuple[str, Request, Reply]

_AT_ONCE = 256
"""Answers that are written down together."""
_SPARE_LINES = 100


@dataclass(slots=True)
class BatchTally:
    """Totals over the results of batches.

    Args:
        taken: requests whose answers were saved.
        foreign, doubled, unreadable: lines ignored: of no request of the batch, of one already answered, not a JSON
            object.
        cut: results that are longer than expected.
        reasons: why there is no answer, with counts.
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
        """Notes for the reader, one clean line each."""
        passed_over = (
            (self.unreadable, "not readable"),
            (self.foreign, "of no request of the batch"),
            (self.doubled, "of a request that already has a result"),
        )
        notes = [f"{number} lines of the results were ignored: {what}" for number, what in passed_over if number]
        if self.cut:
            notes.append("the results of a batch are longer than expected; the rest was not read")
        return notes + [f"{number} answers are missing: {why}" for why, number in self.reasons.most_common(3)]


@dataclass(frozen=True, slots=True)
class BatchCollector:
    """Takes over the answers of one finished batch to `wanted` requests, by key; others stay where they are."""

    entry: LedgerEntry
    service: BatchService
    wanted: Mapping[str, Request]
    tools: BatchTools

    async def collect(self, state: BatchState, tally: BatchTally) -> None:
        """Save every answer, note every failure, and record that the results were read."""
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

    async def _results(self, tally: BatchTally) -> AsyncIterator[BatchResult]:
        """The results, as many as there can be; none where they are gone."""
        left = 2 * len(self.entry.keys) + _SPARE_LINES
        try:
            async for result in self.service.results(self.entry.ids[0]):
                if left == 0:
                    tally.cut += 1
                    return
                left -= 1
                yield result
        except BatchGone:
            return

    def _save(self, tally: BatchTally, failed: Mapping[str, str]) -> None:
        entry = self.entry
        taken = entry.taken | (entry.keys & tally.taken)
        self.tools.ledger.save(replace(entry, taken=taken, failed={**entry.failed, **failed}))

    def _first(self, result: BatchResult, seen: set[str], tally: BatchTally) -> bool:
        """Is this the first line of a request of the batch? Any other is counted and passed over."""
        key = result.custom_id
        tally.unreadable += not key
        tally.foreign += bool(key) and key not in self.entry.keys
        tally.doubled += key in seen
        if key not in self.entry.keys or key in seen:
            return False
        seen.add(key)
        return True

    async def _keep(self, group: list[_Answer], tally: BatchTally) -> None:
        """Write answers down together: one by one, each would wait for the disk. The group is empty afterwards."""
        try:
            await asyncio.gather(*(self.tools.memory.keep(request, reply) for _, request, reply in group))
        except AnswerNotSaved as lost:
            raise CannotEvaluate(
                f"the answers of the batch cannot be saved: {lost.reason}",
                "fix that and run the same command again: the service stores the results for weeks",
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
        return replace(reply_of(request, completion, cost), latency_s=None, origin=origin)
