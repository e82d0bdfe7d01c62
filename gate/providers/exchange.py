"""One request to a service: bounded in time, its reply parsed, its errors sorted."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import httpx2

from gate.domain.jsonvalue import JsonValue
from gate.providers.base import Completion, Rejected, Transient
from gate.providers.clients import Broken, Client
from gate.providers.failures import Service, classify, dropped, read_error
from gate.providers.headroom import headroom
from gate.providers.untrusted import Cleaner, Malformed, TooLong, json_object

Reader = Callable[[dict[str, JsonValue], float | None, Cleaner, str], Completion]
"""Makes a completion of a reply's JSON object, its seconds, what removes secrets, and the model that was asked.

Raises `Malformed` or `TooLong`.
"""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Requests to one path of one interface.

    Args:
        client: of the SDK.
        path: of the call, below the client's base URL.
        service: who is asked, for messages.
        cleaner: removes secrets from what the server says.
        reader: of the interface's replies.
        clock: seconds, for latency.
        wall_clock: seconds since the epoch.
    """

    client: Client
    path: str
    service: Service
    cleaner: Cleaner
    reader: Reader
    clock: Callable[[], float] = time.perf_counter
    wall_clock: Callable[[], float] = time.time

    async def post(self, body: dict[str, JsonValue], timeout_s: float) -> Completion:
        """Send one request, once.

        Args:
            body: the request.
            timeout_s: seconds for the whole exchange, connecting included.

        Raises:
            Transient, Rejected, Misconfigured: sorted by `classify`.
        """
        call = self.client.sdk.post(self.path, body=body, cast_to=httpx2.Response)
        started = self.clock()
        try:
            async with asyncio.timeout(timeout_s):
                response = await self.client.reply(call)
        except TimeoutError:
            raise Transient(f"{self.service.name} gave no answer within {timeout_s:g} s", unheard=True) from None
        except Broken as broken:
            raise dropped(broken, self.service, self.cleaner) from None
        except UnicodeEncodeError:
            raise Rejected("the request holds half a surrogate pair, which is not valid Unicode") from None
        answer = self._read(response, self.clock() - started)
        room = headroom(response.headers, self.wall_clock())
        return answer if room is None else replace(answer, headroom=room)

    def _read(self, response: httpx2.Response, latency_s: float) -> Completion:
        if not response.is_success:
            parts = (response.status_code, response.headers, response.content)
            raise classify(read_error(*parts, self.cleaner, self.wall_clock()), self.service)
        try:
            return self.reader(json_object(response.content), latency_s, self.cleaner, self.service.model)
        except Malformed as error:
            raise Transient(f"{self.service.name}: {error}", unheard=True) from None
        except TooLong as error:
            raise Rejected(f"{self.service.name}: {error}", unheard=True) from None
