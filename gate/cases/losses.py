"""What is lost in a conversion from one format to another, as text for people."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gate.cases.stored import Entry
from gate.config.documents import printable
from gate.values import JsonValue, counted


@dataclass(frozen=True, slots=True)
class Loss:
    """Something of the other tool that has no equivalent here, or is expressed differently.

    Args:
        where: file and line, `promptfooconfig.yaml:31`.
    """

    where: str
    what: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class BundleSuite:
    """One suite of `gate.yaml`.

    Args:
        prompt: path of one of the bundle's files, or of a file of the repository that is used as it is.
        model: such as `openai:gpt-5-mini`; None where the tool names none that is known here.
        template: the prompt is Jinja2, whatever its ending says.
    """

    name: str
    prompt: str
    cases: tuple[Entry, ...]
    scorers: tuple[JsonValue, ...]
    model: str | None = None
    params: Mapping[str, JsonValue] = field(default_factory=dict)
    slices: tuple[str, ...] = ()
    template: bool = False


@dataclass(frozen=True, slots=True)
class Bundle:
    """A whole configuration of another tool.

    Args:
        files: new prompt files: path (from the root, posix) to text.
    """

    format: str
    files: Mapping[str, str]
    suites: tuple[BundleSuite, ...]
    losses: tuple[Loss, ...]


SHOWN = 3
"""Places named for one kind of loss."""
KINDS_SHOWN = 30
"""Kinds that a terminal has room for."""
_NUMBER = re.compile(r"\d+")


@dataclass(slots=True)
class Losses:
    """Collects the losses of one file."""

    file: str
    found: list[Loss] = field(default_factory=list)

    def add(self, line: int, message: str, hint: str = "") -> None:
        """One loss; `line` is 0 for the whole file."""
        where = f"{self.file}:{line}" if line else self.file
        self.found.append(Loss(printable(where), printable(message), printable(hint)))


class Deaf:
    """Ignores losses, where something is read once more to see what comes back."""

    def add(self, line: int, message: str, hint: str = "") -> None:
        """See `Losses`."""


@dataclass(frozen=True, slots=True)
class KindOfLoss:
    """Losses that differ only in numbers."""

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
    """A line for each kind of loss: `tests.yaml:4, tests.yaml:9 and 3 more: what is lost (what to do)`."""
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
