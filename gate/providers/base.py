"""The port to whatever answers: one request in, one completion or one classified error out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from gate.domain.jsonvalue import JsonValue
from gate.domain.message import Message
from gate.domain.model import ModelRef, Params
from gate.domain.tools import Tool, ToolCall
from gate.domain.usage import Usage
from gate.errors import GateError
from gate.providers.headroom import Headroom


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a model.

    Args:
        messages: what is sent, in order.
        model: who answers.
        params: neutral parameters.
        index: sample index, 0 to k - 1, so that k samples stay k different samples.
        schema: JSON Schema that the reply must satisfy (structured output), or None for free text.
        about: the suite and case that it is asked for, so that equal questions of two cases stay two samples; not sent.
        tools: what the model may call instead of answering.
    """

    messages: tuple[Message, ...]
    model: ModelRef
    params: Params
    index: int = 0
    schema: Mapping[str, JsonValue] | None = None
    about: str = ""
    tools: tuple[Tool, ...] = ()


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer, parsed.

    Args:
        text: the answer's text.
        model_id: the id that the reply names.
        usage: tokens.
        latency_s: seconds of this one request; None where time means nothing.
        stop_reason: the provider's word.
        headroom: what the server said of its rate limit.
        tool_calls: what the model wants to be called before it goes on.
    """

    text: str
    model_id: str
    usage: Usage
    latency_s: float | None
    stop_reason: str = ""
    headroom: Headroom | None = None
    tool_calls: tuple[ToolCall, ...] = ()


class Transient(Exception):
    """Worth another try: 429, 5xx, a dropped connection, a time-out, a malformed reply.

    Args:
        reason: one line without keys.
        retry_after_s: what the server asked for, in seconds.
        throttled: the server said that there were too many requests (429), or more than it can serve (503, 529).
        headroom: what the server said of its rate limit.
        unheard: the request may have been answered, and charged for, and nothing of that answer is used.
    """

    def __init__(  # noqa: PLR0913
        self,
        reason: str,
        retry_after_s: float | None = None,
        *,
        throttled: bool = False,
        headroom: Headroom | None = None,
        unheard: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after_s = retry_after_s
        self.throttled = throttled
        self.headroom = headroom
        self.unheard = unheard


class Rejected(Exception):
    """This one request will never work (content filter, context too long); others may.

    Args:
        reason: one line without keys.
        unheard: see `Transient`.
    """

    def __init__(self, reason: str, *, unheard: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.unheard = unheard


class Misconfigured(GateError):
    """No request of this arm can work: wrong key, unknown model, a parameter that the interface does not take."""


class Provider(Protocol):
    """One service. Implementations are owned by `bootstrap` and closed by it."""

    @property
    def max_in_flight(self) -> int | None:
        """Requests at once that make sense (1 for an embedded model), or None for no limit of its own."""
        ...

    @property
    def lane(self) -> str:
        """What shares a rate limit has the same one: provider, address and key, the key unrecognisable. Empty where
        there is no service that could be overloaded."""
        ...

    @property
    def priced(self) -> bool:
        """False where a price does not exist (local models, recorded answers)."""
        ...

    def check(self, params: Params) -> None:
        """Raise `Misconfigured` for a parameter that this interface does not take, before anything is spent."""
        ...

    async def complete(self, request: Request) -> Completion:
        """Send one request, once.

        Raises:
            Transient: worth another try.
            Rejected: this request will never work.
            Misconfigured: no request will work.
        """
        ...

    async def close(self) -> None:
        """Free connections, threads, models."""
        ...
