"""What a call may cost, before it is made."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from gate.domain.message import Message
from gate.domain.model import ModelRef, Params
from gate.domain.usage import Cost, Dollars, Usage
from gate.providers.base import Request

Pricer: TypeAlias = Callable[[ModelRef, Params, str, Usage], Cost]
"""Model, parameters, the model id of the reply, tokens: what did it cost?"""

CHARS_PER_TOKEN = 4
BYTES_PER_TOKEN = 3
"""Of text that is not all ASCII: one token for a CJK character, two thirds for an accented letter."""
OUTPUT_TOKENS = 256
"""Assumed for a reply whose length nothing bounds, until some have been seen."""

_KNOWN = 5
_DEVIATIONS = 2.0


@dataclass(slots=True)
class _Lengths:
    """Mean and variance of output tokens, in one pass (Welford, Technometrics 1962)."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def add(self, tokens: int) -> None:
        self.count += 1
        away = tokens - self.mean
        self.mean += away / self.count
        self.squares += away * (tokens - self.mean)

    @property
    def high(self) -> float:
        return self.mean + _DEVIATIONS * math.sqrt(self.squares / self.count)


@dataclass(slots=True)
class Estimator:
    """Prices calls beforehand, on the high side.

    The output is taken from the replies of the same model and parameters so far: their mean plus two standard
    deviations, so that what is in flight together comes to less than was put aside for it. Before five of them are
    known, it is `max_output_tokens`.

    Args:
        price: prices a reply.
    """

    price: Pricer
    _seen: dict[tuple[ModelRef, Params], _Lengths] = field(default_factory=dict)

    def usd(self, request: Request) -> float:
        """Dollars that the call may cost; 0 where it has no known price."""
        params = request.params
        lengths = self._seen.get((request.model, params))
        if lengths is not None and lengths.count >= _KNOWN:
            output = lengths.high if params.max_output_tokens is None else min(lengths.high, params.max_output_tokens)
        else:
            output = float(params.max_output_tokens or OUTPUT_TOKENS)
        usage = Usage(input_tokens(request.messages) + _tool_tokens(request), 0, 0, math.ceil(output))
        cost = self.price(request.model, params, request.model.name, usage)
        return cost.amount if isinstance(cost, Dollars) else 0.0

    def learn(self, request: Request, usage: Usage) -> None:
        """Note the tokens of a reply; one that reports none teaches nothing."""
        if usage != Usage():
            self._seen.setdefault((request.model, request.params), _Lengths()).add(usage.output_tokens)


def _tool_tokens(request: Request) -> int:
    """Tokens of what a model is told of its tools, and of its own calls of them so far."""
    told = (part for tool in request.tools for part in (tool.name, tool.description, tool.schema))
    calls = (call for message in request.messages for call in message.tool_calls)
    return sum(map(_tokens, told)) + sum(_tokens(call.name) + _tokens(call.arguments) for call in calls)


def input_tokens(messages: Sequence[Message]) -> int:
    """Tokens of a prompt, about: four ASCII characters each, fewer of other text."""
    return sum(_tokens(message.content) for message in messages)


def _tokens(text: str) -> int:
    if text.isascii():
        return math.ceil(len(text) / CHARS_PER_TOKEN)
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN)
