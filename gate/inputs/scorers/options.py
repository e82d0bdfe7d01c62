"""Kinds of options that scorers have: how each is read, and its JSON Schema."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from gate.domain.jsonvalue import JsonValue
from gate.domain.model import Params
from gate.errors import GateError
from gate.inputs import schemaparts
from gate.inputs.fields import Fields, Range
from gate.inputs.limits import NAME_CHARS, PATH_CHARS, PATTERN_CHARS, PROMPT_CHARS
from gate.inputs.models import parse_model, read_model, read_params
from gate.inputs.nodes import described, plain
from gate.inputs.paths import complaint as path_complaint
from gate.inputs.paths import normal
from gate.inputs.patterns import complaint
from gate.inputs.problems import quoted
from gate.inputs.sandbox import BadTemplate
from gate.inputs.schemacheck import schema_complaint
from gate.inputs.templates import compile_template

PASSING = Range(0, 1, above=True)
"""Of a score; with a threshold of 0 nothing could fail."""
USUAL_THRESHOLD = 0.7

_PLACEHOLDER = re.compile(r"\{\{.*?\}\}", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option(ABC):
    """One option of a scorer.

    Args:
        example: how to write it; an option with an example has to be given.
    """

    example: str = ""

    def get(self, fields: Fields, key: str) -> JsonValue:
        """The value, checked; None where there is none and no default, and the option is then left out."""
        if self.example and not fields.require(key, self.example):
            return None
        return self.read(fields, key)

    @abstractmethod
    def read(self, fields: Fields, key: str) -> JsonValue:
        """The value, or the default where it is not given."""

    @abstractmethod
    def schema(self) -> JsonValue:
        """What editors check it with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Template(Option):
    """A text that may hold fields of the case, such as `{{ expected }}`.

    Args:
        default: where it is not given.
        unless: there is no default where one of these other options is given.
    """

    default: str | None = None
    unless: tuple[str, ...] = ()

    def read(self, fields: Fields, key: str) -> JsonValue:
        if not fields.has(key):
            return None if any(map(fields.has, self.unless)) else self.default
        text = fields.text(key, most=PROMPT_CHARS)
        check_template(fields, key, text, fields.line_of(key))
        return text

    def schema(self) -> JsonValue:
        return schemaparts.string(PROMPT_CHARS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Word(Option):
    """A short text without fields of the case, such as a name or a path."""

    most: int = NAME_CHARS

    def read(self, fields: Fields, key: str) -> JsonValue:
        return fields.text(key, most=self.most) if fields.has(key) else None

    def schema(self) -> JsonValue:
        return schemaparts.string(self.most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag(Option):
    """True or false."""

    default: bool

    def read(self, fields: Fields, key: str) -> JsonValue:
        return fields.flag(key, self.default)

    def schema(self) -> JsonValue:
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Option):
    """A number within a range."""

    allowed: Range
    default: float | None = None

    def read(self, fields: Fields, key: str) -> JsonValue:
        return fields.number(key, 0.0, self.allowed) if fields.has(key) else self.default

    def schema(self) -> JsonValue:
        return schemaparts.number(self.allowed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold(Option):
    """The score at which an answer passes."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        return USUAL_THRESHOLD if (given := read_threshold(fields, key)) is None else given

    def schema(self) -> JsonValue:
        return schemaparts.number(PASSING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole(Option):
    """A whole number within a range."""

    allowed: Range
    default: int | None = None

    def read(self, fields: Fields, key: str) -> JsonValue:
        return fields.integer(key, 0, self.allowed) if fields.has(key) else self.default

    def schema(self) -> JsonValue:
        return schemaparts.integer(self.allowed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern(Option):
    """A regular expression, which may hold fields of the case."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        if not fields.has(key):
            return None
        text = fields.text(key, most=PATTERN_CHARS)
        check_template(fields, key, text, fields.line_of(key))
        if reason := complaint(_PLACEHOLDER.sub("x", text)):
            message = f"{fields.name}.{key} is not a regular expression: {reason}"
            fields.problems.add(fields.line_of(key), message, "Python's re syntax")
        return text

    def schema(self) -> JsonValue:
        return schemaparts.string(PATTERN_CHARS)


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonSchema(Option):
    """A JSON Schema."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        node = fields.get(key)
        if node is None:
            return None
        if not isinstance(node.value, Mapping):
            fields.problems.add(node.line, f"{fields.name}.{key} must be a mapping, not {described(node.value)}")
            return {}
        schema = {name: plain(value) for name, value in node.value.items()}
        if reason := schema_complaint(schema):
            fields.problems.add(node.line, f"{fields.name}.{key} is not a usable JSON Schema: {reason}")
        return schema

    def schema(self) -> JsonValue:
        return {"type": "object"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Model(Option):
    """`provider:name`."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        found = read_model(fields, key)
        return str(found) if found else None

    def schema(self) -> JsonValue:
        return schemaparts.model()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelParams(Option):
    """Neutral parameters of a model's calls."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        return read_params(fields.mapping(key), Params()).changed()

    def schema(self) -> JsonValue:
        return schemaparts.optional(schemaparts.params())


@dataclass(frozen=True, slots=True, kw_only=True)
class File(Option):
    """A file of the repository, which is read when the suite is."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        text = fields.text(key, most=PATH_CHARS)
        if not text:
            return None
        if reason := path_complaint(text):
            hint = "write a path inside the repository, relative to its root"
            fields.problems.add(fields.line_of(key), f"{fields.name}.{key} {quoted(text)} {reason}", hint)
            return None
        return normal(text)

    def schema(self) -> JsonValue:
        return schemaparts.string(PATH_CHARS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Models(Option):
    """Several models, each another one."""

    most: int = 9

    def read(self, fields: Fields, key: str) -> JsonValue:
        if not fields.has(key):
            return None
        nodes, written = fields.texts(key), fields.entries[key].value
        if not 2 <= (len(written) if isinstance(written, tuple) else len(nodes)) <= self.most:
            said = f"{fields.name}.{key} must name from 2 to {self.most} models"
            fields.problems.add(fields.line_of(key), said, "name a single one as model")
        for node in nodes:
            try:
                parse_model(str(node.value), fields.problems.providers)
            except GateError as error:
                fields.problems.add(node.line, f"{fields.name}.{key}: {error.message}", error.hint)
        return [str(node.value) for node in nodes]

    def schema(self) -> JsonValue:
        return {
            "type": "array", "minItems": 2, "maxItems": self.most, "uniqueItems": True, "items": schemaparts.model()
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Option):
    """One of a few words."""

    words: tuple[str, ...]
    default: str | None = None

    def read(self, fields: Fields, key: str) -> JsonValue:
        return fields.choice(key, self.words[0], self.words) if fields.has(key) else self.default

    def schema(self) -> JsonValue:
        return {"enum": list(self.words)}


def read_threshold(fields: Fields, key: str = "threshold") -> float | None:
    """The score at which an answer passes; None where it is not given."""
    hint = "a share of 1, such as 0.7; at 0 and below every answer would pass"
    return fields.number(key, USUAL_THRESHOLD, PASSING, hint) if fields.has(key) else None


def check_template(fields: Fields, key: str, text: str, line: int) -> None:
    """Note a mistake in a text that may hold fields of the case.

    Args:
        fields: of the scorer.
        key: the option.
        text: its value, or one of its values.
        line: where that stands.
    """
    if "{{" not in text:
        return
    try:
        compile_template(text)
    except BadTemplate as error:
        fields.problems.add(line, f"{fields.name}.{key}: {error.message}", "write for example {{ expected }}")
