"""Budgets of calls, dollars, minutes and tokens per reply, checked before each request."""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

from gate.calls.interface import Bill, CallRefused, ExternalConversation, Request
from gate.config.models import SERVICES, ModelPrice, ModelRef, Params
from gate.config.policy import Budget
from gate.errors import GateError
from gate.messages import CHARS_PER_TOKEN, IMAGE_TOKENS, Message
from gate.record.findings.notes import CostUncounted
from gate.record.findings.unfinished import BudgetReached, LimitName
from gate.record.transcript import Cost, Dollars, Unpriced, Usage

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice as ListedPrice
    from genai_prices.types import TieredPrices

Price: TypeAlias = "Decimal | TieredPrices"

_MILLION = Decimal(1_000_000)
_THOUSAND = Decimal(1_000)
_BATCH_SHARE = Decimal("0.5")
_UNSOLD = ("local", "replay", "fake")
_SELLERS = {"bedrock": "aws", "vertex": "google"}
"""The price list's names for providers that it calls otherwise."""


@dataclass(frozen=True, slots=True)
class UnitPrices:
    """Prices of one model, in dollars per million tokens (`request`: per thousand requests), which may step up with the
    length of the input; `share` is the part of them that is paid."""

    fresh: Price
    read: Price
    write: Price
    output: Price
    request: Price
    share: Decimal = Decimal(1)

    def cost(self, usage: Usage) -> Dollars:
        """Price one reply."""
        kinds = (
            (self.fresh, usage.input_tokens),
            (self.read, usage.cache_read_tokens),
            (self.write, usage.cache_write_tokens),
            (self.output, usage.output_tokens),
        )
        tokens = sum((_at(price, usage.total_input) * count for price, count in kinds), Decimal(0))
        return Dollars(float(self.share * (tokens / _MILLION + _at(self.request, usage.total_input) / _THOUSAND)))


class PriceList:
    """Prices of models, each looked up once: an `own` one by its name, with or without its provider; then that of the
    seller at the address; then that of the model's name at its maker's, since gateways pass prices on.
    """

    def __init__(self, own: Mapping[str, ModelPrice] | None = None) -> None:
        self._own = own or {}
        self._known: dict[tuple[str, str, str, str, bool], UnitPrices | None] = {}

    def prepare(self) -> None:
        """Load the price list now, so that loading delays no reply that is being timed."""
        import genai_prices.data_snapshot

        genai_prices.data_snapshot.get_snapshot()

    def price(self, model: ModelRef, model_id: str, usage: Usage, base_url: str, *, batch: bool = False) -> Cost:
        """Price one reply.

        Args:
            model_id: from the reply; else the name that was requested.
            usage: tokens; a reply that reports none has no known price.
            batch: answered in a batch: at the batch price of the price list, or half the price if it has none, which
                both services state for all their models.

        Returns:
            Dollars; or `n/a` for models that are not sold by the token, or `unknown`.
        """
        if model.provider in _UNSOLD:
            return Unpriced("n/a")
        if usage == Usage():
            return Unpriced("unknown")
        key = (model.provider, model.name, model_id, base_url, batch)
        if key not in self._known:
            self._known[key] = self._look_up(model, model_id, base_url, batch=batch)
        prices = self._known[key]
        return Unpriced("unknown") if prices is None else prices.cost(usage)

    def _look_up(self, model: ModelRef, model_id: str, base_url: str, *, batch: bool) -> UnitPrices | None:
        own = next((self._own[name] for name in (str(model), model.name, model_id) if name in self._own), None)
        if own is not None:
            return _own_prices(own)
        found = (_listed(model.provider, name, base_url, batch=batch) for name in (model_id, model.name))
        return next((prices for prices in found if prices is not None), None)


def _own_prices(price: ModelPrice) -> UnitPrices:
    fresh, output = Decimal(str(price.input)), Decimal(str(price.output))
    read = fresh if price.cached_input is None else Decimal(str(price.cached_input))
    return UnitPrices(fresh, read, fresh, output, Decimal(0))


def _listed(provider: str, name: str, base_url: str, *, batch: bool) -> UnitPrices | None:
    """The price of a model: at the address, of the provider, or of its maker."""
    seller = _SELLERS.get(provider, provider) if provider in SERVICES else None
    sellers = (base_url or None, None), (None, seller), (None, None)
    # A gateway's names begin with the maker: openai/gpt-4o-mini.
    for asked in dict.fromkeys((name, name.rpartition("/")[2])):
        for url, maker in sellers:
            standard = _calculated(asked, url, maker)
            if standard is None:
                continue
            own = _calculated(asked, url, maker, {"processing": "batch"}) if batch else None
            halved = batch and own in (None, standard)
            return replace(standard, share=_BATCH_SHARE) if halved else own or standard
    return None


def _calculated(
    name: str, url: str | None, seller: str | None, context: dict[str, str] | None = None
) -> UnitPrices | None:
    import genai_prices

    usage = genai_prices.Usage()
    try:
        if url is not None:
            found = genai_prices.calc_price(usage, name, provider_api_url=url, price_context=context)
        else:
            found = genai_prices.calc_price(usage, name, provider_id=seller, price_context=context)
    except LookupError:
        return None
    return _units(found.model_price)


def _units(price: "ListedPrice") -> UnitPrices | None:
    """The prices of text. Cached input without its own price costs the same as other input."""
    fresh, output = price.input_mtok, price.output_mtok
    if fresh is None or output is None:
        return None
    read, write = price.cache_read_mtok, price.cache_write_mtok
    return UnitPrices(
        fresh,
        fresh if read is None else read,
        fresh if write is None else write,
        output,
        Decimal(0) if price.requests_kcount is None else price.requests_kcount,
    )


def _at(price: Price, input_tokens: int) -> Decimal:
    """The price at this length of input: above a step, its price holds for every token of the request."""
    if isinstance(price, Decimal):
        return price
    at = price.base
    for tier in price.tiers:
        if input_tokens > tier.start:
            at = tier.price
    return at


Pricer: TypeAlias = Callable[[ModelRef, Params, str, Usage], Cost]
"""The cost of a reply, from model, parameters, the model id of the reply, and tokens."""

BYTES_PER_TOKEN = 3
"""Of a text that is not all ASCII: one token for a CJK character, two thirds for an accented letter."""
OUTPUT_TOKENS = 256
"""Assumed for a reply whose length nothing bounds, until some have been seen."""

_KNOWN = 5
_DEVIATIONS = 2.0


@dataclass(slots=True)
class _Lengths:
    """Mean and variance of output tokens, in one pass (Welford, Technometrics 1962)."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def add(self, tokens: int) -> None:
        self.count += 1
        away = tokens - self.mean
        self.mean += away / self.count
        self.squares += away * (tokens - self.mean)

    @property
    def high(self) -> float:
        return self.mean + _DEVIATIONS * math.sqrt(self.squares / self.count)


@dataclass(slots=True)
class Estimator:
    """Prices calls beforehand, on the high side.

    The output is the mean plus two standard deviations of the replies of the same model and parameters so far, so that
    requests in flight together cost less than was reserved for them. Before five are known, it is `max_output_tokens`.
    """

    price: Pricer
    _seen: dict[tuple[ModelRef, Params], _Lengths] = field(default_factory=dict)

    def usd(self, request: Request) -> float:
        """Dollars that the call may cost; 0 where it has no known price."""
        params = request.params
        lengths = self._seen.get((request.model, params))
        if lengths is not None and lengths.count >= _KNOWN:
            output = lengths.high if params.max_output_tokens is None else min(lengths.high, params.max_output_tokens)
        else:
            output = float(params.max_output_tokens or OUTPUT_TOKENS)
        usage = Usage(input_tokens(request.messages) + _tool_tokens(request), 0, 0, math.ceil(output))
        cost = self.price(request.model, params, request.model.name, usage)
        return cost.amount if isinstance(cost, Dollars) else 0.0

    def learn(self, request: Request, usage: Usage) -> None:
        """Note the tokens of a reply; one that reports none is ignored."""
        if usage != Usage():
            self._seen.setdefault((request.model, request.params), _Lengths()).add(usage.output_tokens)


def _tool_tokens(request: Request) -> int:
    """Tokens of the tools' descriptions, and of the model's own calls so far."""
    told = (part for tool in request.tools for part in (tool.name, tool.description, tool.schema))
    calls = (call for message in request.messages if not message.original for call in message.tool_calls)
    return sum(map(_tokens, told)) + sum(_tokens(call.name) + _tokens(call.arguments) for call in calls)


def input_tokens(messages: Sequence[Message]) -> int:
    """Approximate tokens of a prompt: four ASCII characters each, fewer of other text."""
    return sum(
        _tokens(message.original or message.content) + IMAGE_TOKENS * len(message.images) for message in messages
    )


def _tokens(text: str) -> int:
    if text.isascii():
        return math.ceil(len(text) / CHARS_PER_TOKEN)
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN)


_DUST = 1e-9
"""Dollars that sums of floats may be off by."""
_CALL = "call"


class BudgetGuard:
    """Counts the spending and decides when to stop; the minutes of the budget start now, on a monotonic clock.

    Dollars are reserved before a request, and replaced by its price when it is answered. A request that fits the
    budget, but not together with the reservations of others, waits until their prices are known, so cautious estimates
    of many requests at once do not end a run. A failed request counts as free.
    """

    def __init__(self, budget: Budget, clock: Callable[[], float]) -> None:
        self._budget = budget
        self._clock = clock
        self._deadline = None if budget.max_minutes is None else clock() + budget.max_minutes * 60.0
        self._sent = 0
        self.spent = self.reserved = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._refused: BudgetReached | None = None
        self._unpriced = False

    @property
    def refused(self) -> BudgetReached | None:
        """The limit for which a request was refused, or None when none was."""
        return self._refused

    @property
    def in_dollars(self) -> bool:
        """Does the budget limit dollars?"""
        return self._budget.max_usd is not None

    def left_s(self) -> float | None:
        """Seconds until the deadline, 0 or more; None where there is none."""
        return None if self._deadline is None else max(0.0, self._deadline - self._clock())

    def out_of_time(self) -> BudgetReached:
        """Note that the deadline ended a request, and say so."""
        return self._refuse(self._reached("max_minutes"))

    def unpriced(self) -> None:
        """Note that an agent did not say what its answer cost."""
        self._unpriced = True

    def notes(self) -> list[CostUncounted]:
        """That the limit in dollars could not count everything."""
        return [price_unknown((), self._budget)] if self.in_dollars and self._unpriced else []

    async def take(self, estimate_usd: float = 0.0, what: str = _CALL) -> float:
        """Reserve dollars for one request; wait while only the reservations of others prevent it."""
        while not self.holds(estimate_usd, what):
            await self.stirred()
        self._sent += 1
        self.reserved += estimate_usd
        return estimate_usd

    def holds(self, estimate_usd: float, what: str = _CALL, promised_usd: float = 0.0) -> bool:
        """Does a request fit now, with the reservations of others and the `promised_usd` that they will still need?"""
        if (reached := self._used_up(estimate_usd, what)) is not None:
            raise CallRefused(self._refuse(reached).phrase)
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

    def _used_up(self, estimate_usd: float, what: str) -> BudgetReached | None:
        limits = self._budget
        if limits.max_calls is not None and self._sent >= limits.max_calls:
            return self._reached("max_calls")
        if limits.max_usd is not None and self.spent >= limits.max_usd - _DUST:
            return self._reached("max_usd")
        if limits.max_usd is not None and self.spent + estimate_usd > limits.max_usd + _DUST:
            rest = {"spent_usd": self.spent, "next_usd": estimate_usd, "request": what}
            return self._reached("max_usd").model_copy(update=rest)
        return self.out_of_time() if self.left_s() == 0.0 else None

    def _reached(self, limit: LimitName) -> BudgetReached:
        value: float = getattr(self._budget, limit) or 0.0
        return BudgetReached(limit=limit, value=value, setting=self._budget.setting(limit))

    def _refuse(self, reached: BudgetReached) -> BudgetReached:
        self._refused = self._refused or reached
        return reached


def price_unknown(models: Iterable[str], budget: Budget) -> CostUncounted:
    """That the limit in dollars does not count models whose price is unknown."""
    return CostUncounted(
        models=list(models),
        setting=budget.setting("max_usd"),
        calls_setting=budget.setting("max_calls"),
        calls_limited=budget.max_calls is not None,
    )


def cap_reply_tokens(params: Params, budget: Budget) -> Params:
    """Parameters within a budget of tokens per reply: the same ones, or with the cap where they name no limit."""
    cap = budget.max_output_tokens
    if cap is None:
        return params
    if params.max_output_tokens is None:
        return params.model_copy(update={"max_output_tokens": cap})
    if params.max_output_tokens > cap:
        raise GateError(
            f"params.max_output_tokens is {params.max_output_tokens}, but the budget allows {cap} tokens per reply",
            f"lower the parameter, or raise {budget.setting('max_output_tokens')}",
        )
    return params


def check_reply_budget(asked: Iterable[tuple[ModelRef, Params]], budget: Budget) -> None:
    """Check before spending that no arm has a longer reply limit than the budget allows. Raises `GateError`."""
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

    With a limit in dollars, only the first one starts, until its first answer. Each later one starts when its
    messages fit the rest of the budget, together with those that running conversations still have to send, each
    priced like the most expensive answer so far. So the end of the budget does not abort all of them.
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
                self._dearest = self._dearest or 0.0
                self.budget.unpriced()
        except Exception as error:
            self.counters.failed += 1
            # Its cost is unknown: it counts as the most expensive one so far, and no other waits for it.
            self._dearest, bill.cost = self._dearest or 0.0, Dollars(reserved)
            if not isinstance(error, TimeoutError) or not limit.expired():
                raise
            raise CallRefused(self.budget.out_of_time().phrase) from None
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
