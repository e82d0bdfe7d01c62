"""Tokens and money of one call; each kind of token keeps its own price."""

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from pydantic import ConfigDict

from gate.values import WRITTEN, Amount, Count, Tokens


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply.

    Args:
        input_tokens: input neither read from nor written to a prompt cache.
        cache_read_tokens: input read from a prompt cache.
        cache_write_tokens: input written to a prompt cache.
        output_tokens: output, reasoning included.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    input_tokens: Tokens = 0
    cache_read_tokens: Tokens = 0
    cache_write_tokens: Tokens = 0
    output_tokens: Tokens = 0

    @property
    def total_input(self) -> int:
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.output_tokens + other.output_tokens,
        )


@dataclass(frozen=True, slots=True)
class Dollars:
    """A known price, in US dollars."""

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    amount: Amount


@dataclass(frozen=True, slots=True)
class Unpriced:
    """A price that is not known (`unknown`) or does not exist (`n/a`: local models); never 0."""

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    why: Literal["unknown", "n/a"]


Cost: TypeAlias = Dollars | Unpriced


UNPRICED = "at least one model has no known price"
UNTOLD = "the agent does not tell its cost (cost_usd)"
FREE = "no model with a price was called"
"""Why there are no dollars; where nothing with a price was called, they are none rather than not known."""


def added(left: Cost | None, right: Cost | None) -> Cost | None:
    """Two prices together; one that is not known, or does not exist, is what the sum is."""
    if isinstance(left, Dollars) and isinstance(right, Dollars):
        return Dollars(left.amount + right.amount)
    if left is None or right is None:
        return right if left is None else left
    return right if isinstance(left, Dollars) else left


@dataclass(frozen=True, slots=True)
class Effort:
    """What it took to have an answer now; what was known from earlier took nothing.

    Args:
        calls: of models, answered now; retries left out.
        retries: requests sent again.
        reused: calls whose answers were known.
        cost: price of the calls that were answered now; None where there were none.
        aside_calls: further calls, of whoever talks with an agent in the place of a person.
        aside_cost: price of those; None where there were none.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    calls: Count = 0
    retries: Count = 0
    reused: Count = 0
    cost: Cost | None = None
    aside_calls: Count = 0
    aside_cost: Cost | None = None

    def set_aside(self) -> "Effort":
        """The same, as effort of whoever talks with an agent."""
        calls, cost = self.calls + self.aside_calls, added(self.cost, self.aside_cost)
        return Effort(0, self.retries, self.reused, None, calls, cost)

    def __add__(self, other: "Effort") -> "Effort":
        return Effort(
            self.calls + other.calls,
            self.retries + other.retries,
            self.reused + other.reused,
            added(self.cost, other.cost),
            self.aside_calls + other.aside_calls,
            added(self.aside_cost, other.aside_cost),
        )
