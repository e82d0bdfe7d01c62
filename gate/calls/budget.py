"""Limits on calls, dollars, minutes and tokens per reply, kept before each request."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from gate.calls.lane import NoCall
from gate.config.policy import Budget
from gate.domain.model import ModelRef, Params
from gate.domain.usage import Cost, Dollars
from gate.domain.words import exact_dollars
from gate.errors import GateError

_DUST = 1e-9
"""Dollars that sums of floats may be off by."""


class Words(NamedTuple):
    """How a refusal names what the rest of the dollars does not suffice for.

    Args:
        wanted: what is refused.
        payer: what would cost so much.
        instead: what helps besides more dollars.
    """

    wanted: str
    payer: str
    instead: str


CALL = Words("another call", "the call", "lower max_output_tokens")
MESSAGE = Words("another message to an agent", "it", "ask for less")
CONVERSATION = Words("another conversation", "its messages", "ask for less")


@dataclass(slots=True)
class Money:
    """Dollars of a run.

    Args:
        spent: by the calls that were answered.
        reserved: put aside for what is under way.
    """

    spent: float = 0.0
    reserved: float = 0.0


class BudgetGuard:
    """Counts what is spent and says when to stop.

    Dollars are put aside before a request and replaced by its price when it is answered. A request that fits the
    budget, but not beside what others have put aside, waits until it is known what those cost: so that a cautious
    estimate of many requests at once ends no run. A request that fails is taken to cost nothing.

    Args:
        budget: the limits; the minutes run from now.
        clock: seconds that only grow.
    """

    def __init__(self, budget: Budget, clock: Callable[[], float]) -> None:
        self._budget = budget
        self._clock = clock
        self._deadline = None if budget.max_minutes is None else clock() + budget.max_minutes * 60.0
        self._sent = 0
        self._money = Money()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._refused: str | None = None
        self._unknown = ""

    @property
    def refused(self) -> str | None:
        """Why a request was refused, or None when none was."""
        return self._refused

    @property
    def in_dollars(self) -> bool:
        """Are estimates of dollars looked at?"""
        return self._budget.max_usd is not None

    @property
    def money(self) -> Money:
        """Dollars spent and put aside, for reading."""
        return replace(self._money)

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

    async def take(self, estimate_usd: float = 0.0, words: Words = CALL) -> float:
        """Ask to send one request; waits while only what others have put aside stands in its way.

        Args:
            estimate_usd: what it may cost.
            words: what it is.

        Returns:
            The dollars put aside, for `settle`.

        Raises:
            NoCall: it must not be sent.
        """
        while not self.holds(estimate_usd, words):
            await self.stirred()
        self._sent += 1
        self._money.reserved += estimate_usd
        return estimate_usd

    def holds(self, estimate_usd: float, words: Words = CALL, promised_usd: float = 0.0) -> bool:
        """Does something fit now, beside what others have put aside?

        Args:
            estimate_usd: what it may cost.
            words: what it is.
            promised_usd: what others will need, and have not put aside yet.

        Raises:
            NoCall: it would not fit if there were no others.
        """
        if (reason := self._used_up(estimate_usd, words)) is not None:
            raise NoCall(self._refuse(reason))
        limit, money = self._budget.max_usd, self._money
        others = money.reserved + promised_usd
        return limit is None or others <= _DUST or money.spent + others + estimate_usd <= limit + _DUST

    async def stirred(self) -> None:
        """Wait until something may fit that did not."""
        settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(settled)
        await settled

    def stir(self) -> None:
        """Have all who wait look again."""
        while self._waiting:
            settled = self._waiting.popleft()
            if not settled.done():
                settled.set_result(None)

    def settle(self, reserved_usd: float, cost: Cost | None) -> None:
        """Replace what was put aside by the price of the reply; None where there was no reply."""
        money = self._money
        money.reserved = max(0.0, money.reserved - reserved_usd)
        if isinstance(cost, Dollars):
            money.spent += cost.amount
        self.stir()

    def _used_up(self, estimate_usd: float, words: Words) -> str | None:
        limits = self._budget
        if self._unknown:
            return self._unknown
        if limits.max_calls is not None and self._sent >= limits.max_calls:
            setting = limits.setting("max_calls")
            return f"the budget of {limits.max_calls} calls is used up; raise {setting}, or ask for less"
        if limits.max_usd is not None and (reason := self._too_dear(limits.max_usd, estimate_usd, words)):
            return reason
        if self.left_s() == 0.0:
            return self.out_of_time()
        return None

    def _too_dear(self, limit: float, estimate_usd: float, words: Words) -> str:
        """Why dollars forbid another request; empty where they do not."""
        setting, spent = self._budget.setting("max_usd"), self._money.spent
        whole = f"the budget of {exact_dollars(limit)}"
        if spent >= limit - _DUST:
            return f"{whole} is used up; raise {setting}, or ask for less"
        if spent + estimate_usd > limit + _DUST:
            return (
                f"{whole} does not suffice for {words.wanted}: ${spent:.4g} is spent, and {words.payer} may cost "
                f"${estimate_usd:.4g}; raise {setting}, or {words.instead}"
            )
        return ""

    def _refuse(self, reason: str) -> str:
        self._refused = self._refused or reason
        return reason


def capped(params: Params, budget: Budget) -> Params:
    """Parameters within a budget of tokens per reply: the same ones, or with the cap where they name no limit.

    Args:
        params: of an arm or a judge.
        budget: of the run.

    Raises:
        GateError: they ask for more.
    """
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
    """Find before anything is spent who asks for longer replies than the budget allows.

    Args:
        asked: models and parameters of arms and judges.
        budget: of the run.

    Raises:
        GateError: naming the model.
    """
    for model, params in asked:
        try:
            capped(params, budget)
        except GateError as error:
            raise GateError(f"{model}: {error.message}", error.hint) from None
