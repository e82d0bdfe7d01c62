"""Budgets where somebody else calls the models: conversations with agents, of which only the messages are seen."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from gate.calls.budget import CONVERSATION, MESSAGE, BudgetGuard
from gate.calls.counters import Counters
from gate.calls.lane import NoCall
from gate.calls.port import Bill, Talking
from gate.domain.usage import Dollars


@dataclass(slots=True)
class Outsiders:
    """All conversations of a run.

    Where dollars have a limit, the first one begins alone, until an answer has a price. Each later one begins when its
    messages fit the rest beside those that conversations under way have still to send, each as dear as the dearest
    answer until then: so that a budget that ends does not break all of them off.

    Args:
        budget: the limits.
        counters: what the messages came to.
    """

    budget: BudgetGuard
    counters: Counters
    _dearest: float | None = field(default=None, init=False)
    _under_way: int = field(default=0, init=False)
    _ahead: int = field(default=0, init=False)

    @asynccontextmanager
    async def conversation(self, messages: int) -> AsyncIterator[Talking]:
        """Room for one conversation; see `gate.calls.port.Outside`."""
        try:
            await self._begin(messages)
        except NoCall:
            self.counters.failed += 1
            raise
        talk = Talk(self, messages)
        self._under_way += 1
        self._ahead += messages
        try:
            yield talk
        finally:
            self._under_way -= 1
            self._ahead -= talk.left
            self.budget.stir()

    async def _begin(self, messages: int) -> None:
        while self.budget.in_dollars:
            each = self._dearest or 0.0
            fits = self.budget.holds(messages * each, CONVERSATION, self._ahead * each)
            if fits and (self._dearest is not None or not self._under_way):
                return
            await self.budget.stirred()

    @asynccontextmanager
    async def billed(self, talk: "Talk") -> AsyncIterator[Bill]:
        """Room for one message; see `gate.calls.port.Talking`."""
        left, bill = self.budget.left_s(), Bill()
        if talk.left:
            talk.left -= 1
            self._ahead -= 1
        try:
            reserved = await self.budget.take(self._dearest or 0.0, MESSAGE)
        except NoCall:
            self.counters.failed += 1
            raise
        try:
            async with asyncio.timeout(left) as limit:
                yield bill
            self.counters.answered(bill.cost)
            if isinstance(bill.cost, Dollars):
                self._dearest = max(self._dearest or 0.0, bill.cost.amount)
            elif bill.cost.why == "unknown":
                self.budget.unpriced()
        except Exception as error:
            self.counters.failed += 1
            # Nobody says what it cost: it is taken to be as dear as any until then, and no other waits for it.
            self._dearest, bill.cost = self._dearest or 0.0, Dollars(reserved)
            if not isinstance(error, TimeoutError) or not limit.expired():
                raise
            raise NoCall(self.budget.out_of_time()) from None
        finally:
            self.budget.settle(reserved, bill.cost)


@dataclass(slots=True)
class Talk:
    """One conversation; see `gate.calls.port.Talking`.

    Args:
        outsiders: all of them.
        left: messages that it will still send at least.
    """

    outsiders: Outsiders
    left: int

    @asynccontextmanager
    async def message(self) -> AsyncIterator[Bill]:
        async with self.outsiders.billed(self) as bill:
            yield bill
