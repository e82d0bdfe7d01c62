"""Prices of calls that need not be made: they need no keys."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gate.calls.budget import PriceList
from gate.calls.providers.factory import Factory
from gate.config.models import ModelPrice, ModelRef, Params, ProviderServer
from gate.environment.settings import NO_SERVERS, Settings, addresses_of
from gate.errors import GateError
from gate.record.transcript import Cost, Unpriced, Usage

if TYPE_CHECKING:
    from gate.engine.spending import Pricer


def keyless_factory(
    settings: Settings,
    servers: Mapping[str, ProviderServer] = NO_SERVERS,
    prices: Mapping[str, ModelPrice] | None = None,
) -> Factory:
    """A factory that knows prices and interfaces; it has no keys, and cannot send anything."""

    def no_text(path: str) -> str:
        raise GateError(f"cannot read {path}", "recorded answers are only read from the machine that asks for them")

    keys = addresses_of(settings, servers)
    return Factory(keys, settings.cache_dir, settings.concurrency, no_text, PriceList(prices))


def pricer(factory: Factory) -> "Pricer":
    """Prices the calls of models, which need not be made."""

    def price(model: ModelRef, params: Params, usage: Usage) -> Cost:
        return factory.price(model, params, model.name, usage)

    return price


def is_unpriced(factory: Factory, model: ModelRef, params: Params) -> bool:
    """Is the price of a model unknown?"""
    return factory.price(model, params, model.name, Usage(1, 0, 0, 1)) == Unpriced("unknown")
