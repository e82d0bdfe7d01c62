"""Sends a request until it is answered: under a budget, a limit on simultaneous calls, and one retry policy."""

import asyncio
import itertools
import random
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from gate.calls.budget import BudgetGuard, Counters, Estimator, ExternalConversations, Pricer, cap_reply_tokens
from gate.calls.interface import (
    AnswerNotSaved,
    CallRefused,
    Completion,
    ExternalConversation,
    Memory,
    NoMemory,
    Provider,
    RejectedRequest,
    Request,
    Transient,
    WorthKeeping,
    any_reply,
    reply_of,
)
from gate.calls.limits import HeldSlot, Limiter, RetryPolicy, Timing
from gate.config.models import ModelRef, Params
from gate.config.policy import Budget
from gate.record.findings.finding import Finding
from gate.record.findings.notes import Remark
from gate.record.findings.unfinished import CannotSave
from gate.record.transcript import Cost, Dollars, Failed, Reply, Unpriced

Providers: TypeAlias = Callable[[ModelRef, Params], Provider]


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """How calls are made; `concurrency` limits requests under way over all providers."""

    concurrency: int = 64
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    budget: Budget = field(default_factory=Budget)


@dataclass(slots=True)
class _Errand:
    """One call on its way: `order` is its number, `sent` counts the requests sent for it, `trouble` is why the last one
    failed."""

    request: Request
    order: int
    sent: int = 0
    trouble: str = ""


def _with_trouble(reason: str, trouble: str) -> str:
    """Why no more requests are sent, with the error that came before, if there was one."""
    return f"{trouble}; then {reason}" if trouble and trouble not in reason else reason


class Caller:
    """Every model call of a run goes through here; new answers are saved in `memory` before they count."""

    def __init__(
        self,
        providers: Providers,
        policy: CallPolicy,
        rng: random.Random,
        price: Pricer,
        timing: Timing | None = None,
        memory: Memory | None = None,
    ) -> None:
        self._providers = providers
        self._policy = policy
        self._rng = rng
        self._price = price
        self._timing = timing or Timing()
        self._memory = memory or NoMemory()
        self._broken: CannotSave | None = None
        self._notes: dict[str, None] = {}
        self._heard: set[ModelRef] = set()
        self._troubles: dict[ModelRef, str] = {}
        self._under_way: dict[tuple[object, ...], asyncio.Event] = {}
        self._limiter = Limiter(policy.concurrency, policy.retry, self._timing)
        self._budget = BudgetGuard(policy.budget, self._timing.clock)
        self._estimator = Estimator(price)
        self._capped: dict[Params, Params] = {}
        self._numbers = itertools.count()
        self.counters = Counters()
        self._outsiders = ExternalConversations(self._budget, self.counters)

    @property
    def spent_usd(self) -> float | None:
        """Dollars spent so far; None when nothing was priced, or when the price of some call is unknown."""
        known = self.counters.priced > 0 and self.counters.unknown == 0
        return self.counters.usd if known else None

    def notes(self) -> list[Finding]:
        """What the reader should know of the spending, and of what servers refuse."""
        return [*self._budget.notes(), *(Remark(message=note) for note in self._notes)]

    def exhausted(self) -> Finding | None:
        """Why no more calls make sense (budget, a dead service, answers that cannot be saved), or None."""
        silent = next((trouble for model, trouble in self._troubles.items() if model not in self._heard), "")
        refused = self._budget.refused
        if refused and silent:
            refused = refused.model_copy(update={"trouble": silent})
        return self._broken or refused or self._limiter.given_up()

    async def call(self, request: Request, *, fresh: bool = False, worth: WorthKeeping = any_reply) -> Reply | Failed:
        """Send one request, with retries; a cached answer is returned without a call.

        Args:
            fresh: ignore a cached answer.
            worth: may a fresh reply replace the cached one?

        Returns:
            The reply; or why there is none, whether budget, refusal, errors or a full disk.
        """
        request = self._within_budget(request)
        if fresh or isinstance(self._memory, NoMemory):
            return await self._kept(request, worth)
        asked = (request.messages, request.model, request.params, request.index, request.about, request.tools)
        while (same := self._under_way.get(asked)) is not None:
            # The same request at the same time, such as of a judge for the same answer of both arms, is sent once.
            await same.wait()
        if (known := self._memory.find(request)) is not None:
            self.counters.reused += 1
            return known
        self._under_way[asked] = asyncio.Event()
        try:
            return await self._kept(request)
        finally:
            self._under_way.pop(asked).set()

    def outside(self, messages: int) -> AbstractAsyncContextManager[ExternalConversation]:
        """Room for a conversation with an agent that calls models itself: `gate.calls.interface.ExternalBudgets`."""
        return self._outsiders.conversation(messages)

    async def _kept(self, request: Request, worth: WorthKeeping = any_reply) -> Reply | Failed:
        answer = await self._asked(request)
        if isinstance(answer, Reply) and worth(answer):
            try:
                return await self._memory.keep(request, answer)
            except AnswerNotSaved as lost:
                self._broken = CannotSave(what="answers", reason=lost.reason)
                return self._failed(self._broken.phrase, answer.attempts)
        return answer

    async def _asked(self, request: Request) -> Reply | Failed:
        errand, left = _Errand(request, next(self._numbers)), self._budget.left_s()
        if left is None:
            return await self._tried(errand)
        try:
            # Cuts a request that hangs, a wait for a slot and a wait between attempts alike.
            async with asyncio.timeout(left) as limit:
                return await self._tried(errand)
        except TimeoutError:
            if not limit.expired():
                raise
            return self._failed(_with_trouble(self._budget.out_of_time().phrase, errand.trouble), errand.sent)

    async def _tried(self, errand: _Errand) -> Reply | Failed:
        provider = self._providers(errand.request.model, errand.request.params)
        retry, lane = self._policy.retry, self._limiter.lane(provider)
        while True:
            try:
                async with self._limiter.slot(provider, errand.order) as turn:
                    return await self._sent(errand, provider, turn)
            except CallRefused as refusal:
                return self._failed(_with_trouble(refusal.reason, errand.trouble), errand.sent)
            except RejectedRequest as rejected:
                return self._failed(rejected.reason, errand.sent)
            except Transient as transient:
                if errand.sent >= retry.max_attempts:
                    return self._failed(transient.reason, errand.sent)
                wait = retry.delay(errand.sent, transient.retry_after_s, self._rng)
            await lane.rest(wait)

    async def _sent(self, errand: _Errand, provider: Provider, turn: HeldSlot) -> Reply:
        """Send a request once, and report the outcome to budget and lane."""
        request, cost = errand.request, None
        estimated = self._budget.in_dollars and provider.priced
        reserved = await self._budget.take(self._estimator.usd(request) if estimated else 0.0)
        try:
            errand.sent += 1
            self.counters.retried += errand.sent > 1
            completion = await provider.complete(request)
            turn.answered()
            self._heard.add(request.model)
            self._notes.update(dict.fromkeys(completion.notes))
            reply = self._reply(request, completion, priced=provider.priced, attempts=errand.sent)
            cost = reply.cost if isinstance(reply.cost, Dollars) else Dollars(reserved)
            if estimated:
                self._estimator.learn(request, completion.usage)
            return reply
        except RejectedRequest as rejected:
            turn.rejected()
            self._troubles[request.model] = rejected.reason
            cost = Dollars(reserved) if rejected.unheard else None
            raise
        except Transient as failure:
            turn.failed(failure)
            errand.trouble = self._troubles[request.model] = failure.reason
            cost = Dollars(reserved) if failure.unheard else None
            raise
        except asyncio.CancelledError:
            cost = Dollars(reserved)
            raise
        finally:
            self._budget.settle(reserved, cost)

    def _within_budget(self, request: Request) -> Request:
        budget = self._policy.budget
        if budget.max_output_tokens is None:
            return request
        params = self._capped.get(request.params)
        if params is None:
            params = self._capped[request.params] = cap_reply_tokens(request.params, budget)
        return request if params is request.params else replace(request, params=params)

    def _reply(self, request: Request, completion: Completion, *, priced: bool, attempts: int) -> Reply:
        cost: Cost = Unpriced("n/a")
        if priced:
            cost = self._price(request.model, request.params, completion.model_id, completion.usage)
        self.counters.answered(cost)
        return replace(reply_of(request, completion, cost), attempts=attempts)

    def _failed(self, reason: str, attempts: int) -> Failed:
        self.counters.failed += 1
        return Failed(reason, attempts)
