"""Files of recorded tools: what a model is told of each, and what it answers to which arguments."""

import json
from collections.abc import Iterator, Mapping

from gate.config.documents import read_json, read_yaml
from gate.domain.jsonvalue import JsonValue
from gate.domain.target import Fixture, FixtureTool
from gate.domain.toolname import is_tool_name
from gate.inputs.fields import Fields
from gate.inputs.limits import (
    NAME_CHARS,
    TOOL_ANSWERS,
    TOOL_FILE_CHARS,
    TOOL_SCHEMA_CHARS,
    TOOL_TEXT_CHARS,
    TOOLS,
)
from gate.inputs.nodes import Node, described, located, plain
from gate.inputs.problems import Problems, did_you_mean, one_problem, quoted
from gate.inputs.schemacheck import schema_complaint

TOOL = ("name", "description", "parameters", "answers")
ANSWER = ("arguments", "result", "error")

_MEANT = {
    "input_schema": "parameters",
    "inputSchema": "parameters",
    "schema": "parameters",
    "responses": "answers",
    "results": "answers",
}
_ANSWER_MEANT = {"args": "arguments", "input": "arguments", "output": "result", "content": "result", "failed": "error"}
_EXAMPLE = "tools: [{name: get_listings, description: …, answers: [{arguments: {city: Rome}, result: …}]}]"
_ELSEWHERE = ("additionalProperties", "patternProperties", "allOf", "anyOf", "oneOf", "$ref")
"""Where a schema may say of parameters that are not under `properties`."""
_ONE_OR_MORE = "a list with at least one entry, not"
_NO_PARAMETERS: dict[str, JsonValue] = {"type": "object", "properties": {}}


def parse_tools(text: str, file: str) -> tuple[tuple[FixtureTool, ...], tuple[Fixture, ...]]:
    """The tools of a file, and their answers, both in its order.

    Args:
        text: YAML, or JSON where the name ends in `.json`.
        file: path, for messages.

    Raises:
        InputErrors: every mistake.
    """
    if len(text) > TOOL_FILE_CHARS:
        raise one_problem(file, 0, f"is longer than {TOOL_FILE_CHARS:,} characters", "record fewer answers")
    problems = Problems(file)
    read = read_json if file.lower().endswith(".json") else read_yaml
    document = read(text.removeprefix("\ufeff"), file)
    if not isinstance(document.data, dict):
        raise one_problem(file, document.line_of(), "must hold a mapping", _EXAMPLE)
    root = located(document)
    reader = _Reader(Fields(root, "", problems))
    reader.read()
    problems.check()
    return tuple(reader.tools), tuple(reader.recorded)


class _Reader:
    """Reads tool after tool, and knows what only all of them together show."""

    def __init__(self, fields: Fields) -> None:
        self.fields, self.problems = fields, fields.problems
        self.tools: list[FixtureTool] = []
        self.recorded: list[Fixture] = []
        self._lines: dict[str, int] = {}

    def read(self) -> None:
        """All of them; what is wrong is noted."""
        self.fields.only(("tools",))
        if not self.fields.require("tools", _EXAMPLE):
            return
        node = self.fields.entries["tools"]
        if not isinstance(node.value, tuple) or not node.value:
            self.problems.add(node.line, f"tools must be {_ONE_OR_MORE} {_what(node)}", _EXAMPLE)
            return
        if len(node.value) > TOOLS:
            self.problems.add(node.line, f"tools has {len(node.value):,} entries; {TOOLS} are allowed")
            return
        for place, item in enumerate(node.value):
            self._tool(Fields(item, f"tools[{place}]", self.problems))

    def _tool(self, fields: Fields) -> None:
        fields.only(TOOL, meant=_MEANT)
        fields.require("name", "name: get_listings")
        name = fields.text("name")
        line = fields.line_of("name")
        if name and not is_tool_name(name):
            hint = "1 to 64 letters, digits, '_' and '-' are what all providers take"
            self.problems.add(line, f"{fields.name}.name {quoted(name)} is no name of a tool", hint)
        if name in self._lines:
            hint = "put its answers under one entry"
            self.problems.add(line, f"the tool {quoted(name)} is already there on line {self._lines[name]}", hint)
        self._lines.setdefault(name, line)
        fields.require("description", "description: The flats that a landlord has.")
        schema = self._parameters(fields)
        description = fields.text("description", most=TOOL_TEXT_CHARS)
        self.tools.append(FixtureTool(name, description, json.dumps(schema, ensure_ascii=False)))
        self.recorded += self._answers(fields, name, schema)

    def _parameters(self, fields: Fields) -> dict[str, JsonValue]:
        node = fields.get("parameters")
        if node is None:
            return _NO_PARAMETERS
        schema = plain(node)
        if not isinstance(schema, dict) or schema.get("type") != "object":
            hint = "for example {type: object, properties: {city: {type: string}}, required: [city]}"
            self.problems.add(node.line, f"{fields.name}.parameters must be the JSON Schema of an object", hint)
            return _NO_PARAMETERS
        if len(json.dumps(schema)) > TOOL_SCHEMA_CHARS:
            said = f"{fields.name}.parameters is longer than {TOOL_SCHEMA_CHARS:,} characters"
            self.problems.add(node.line, said)
        elif complaint := schema_complaint(schema):
            self.problems.add(node.line, f"{fields.name}.parameters is no JSON Schema: {complaint}")
        return schema

    def _answers(self, fields: Fields, tool: str, schema: dict[str, JsonValue]) -> Iterator[Fixture]:
        if not fields.require("answers", "answers: [{result: …}]"):
            return
        node = fields.entries["answers"]
        if not isinstance(node.value, tuple) or not node.value:
            self.problems.add(node.line, f"{fields.name}.answers must be {_ONE_OR_MORE} {_what(node)}")
            return
        if len(node.value) > TOOL_ANSWERS:
            said = f"{fields.name}.answers has {len(node.value):,} entries; {TOOL_ANSWERS:,} are allowed"
            self.problems.add(node.line, said)
            return
        lines: dict[str, int] = {}
        for place, item in enumerate(node.value):
            inner = Fields(item, f"{fields.name}.answers[{place}]", self.problems)
            answer = self._answer(inner, tool, schema)
            before = lines.get("{}") or lines.get(answer.arguments)
            if before:
                hint = "the first answer that fits is given: move the one for any arguments to the end"
                self.problems.add(item.line, f"{inner.name} is never given, because of line {before}", hint)
            lines.setdefault(answer.arguments, item.line)
            yield answer

    def _answer(self, fields: Fields, tool: str, schema: dict[str, JsonValue]) -> Fixture:
        fields.only(ANSWER, meant=_ANSWER_MEANT)
        arguments: JsonValue = {}
        if fields.has("arguments"):
            node = fields.entries["arguments"]
            arguments = plain(node)
            if isinstance(node.value, Mapping):
                self._check_names(node, fields, schema)
            else:
                said = f"{fields.name}.arguments must be a mapping, not {described(node.value)}"
                self.problems.add(node.line, said, "leave it out to answer any arguments")
        failed = fields.flag("error", False)
        fields.require("result", "result: No such flat.")
        found = plain(fields.entries["result"]) if fields.has("result") else ""
        result = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
        return Fixture(tool, json.dumps(arguments, sort_keys=True, ensure_ascii=False), result, failed)

    def _check_names(self, node: Node, fields: Fields, schema: dict[str, JsonValue]) -> None:
        known = schema.get("properties", {})
        open_ended = any(schema.get(key) not in (None, False) for key in _ELSEWHERE)
        if open_ended or not isinstance(known, dict) or not isinstance(node.value, Mapping):
            return
        for key in node.value:
            if key not in known:
                hint = did_you_mean(key, known) if known else "it has no parameters"
                said = f"{fields.name}.arguments: {quoted(key[:NAME_CHARS])} is no parameter of the tool"
                self.problems.add(node.value[key].line, said, hint)


def _what(node: Node) -> str:
    return "an empty one" if node.value == () else described(node.value)
