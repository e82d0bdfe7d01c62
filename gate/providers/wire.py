"""The seam between an interface's words and the network: bytes out, bytes in, timed and bounded."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

MAX_REPLY_BYTES = 8 * 2**20
"""The longest text that is kept, should every character of it be written as an escape."""
CONNECT_TIMEOUT_S = 15.0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an interface is reached.

    Args:
        api_key: sent with each request, never shown.
        base_url: of the interface, without the path of a call.
        connections: requests that may be under way at once.
        sdk: send through the official SDK instead of directly.
    """

    api_key: str
    base_url: str
    connections: int
    sdk: bool = False

    def __repr__(self) -> str:
        return f"Endpoint({self.base_url!r}, connections={self.connections})"


def lane_of(provider: str, endpoint: Endpoint) -> str:
    """What shares a rate limit: interface, address and key, of which a digest is enough to tell two apart."""
    digest = hashlib.sha256(endpoint.api_key.encode()).hexdigest()[:8]
    return f"{provider} {endpoint.base_url} {digest}"


@dataclass(frozen=True, slots=True)
class Raw:
    """A reply as it came.

    Args:
        status: of HTTP; any.
        headers: looked up in any case.
        body: the whole body, at most `MAX_REPLY_BYTES`.
        latency_s: seconds from sending the request to the last byte of the reply.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    latency_s: float


class Broken(Exception):
    """No reply: no connection, a connection that ended, a reply that is too large or compressed.

    Args:
        reason: what happened, in the library's words; not clean.
        answered: a reply had begun, which may be charged for.
    """

    def __init__(self, reason: str, *, answered: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.answered = answered


class TooLarge(Broken):
    """A reply that is not read to its end."""


class Wire(Protocol):
    """One way to reach one path of one interface. It does not retry, does not follow redirects and unpacks nothing."""

    async def post(self, body: bytes) -> Raw:
        """Send one JSON text.

        Raises:
            Broken: there is no reply.
        """
        ...

    async def close(self) -> None:
        """Close the connections; closing twice is closing once."""
        ...


def too_large(largest: int = MAX_REPLY_BYTES) -> TooLarge:
    """For a reply that does not end where it should."""
    return TooLarge(f"the reply is larger than {largest:,} bytes", answered=True)


def compressed(*, answered: bool) -> Broken:
    """For a reply that would have to be unpacked: a small compressed body may be a very large one."""
    return Broken("the reply is compressed, which was not asked for", answered=answered)
