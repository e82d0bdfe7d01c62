"""Addresses of interfaces."""

import pytest

from gate.calls import endpoints
from gate.calls.interface import Misconfigured


@pytest.mark.parametrize(
    ("url", "own"),
    [
        ("https://api.openai.com/v1", True),
        ("https://eu.api.openai.com/v1", True),
        ("https://api.openai.com.evil.example/v1", False),
        ("https://notapi.openai.com/v1", False),
        ("http://localhost:11434/v1", False),
    ],
)
def test_whose_an_address_is(url: str, own: bool) -> None:
    assert endpoints.is_openai(url) is own


def test_azure_wants_the_new_limit_and_others_the_old_one() -> None:
    assert endpoints.takes_new_token_limit("https://me.openai.azure.com/openai/v1")
    assert endpoints.takes_new_token_limit("https://api.openai.com/v1")
    assert not endpoints.takes_new_token_limit("http://localhost:8000/v1")


@pytest.mark.parametrize("url", ["", "localhost:11434/v1", "http://a b/"])
def test_bad_addresses(url: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        endpoints.checked_url(url, "OPENAI_BASE_URL")
    assert caught.value.message.startswith("OPENAI_BASE_URL ")


def test_a_password_in_an_address_is_refused_and_not_shown() -> None:
    with pytest.raises(Misconfigured) as caught:
        endpoints.checked_url("https://me:hunter2@host.example/v1", "OPENAI_BASE_URL")
    assert "hunter2" not in str(caught.value) + caught.value.hint
