"""Where the interfaces live, and whose an address is."""

from urllib.parse import urlsplit

from gate.providers.base import Misconfigured

OPENAI_URL = "https://api.openai.com/v1"
ANTHROPIC_URL = "https://api.anthropic.com"


def is_openai(base_url: str) -> bool:
    """Is this OpenAI's own interface (regional addresses included), rather than a compatible server?"""
    return _belongs(base_url, "api.openai.com")


def is_anthropic(base_url: str) -> bool:
    """Is this Anthropic's own interface?"""
    return _belongs(base_url, "api.anthropic.com")


def takes_new_token_limit(base_url: str) -> bool:
    """Does this server want `max_completion_tokens`? OpenAI's newer models refuse the older `max_tokens`, and the
    same models answer on Azure; other servers know only the older word."""
    return is_openai(base_url) or _belongs(base_url, "openai.azure.com") or _belongs(base_url, "services.ai.azure.com")


def host(base_url: str) -> str:
    """The server's name for messages: no path, no user name, no password."""
    return urlsplit(base_url).hostname or "the server"


def checked(base_url: str) -> str:
    """The same address without a slash at its end.

    Raises:
        Misconfigured: it is not an http or https address, or carries a password.
    """
    url = base_url.strip()
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
        parts = urlsplit("")
    if not good or any(char.isspace() or not char.isprintable() for char in url):
        raise Misconfigured(
            "base_url is not an http or https address", "write it like http://localhost:11434/v1, scheme included"
        )
    if parts.username or parts.password:
        raise Misconfigured("base_url carries a user name or password", "put the key in the environment instead")
    return url.rstrip("/")


def _belongs(base_url: str, domain: str) -> bool:
    name = urlsplit(base_url).hostname or ""
    return name == domain or name.endswith("." + domain)
