"""What the input of a test consists of: what a model is asked to write, and what is sent to the prompt under test."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gate.domain.jsonvalue import JsonValue
from gate.domain.promptspec import Component, GeneratedTest, Specification
from gate.testgen.asking import Malformed, objects_of
from gate.testgen.effort import EffortSettings
from gate.testgen.frames import TEXT, list_schema, object_schema, one_of
from gate.testgen.subject import PromptSubject

LONGEST_PART = 50_000
"""Characters of one part of an input, or of one turn."""
INPUT = "input"
"""The name of an input that is one text and has no other name."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_RETRIEVED = {
    "chunk", "chunks", "context", "contexts", "docs", "documents", "excerpts", "passages", "retrieved", "snippets",
    "sources",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """One text of an input.

    Args:
        name: of the component, or of the variable.
        description: what it is; may be empty.
        retrieved: it holds what a search would find.
    """

    name: str
    description: str = ""
    retrieved: bool = False


@dataclass(frozen=True, slots=True)
class Filling:
    """What a model wrote for one test.

    Args:
        parts: text by the name of the part.
        turns: what the user says turn by turn.
    """

    parts: Mapping[str, str] = field(default_factory=dict)
    turns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """What a test of one prompt has to hold.

    Args:
        parts: what is written for each test, apart from its turns.
        variables: those of the prompt, where it is a template.
        turns: messages of the user; with several, they take the place of the parts that are no variables.
    """

    parts: tuple[Part, ...]
    variables: frozenset[str] = frozenset()
    turns: int = 1

    @property
    def talk(self) -> bool:
        """The user speaks more than once."""
        return self.turns > 1

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parts."""
        return tuple(part.name for part in self.parts)

    @property
    def retrieved(self) -> tuple[str, ...]:
        """Names of the parts that hold what a search would find."""
        return tuple(part.name for part in self.parts if part.retrieved)

    def schema(self) -> dict[str, Mapping[str, JsonValue]]:
        """Properties of a reply that hold one input."""
        out: dict[str, Mapping[str, JsonValue]] = {}
        if self.parts:
            each = [_named(name) for name in self.names]
            out["components"] = list_schema(_named(*self.names), each=each)
        if self.talk:
            out["turns"] = list_schema(TEXT, each=[TEXT] * self.turns)
        return out

    def read(self, found: Mapping[str, JsonValue]) -> Filling:
        """One input, as it was written: white space may be what a test is about.

        Raises:
            Malformed: a part is missing, unknown or there twice; turns too many or too few; a text that is none.
        """
        parts: dict[str, str] = {}
        if self.parts:
            given = [(item.get("name"), item.get("text")) for item in objects_of(found, "components")]
            if sorted(str(name) for name, _ in given) != sorted(self.names):
                raise Malformed("components does not hold each component exactly once")
            parts = {str(name): _written(text) for name, text in given}
        turns = self._turns(found) if self.talk else ()
        if not any(text.strip() for text in (*parts.values(), *turns)):
            raise Malformed("an input is empty")
        return Filling({name: parts[name] for name in self.names}, turns)

    def _turns(self, found: Mapping[str, JsonValue]) -> tuple[str, ...]:
        told = found.get("turns")
        if not isinstance(told, list) or len(told) != self.turns:
            raise Malformed(f"turns is no list of {self.turns} texts")
        turns = tuple(_written(text) for text in told)
        if not all(text.strip() for text in turns):
            raise Malformed("a turn is empty")
        return turns

    def fill(self, test: GeneratedTest, filling: Filling) -> GeneratedTest:
        """The test with this input: variables by name, and the rest as the user's message."""
        values: dict[str, JsonValue] = {
            name: text for name, text in filling.parts.items() if name in self.variables and name != INPUT
        }
        said = {name: text for name, text in filling.parts.items() if name not in values}
        message = next(iter(said.values())) if len(said) == 1 else _lines(said)
        return replace(test, input=message, components=dict(filling.parts), turns=filling.turns, vars=values)


def shape_of(subject: PromptSubject, specification: Specification | None, settings: EffortSettings) -> Shape:
    """What each test of a prompt has to hold.

    The variables of a template come first: without them it cannot be filled. Components that are no variables are
    parts of the user's message. Where neither is known, the message is one text.

    Args:
        subject: the prompt.
        specification: what is known of its inputs; None for a generator that knows the prompt alone.
        settings: turns, and whether stand-in documents are wanted.
    """
    known = {} if specification is None else {one.name: one for one in specification.components}
    variables = subject.variables if subject.structured else ()
    if settings.turns > 1:
        names = [name for name in variables if name != INPUT]
    else:
        names = list(dict.fromkeys([*variables, *known])) or [INPUT]
    parts = (_part(name, known.get(name), settings.documents) for name in names)
    return Shape(tuple(parts), frozenset(variables), settings.turns)


def shown(test: GeneratedTest) -> list[tuple[str, str]]:
    """The input of a test for a model that reads it: named texts, in order."""
    turns = [(f"turn {number}", text) for number, text in enumerate(test.turns, start=1)]
    return [*test.components.items(), *turns] or [(INPUT, test.said)]


def _named(*names: str) -> dict[str, JsonValue]:
    return object_schema({"name": one_of(*names), "text": TEXT})


def _part(name: str, component: Component | None, documents: bool) -> Part:
    retrieved = documents and any(word.lower() in _RETRIEVED for word in _WORD.findall(name))
    return Part(name, component.description if component else "", retrieved)


def _written(text: JsonValue) -> str:
    if not isinstance(text, str):
        raise Malformed("a part of an input is no text")
    if len(text) > LONGEST_PART:
        raise Malformed(f"a part of an input is longer than {LONGEST_PART:,} characters")
    if "\0" in text:
        raise Malformed("a part of an input holds a zero character")
    return text


def _lines(said: Mapping[str, str]) -> str:
    return "\n".join(f"{name}: {text}" for name, text in said.items())
