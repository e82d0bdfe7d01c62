"""Prices, against genai-prices' own arithmetic."""

import genai_prices
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.calls.budget import PriceList
from gate.calls.endpoints import ANTHROPIC_URL, OPENAI_URL
from gate.config.models import ModelPrice, ModelRef
from gate.record.transcript import Cost, Dollars, Unpriced, Usage

TOKENS = st.integers(0, 400_000)
USAGES = st.builds(Usage, TOKENS, TOKENS, TOKENS, st.integers(1, 100_000))
LIST = PriceList()


def official(provider: str, name: str, usage: Usage) -> float:
    # There, input_tokens are all of the input, cached or not.
    counted = genai_prices.Usage(
        input_tokens=usage.total_input,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        output_tokens=usage.output_tokens,
    )
    return float(genai_prices.calc_price(counted, name, provider_id=provider).total_price)


def cost(model: str, usage: Usage, base_url: str = "", model_id: str = "") -> Cost:
    provider, _, name = model.partition(":")
    url = base_url or {"openai": OPENAI_URL, "anthropic": ANTHROPIC_URL}.get(provider, "")
    return LIST.price(ModelRef(provider, name), model_id or name, usage, url)


@pytest.mark.parametrize(
    "model",
    [
        "openai:gpt-4o-mini",
        "openai:gpt-5.6-luna",
        "anthropic:claude-sonnet-5-5",
    ],
)
@given(usage=USAGES)
def test_prices_agree_with_the_price_list(model: str, usage: Usage) -> None:
    found = cost(model, usage)
    assert isinstance(found, Dollars)
    assert found.amount == pytest.approx(official(*model.split(":"), usage), rel=1e-12)


def test_the_model_that_answered_counts_before_the_one_that_was_asked() -> None:
    usage = Usage(10**6)
    assert cost("openai:gpt-4o", usage, model_id="gpt-4o-mini-2024-07-18") == cost("openai:gpt-4o-mini", usage)
    assert cost("openai:gpt-4o-mini", usage, model_id="something-else") == cost("openai:gpt-4o-mini", usage)


@pytest.mark.parametrize("provider", ["local", "fake", "replay"])
def test_what_is_not_sold_has_no_price(provider: str) -> None:
    assert cost(f"{provider}:gpt-4o-mini", Usage(10)) == Unpriced("n/a")


def test_what_is_not_known_is_not_free() -> None:
    assert cost("openai:no-such-model", Usage(10, 0, 0, 10)) == Unpriced("unknown")
    assert cost("groq:no-such-model", Usage(10, 0, 0, 10), "http://localhost:8000/v1") == Unpriced("unknown")


def test_another_seller_is_known_by_its_address() -> None:
    found = cost("openai:llama-3.3-70b-versatile", Usage(10**6), "https://api.groq.com/openai/v1")
    assert isinstance(found, Dollars)


@pytest.mark.parametrize(
    ("model", "url"),
    [
        ("openai:gpt-4o-mini", "http://127.0.0.1:1/v1"),
        ("gateway:gpt-4o-mini", "https://llm.example.com/v1"),
        ("gateway:openai/gpt-4o-mini", "https://llm.example.com/v1"),
        ("azure:gpt-4o-mini", "https://ours.openai.azure.com"),
    ],
)
def test_a_model_has_the_price_of_its_name_wherever_it_is_asked(model: str, url: str) -> None:
    assert cost(model, Usage(10**6), url) == Dollars(0.15)


def test_an_own_price_comes_before_the_list() -> None:
    own = {
        "gpt-4o-mini": ModelPrice(input=1, output=2),
        "ours:llama": ModelPrice(input=4, output=8, cached_input=0.5),
        "free": ModelPrice(input=0, output=0),
    }

    def priced(provider: str, name: str) -> Cost:
        return PriceList(own).price(ModelRef(provider, name), name, Usage(10**6, 10**6, 0, 10**6), "http://gpu/v1")

    assert priced("openai", "gpt-4o-mini") == Dollars(4.0)
    assert priced("ours", "llama") == Dollars(12.5)
    assert priced("ours", "free") == Dollars(0.0)
    assert priced("other", "llama") == Unpriced("unknown")


@pytest.mark.parametrize("model", ["openai:gpt-4o-mini", "anthropic:claude-sonnet-5-5"])
@given(usage=USAGES)
def test_prices_of_batches_agree_with_the_price_list(model: str, usage: Usage) -> None:
    provider, _, name = model.partition(":")
    url = {"openai": OPENAI_URL, "anthropic": ANTHROPIC_URL}[provider]
    found = LIST.price(ModelRef(provider, name), name, usage, url, batch=True)
    counted = genai_prices.Usage(
        input_tokens=usage.total_input,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        output_tokens=usage.output_tokens,
    )
    listed = genai_prices.calc_price(counted, name, provider_id=provider, price_context={"processing": "batch"})
    assert isinstance(found, Dollars)
    assert found.amount == pytest.approx(float(listed.total_price), rel=1e-12)


def test_a_batch_costs_half_where_the_list_has_no_price_for_it() -> None:
    old, usage = ModelRef("openai", "o1-mini"), Usage(1000, 0, 0, 1000)
    standard = genai_prices.calc_price(
        genai_prices.Usage(input_tokens=1000, output_tokens=1), old.name, provider_id="openai"
    )
    context = {"processing": "batch"}
    in_batch = genai_prices.calc_price(
        genai_prices.Usage(input_tokens=1000, output_tokens=1), old.name, provider_id="openai", price_context=context
    )
    assert standard.total_price == in_batch.total_price, "the list has learnt it: take another model"
    found = LIST.price(old, old.name, usage, OPENAI_URL, batch=True)
    assert isinstance(found, Dollars)
    assert found.amount == pytest.approx(official("openai", old.name, usage) / 2)
