"""Requests without an SDK: one POST over aiohttp, with the headers that the interface documents and no others.

Which headers those are, and that nothing else differs from what the official SDKs send, is held in place by the
contract tests, which run over both ways.
"""

import time
from base64 import b64encode
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
        self._proxy, login = _proxy(url)
        # To the server itself goes no login: with TLS it is the CONNECT before it that has one.
        self._login = login if self._url.scheme == "https" else None
        if self._login is None:
            self._headers.update(login)
        self._session: aiohttp.ClientSession | None = None

    async def post(self, body: bytes) -> Raw:
        """Send one JSON text; see `Wire`."""
        session = self._session or self._opened()
        clock = self._clock
        started, began = clock(), False
        try:
            async with session.post(
                self._url,
                data=body,
                headers=self._headers,
                allow_redirects=False,
                proxy=self._proxy,
                proxy_headers=self._login,
            ) as response:
                began = 200 <= response.status < 300
                if response.headers.get("Content-Encoding", "identity") != "identity":
                    raise compressed(answered=began)
                length = response.content_length
                if length is None or length > MAX_REPLY_BYTES:
                    data = await _bounded(response)
                else:
                    data = await response.read()
                return Raw(response.status, response.headers, data, clock() - started)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise Broken(_words(error), answered=began) from None

    async def close(self) -> None:
        """Close the connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _opened(self) -> aiohttp.ClientSession:
        """Made at the first request, because it belongs to the event loop that runs then."""
        secure = "https" in (self._url.scheme, self._proxy.scheme if self._proxy else "")
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


def _proxy(url: str) -> tuple[URL | None, dict[str, str]]:
    """The proxy that the environment names for this address, as for every program, and a header with the login.

    Looked up once. An error may quote the address of a proxy, and then it quotes no password.
    """
    parts = urlsplit(url)
    proxies = getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    if not found or proxy_bypass(parts.netloc):
        return None, {}
    try:
        whole = URL(found if "://" in found else f"http://{found}")
        if whole.host is None:
            raise ValueError
        login = {}
        if whole.user or whole.password:
            said = f"{whole.user or ''}:{whole.password or ''}".encode()
            login["Proxy-Authorization"] = f"Basic {b64encode(said).decode()}"
    except ValueError:
        # Without its value, which may hold a password.
        what = f"the proxy for {parts.scheme} is no address"
        raise Misconfigured(what, "write HTTPS_PROXY=http://host:port") from None
    return whole.with_user(None), login


def _words(error: BaseException) -> str:
    """The innermost error's own words."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__
