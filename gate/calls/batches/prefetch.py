"""`--batch`: gets the answers of a run from the providers' batch interfaces, at half the price.

A batch only fills the answer cache. The normal run then finds the answers there. It sends the calls of judges,
warm-up and fresh pairs, and whatever a batch did not answer, as usual.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from gate.calls.batches.jobs import BatchCollector, BatchSubmitter, BatchTally, BatchTools, find_submitted
from gate.calls.batches.ledger import LedgerEntry, request_id
from gate.calls.batches.service import BatchGone, BatchPlace, BatchService, BatchState
from gate.calls.interface import Request, Transient
from gate.errors import CannotEvaluate
from gate.values import digest

_SUBMISSION_LENGTH = 12

Groups = dict[BatchPlace, tuple[BatchService, dict[str, Request]]]


@dataclass(frozen=True, slots=True)
class BatchesUnderway:
    """One batch that has not ended.

    Args:
        ids: several while it is unknown which one it is, none while it is unknown whether it arrived.
        state: None if it is unknown.
    """

    ids: tuple[str, ...]
    place: BatchPlace
    requests: int
    state: BatchState | None = None

    def __str__(self) -> str:
        done = f", {self.state.done} of {self.state.total} done" if self.state and self.state.total else ""
        return f"{' or '.join(self.ids) or 'a batch'} ({self.place}): {self.requests} answers{done}"


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """The state of the batches of a run.

    Args:
        live: requests that the run must send as normal calls: a batch gave no answer, or no batch takes them.
    """

    submitted: int
    underway: tuple[BatchesUnderway, ...]
    unsent: int
    live: int
    tally: BatchTally
    notes: tuple[str, ...]

    @property
    def waiting(self) -> int:
        """Answers that are still to come."""
        return sum(batch.requests for batch in self.underway)

    @property
    def ready(self) -> bool:
        """May the run begin? If not, it ends as INCONCLUSIVE for `reason`."""
        return not self.underway and self.unsent == 0

    @property
    def reason(self) -> str:
        """Why the run cannot begin; empty when it can."""
        if self.ready:
            return ""
        parts = []
        if self.underway:
            parts.append(f"{self.waiting} answers are being prepared in a batch")
        if self.unsent:
            parts.append(f"{self.unsent} requests could not be submitted")
        return f"{' and '.join(parts)}; run the same command again to collect"

    def lines(self) -> tuple[str, ...]:
        """What happened, for a terminal or a log."""
        tally, out = self.tally, []
        if tally.collected:
            price = f", ${tally.usd:.4f}" if not tally.unpriced else ""
            out.append(f"collected {tally.collected} answers from batches{price}")
        if self.submitted:
            out.append(f"submitted {self.submitted} requests; most batches are done within an hour, all within 24")
        out += [str(batch) for batch in self.underway]
        if self.live:
            out.append(f"{self.live} requests are sent as normal calls, at the full price")
        return (*out, *self.notes)


async def collect_or_submit(
    requests: Iterable[Request], tools: BatchTools, max_calls: int | None = None
) -> BatchOutcome:
    """Collect the answers of batches, and submit requests that are in no batch yet.

    Args:
        max_calls: requests that may be submitted; None for any number.

    Raises:
        CannotEvaluate: the budget is too small, the ledger or the cache cannot be written, another process uses the
            ledger, or a service refuses the batch.
        Misconfigured, MissingKey: a wrong key, an unknown model, or a model without a batch interface.
    """
    unknown = {request_id(request): request for request in requests if tools.memory.find(request) is None}
    work = _Work(tools, max_calls, unknown)
    return await work.round()


@dataclass(slots=True)
class _Work:
    """The rounds of one call; each round checks every batch once and submits what is left."""

    tools: BatchTools
    max_calls: int | None
    unknown: dict[str, Request]
    submitted: int = 0
    unsent: int = 0
    tally: BatchTally = field(default_factory=BatchTally)
    notes: dict[str, None] = field(default_factory=dict)
    underway: list[BatchesUnderway] = field(default_factory=list)
    waiting: set[str] = field(default_factory=set)
    live: set[str] = field(default_factory=set)

    async def round(self) -> BatchOutcome:
        self.underway, self.waiting, self.live, self.unsent = [], set(), set(), 0
        ledger, now = self.tools.ledger, self.tools.wall_clock()
        with ledger.alone():
            groups = self._groups()
            for entry in ledger.entries(now):
                service, group = groups.get(entry.place, (None, {}))
                mine = {key: group[key] for key in entry.open & group.keys()}
                if service is not None and mine:
                    await self._look_at(entry, service, mine)
            await self._submit(self._left(groups, now))
            self._note(*ledger.warnings, *self.tally.notes())
        return BatchOutcome(
            self.submitted, tuple(self.underway), self.unsent, len(self.live), self.tally, tuple(self.notes)
        )

    def _groups(self) -> Groups:
        groups: Groups = {}
        for key, request in self.unknown.items():
            service = self.tools.services(request.model, request.params)
            groups.setdefault(service.place, (service, {}))[1][key] = request
        return groups

    async def _look_at(self, entry: LedgerEntry, service: BatchService, mine: Mapping[str, Request]) -> None:
        """Take over the results of a batch, or note that it has not ended."""
        state = None
        try:
            found = entry if entry.sure else await find_submitted(entry, service, self.tools)
            if found is None:
                return
            entry = found
            if entry.sure:
                state = await self._state(entry, service)
                if state.over:
                    self._note(*([f"{service.name}: a batch {state.phase}"] if state.phase != "ended" else []))
                    await BatchCollector(entry, service, mine, self.tools).collect(state, self.tally)
                    return
        except Transient as transient:
            self._note(f"the state of a batch is unknown: {transient.reason}")
        left = mine.keys() - self.tally.taken
        self.underway.append(BatchesUnderway(entry.ids, entry.place, len(left), state))
        self.waiting |= left

    async def _state(self, entry: LedgerEntry, service: BatchService) -> BatchState:
        try:
            return await self.tools.patiently(partial(service.status, entry.ids[0]))
        except BatchGone:
            return BatchState("failed", reason=f"{service.name} no longer has the batch")

    def _left(self, groups: Groups, now: float) -> Groups:
        """Requests to submit: not yet answered, in no batch, and not given up by one."""
        self.unknown = {key: request for key, request in self.unknown.items() if key not in self.tally.taken}
        failed = {(entry.place, key) for entry in self.tools.ledger.entries(now) for key in entry.failed}
        left: Groups = {}
        for place, (service, group) in groups.items():
            open_ = [key for key in group if key in self.unknown and key not in self.waiting]
            given_up = {key for key in open_ if (place, key) in failed}
            self.live |= given_up
            left[place] = (service, {key: group[key] for key in open_ if key not in given_up})
        return left

    async def _submit(self, groups: Groups) -> None:
        keys: list[str] = [key for _, group in groups.values() for key in group]
        most = self.max_calls
        if most is not None and len(keys) > most:
            raise CannotEvaluate(
                f"the batch needs {len(keys)} calls, and the budget allows {most}",
                "raise budget.max_calls, or lower samples or the number of cases",
            )
        submission = digest([self.tools.wall_clock(), *keys])[:_SUBMISSION_LENGTH]
        for service, group in groups.values():
            shipment = BatchSubmitter(service, submission, self.tools)
            await shipment.send(group)
            self.submitted += shipment.submitted
            self.unsent += len(shipment.unsent)
            self.live |= shipment.unfit
            self.underway += [BatchesUnderway(entry.ids, entry.place, len(entry.keys)) for entry in shipment.entries]
            self._note(*shipment.notes)

    def _note(self, *lines: str) -> None:
        self.notes.update(dict.fromkeys(lines))
