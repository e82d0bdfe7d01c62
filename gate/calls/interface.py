"""One call of a model, its outcomes, and what sends, remembers and budgets calls."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from gate.calls.thinking import split_thinking
from gate.config.models import ModelRef, Params
from gate.errors import GateError
from gate.messages import Message, Tool, ToolCall
from gate.record.findings.finding import Finding
from gate.record.transcript import CUT_OFF, Cost, Failed, Reply, Sample, Unpriced, Usage
from gate.values import JsonValue


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a model.

    Args:
        index: sample index, 0 to k - 1, so that k samples stay different.
        schema: JSON Schema of the reply (structured output), or None for free text.
        about: suite and case, so that equal questions of two cases stay two samples; not sent.
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
    """One answer; `latency_s` is None where time means nothing, and `stop_reason` the provider's word.

    Args:
        text: as the model wrote it, perhaps with its thinking.
        thinking: as far as the provider separates it.
        notes: what the request was sent without, because the server refuses it.
        original: the provider's own message, as JSON text; see `gate.messages.Message`.
    """

    text: str
    model_id: str
    usage: Usage
    latency_s: float | None
    stop_reason: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    thinking: str = ""
    notes: tuple[str, ...] = ()
    original: str = ""


def reply_of(request: Request, completion: Completion, cost: Cost) -> Reply:
    """The answer of a completion; every answer of a model comes through here."""
    text, thinking, stop_reason = completion.text, completion.thinking, completion.stop_reason
    # What reads a structured reply has no use for thinking.
    if not request.params.keep_thinking or request.schema is not None:
        parts = split_thinking(text)
        text, thinking = parts.answer, "\n\n".join(filter(None, (thinking, parts.thinking)))
        if not parts.finished and not completion.tool_calls and stop_reason not in CUT_OFF:
            stop_reason = CUT_OFF[0]
    return Reply(
        text=text,
        model_id=completion.model_id,
        usage=completion.usage,
        cost=cost,
        latency_s=completion.latency_s,
        stop_reason=stop_reason,
        tool_calls=completion.tool_calls,
        thinking=thinking,
        # Only a loop of tools sends it back.
        original=completion.original if request.tools else "",
    )


class Transient(Exception):
    """Worth another try: 429, 5xx, a dropped connection, a time-out, a malformed reply.

    Args:
        reason: one line without keys.
        retry_after_s: the wait that the server asks for.
        throttled: too many requests (429), or more than the server can take (503, 529).
        unheard: the request may have been answered and charged, although no answer arrived.
    """

    def __init__(
        self, reason: str, retry_after_s: float | None = None, *, throttled: bool = False, unheard: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after_s = retry_after_s
        self.throttled = throttled
        self.unheard = unheard


class RejectedRequest(Exception):
    """This one request will never work (content filter, context too long); others may. See `Transient`."""

    def __init__(self, reason: str, *, unheard: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.unheard = unheard


class Misconfigured(GateError):
    """No request of this arm can work: wrong key, unknown model, a parameter that the interface does not take."""


class Provider(Protocol):
    """One model of one service."""

    @property
    def max_in_flight(self) -> int | None:
        """Useful number of simultaneous requests (1 for an embedded model), or None for no limit."""
        ...

    @property
    def lane(self) -> str:
        """What shares a rate limit has the same one; empty where there is no service that could be overloaded."""
        ...

    @property
    def priced(self) -> bool:
        """False where a price does not exist (local models, recorded answers)."""
        ...

    def check(self, params: Params, /) -> None:
        """Raise `Misconfigured` for a parameter that this interface does not take, before anything is spent."""
        ...

    async def complete(self, request: Request) -> Completion:
        """Send one request, once; raises `Transient`, `RejectedRequest` or `Misconfigured`."""
        ...

    async def close(self) -> None:
        """Free connections, threads, models."""
        ...


class Executor(Protocol):
    """Sends requests from other processes, with their own keys. Journal, limits, budget and retries stay here."""

    async def complete(self, request: Request) -> Completion:
        """As `Provider.complete`; also raises `MissingKey` and `CannotEvaluate`."""
        ...

    async def close(self) -> None:
        """Close connections; a second call does nothing."""
        ...


WorthKeeping: TypeAlias = Callable[[Reply], bool]


def any_reply(reply: Reply) -> bool:
    """Any reply is worth keeping."""
    return True


class Calls(Protocol):
    """Sends requests under one policy of memory, retries, limits and budgets."""

    async def call(self, request: Request, *, fresh: bool = False, worth: WorthKeeping = any_reply) -> Reply | Failed:
        """Send one request, unless its answer is cached; a failure after every retry is a value, not an exception.

        Args:
            fresh: ignore a cached answer.
            worth: may a fresh reply replace the cached one? If not, the cached one stays.
        """
        ...


@dataclass(slots=True)
class Bill:
    """What a message to an agent cost, over all calls that it took."""

    cost: Cost = Unpriced("unknown")


class CallRefused(Exception):
    """The request must not be sent; the reason is one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ExternalConversation(Protocol):
    """A conversation with an agent that calls its models itself."""

    def message(self) -> AbstractAsyncContextManager[Bill]:
        """Room for one message, which is cut at the deadline; the bill takes its price, if the agent gives one. Raises
        `CallRefused`."""
        ...


class ExternalBudgets(Protocol):
    """Checks the budgets when other code calls the models."""

    def outside(self, messages: int) -> AbstractAsyncContextManager[ExternalConversation]:
        """Room for one conversation of at least so many messages; raises `CallRefused`."""
        ...


class BudgetedCalls(Calls, ExternalBudgets, Protocol):
    """Sends requests, and checks the budgets when other code sends them."""


class AnswerNotSaved(Exception):
    """An answer could not be written down, so it must not count; the reason is one line, such as "the disk is full"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Memory(Protocol):
    """Answers that were taken before, and the place where new ones are written down before they count."""

    @property
    def empty(self) -> bool:
        """Nothing is known, so nothing needs to be looked up."""
        ...

    def find(self, request: Request) -> Reply | None:
        """The answer to exactly this request, sample index included, marked as reused; None where there is none."""
        ...

    def earlier(self, request: Request) -> Reply | None:
        """As `find`, without counting it as a use."""
        ...

    async def keep(self, request: Request, reply: Reply) -> Reply:
        """Write an answer down; returns it with its origin when it is on disk, or raises `AnswerNotSaved`."""
        ...


class NoMemory:
    """A memory that saves nothing."""

    empty = True

    def find(self, request: Request) -> Reply | None:
        return None

    def earlier(self, request: Request) -> Reply | None:
        return None

    async def keep(self, request: Request, reply: Reply) -> Reply:
        return reply


Found = TypeVar("Found")


async def together(asked: Iterable[Coroutine[Any, Any, Found]]) -> list[Found]:
    """Start all of them in order and wait; results are in the same order. The first exception cancels the others."""
    tasks = [asyncio.ensure_future(one) for one in asked]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass(slots=True)
class Stop:
    """A switch that ends a run early; the first cause stays. It is `interrupted` where a user pressed Ctrl-C."""

    cause: Finding | None = None
    interrupted: bool = False
    _abandon: Callable[[], object] | None = None

    @property
    def reason(self) -> str | None:
        """The cause as a clause; None where the run goes on."""
        return None if self.cause is None else self.cause.phrase

    def drain(self, cause: Finding) -> None:
        """Take no more work, but finish running work."""
        self.cause = self.cause or cause

    def now(self, cause: Finding) -> None:
        """Take no more work, and cancel running work."""
        self.drain(cause)
        if self._abandon is not None:
            self._abandon()

    def abandon_with(self, abandon: Callable[[], object]) -> None:
        """Set the function that `now` calls to cancel running work."""
        self._abandon = abandon


class Progress(Protocol):
    """Shows the user the progress of the run."""

    def start(self, total: int) -> None:
        """`total` samples will be taken."""

    def advance(self, sample: Sample, spent_usd: float | None) -> None:
        """One sample is finished; `spent_usd` is the total so far, None where it is not known."""

    def finish(self) -> None:
        """No more samples will come."""


class StepProgress(Protocol):
    """Shows the user the progress of work without samples."""

    def start(self, total: int) -> None:
        """About `total` steps will be taken."""

    def step(self, spent_usd: float | None, *, failed: bool = False) -> None:
        """One more step is taken; `spent_usd` is the total so far, None where it is not known."""

    def finish(self) -> None:
        """No more steps will come."""


class SilentProgress:
    """Shows nothing."""

    def start(self, total: int) -> None:
        return

    def advance(self, sample: Sample, spent_usd: float | None) -> None:
        return

    def step(self, spent_usd: float | None, *, failed: bool = False) -> None:
        return

    def finish(self) -> None:
        return
