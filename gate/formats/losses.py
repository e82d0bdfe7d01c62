"""What is lost on the way from one format to another, told so that a person can read it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gate.domain.words import counted
from gate.formats.bundle import Loss
from gate.inputs.problems import printable

SHOWN = 3
"""Places that are named of one kind of loss."""
KINDS_SHOWN = 30
"""Kinds that a terminal has room for."""
_NUMBER = re.compile(r"\d+")


@dataclass(slots=True)
class Losses:
    """Gathers them for one file.

    Args:
        file: its path.
    """

    file: str
    found: list[Loss] = field(default_factory=list)

    def add(self, line: int, message: str, hint: str = "") -> None:
        """One loss; `line` is 0 for the whole file."""
        where = f"{self.file}:{line}" if line else self.file
        self.found.append(Loss(printable(where), printable(message), printable(hint)))


class Deaf:
    """Gathers none, where something is read once more to see what comes back."""

    def add(self, line: int, message: str, hint: str = "") -> None:
        """See `Losses`."""


@dataclass(frozen=True, slots=True)
class KindOfLoss:
    """Losses that differ in nothing but numbers.

    Args:
        what: the first of them, in its own words.
        count: how many.
        places: of the first few.
        remedy: of the first.
    """

    what: str
    count: int
    places: tuple[str, ...]
    remedy: str


def kinds(losses: Iterable[Loss]) -> tuple[KindOfLoss, ...]:
    """The losses by their kinds, in the order in which they were met."""
    grouped: dict[str, list[Loss]] = {}
    for loss in losses:
        grouped.setdefault(_NUMBER.sub("0", loss.what), []).append(loss)
    return tuple(
        KindOfLoss(
            group[0].what, len(group), tuple(dict.fromkeys(loss.where for loss in group))[:SHOWN], group[0].remedy
        )
        for group in grouped.values()
    )


def told(losses: Iterable[Loss], rest: str) -> list[str]:
    """A line for each kind of loss: `tests.yaml:4, tests.yaml:9 and 3 more: what is lost (what to do)`.

    Args:
        losses: in the order in which they were met.
        rest: where those are that are not told.
    """
    found = kinds(losses)
    lines = []
    for kind in found[:KINDS_SHOWN]:
        more = f" and {kind.count - len(kind.places)} more" if kind.count > len(kind.places) else ""
        remedy = f" ({kind.remedy})" if kind.remedy else ""
        lines.append(f"{', '.join(kind.places)}{more}: {kind.what}{remedy}")
    return lines + ([f"{len(found) - KINDS_SHOWN} more kinds; {rest}"] if len(found) > KINDS_SHOWN else [])


def told_at_length(losses: Sequence[Loss], rest: str) -> list[str]:
    """How many there are, and below that each kind of them; empty where there are none. See `told`."""
    head = f"{counted(len(losses), 'thing')} lost, or put differently:"
    return [head, *(f"  {line}" for line in told(losses, rest))] if losses else []
