"""What is lost in a conversion from one format to another, as text for people."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gate.cases.case import Entry
from gate.config.documents import printable
from gate.values import JsonValue, counted

SHOWN = 3
"""Places named for one kind of loss."""
KINDS_SHOWN = 30
"""Kinds that a terminal has room for."""
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Loss:
    """Something of the other tool that has no equivalent here, or is expressed differently.

    Args:
        where: file and line, `promptfooconfig.yaml:31`.
        line: the same line; 0 for the whole file.
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
        """One loss; `line` is 0 for the whole file."""
        where = f"{self.file}:{line}" if line else self.file
        self.found.append(Loss(printable(where), printable(message), printable(hint), line))


@dataclass(slots=True)
class FreeNames:
    """Names that occur once: a second `refund` becomes `refund-2`.

    Args:
        reserved: no numbered name is one of these.
    """

    mark: str = "-"
    reserved: frozenset[str] = frozenset()
    taken: set[str] = field(default_factory=set)
    _next: dict[str, int] = field(default_factory=dict)

    def take(self, name: str) -> str:
        """The name, or with the next free number."""
        free, number = name, self._next.get(name, 2)
        while free in self.taken or (free != name and free in self.reserved):
            free, number = f"{name}{self.mark}{number}", number + 1
        self._next[name] = number  # from 2 again, a hundred thousand equal names would be tried for each
        self.taken.add(free)
        return free


@dataclass(frozen=True, slots=True)
class BundleSuite:
    """One suite of `gate.yaml`.

    Args:
        prompt: path of one of the bundle's files, or of a file of the repository that is used as it is.
        cases: valid ones; empty where the tool keeps none with its prompt.
        scorers: empty where the tool says of no answer whether it is good.
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


@dataclass(frozen=True, slots=True)
class KindOfLoss:
    """Losses that differ only in numbers: text of the first, and the places of the first few."""

    what: str
    count: int
    places: tuple[str, ...]
    remedy: str


def kinds(losses: Iterable[Loss]) -> tuple[KindOfLoss, ...]:
    """The losses by their kinds, in the order in which they were met."""
    grouped: dict[str, list[Loss]] = {}
    for loss in losses:
        grouped.setdefault(_NUMBER.sub("0", loss.what), []).append(loss)
    found = []
    for group in grouped.values():
        places = tuple(dict.fromkeys(loss.where for loss in group))[:SHOWN]
        found.append(KindOfLoss(group[0].what, len(group), places, group[0].remedy))
    return tuple(found)


def described_losses(losses: Sequence[Loss], rest: str) -> list[str]:
    """How many there are, and a line for each kind; empty where there are none.

    Such a line: `tests.yaml:4, tests.yaml:9 and 3 more: what is lost (what to do)`.

    Args:
        rest: where the losses are that are left out here.
    """
    found = kinds(losses)
    lines = [f"{counted(len(losses), 'setting')} could not be converted exactly:"] if losses else []
    for kind in found[:KINDS_SHOWN]:
        more = f" and {kind.count - len(kind.places)} more" if kind.count > len(kind.places) else ""
        remedy = f" ({kind.remedy})" if kind.remedy else ""
        lines.append(f"  {', '.join(kind.places)}{more}: {kind.what}{remedy}")
    return lines + ([f"  {len(found) - KINDS_SHOWN} more kinds; {rest}"] if len(found) > KINDS_SHOWN else [])
