"""Budgets of calls, dollars, minutes and tokens per reply, checked before each request."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from gate.calls.interface import Bill, CallRefused, ExternalConversation
from gate.config.models import ModelRef, Params
from gate.config.policy import Budget
from gate.errors import GateError
from gate.record.usage import Cost, Dollars
from gate.values import exact_dollars

_DUST = 1e-9
"""Dollars that sums of floats may be off by."""
_CALL = "call"


class BudgetGuard:
    """Counts what is spent and says when to stop; the minutes of the budget run from now, on a monotonic clock.

    Dollars are reserved before a request, and replaced by its price when it is answered. A request that fits the
    budget, but not beside what others have reserved, waits until their prices are known, so that cautious estimates of
    many requests at once end no run. A failed request is taken to cost nothing.
    """

    def __init__(self, budget: Budget, clock: Callable[[], float]) -> None:
        self._budget = budget
        self._clock = clock
        self._deadline = None if budget.max_minutes is None else clock() + budget.max_minutes * 60.0
        self._sent = 0
        self.spent = self.reserved = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._refused: str | None = None
        self._unknown = ""

    @property
    def refused(self) -> str | None:
        """Why a request was refused, or None when none was."""
        return self._refused

    @property
    def in_dollars(self) -> bool:
        """Does the budget limit dollars?"""
        return self._budget.max_usd is not None

    def left_s(self) -> float | None:
        """Seconds until the deadline, 0 or more; None where there is none."""
        return None if self._deadline is None else max(0.0, self._deadline - self._clock())

    def out_of_time(self) -> str:
        """Note that the deadline ended a request, and say so."""
        minutes = self._budget.max_minutes or 0.0
        setting = self._budget.setting("max_minutes")
        return self._refuse(f"the budget of {minutes:g} minutes is used up; raise {setting}, or ask for less")

    def unpriced(self) -> None:
        """Note that an agent did not say what its answer cost: where dollars have a limit, nothing more is asked."""
        if self.in_dollars:
            setting = self._budget.setting("max_usd")
            self._unknown = self._refuse(
                f"{setting} cannot be kept, since an agent does not say what its answers cost; "
                "have it give cost_usd, or limit max_calls instead"
            )

    async def take(self, estimate_usd: float = 0.0, what: str = _CALL) -> float:
        """Reserve dollars for one request, waiting while only the reservations of others stand in its way."""
        while not self.holds(estimate_usd, what):
            await self.stirred()
        self._sent += 1
        self.reserved += estimate_usd
        return estimate_usd

    def holds(self, estimate_usd: float, what: str = _CALL, promised_usd: float = 0.0) -> bool:
        """Does a request fit now, beside what others have reserved, and `promised_usd` that they will still need?"""
        if (reason := self._used_up(estimate_usd, what)) is not None:
            raise CallRefused(self._refuse(reason))
        limit, others = self._budget.max_usd, self.reserved + promised_usd
        return limit is None or others <= _DUST or self.spent + others + estimate_usd <= limit + _DUST

    async def stirred(self) -> None:
        """Wait until something may fit that did not."""
        settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(settled)
        await settled

    def stir(self) -> None:
        """Have all who wait check again."""
        while self._waiting:
            settled = self._waiting.popleft()
            if not settled.done():
                settled.set_result(None)

    def settle(self, reserved_usd: float, cost: Cost | None) -> None:
        """Replace a reservation by the price of the reply; None where there was no reply."""
        self.reserved = max(0.0, self.reserved - reserved_usd)
        if isinstance(cost, Dollars):
            self.spent += cost.amount
        self.stir()

    def _used_up(self, estimate_usd: float, what: str) -> str | None:
        limits = self._budget
        if self._unknown:
            return self._unknown
        if limits.max_calls is not None and self._sent >= limits.max_calls:
            setting = limits.setting("max_calls")
            return f"the budget of {limits.max_calls} calls is used up; raise {setting}, or ask for less"
        if limits.max_usd is not None and (reason := self._too_dear(limits.max_usd, estimate_usd, what)):
            return reason
        if self.left_s() == 0.0:
            return self.out_of_time()
        return None

    def _too_dear(self, limit: float, estimate_usd: float, what: str) -> str:
        """Why dollars forbid another request; empty where they do not."""
        setting, spent = self._budget.setting("max_usd"), self.spent
        whole = f"the budget of {exact_dollars(limit)}"
        if spent >= limit - _DUST:
            return f"{whole} is used up; raise {setting}, or ask for less"
        if spent + estimate_usd > limit + _DUST:
            instead = "lower max_output_tokens" if what == _CALL else "ask for less"
            return (
                f"{whole} does not suffice for another {what}: ${spent:.4g} is spent, and the {what} may cost "
                f"${estimate_usd:.4g}; raise {setting}, or {instead}"
            )
        return ""

    def _refuse(self, reason: str) -> str:
        self._refused = self._refused or reason
        return reason


def cap_reply_tokens(params: Params, budget: Budget) -> Params:
    """Parameters within a budget of tokens per reply: the same ones, or with the cap where they name no limit."""
    cap = budget.max_output_tokens
    if cap is None:
        return params
    if params.max_output_tokens is None:
        return params.model_copy(update={"max_output_tokens": cap})
    if params.max_output_tokens > cap:
        raise GateError(
            f"params.max_output_tokens is {params.max_output_tokens}, and the budget allows {cap} tokens per reply",
            f"lower the parameter, or raise {budget.setting('max_output_tokens')}",
        )
    return params


def check_reply_budget(asked: Iterable[tuple[ModelRef, Params]], budget: Budget) -> None:
    """Find before anything is spent who asks for longer replies than the budget allows. Raises `GateError`."""
    for model, params in asked:
        try:
            cap_reply_tokens(params, budget)
        except GateError as error:
            raise GateError(f"{model}: {error.message}", error.hint) from None


@dataclass(slots=True)
class Counters:
    """Counts of calls; `usd` sums the `priced` ones, and `unknown` are those whose price exists but is not known."""

    made: int = 0
    reused: int = 0
    retried: int = 0
    failed: int = 0
    usd: float = 0.0
    priced: int = 0
    unknown: int = 0

    def answered(self, cost: Cost) -> None:
        """Count an answer."""
        self.made += 1
        if isinstance(cost, Dollars):
            self.priced += 1
            self.usd += cost.amount
        elif cost.why == "unknown":
            self.unknown += 1


@dataclass(slots=True)
class ExternalConversations:
    """All conversations of a run.

    Where dollars have a limit, the first one begins alone, until an answer has a price. Each later one begins when its
    messages fit the rest beside those that conversations under way have still to send, each priced like the dearest
    answer so far: so a budget that ends does not break all of them off.
    """

    budget: BudgetGuard
    counters: Counters
    _dearest: float | None = field(default=None, init=False)
    _under_way: int = field(default=0, init=False)
    _ahead: int = field(default=0, init=False)

    @asynccontextmanager
    async def conversation(self, messages: int) -> AsyncIterator[ExternalConversation]:
        """Room for one conversation; see `gate.calls.interface.ExternalBudgets`."""
        try:
            await self._begin(messages)
        except CallRefused:
            self.counters.failed += 1
            raise
        talk = MeteredConversation(self, messages)
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
            fits = self.budget.holds(messages * each, "conversation", self._ahead * each)
            if fits and (self._dearest is not None or not self._under_way):
                return
            await self.budget.stirred()

    @asynccontextmanager
    async def billed(self, talk: "MeteredConversation") -> AsyncIterator[Bill]:
        """Room for one message; see `gate.calls.interface.ExternalConversation`."""
        left, bill = self.budget.left_s(), Bill()
        if talk.left:
            talk.left -= 1
            self._ahead -= 1
        try:
            reserved = await self.budget.take(self._dearest or 0.0, "message to an agent")
        except CallRefused:
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
            raise CallRefused(self.budget.out_of_time()) from None
        finally:
            self.budget.settle(reserved, bill.cost)


@dataclass(slots=True)
class MeteredConversation:
    """One conversation, with the number of messages that it will still send at least."""

    outsiders: ExternalConversations
    left: int

    @asynccontextmanager
    async def message(self) -> AsyncIterator[Bill]:
        async with self.outsiders.billed(self) as bill:
            yield bill
