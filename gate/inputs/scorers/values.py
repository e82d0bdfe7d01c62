"""Further kinds of options: lists of texts, counts, words to choose from, any JSON, paths, languages."""

import re
from dataclasses import dataclass

from gate.domain.jsonvalue import JsonValue
from gate.inputs import schemaparts
from gate.inputs.builders import FUNCTION_PATTERN, PREFIX
from gate.inputs.builders import complaint as function_complaint
from gate.inputs.fields import Fields, Range
from gate.inputs.jsonpath import BadPath, parse_path
from gate.inputs.languages import LANGUAGES, language_code
from gate.inputs.limits import PATH_CHARS, PROMPT_CHARS
from gate.inputs.nodes import Node, described, plain
from gate.inputs.problems import did_you_mean, quoted
from gate.inputs.scorers.options import Option, check_template

TEXTS = 1_000
"""Texts in one list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts(Option):
    """A list of texts, which may hold fields of the case; one text stands for a list of one.

    Args:
        most: characters of each.
        again: a text may stand there more than once.
    """

    most: int = PROMPT_CHARS
    again: bool = False

    def read(self, fields: Fields, key: str) -> JsonValue:
        node = fields.get(key)
        if node is None:
            return None
        if isinstance(node.value, str):
            node = Node((node,), node.line)
        if not isinstance(node.value, tuple) or not node.value:
            found = "an empty list" if node.value == () else described(node.value)
            fields.problems.add(
                node.line, f"{fields.name}.{key} must be a list of texts, not {found}", "write it as [one, two]"
            )
            return None
        if len(node.value) > TEXTS:
            fields.problems.add(node.line, f"{fields.name}.{key} has more than {TEXTS:,} texts")
            return None
        apart = [Node((item,), item.line) for item in node.value] if self.again else [node]
        each = [Fields(Node({key: one}, node.line), fields.name, fields.problems) for one in apart]
        items = [item for one in each for item in one.texts(key)]
        for item in items:
            self._check(fields, key, item)
        return [str(item.value) for item in items]

    def _check(self, fields: Fields, key: str, item: Node) -> None:
        text = str(item.value)
        if len(text) > self.most:
            message = f"{fields.name}.{key} holds a text of more than {self.most:,} characters"
            fields.problems.add(item.line, message)
        check_template(fields, key, text, item.line)

    def schema(self) -> JsonValue:
        one = schemaparts.string(self.most)
        several: JsonValue = {
            "type": "array",
            "minItems": 1,
            "maxItems": TEXTS,
            "uniqueItems": not self.again,
            "items": one,
        }
        return {"anyOf": [one, several]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Function(Option):
    """`module:function`, from the root of the repository."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        text = fields.text(key, most=PATH_CHARS)
        if not text:
            return None
        if reason := function_complaint(PREFIX + text):
            said = f"{fields.name}.{key} {quoted(text)} {reason}".replace(f"is not {PREFIX}", "is not ")
            fields.problems.add(fields.line_of(key), said, f"write it as {self.example}")
        return text

    def schema(self) -> JsonValue:
        return {**schemaparts.string(PATH_CHARS), "pattern": FUNCTION_PATTERN}


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount(Option):
    """A number, or a text with a field of the case that gives one."""

    default: str

    def read(self, fields: Fields, key: str) -> JsonValue:
        node = fields.get(key)
        if node is None:
            return self.default
        if isinstance(node.value, str) and "{{" in node.value:
            text = fields.text(key)
            check_template(fields, key, text, node.line)
            return text
        return fields.number(key, 0.0, _AMOUNTS, "or write a field of the case, such as {{ expected }}")

    def schema(self) -> JsonValue:
        field: JsonValue = {**schemaparts.string(), "pattern": r"\{\{"}
        return {"anyOf": [schemaparts.number(_AMOUNTS), field]}


_AMOUNTS = Range(-1e15, 1e15)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyJson(Option):
    """Any JSON value but null; a text may hold fields of the case."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        node = fields.get(key)
        if node is None:
            return None
        if node.value is None:
            fields.problems.add(node.line, f"{fields.name}.{key} is empty", "null is written as one_of: [null]")
            return None
        return _json(fields, key, node)

    def schema(self) -> JsonValue:
        return {"not": {"type": "null"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonList(Option):
    """A list of any JSON values; texts among them may hold fields of the case."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        node = fields.get(key)
        if node is None:
            return None
        if not isinstance(node.value, tuple) or not node.value:
            found = "an empty list" if node.value == () else described(node.value)
            fields.problems.add(node.line, f"{fields.name}.{key} must be a list, not {found}", "[one, two]")
            return None
        return [_json(fields, key, item) for item in node.value]

    def schema(self) -> JsonValue:
        return {"type": "array", "minItems": 1}


def _json(fields: Fields, key: str, node: Node) -> JsonValue:
    if isinstance(node.value, str):
        check_template(fields, key, node.value, node.line)
    return plain(node)


@dataclass(frozen=True, slots=True, kw_only=True)
class Path(Option):
    """A path to one value inside JSON."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        if not fields.has(key):
            return None
        text = fields.text(key, most=PATH_CHARS)
        try:
            parse_path(text or "$")
        except BadPath as bad:
            message = f"{fields.name}.{key} is not a path to one value: {bad}"
            fields.problems.add(fields.line_of(key), message, "for example $.items[0].name")
        return text

    def schema(self) -> JsonValue:
        return schemaparts.string(PATH_CHARS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Language(Option):
    """The code of a language, or a text with a field of the case that gives one."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        if not fields.has(key):
            return None
        text = fields.text(key)
        check_template(fields, key, text, fields.line_of(key))
        if text and "{{" not in text and language_code(text) is None:
            hint = "write a code of ISO 639, such as en or de"
            close = did_you_mean(text, LANGUAGES)
            hint = f"{close} {hint}" if close.startswith("did") else hint
            fields.problems.add(fields.line_of(key), f"{fields.name}.{key}: unknown language {quoted(text)}", hint)
        return text

    def schema(self) -> JsonValue:
        return schemaparts.string()


@dataclass(frozen=True, slots=True, kw_only=True)
class WordLists(Option):
    """Lists of words by their names."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        inner = fields.mapping(key)
        found: dict[str, JsonValue] = {}
        for name in inner.entries:
            if not re.search(r"\w", name):
                inner.problems.add(inner.line_of(name), f"{inner.name} has an empty name")
            found[name] = _WORDS.read(inner, name)
        return found or None

    def schema(self) -> JsonValue:
        return {
            "type": ["object", "null"],
            "propertyNames": {"pattern": r"\w"},
            "additionalProperties": _WORDS.schema(),
        }


_WORDS = Texts(most=200)
