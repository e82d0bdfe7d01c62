"""Where models are asked: addresses, keys, and whose interface a server speaks."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from gate.domain.model import address_complaint
from gate.providers.base import Misconfigured

Api: TypeAlias = Literal["openai", "azure", "anthropic", "bedrock", "vertex"]
"""The client of an official SDK that reaches a server."""

OPENAI_URL = "https://api.openai.com/v1"
ANTHROPIC_URL = "https://api.anthropic.com"
NO_KEY = "none"
"""Sent to a compatible server when there is no key: the SDKs want some word."""

INTERFACES: Mapping[str, Api] = {
    "openai": "openai",
    "azure": "openai",
    "anthropic": "anthropic",
    "bedrock": "anthropic",
    "vertex": "anthropic",
}
"""Whose interface each provider speaks that is asked over a network: `openai` or `anthropic`."""

_AZURE = ("openai.azure.com", "services.ai.azure.com")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One server, reached by one client.

    Args:
        api: the client.
        provider: the word before the colon of a model's name.
        name: the service, as a reader knows it.
        base_url: without the path of a call; empty where the SDK alone knows it.
        variable: the environment variable that holds the key, for messages.
        connections: requests that may be under way at once.
        api_key: sent with each request, never shown. Empty where the SDK finds credentials of its own.
        token: the key is an access token (Azure).
        version: of the interface (Azure).
        region, project: of Amazon Bedrock and Google Vertex.
    """

    api: Api
    provider: str
    name: str
    base_url: str
    variable: str
    connections: int
    api_key: str = field(default="", repr=False)
    token: bool = False
    version: str = ""
    region: str = ""
    project: str = ""

    @property
    def lane(self) -> str:
        """What shares a rate limit: provider, address and key, of which a digest is enough to tell two apart."""
        digest = hashlib.sha256(self.api_key.encode()).hexdigest()[:8]
        return f"{self.provider} {self.base_url or self.region} {digest}"


def is_openai(base_url: str) -> bool:
    """Is this OpenAI's own interface (regional addresses included), rather than a compatible server?"""
    return _belongs(base_url, "api.openai.com")


def is_anthropic(base_url: str) -> bool:
    """Is this Anthropic's own interface?"""
    return _belongs(base_url, "api.anthropic.com")


def takes_new_token_limit(base_url: str) -> bool:
    """Does this server want `max_completion_tokens`? OpenAI's newer models refuse the older `max_tokens`, and the
    same models answer on Azure; other servers know only the older word."""
    return is_openai(base_url) or any(_belongs(base_url, domain) for domain in _AZURE)


def host(base_url: str) -> str:
    """The server's name for messages: no path, no user name, no password."""
    return urlsplit(base_url).hostname or "the server"


def checked(address: str, variable: str) -> str:
    """The same address without a slash at its end.

    Args:
        address: of a server.
        variable: the environment variable that holds it, for messages.

    Raises:
        Misconfigured: it is not an http or https address, or carries a password.
    """
    url = address.strip()
    if reason := address_complaint(url):
        # The address itself stays out of the message: it may hold a password.
        raise Misconfigured(f"{variable} {reason}", "write scheme and host, as in https://models.example.com/v1")
    return url.rstrip("/")


def usable_key(value: str | None, variable: str) -> str:
    """The key without the line break that often comes with it; empty where there is none.

    Raises:
        Misconfigured: it cannot be sent in a header.
    """
    key = (value or "").strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise Misconfigured(f"{variable} holds characters that no key has", "copy the key again, without quotes")
    return key


def _belongs(base_url: str, domain: str) -> bool:
    name = urlsplit(base_url).hostname or ""
    return name == domain or name.endswith("." + domain)
