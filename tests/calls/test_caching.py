"""From how many tokens on a prefix is cached, and by whose wish."""

from pathlib import Path

import pytest

from gate.calls.endpoints import caching_terms
from gate.calls.providers.factory import Factory
from gate.config.models import ModelRef, Params
from gate.record.comparison import CacheTerms
from tests.support.keys import service_keys


@pytest.mark.parametrize(
    ("model", "minimum"),
    [
        ("openai:gpt-4o-mini", 1024),
        ("openai:gpt-4", None),
        ("anthropic:claude-haiku-4-5-20251001", 4096),
        ("anthropic:claude-opus-5-5", 512),
        ("anthropic:claude-3-5-haiku-latest", 2048),
        ("anthropic:claude-unheard-of", None),
        ("fake:oracle", None),
    ],
)
def test_the_shortest_prefix(model: str, minimum: int | None) -> None:
    provider, name = model.split(":")
    ref = ModelRef(provider, name)
    assert caching_terms(ref, Params()).minimum == minimum


def test_anthropic_caches_what_it_is_asked_to() -> None:
    model = ModelRef("anthropic", "claude-opus-4-8")
    assert not caching_terms(model, Params()).asked
    asked = caching_terms(model, Params(prompt_cache=True))
    assert (asked.asked, asked.marked) == (True, True)


def factory(tmp_path: Path, url: str | None = None) -> Factory:
    return Factory(service_keys("k", "k", url), tmp_path, 1, lambda path: "")


def test_a_token_is_written_at_the_cache_write_price(tmp_path: Path) -> None:
    found = factory(tmp_path).caching(ModelRef("anthropic", "claude-haiku-4-5"), Params(prompt_cache=True))
    assert found == CacheTerms(4096, asked=True, marked=True, write_usd=pytest.approx(1.25e-6))


def test_a_gateway_has_the_terms_of_the_service(tmp_path: Path) -> None:
    model, url = ModelRef("openai", "gpt-4o-mini"), "http://localhost:9/v1"
    assert factory(tmp_path, url).caching(model, Params()).minimum == 1024
    assert factory(tmp_path).caching(ModelRef("fake", "oracle"), Params()) == CacheTerms()
