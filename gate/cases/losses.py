"""Losses of a conversion between formats, as text for users."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gate.cases.case import Entry
from gate.config.documents import printable
from gate.values import NAMES_SHOWN, JsonValue, and_more, counted

SHOWN = NAMES_SHOWN
"""Places named for one kind of loss."""
KINDS_SHOWN = 30
"""Kinds that a terminal has room for."""
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that the other format cannot express, or expresses differently.

    Args:
        where: file and line, `promptfooconfig.yaml:31`.
        line: 0 for the whole file.
    """

    where: str
    what: str
    remedy: str = ""
    line: int = 0


@dataclass(slots=True)
class Losses:
    """Collects the losses of one file."""

    file: str = ""
    found: list[Loss] = field(default_factory=list)

    def add(self, line: int, message: str, hint: str = "") -> None:
        """Add a loss; `line` is 0 for the whole file."""
        where = f"{self.file}:{line}" if line else self.file
        self.found.append(Loss(printable(where), printable(message), printable(hint), line))


@dataclass(frozen=True, slots=True)
class BundleSuite:
    """One suite of `gate.yaml`.

    Args:
        prompt: a file of the repository, or a text inside one.
        cases: all valid; empty if the tool stores none with its prompt.
        scorers: empty if the tool has no checks.
        model: such as `openai:gpt-5-mini`; None if the tool names no supported model.
        template: how the prompt is read, as in gate.yaml; empty to decide by its file.
    """

    name: str
    prompt: str
    cases: tuple[Entry, ...]
    scorers: tuple[JsonValue, ...]
    model: str | None = None
    params: Mapping[str, JsonValue] = field(default_factory=dict)
    slices: tuple[str, ...] = ()
    template: str = ""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A converted configuration of another tool."""

    format: str
    suites: tuple[BundleSuite, ...]
    losses: tuple[Loss, ...]


@dataclass(frozen=True, slots=True)
class KindOfLoss:
    """Losses that differ only in numbers: the text of the first, and the first few places."""

    what: str
    count: int
    places: tuple[str, ...]
    remedy: str


def kinds(losses: Iterable[Loss]) -> tuple[KindOfLoss, ...]:
    """Group losses by kind, in the order of their first occurrence."""
    grouped: dict[str, list[Loss]] = {}
    for loss in losses:
        grouped.setdefault(_NUMBER.sub("0", loss.what), []).append(loss)
    found = []
    for group in grouped.values():
        places = tuple(dict.fromkeys(loss.where for loss in group))[:SHOWN]
        found.append(KindOfLoss(group[0].what, len(group), places, group[0].remedy))
    return tuple(found)


def described_losses(losses: Sequence[Loss], rest: str) -> list[str]:
    """The number of losses, and a line per kind; empty without losses.

    A line looks like: `tests.yaml:4, tests.yaml:9 and 3 more: what is lost (what to do)`.

    Args:
        rest: where to find the losses that are not listed.
    """
    found = kinds(losses)
    lines = [f"{counted(len(losses), 'setting')} could not be converted exactly:"] if losses else []
    for kind in found[:KINDS_SHOWN]:
        more = and_more(kind.count - len(kind.places))
        remedy = f" ({kind.remedy})" if kind.remedy else ""
        lines.append(f"  {', '.join(kind.places)}{more}: {kind.what}{remedy}")
    return lines + ([f"  {len(found) - KINDS_SHOWN} more kinds; {rest}"] if len(found) > KINDS_SHOWN else [])
