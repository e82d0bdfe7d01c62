"""What a reply costs, from the price list of genai-prices, and what a call may cost before it is made."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

from gate.calls.interface import Request
from gate.config.models import SERVICES, ModelRef, Params
from gate.messages import Message
from gate.record.usage import Cost, Dollars, Unpriced, Usage

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice, TieredPrices

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
    """Prices by seller and model; a model is looked up once.

    Args:
        by_name: take the word before the colon (`openai:`) for the seller, wherever requests go: right for a proxy that
            passes them on, wrong for somebody's own server that borrows a model's name.
    """

    def __init__(self, *, by_name: bool = False) -> None:
        self._by_name = by_name
        self._known: dict[tuple[str, str, str, str, bool], UnitPrices | None] = {}

    @property
    def by_name(self) -> bool:
        """Is the word before the colon the seller, wherever requests go?"""
        return self._by_name

    def prepare(self) -> None:
        """Load the price list now, so that loading delays no reply that is being timed."""
        import genai_prices.data_snapshot

        genai_prices.data_snapshot.get_snapshot()

    def price(self, model: ModelRef, model_id: str, usage: Usage, base_url: str, *, batch: bool = False) -> Cost:
        """Price one reply.

        Args:
            model_id: from the reply; the asked name is the second choice.
            usage: tokens; a reply that reports none has no known price.
            batch: answered in a batch: at the list's own price for that, or half the price where it has none, as both
                services say of all their models.

        Returns:
            Dollars; or `n/a` for models that are not sold by the token, or `unknown`.
        """
        if model.provider in _UNSOLD:
            return Unpriced("n/a")
        if usage == Usage():
            return Unpriced("unknown")
        key = (model.provider, model.name, model_id, base_url, batch)
        if key not in self._known:
            self._known[key] = self._look_up(model.provider, model_id, base_url, batch) or self._look_up(
                model.provider, model.name, base_url, batch
            )
        prices = self._known[key]
        return Unpriced("unknown") if prices is None else prices.cost(usage)

    def _look_up(self, provider: str, name: str, base_url: str, batch: bool) -> UnitPrices | None:
        standard = self._listed(provider, name, base_url, None)
        if not batch or standard is None:
            return standard
        own = self._listed(provider, name, base_url, {"processing": "batch"})
        return replace(standard, share=_BATCH_SHARE) if own is None or own == standard else own

    def _listed(self, provider: str, name: str, base_url: str, context: dict[str, str] | None) -> UnitPrices | None:
        import genai_prices

        usage = genai_prices.Usage()
        try:
            if self._by_name:
                # A private server is no known seller: the model is looked up at all makers.
                seller = _SELLERS.get(provider, provider) if provider in SERVICES else None
                found = genai_prices.calc_price(usage, name, provider_id=seller, price_context=context)
            else:
                found = genai_prices.calc_price(usage, name, provider_api_url=base_url, price_context=context)
        except LookupError:
            return None
        return _units(found.model_price)


def _units(price: "ModelPrice") -> UnitPrices | None:
    """The prices of text. Cached input without a price of its own costs what other input does."""
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

CHARS_PER_TOKEN = 4
BYTES_PER_TOKEN = 3
"""Of text that is not all ASCII: one token for a CJK character, two thirds for an accented letter."""
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
    calls = (call for message in request.messages for call in message.tool_calls)
    return sum(map(_tokens, told)) + sum(_tokens(call.name) + _tokens(call.arguments) for call in calls)


def input_tokens(messages: Sequence[Message]) -> int:
    """Approximate tokens of a prompt: four ASCII characters each, fewer of other text."""
    return sum(_tokens(message.content) for message in messages)


def _tokens(text: str) -> int:
    if text.isascii():
        return math.ceil(len(text) / CHARS_PER_TOKEN)
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN)
