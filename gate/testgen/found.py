"""What a stage made, and what has to be said about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
_NAMED = 8


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """The result of a stage.

    Args:
        value: what it made; empty where it failed.
        notes: one line each, for the summary: what is missing, and why.
        left_out: what the notes may name the first few of.
    """

    value: T
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def noted(problems: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """A line for each of the first few problems, with the first few that it befell; one more for all others.

    Args:
        problems: names by problem. Models word their refusals in many ways, so there may be as many as names.
    """
    lines = [f"{problem}: {listed(names)}" for problem, names in problems.items()]
    others = [name for names in list(problems.values())[_NAMED:] for name in names]
    return (*lines[:_NAMED], *([f"other problems: {listed(others)}"] if others else []))


def listed(names: Sequence[str], most: int = _NAMED) -> str:
    """The first few names, and how many there are besides.

    Args:
        names: one or more.
        most: that are named.
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def full_told(what: str, most: int | None) -> str:
    """The note about a list that ends where its bound is.

    Args:
        what: it holds, in the plural.
        most: of them, that the model was let write.
    """
    return f"the list of {what} was full at {most}: the model was let write no more, and there may be others"
