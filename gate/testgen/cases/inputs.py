"""The inputs of tests: what a model writes, what is sent to the prompt, and whether it is valid."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from gate.config.specification import Component, GeneratedTest, Specification
from gate.record.transcript import Failed
from gate.templates.kinds import Kind
from gate.testgen.effort import EffortSettings
from gate.testgen.prompt_under_test import PromptSubject
from gate.testgen.questions import (
    FLAG_SCHEMA,
    TEXT_SCHEMA,
    Asker,
    MalformedAnswer,
    Question,
    choice_schema,
    list_schema,
    object_schema,
    problem_notes,
    read_objects,
    unused_fence,
)
from gate.values import JsonValue

PART_CHARS = 50_000
"""Characters of one part of an input, or of one turn."""
INPUT_NAME = "input"
"""The name of an input that is one text and has no other name."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_RETRIEVED = {
    "chunk", "chunks", "context", "contexts", "docs", "documents", "excerpts", "passages", "retrieved", "snippets",
    "sources",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class InputPart:
    """One text of an input, or one value of another kind.

    Args:
        retrieved: it holds what a search would find.
    """

    name: str
    description: str = ""
    retrieved: bool = False
    kind: Kind = Kind()

    @property
    def form(self) -> str:
        """What a value that is no text has to be, in words; empty for a text."""
        return "" if self.kind.name == "text" else _form(self.kind)


@dataclass(frozen=True, slots=True)
class WrittenInput:
    """What a model wrote for one test: a value by the name of the part, and the user's messages."""

    parts: Mapping[str, JsonValue] = field(default_factory=dict)
    turns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InputShape:
    """The parts of a test's input.

    Args:
        turns: messages of the user; with several, they take the place of the parts that are no variables.
    """

    parts: tuple[InputPart, ...]
    variables: frozenset[str] = frozenset()
    turns: int = 1

    @property
    def talk(self) -> bool:
        """Are there several user messages?"""
        return self.turns > 1

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parts."""
        return tuple(part.name for part in self.parts)

    @property
    def typed(self) -> bool:
        """Is any part no text?"""
        return any(part.form for part in self.parts)

    @property
    def unsure(self) -> tuple[str, ...]:
        """What is asked for as text only because the template does not tell its kind: `data`, `users[].name`."""
        return tuple(f"{part.name}{path}" for part in self.parts for path in part.kind.unsure)

    @property
    def retrieved(self) -> tuple[str, ...]:
        """Names of the parts that hold what a search would find."""
        return tuple(part.name for part in self.parts if part.retrieved)

    def schema(self) -> dict[str, Mapping[str, JsonValue]]:
        """Properties of a reply that hold one input."""
        out: dict[str, Mapping[str, JsonValue]] = {}
        if self.parts:
            each = [_named(part) if part.form else _named_texts(part.name) for part in self.parts]
            texts = [part.name for part in self.parts if not part.form]
            forms = [_named_texts(*texts)] if texts else []
            forms += [_named(part) for part in self.parts if part.form]
            out["components"] = list_schema({"anyOf": [*forms]} if len(forms) > 1 else forms[0], each=each)
        if self.talk:
            out["turns"] = list_schema(TEXT_SCHEMA, each=[TEXT_SCHEMA] * self.turns)
        return out

    def read(self, found: Mapping[str, JsonValue]) -> WrittenInput:
        """One input with its white space, which may be what a test is about.

        Raises:
            Malformed: a part is missing, unknown or there twice; turns too many or too few; a text that is none.
        """
        parts: dict[str, JsonValue] = {}
        if self.parts:
            items = read_objects(found, "components")
            given = {str(item.get("name")): item for item in items}
            if len(items) != len(self.parts) or given.keys() != set(self.names):
                raise MalformedAnswer("components does not hold each component exactly once")
            for part in self.parts:
                parts[part.name] = _of_kind(given[part.name].get("value" if part.form else "text"), part.kind)
            if any(len(component_text(value)) > PART_CHARS for value in parts.values()):
                raise MalformedAnswer(f"a part of an input is longer than {PART_CHARS:,} characters")
        turns = self._turns(found) if self.talk else ()
        if not any(component_text(value).strip() for value in (*parts.values(), *turns)):
            raise MalformedAnswer("an input is empty")
        return WrittenInput({name: parts[name] for name in self.names}, turns)

    def _turns(self, found: Mapping[str, JsonValue]) -> tuple[str, ...]:
        told = found.get("turns")
        if not isinstance(told, list) or len(told) != self.turns:
            raise MalformedAnswer(f"turns is no list of {self.turns} texts")
        turns = tuple(_written(text) for text in told)
        if not all(text.strip() for text in turns):
            raise MalformedAnswer("a turn is empty")
        return turns

    def fill(self, test: GeneratedTest, filling: WrittenInput) -> GeneratedTest:
        """The test with this input: variables by name, and the rest as the user's message."""
        values: dict[str, JsonValue] = {
            name: value for name, value in filling.parts.items() if name in self.variables and name != INPUT_NAME
        }
        components = {name: component_text(value) for name, value in filling.parts.items()}
        said = {name: text for name, text in components.items() if name not in values}
        message = next(iter(said.values())) if len(said) == 1 else _lines(said)
        return replace(test, input=message, components=components, turns=filling.turns, vars=values)


def shape_of(subject: PromptSubject, specification: Specification | None, settings: EffortSettings) -> InputShape:
    """What each test of a prompt has to hold.

    The variables of a template come first: without them it cannot be filled. Components that are no variables are
    parts of the user's message. Where neither is known, the message is one text.

    Args:
        specification: what is known of its inputs; None for a generator that knows the prompt alone.
    """
    known = {} if specification is None else {one.name: one for one in specification.components}
    variables = subject.variables if subject.structured else ()
    if settings.turns > 1:
        names = [name for name in variables if name != INPUT_NAME]
    else:
        names = list(dict.fromkeys([*variables, *known])) or [INPUT_NAME]
    kinds = {name: subject.kinds[name] for name in variables if name in subject.kinds}
    parts = (replace(_part(name, known.get(name), settings.documents), kind=kinds.get(name, Kind())) for name in names)
    return InputShape(tuple(parts), frozenset(variables), settings.turns)


def shown_input(test: GeneratedTest) -> list[tuple[str, str]]:
    """The input of a test as named texts, in order."""
    turns = [(f"turn {number}", text) for number, text in enumerate(test.turns, start=1)]
    return [*test.components.items(), *turns] or [(INPUT_NAME, test.said)]


def component_text(value: JsonValue) -> str:
    """A part of an input as text; what is no text is JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _named_texts(*names: str) -> dict[str, JsonValue]:
    return object_schema({"name": choice_schema(*names), "text": TEXT_SCHEMA})


def _named(part: InputPart) -> dict[str, JsonValue]:
    return object_schema({"name": choice_schema(part.name), "value": _kind_schema(part.kind)})


_TYPES: Mapping[str, str] = {"text": "string", "number": "number", "integer": "integer", "flag": "boolean"}
_WORDS: Mapping[str, str] = {
    "text": "a text",
    "number": "a number",
    "integer": "a whole number",
    "flag": "true or false",
}


def _kind_schema(kind: Kind) -> dict[str, JsonValue]:
    """JSON Schema of a value. A schema for models has no objects of any keys, so a mapping is a list of pairs."""
    item = kind.item or Kind()
    if kind.name == "object":
        return object_schema({name: _kind_schema(part) for name, part in kind.fields.items()})
    if kind.name == "list":
        return list_schema(_kind_schema(item))
    if kind.name == "mapping":
        return list_schema(object_schema({"key": TEXT_SCHEMA, "value": _kind_schema(item)}))
    return {"type": _TYPES[kind.name]}


def _form(kind: Kind) -> str:
    if kind.name == "object":
        return "an object of " + ", ".join(f'"{name}" ({_form(part)})' for name, part in kind.fields.items())
    if kind.name == "list":
        return f"a list, each item {_form(kind.item or Kind())}"
    if kind.name == "mapping":
        return f'a list of objects, each of a "key" (a text) and a "value" ({_form(kind.item or Kind())})'
    return _WORDS[kind.name]


_NOT_OF_KIND = "the value of a component is not of the type that was asked for"


def _of_kind(value: JsonValue, kind: Kind) -> JsonValue:
    """A value of a reply, as the template gets it. Raises `MalformedAnswer`: it is of another kind."""
    if kind.name == "text":
        return _written(value)
    item = kind.item or Kind()
    if kind.name == "object" and isinstance(value, dict) and value.keys() == kind.fields.keys():
        return {name: _of_kind(value[name], part) for name, part in kind.fields.items()}
    if kind.name == "list" and isinstance(value, list):
        return [_of_kind(one, item) for one in value]
    if kind.name == "mapping" and isinstance(value, list):
        pairs = [one for one in value if isinstance(one, dict) and one.keys() == {"key", "value"}]
        keys = [_written(pair["key"]) for pair in pairs]
        if len(pairs) == len(value) == len({*keys}):
            return {key: _of_kind(pair["value"], item) for key, pair in zip(keys, pairs, strict=True)}
    if kind.name == "flag" and isinstance(value, bool):
        return value
    if kind.name == "number" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    if kind.name == "integer" and isinstance(value, int) and not isinstance(value, bool):
        return value
    raise MalformedAnswer(_NOT_OF_KIND)


def _part(name: str, component: Component | None, documents: bool) -> InputPart:
    retrieved = documents and any(word.lower() in _RETRIEVED for word in _WORD.findall(name))
    return InputPart(name, component.description if component else "", retrieved)


def _written(text: JsonValue) -> str:
    if not isinstance(text, str):
        raise MalformedAnswer("a part of an input is no text")
    if len(text) > PART_CHARS:
        raise MalformedAnswer(f"a part of an input is longer than {PART_CHARS:,} characters")
    if "\0" in text:
        raise MalformedAnswer("a part of an input holds a zero character")
    return text


def _lines(said: Mapping[str, str]) -> str:
    return "\n".join(f"{name}: {text}" for name, text in said.items())


Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class CaseSource:
    """What tests are made from; `shape` is that of each test."""

    subject: PromptSubject
    specification: Specification
    settings: EffortSettings
    shape: InputShape

    @classmethod
    def of(cls, subject: PromptSubject, specification: Specification, settings: EffortSettings) -> "CaseSource":
        """The source of the tests of a prompt."""
        return cls(subject, specification, settings, shape_of(subject, specification, settings))

    def view(self, *texts: str) -> dict[str, object]:
        """The variables of all templates, with a fence that occurs in none of the texts shown."""
        components = self.specification.components
        told = (self.subject.text, self.specification.intent, *component_texts(components), *texts)
        return {
            "prompt": self.subject.text,
            "intent": self.specification.intent,
            "components": components,
            "shape": self.shape,
            "fence": unused_fence(*told),
        }


@dataclass(frozen=True, slots=True)
class MadeTests:
    """The result of a stage: tests in the order of their ids, and notes on problems."""

    tests: tuple[GeneratedTest, ...]
    notes: tuple[str, ...] = ()


def component_texts(components: Sequence[Component]) -> tuple[str, ...]:
    """All texts of an input specification."""
    return tuple(text for one in components for text in (one.name, one.description, *(rule.text for rule in one.rules)))


def in_batches(items: Sequence[Item], size: int) -> list[Sequence[Item]]:
    """Batches of `size` neighbours."""
    return [items[start : start + size] for start in range(0, len(items), size)]


_REASON_CHARS = 400
_Verdicts = Mapping[str, tuple[bool, str]]
"""Verdict by the id of a test: is its input valid, and the judge's reason."""


async def validated_tests(
    components: Sequence[Component], tests: Sequence[GeneratedTest], settings: EffortSettings, judge: Asker
) -> MadeTests:
    """The tests with a judge's verdicts; missing verdicts are requested once more, then unknown."""
    if not components:
        return MadeTests(tuple(tests), ("inputs were not checked: there is no input specification",) if tests else ())
    verdicts: dict[str, tuple[bool, str]] = {}
    problems: dict[str, list[str]] = defaultdict(list)
    asked = in_batches(tests, settings.tests_per_validation)
    for last in (False, True):
        replies = await judge.ask_all([_question(components, batch, settings, last) for batch in asked])
        again: list[Sequence[GeneratedTest]] = []
        for batch, reply in zip(asked, replies, strict=True):
            if not isinstance(reply, Failed):
                verdicts.update(reply)
            left = [test for test in batch if test.id not in verdicts]
            if left and (last or isinstance(reply, Failed)):
                why = reply.reason if isinstance(reply, Failed) else "the judge gave no verdict"
                problems[f"these inputs were not checked ({why})"] += [test.id for test in left]
            elif left:
                again.append(left)
        asked = again
    return MadeTests(tuple(_judged(test, verdicts) for test in tests), problem_notes(problems))


def _judged(test: GeneratedTest, verdicts: _Verdicts) -> GeneratedTest:
    if test.id not in verdicts:
        return test
    valid, reason = verdicts[test.id]
    return replace(test, valid=valid, invalid="" if valid else reason)


def _question(
    components: Sequence[Component], batch: Sequence[GeneratedTest], settings: EffortSettings, last: bool
) -> Question[_Verdicts]:
    ids = {f"T{number}": test for number, test in enumerate(batch, start=1)}
    inputs = [{"id": name, "texts": shown_input(test)} for name, test in ids.items()]
    written = (text for test in batch for named in shown_input(test) for text in named)
    view = {"components": components, "inputs": inputs, "fence": unused_fence(*component_texts(components), *written)}
    return Question(
        "validity",
        view,
        object_schema({"verdicts": list_schema(_verdict(*ids), each=[_verdict(name) for name in ids])}),
        lambda found: {ids[name].id: verdict for name, verdict in _read(ids, found).items()},
        settings.instructions.get("validity", ""),
        lacks=lambda verdicts: len(batch) - len(verdicts) if last else 0,
    )


def _verdict(*ids: str) -> dict[str, JsonValue]:
    """JSON Schema of one verdict about one of these."""
    return object_schema({"id": choice_schema(*ids), "reason": TEXT_SCHEMA, "valid": FLAG_SCHEMA})


def _read(ids: Mapping[str, GeneratedTest], found: Mapping[str, JsonValue]) -> _Verdicts:
    """Verdicts by opaque id; two that contradict each other count as none."""
    verdicts: dict[str, tuple[bool, str]] = {}
    torn = set()
    for item in read_objects(found, "verdicts"):
        name, valid, reason = item.get("id"), item.get("valid"), item.get("reason")
        if not isinstance(name, str) or name not in ids or not isinstance(valid, bool):
            continue
        why = " ".join(reason.split())[:_REASON_CHARS] if isinstance(reason, str) else ""
        if verdicts.setdefault(name, (valid, why))[0] is not valid:
            torn.add(name)
    verdicts = {name: verdict for name, verdict in verdicts.items() if name not in torn}
    if not verdicts:
        raise MalformedAnswer("verdicts holds no id that was asked for, with true or false")
    return verdicts
