"""What readers of code share: definitions of names, and texts that are put together without running anything."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from textwrap import dedent
from typing import Generic, TypeAlias, TypeVar

from gate.config.documents import text_complaint
from gate.limits import PROMPT_CHARS, TEXT_DEPTH, TEXT_STEPS
from gate.prompts.placeholders import Pieces, Variable, mapped

Expression = TypeVar("Expression")

BROKEN = ""
"""The name under which a file has its first place that cannot be read, where the rest of it can."""

MOST_SHOWN = 60
"""Characters of an expression in a message."""


class Computed(Exception):
    """A text that only running the code would give."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


class Endless(Computed):
    """A text that is part of itself, or of too many parts."""


class Unreadable(Exception):
    """A file that is not of its language, or too large."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Definition(Generic[Expression]):
    """One place that gives a name its value; lines are 1-based."""

    line: int
    last: int
    value: Expression


Definitions: TypeAlias = dict[str, list[Definition[Expression]]]
"""By name; a name that gets a value twice has two of them."""


def places_of(definitions: Definitions[Expression], name: str) -> list[Definition[Expression]]:
    """Every place that gives a name its value: its own, and all but one of each name before a dot in it."""
    parts = name.split(".")
    parents = (".".join(parts[:count]) for count in range(1, len(parts)))
    return [*definitions.get(name, []), *(place for one in parents for place in definitions.get(one, [])[1:])]


def no_definitions() -> Definitions[Expression]:
    """To be filled."""
    return defaultdict(list)


@dataclass(slots=True)
class Work(Generic[Expression]):
    """Reads texts of one file, and follows its constants, within bounds.

    Args:
        text_of: the text of an expression of the language; it raises `computed` for what it does not know.
        line_of: 1-based.
        told: the text of an expression in messages.
        is_text: False for a number, which is one only inside of a text.
        within: names that are being followed, from the outside in.
    """

    definitions: Definitions[Expression]
    text_of: "Callable[[Expression, Work[Expression]], Pieces]"
    line_of: Callable[[Expression], int]
    told: Callable[[Expression], str]
    is_text: Callable[[Expression], bool] = lambda expression: True
    within: list[str] = field(default_factory=list)
    steps: int = 0
    depth: int = 0
    _known: dict[str, Pieces] = field(default_factory=dict)

    def text(self, expression: Expression) -> Pieces:
        """The text of an expression. Raises Computed: it has none that can be read."""
        self.steps += 1
        if self.steps > TEXT_STEPS or self.depth >= TEXT_DEPTH:
            raise Endless(self.line_of(expression), "it consists of too many parts")
        self.depth += 1
        try:
            return self.text_of(expression, self)
        finally:
            self.depth -= 1

    def constant(self, name: str, expression: Expression) -> Pieces:
        """The text of a constant of the file that an expression names."""
        if name in self._known:
            return self._known[name]
        if name in self.within:
            circle = " → ".join((*self.within[self.within.index(name) :], name))
            raise Endless(self.line_of(expression), f"it refers to itself: {circle}")
        found = places_of(self.definitions, name)
        if len(found) != 1:
            raise self.computed(expression)
        self.within.append(name)
        try:
            self._known[name] = self.text(found[0].value)
        finally:
            self.within.pop()
        return self._known[name]

    def value(self, expression: Expression, name: str) -> Pieces:
        """The replacement of an expression in a text: the text of a constant, or else a variable."""
        try:
            return self.text(expression)
        except Endless:
            raise
        except Computed:
            return (Variable(name),)

    def literal(self, expression: Expression, text: str) -> Pieces:
        """A text in the code."""
        if reason := text_complaint(text):
            raise Computed(self.line_of(expression), f"it {reason}")
        return (text,)

    def joined(self, expression: Expression, texts: Iterable[Pieces], separator: Pieces = ()) -> Pieces:
        """Texts one after the other."""
        out: list[str | Variable] = []
        chars = 0
        for text in texts:
            more = (*separator, *text) if out and separator else text
            chars += sum(len(piece) for piece in more if isinstance(piece, str))
            out += more
            if chars > PROMPT_CHARS or len(out) > TEXT_STEPS:
                raise Endless(self.line_of(expression), f"it is longer than {PROMPT_CHARS:,} characters")
        return tuple(out)

    def computed(self, expression: Expression) -> Computed:
        """The error for an expression that is not followed."""
        return Computed(self.line_of(expression), f"it is computed: {short_code(self.told(expression))}")


def short_code(text: str) -> str:
    """Code on one line, cut."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_SHOWN else f"{line[: MOST_SHOWN - 1]}…"


def dedented(pieces: Pieces) -> Pieces:
    """As `textwrap.dedent`."""
    return mapped(pieces, dedent)
