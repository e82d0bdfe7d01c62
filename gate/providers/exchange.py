"""One request of an interface: bounded in time, its reply parsed, its errors sorted."""

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from gate.domain.jsonvalue import JsonValue
from gate.providers.base import Completion, Rejected, Transient
from gate.providers.failures import Service, classify, dropped, read_error
from gate.providers.headroom import headroom
from gate.providers.untrusted import Cleaner, Malformed, TooLong, json_object
from gate.providers.wire import Broken, Raw, Wire

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":")).encode


Reader = Callable[[dict[str, JsonValue], float | None, Cleaner, str], Completion]
"""Makes a completion of a reply's JSON object, its seconds, what removes secrets, and the model that was asked.

Raises `Malformed` or `TooLong`.
"""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Requests to one path of one interface.

    Args:
        wire: how it is reached.
        service: who is asked, for messages.
        cleaner: removes secrets from what the server says.
        reader: of the interface's replies.
        wall_clock: seconds since the epoch.
    """

    wire: Wire
    service: Service
    cleaner: Cleaner
    reader: Reader
    wall_clock: Callable[[], float] = time.time

    async def post(self, body: dict[str, JsonValue], timeout_s: float) -> Completion:
        """Send one request, once.

        Args:
            body: the request.
            timeout_s: seconds for the whole exchange, connecting included.

        Raises:
            Transient, Rejected, Misconfigured: sorted by `classify`.
        """
        try:
            sent = _encode(body).encode()
        except UnicodeEncodeError:
            raise Rejected("the request holds half a surrogate pair, which is not valid Unicode") from None
        try:
            async with asyncio.timeout(timeout_s):
                raw = await self.wire.post(sent)
        except TimeoutError:
            raise Transient(f"{self.service.name} gave no answer within {timeout_s:g} s", unheard=True) from None
        except Broken as broken:
            raise dropped(broken, self.service, self.cleaner) from None
        answer = self._read(raw)
        room = headroom(raw.headers, self.wall_clock())
        return answer if room is None else replace(answer, headroom=room)

    def _read(self, raw: Raw) -> Completion:
        if not 200 <= raw.status < 300:
            error = read_error(raw.status, raw.headers, raw.body, self.cleaner, self.wall_clock())
            raise classify(error, self.service)
        try:
            return self.reader(json_object(raw.body), raw.latency_s, self.cleaner, self.service.model)
        except Malformed as error:
            raise Transient(f"{self.service.name}: {error}", unheard=True) from None
        except TooLong as error:
            raise Rejected(f"{self.service.name}: {error}", unheard=True) from None
