"""An agent that is a service: the protocol's messages, each posted to one address."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import aiohttp

from gate.targets.external.protocol import MOST_BYTES, Tongue, lost_context, message, parsed
from gate.targets.port import AgentFailed, Answer

CLOSING_S = 10.0
TRIES = 4
"""Where the service says that it has not taken a message (429, 503)."""
_BUSY = frozenset({429, 503})
_LONGEST_WAIT_S = 30.0


@dataclass(frozen=True, slots=True)
class Service:
    """What is talked to.

    Args:
        url: that messages are posted to.
        headers: with their values.
        timeout_s: seconds for one answer.
        client: connections.
    """

    url: str
    headers: Mapping[str, str] = field(repr=False)
    timeout_s: float
    client: aiohttp.ClientSession


@dataclass(slots=True)
class ServiceAgent:
    """One conversation; see `gate.targets.port.Agent`.

    Args:
        tongue: speaks the protocol.
        service: what is talked to.
    """

    tongue: Tongue
    service: Service
    _session: str = field(default="", init=False)
    _sent: int = field(default=0, init=False)
    _open: bool = field(default=False, init=False)
    _took: float = field(default=0.0, init=False)

    async def start(self, session: str) -> None:
        self._session = session
        self.tongue.opened(parsed(await self._posted(self.tongue.opening("start", session), self.service.timeout_s)))
        self._open = True

    async def reopen(self, session: str) -> None:
        reply = await self._posted(self.tongue.opening("reopen", session), self.service.timeout_s)
        known = self.tongue.opened(parsed(reply))
        if known is not None and known < self._sent:
            raise lost_context(self._sent, known)
        self._open = True

    async def send(self, text: str) -> Answer:
        data = await self._posted(message("send", session=self._session, text=text), self.service.timeout_s)
        answer = self.tongue.answer(parsed(data), self._took)
        self._sent += 1
        return answer

    async def close(self) -> None:
        if not self._open:
            return
        self._open = False
        with suppress(AgentFailed):
            await self._posted(message("close", session=self._session), CLOSING_S)

    async def _posted(self, line: bytes, seconds: float) -> bytes:
        """What comes back for a message; it is sent again only where the service has not taken it.

        Raises:
            AgentFailed: nothing does, in time.
        """
        try:
            async with asyncio.timeout(seconds):
                for attempt in range(TRIES):
                    begun = time.monotonic()
                    status, data, wait = await self._once(line)
                    self._took = time.monotonic() - begun
                    if status not in _BUSY or attempt == TRIES - 1:
                        break
                    await asyncio.sleep(min(wait, _LONGEST_WAIT_S))
        except TimeoutError:
            raise AgentFailed(f"{self.tongue.who} did not answer within {seconds:g} s") from None
        except (aiohttp.ClientError, OSError) as error:
            said = self.tongue.cleaner.line(str(error)) or type(error).__name__
            raise AgentFailed(f"{self.tongue.who} cannot be reached: {said}") from None
        if len(data) > MOST_BYTES:
            raise AgentFailed(f"{self.tongue.who} answered with more than {MOST_BYTES // 2**20} MiB")
        if status != 200:
            said = self.tongue.cleaner.line(data[:2_000].decode(errors="replace"), 200)
            raise AgentFailed(f"{self.tongue.who} answered with HTTP {status}{f': {said}' if said else ''}")
        return data

    async def _once(self, line: bytes) -> tuple[int, bytes, float]:
        headers = {**self.service.headers, "Content-Type": "application/json", "Accept": "application/json"}
        posted = self.service.client.post(self.service.url, data=line, headers=headers, allow_redirects=False)
        async with posted as reply:
            data = b""
            async for chunk in reply.content.iter_chunked(1 << 16):
                data += chunk
                if len(data) > MOST_BYTES:
                    break
            return reply.status, data, _wait(reply.headers.get("Retry-After"))


def _wait(header: str | None) -> float:
    try:
        return max(0.0, float(header or "1"))
    except ValueError:
        return 1.0
