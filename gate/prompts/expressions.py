"""What readers of code share: definitions of names, and texts that are put together without running anything."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from textwrap import dedent
from typing import Generic, TypeAlias, TypeVar

from gate.config.documents import text_complaint
from gate.limits import PROMPT_CHARS, TEXT_DEPTH, TEXT_STEPS
from gate.prompts.placeholders import Pieces, Variable, mapped
from gate.values import digest

Expression = TypeVar("Expression")

BROKEN = ""
"""The name under which a file has its first place that cannot be read, where the rest of it can."""

HIDDEN = "<locals>"
"""Part of names that no pointer can have."""

PLACES = 50
"""Places that may give a value to a variable of a function or an attribute of an object."""

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
    """One place that gives a name its value; lines are 1-based.

    Args:
        whole: the statement, where it is more than the value.
    """

    line: int
    last: int
    value: Expression
    whole: Expression | None = None


Definitions: TypeAlias = dict[str, list[Definition[Expression]]]
"""By name; a name that gets a value twice has two of them."""


def places_of(definitions: Definitions[Expression], name: str) -> list[Definition[Expression]]:
    """Every place that gives a name its value: its own, and all but one of each name before a dot in it."""
    parts = name.split(".")
    parents = (".".join(parts[:count]) for count in range(1, len(parts)))
    return [*definitions.get(name, []), *(place for one in parents for place in definitions.get(one, [])[1:])]


def meant_by(name: str, others: Mapping[str, set[str]]) -> set[str]:
    """The names that a dotted name changes as well.

    Args:
        others: for a first part, the names of the same object.
    """
    root, dot, rest = name.partition(".")
    seen: set[str] = set()
    waiting = [*others.get(root, ())]
    while waiting and len(seen) < TEXT_STEPS:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            waiting += others.get(one.split(".")[0], ())
    return {f"{one}{dot}{rest}" for one in seen}


def touched(name: str) -> str:
    """The name for statements that do something with an object: they call a method of it, or give it to a function."""
    return f"{HIDDEN}!{name}"


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
        code: an expression without its layout.
        names: the names of the file that an expression uses.
        is_foreign: does a place take the value from another file?
        is_text: False for a number, which is one only inside of a text.
        within: names that are being followed, from the outside in.
    """

    definitions: Definitions[Expression]
    text_of: "Callable[[Expression, Work[Expression]], Pieces]"
    line_of: Callable[[Expression], int]
    told: Callable[[Expression], str]
    code: Callable[[Expression], str] = lambda expression: ""
    names: "Callable[[Expression, Definitions[Expression]], Iterable[str]]" = lambda expression, definitions: ()
    is_foreign: Callable[[Expression], bool] = lambda expression: False
    is_text: Callable[[Expression], bool] = lambda expression: True
    within: list[str] = field(default_factory=list)
    steps: int = 0
    depth: int = 0
    _known: dict[str, Pieces] = field(default_factory=dict)
    _sources: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    _below: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

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
            return (self.variable(expression, name),)

    def variable(self, expression: Expression, name: str, shown: str = "") -> Variable:
        """A place that a value is put into.

        Args:
            name: what the code has there, as the variable is named.
            shown: how the value is written, such as with two digits.

        Raises:
            Computed: the value is made with a name that has two values, or one of another file.
        """
        if self.is_foreign(expression):
            raise Computed(self.line_of(expression), f"{short_code(self.told(expression))} comes from another file")
        parts = {"": self.code(expression) + shown}
        waiting = list(self.names(expression, self.definitions))
        while waiting:
            one = waiting.pop()
            if one not in parts:
                parts[one], inner = self._source(one, expression)
                waiting += inner
        return Variable(name, digest(dict(parts)) if parts != {"": name} else "")

    def _source(self, name: str, expression: Expression) -> tuple[str, tuple[str, ...]]:
        """The code that gives a name its value, as a digest, and the names that it uses."""
        self.steps += 1
        if self.steps > TEXT_STEPS:
            raise Endless(self.line_of(expression), "it consists of too many parts")
        if name not in self._sources:
            places = self.definitions[name] if HIDDEN in name else places_of(self.definitions, name)
            if len(places) > (PLACES if HIDDEN in name else 1):
                lines = " and on line ".join(str(one) for one in sorted(place.line for place in places)[:2])
                raise Computed(self.line_of(expression), f"it uses {_shown(name)}, which gets a value on line {lines}")
            wholes = [one.value if one.whole is None else one.whole for one in places]
            if any(map(self.is_foreign, (*wholes, *(one.value for one in places)))):
                source = "it uses names" if name == "*" else f"it uses {_shown(name)}, which comes"
                raise Computed(self.line_of(expression), f"{source} from another file")
            inner = [*self._entries(name), *(used for one in wholes for used in self.names(one, self.definitions))]
            self._sources[name] = digest([self.code(one) for one in wholes]), tuple(dict.fromkeys(inner))
        return self._sources[name]

    def _entries(self, name: str) -> Iterator[str]:
        """Names directly below a name that get a value elsewhere as well, or have names below them."""
        if not self._below:
            for one in self.definitions:
                self._below[one.rpartition(".")[0]].append(one)
        places = self.definitions.get(name, [])
        for one in self._below.get(name, []):
            found = self.definitions[one]
            inside = any(place.line <= found[0].line <= place.last for place in places)
            if HIDDEN not in one and (not inside or len(found) > 1 or one in self._below):
                yield one

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


def _shown(name: str) -> str:
    return short_code(name.replace(f"{HIDDEN}.", "").removeprefix(f"{HIDDEN}!"))


def short_code(text: str) -> str:
    """Code on one line, cut."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_SHOWN else f"{line[: MOST_SHOWN - 1]}…"


def dedented(pieces: Pieces) -> Pieces:
    """As `textwrap.dedent`."""
    return mapped(pieces, dedent)
