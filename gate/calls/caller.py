"""Sends a request until it is answered: under a budget, a limit on what is in flight, and one retry policy."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from gate.calls.budget import BudgetGuard
from gate.calls.limiter import Limiter
from gate.calls.port import Forgetful, Memory, NotKept
from gate.calls.retry import RetryPolicy
from gate.domain.absence import Failed
from gate.domain.model import ModelRef, Params
from gate.domain.sample import Reply
from gate.domain.suite import Budget
from gate.domain.usage import Cost, Dollars, Unpriced, Usage
from gate.providers.base import Completion, Provider, Rejected, Request, Transient

Providers: TypeAlias = Callable[[ModelRef, Params], Provider]
Pricer: TypeAlias = Callable[[ModelRef, Params, str, Usage], Cost]
"""Model, parameters, the model id of the reply, tokens: what did it cost?"""


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """How calls are made.

    Args:
        concurrency: requests under way at once, over all providers.
        retry: when a request is sent again.
        budget: when no more requests are sent.
    """

    concurrency: int = 64
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    budget: Budget = field(default_factory=Budget)


@dataclass(frozen=True, slots=True)
class Timing:
    """Where time comes from.

    Args:
        clock: seconds that only grow.
        sleep: waits for so many seconds.
    """

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


@dataclass(slots=True)
class Counters:
    """What the calls came to so far.

    Args:
        made: calls that were answered.
        reused: answers that were known already.
        retried: requests that were sent again.
        failed: calls that were given up.
        usd: dollars of the answered calls whose price is known.
        priced, unknown: answered calls with a known price, and with one that exists but is not known.
    """

    made: int = 0
    reused: int = 0
    retried: int = 0
    failed: int = 0
    usd: float = 0.0
    priced: int = 0
    unknown: int = 0


class Caller:
    """Every model call of a run goes through here.

    Args:
        providers: finds the provider of a model.
        policy: concurrency, retries, budget.
        rng: source of the jitter.
        price: prices a reply.
        timing: clock and sleep.
        memory: known answers, and the place where new ones are kept before they count.
    """

    def __init__(  # noqa: PLR0913 one thing of each kind
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
        self._memory = memory or Forgetful()
        self._broken: str | None = None
        self._limiter = Limiter(policy.concurrency)
        self._budget = BudgetGuard(policy.budget, self._timing.clock)
        self.counters = Counters()

    @property
    def spent_usd(self) -> float | None:
        """Dollars spent so far; None when nothing was priced, or when the price of some call is unknown."""
        known = self.counters.priced > 0 and self.counters.unknown == 0
        return self.counters.usd if known else None

    def exhausted(self) -> str | None:
        """Why no more calls make sense: the budget refused one, or answers cannot be kept; None while all is well."""
        return self._broken or self._budget.refused

    async def call(self, request: Request, *, fresh: bool = False) -> Reply | Failed:
        """Send one request, and again while that makes sense; a known answer is not asked for again.

        Args:
            request: what to send.
            fresh: ask even if an answer is known.

        Returns:
            The reply; or why there is none: the budget, a refusal, the last of too many errors, a full disk.

        Raises:
            GateError: nothing of the kind can work (`Misconfigured`, `MissingKey`); the run should stop.
        """
        if not fresh and (known := self._memory.find(request)) is not None:
            self.counters.reused += 1
            return known
        answer = await self._asked(request)
        if isinstance(answer, Reply):
            try:
                await self._memory.keep(request, answer)
            except NotKept as lost:
                self._broken = f"the answers cannot be kept: {lost.reason}"
                return self._failed(self._broken, answer.attempts)
        return answer

    async def _asked(self, request: Request) -> Reply | Failed:
        provider = self._providers(request.model, request.params)
        sent = 0
        while True:
            try:
                async with self._limiter.slot(provider):
                    if refusal := self._budget.take():
                        return self._failed(refusal, sent)
                    sent += 1
                    self.counters.retried += sent > 1
                    completion = await provider.complete(request)
                return self._reply(request, completion, priced=provider.priced, attempts=sent)
            except Rejected as rejected:
                return self._failed(rejected.reason, sent)
            except Transient as transient:
                if not self._policy.retry.again(sent):
                    return self._failed(transient.reason, sent)
                wait = self._policy.retry.delay(sent, transient.retry_after_s, self._rng)
            await self._timing.sleep(wait)

    def _reply(self, request: Request, completion: Completion, *, priced: bool, attempts: int) -> Reply:
        cost: Cost = Unpriced("n/a")
        if priced:
            cost = self._price(request.model, request.params, completion.model_id, completion.usage)
        self._count(cost)
        return Reply(
            text=completion.text,
            model_id=completion.model_id,
            usage=completion.usage,
            cost=cost,
            latency_s=completion.latency_s,
            attempts=attempts,
            stop_reason=completion.stop_reason,
        )

    def _count(self, cost: Cost) -> None:
        self._budget.spend(cost)
        self.counters.made += 1
        if isinstance(cost, Dollars):
            self.counters.priced += 1
            self.counters.usd += cost.amount
        elif cost.why == "unknown":
            self.counters.unknown += 1

    def _failed(self, reason: str, attempts: int) -> Failed:
        self.counters.failed += 1
        return Failed(reason, attempts)
