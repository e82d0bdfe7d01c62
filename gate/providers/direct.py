"""Requests without an SDK: one POST over aiohttp, with the headers that the interface documents and no others.

Which headers those are, and that nothing else differs from what the official SDKs send, is held in place by the
contract tests, which run over both ways.
"""

import time
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from gate.providers.base import Misconfigured
from gate.providers.certificates import system_context
from gate.providers.wire import CONNECT_TIMEOUT_S, MAX_REPLY_BYTES, Broken, Raw, compressed, too_large

_CHUNK = 2**16


class DirectWire:
    """One address and one set of headers.

    Args:
        url: of the call, path included.
        headers: the interface's own, such as the key; those of HTTP are put in here.
        connections: requests that may be under way at once.
        clock: seconds, for latency.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str], connections: int, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._url = URL(url)
        plain = {"Accept": "application/json", "Accept-Encoding": "identity", "Content-Type": "application/json"}
        self._headers = CIMultiDict({**plain, "User-Agent": "prompt-gate", **headers})
        self._connections = connections
        self._clock = clock
        self._proxy = _proxy(url)
        self._session: aiohttp.ClientSession | None = None

    async def post(self, body: bytes) -> Raw:
        """Send one JSON text; see `Wire`."""
        session = self._session or self._opened()
        clock = self._clock
        started = clock()
        try:
            async with session.post(
                self._url, data=body, headers=self._headers, allow_redirects=False, proxy=self._proxy
            ) as response:
                if response.headers.get("Content-Encoding", "identity") != "identity":
                    raise compressed()
                length = response.content_length
                if length is None or length > MAX_REPLY_BYTES:
                    data = await _bounded(response)
                else:
                    data = await response.read()
                return Raw(response.status, response.headers, data, clock() - started)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise Broken(self._without_proxy(_words(error))) from None

    async def close(self) -> None:
        """Close the connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _without_proxy(self, said: str) -> str:
        """A proxy's address may hold a password."""
        if self._proxy is None:
            return said
        password = URL(self._proxy).password
        return said.replace(self._proxy, "the proxy").replace(password or self._proxy, "***")

    def _opened(self) -> aiohttp.ClientSession:
        """Made at the first request, because it belongs to the event loop that runs then."""
        secure = "https" in (self._url.scheme, URL(self._proxy or "").scheme)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self._connections, ssl=system_context() if secure else True),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT_S),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
        )
        return self._session


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    """The body of a reply that does not say how long it is, or lies about it."""
    data = bytearray()
    async for chunk in response.content.iter_chunked(_CHUNK):
        data += chunk
        if len(data) > MAX_REPLY_BYTES:
            raise too_large()
    return bytes(data)


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for this address, as for every program; looked up once."""
    parts = urlsplit(url)
    proxies = getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    if not found or proxy_bypass(parts.netloc):
        return None
    whole = found if "://" in found else f"http://{found}"
    try:
        usable = URL(whole).host is not None
    except ValueError:
        usable = False
    if not usable:
        # Without its value, which may hold a password.
        raise Misconfigured(f"the proxy for {parts.scheme} is no address", "write HTTPS_PROXY=http://host:port")
    return whole


def _words(error: BaseException) -> str:
    """The innermost error's own words."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__
