"""Submits requests in batches, each written down before it is sent."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gate.calls.batch_ledger import Entry
from gate.calls.batch_tools import ATTEMPTS, BatchTools, settle
from gate.domain.jsonvalue import digest
from gate.errors import CannotEvaluate, GateError
from gate.providers.base import Rejected, Request, Transient
from gate.providers.batches.port import BatchService, Mark, Place

_FOUND_WITHIN_S = 48 * 3600.0


@dataclass(slots=True)
class Shipment:
    """Submits requests to one service, in as many batches as its limits ask for.

    Args:
        service: who is asked.
        submission: names all batches that are submitted together.
        tools: ledger, clock and sleep.
        entries: the batches.
        submitted: requests that were submitted, rather than found to have been submitted before.
        unfit: keys of requests that fit into no batch, or can never be sent.
        unsent: keys of requests that could not be submitted now.
        notes: what a reader should know.
    """

    service: BatchService
    submission: str
    tools: BatchTools
    entries: list[Entry] = field(default_factory=list)
    submitted: int = 0
    unfit: set[str] = field(default_factory=set)
    unsent: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    async def send(self, requests: Mapping[str, Request]) -> None:
        """Submit requests, by key.

        Raises:
            CannotEvaluate: the service refuses the batch; the ledger cannot be written.
            Misconfigured: no request can work.
        """
        try:
            for keys, lines in self._batches(requests):
                self.entries.append(await self._submit(keys, lines))
        except Transient as transient:
            there = self.unfit.union(*(entry.keys for entry in self.entries))
            self.unsent = requests.keys() - there
            self.notes.append(f"{len(self.unsent)} requests could not be submitted: {transient.reason}")

    def _batches(self, requests: Mapping[str, Request]) -> Iterator[tuple[list[str], list[bytes]]]:
        """Keys and lines of one batch after another; only one is in memory."""
        limits, size = self.service.limits, 0
        keys: list[str] = []
        lines: list[bytes] = []
        for key, request in requests.items():
            self.service.check(request.params)
            line = self._line(key, request)
            if line is None:
                self.unfit.add(key)
                continue
            if keys and (len(keys) >= limits.requests or size + len(line) + 1 > limits.bytes):
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
        except Rejected:
            return None
        return line if len(line) < self.service.limits.bytes else None

    async def _submit(self, keys: Sequence[str], lines: Sequence[bytes]) -> Entry:
        now, place = self.tools.wall_clock(), self.service.place
        entry = Entry(place, self.submission, mark_of(place, keys), now, frozenset(keys))
        if (known := await self._known(entry)) is not None:
            self.notes.append(f"{self.service.name} has these requests already in {known.ids[0]}")
            return known
        self.tools.ledger.save(entry)
        try:
            name = await self._accepted(entry, lines)
        except Rejected as rejected:
            self.tools.ledger.drop(entry)
            raise CannotEvaluate(f"the batch is refused: {rejected.reason}", "run without --batch") from None
        except GateError:
            self.tools.ledger.drop(entry)
            raise
        self.submitted += len(keys)
        if isinstance(name, str):
            name = replace(entry, ids=(name,), sure=True)
            self.tools.ledger.save(name)
        return name

    async def _accepted(self, entry: Entry, lines: Sequence[bytes]) -> str | Entry:
        """Submit a batch, and again only when it is known not to have arrived.

        Returns:
            The id; or the entry as far as it is known, when the answer to the submission was lost.
        """
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await self.service.submit(lines, entry.found_by(frozenset()))
            except Transient as transient:
                await self.tools.pause(attempt, transient)
                trouble = transient
            try:
                if (found := await settle(entry, self.service, self.tools)) is not None:
                    return found
            except Transient:
                return entry
            if attempt < ATTEMPTS:
                self.tools.ledger.save(entry)
        raise trouble

    async def _known(self, entry: Entry) -> Entry | None:
        """The same batch, submitted by a run whose ledger is lost; only where a service keeps marks."""
        if not self.service.keeps_marks:
            return None
        ledger, now = self.tools.ledger, self.tools.wall_clock()
        known = frozenset(name for other in ledger.entries(now) for name in other.ids)
        mark = Mark(entry.mark, entry.submission, now - _FOUND_WITHIN_S, len(entry.keys), known)
        found = await self.tools.patiently(lambda: self.service.find(mark))
        if not found.ids:
            return None
        entry = replace(entry, submission=found.submission or entry.submission, ids=found.ids, sure=True)
        ledger.save(entry)
        return entry


def mark_of(place: Place, keys: Sequence[str]) -> str:
    """The same for the same requests at the same place, whoever submits them."""
    return digest([place.provider, place.address, place.model, *sorted(keys)])
