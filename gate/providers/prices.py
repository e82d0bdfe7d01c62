"""What a reply costs: each kind of token at its own price, from the price list of genai-prices."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

from gate.domain.model import ModelRef
from gate.domain.usage import Cost, Dollars, Unpriced, Usage
from gate.providers.servers import INTERFACES

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice, TieredPrices

Price: TypeAlias = "Decimal | TieredPrices"

_MILLION = Decimal(1_000_000)
_THOUSAND = Decimal(1_000)
_BATCH_SHARE = Decimal("0.5")
_UNSOLD = ("local", "replay", "fake")
_SELLERS = {"bedrock": "aws", "vertex": "google"}
"""The price list's word for providers that it calls otherwise."""


@dataclass(frozen=True, slots=True)
class UnitPrices:
    """Prices of one model, in dollars per million tokens; a price may step up with the length of the input.

    Args:
        fresh, read, write: input that no cache saw, that was read from one, that was written to one.
        output: output.
        request: dollars per thousand requests, on top.
        share: of these prices, that is paid.
    """

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
        by_name: take the word before the colon (`openai:`) for the seller, wherever the requests go: right for a proxy
            that passes requests on, wrong for somebody's own server that borrows a model's name.
    """

    def __init__(self, *, by_name: bool = False) -> None:
        self._by_name = by_name
        self._known: dict[tuple[str, str, str, str, bool], UnitPrices | None] = {}

    @property
    def by_name(self) -> bool:
        """Is the word before the colon the seller, wherever requests go?"""
        return self._by_name

    def prepare(self) -> None:
        """Load the price list now, rather than between two replies that are being timed."""
        import genai_prices.data_snapshot

        genai_prices.data_snapshot.get_snapshot()

    def price(self, model: ModelRef, model_id: str, usage: Usage, base_url: str, *, batch: bool = False) -> Cost:
        """Price one reply.

        Args:
            model: what was asked.
            model_id: what the reply says it is; the asked name is the second choice.
            usage: tokens; a reply that reports none has no known price.
            base_url: where the request went.
            batch: it was answered in a batch: at the list's own price for that, or at half the price where the list
                has none, which is what both services say of all their models.

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
                # A server of one's own sells under no name: the model's is looked for at all makers.
                seller = _SELLERS.get(provider, provider) if provider in INTERFACES else None
                found = genai_prices.calc_price(usage, name, provider_id=seller, price_context=context)
            else:
                found = genai_prices.calc_price(usage, name, provider_api_url=base_url, price_context=context)
        except LookupError:
            return None
        return _units(found.model_price)


def _units(price: "ModelPrice") -> UnitPrices | None:
    """The units that text has. Cached input without a price of its own is sold as any other input."""
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
