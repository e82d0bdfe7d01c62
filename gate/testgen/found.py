"""What a stage made, and what has to be said about it."""

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """The result of a stage.

    Args:
        value: what it made; empty where it failed.
        notes: one line each, for the summary: what is missing, and why.
    """

    value: T
    notes: tuple[str, ...] = ()
