"""Files of recorded tools: what a model is told of each, and what it answers to which arguments."""

import json
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema, model_validator

from gate.config.documents import Document, Loc, did_you_mean, one_problem, quoted, read_json, read_yaml
from gate.config.json_schema import schema_complaint
from gate.config.validation import FileModel, file_schema, validate, wrong, wrong_at
from gate.limits import TOOL_ANSWERS, TOOL_FILE_CHARS, TOOL_SCHEMA_CHARS, TOOL_TEXT_CHARS, TOOLS
from gate.messages import is_tool_name
from gate.values import JsonValue

_EXAMPLE = "[{name: get_listings, description: …, answers: [{arguments: {city: Rome}, result: …}]}]"
_ELSEWHERE = ("additionalProperties", "patternProperties", "allOf", "anyOf", "oneOf", "$ref")
"""Where a schema may say of parameters that are not under `properties`."""


def _name(text: str) -> str:
    if not is_tool_name(text):
        hint = "1 to 64 letters, digits, '_' and '-' are what all providers take"
        raise wrong(f"{quoted(text)} is no name of a tool", hint)
    return text


def _of_object(schema: Any) -> Any:
    if schema.get("type") != "object":
        raise wrong(
            "must be the JSON Schema of an object",
            "for example {type: object, properties: {city: {type: string}}, required: [city]}",
        )
    if len(json.dumps(schema)) > TOOL_SCHEMA_CHARS:
        raise wrong(f"is longer than {TOOL_SCHEMA_CHARS:,} characters")
    if complaint := schema_complaint(schema):
        raise wrong(f"is no JSON Schema: {complaint}")
    return schema


class _Part(FileModel):
    model_config = ConfigDict(use_attribute_docstrings=True)


class ToolAnswer(_Part):
    """What a tool answers."""

    meant = {
        "args": "arguments",
        "input": "arguments",
        "output": "result",
        "content": "result",
        "failed": "error",
    }

    arguments: dict[str, JsonValue] = {}
    """Arguments that a call must have among its own; without any, every call is answered."""
    result: Annotated[JsonValue, Field(examples=["No such flat."]), WithJsonSchema({})]
    """The answer: text, or any JSON."""
    error: bool = False
    """The tool fails with this answer."""

    @property
    def text(self) -> str:
        """What the model is given."""
        return self.result if isinstance(self.result, str) else json.dumps(self.result, ensure_ascii=False)

    @property
    def key(self) -> str:
        """The arguments as canonical JSON."""
        return json.dumps(self.arguments, sort_keys=True, ensure_ascii=False)


class RecordedTool(_Part):
    """A tool with what it answers."""

    meant = {
        "input_schema": "parameters",
        "inputSchema": "parameters",
        "schema": "parameters",
        "responses": "answers",
        "results": "answers",
    }

    name: Annotated[
        str,
        Field(examples=["get_listings"]),
        AfterValidator(_name),
    ]
    """The name that the model calls."""
    description: Annotated[
        str, Field(pattern=r"\S", max_length=TOOL_TEXT_CHARS, examples=["The flats that a landlord has."])
    ]
    """What the model is told of the tool."""
    parameters: Annotated[dict[str, JsonValue], AfterValidator(_of_object)] = {"type": "object", "properties": {}}
    """JSON Schema of the arguments."""
    answers: Annotated[list[ToolAnswer], Field(min_length=1, max_length=TOOL_ANSWERS, examples=["[{result: …}]"])]
    """The first one that fits a call is given."""

    @model_validator(mode="after")
    def _answers_fit(self) -> "RecordedTool":
        mistakes = [*self._unknown(), *self._never_given()]
        if mistakes:
            raise wrong_at(*mistakes)
        return self

    def _unknown(self) -> list[tuple[Loc, str, str]]:
        known = self.parameters.get("properties", {})
        if any(self.parameters.get(key) not in (None, False) for key in _ELSEWHERE) or not isinstance(known, dict):
            return []
        hint = "" if known else "it has no parameters"
        return [
            (("answers", at, "arguments", name), "is no parameter of the tool", hint or did_you_mean(name, known))
            for at, answer in enumerate(self.answers)
            for name in answer.arguments
            if name not in known
        ]

    def _never_given(self) -> list[tuple[Loc, str, str]]:
        found: list[tuple[Loc, str, str]] = []
        seen: dict[str, int] = {}
        hint = "the first answer that fits is given: move the one for any arguments to the end"
        for at, answer in enumerate(self.answers):
            before = seen.get("{}", seen.get(answer.key))
            if before is not None:
                found.append((("answers", at), f"is never given, because of answers[{before}]", hint))
            seen.setdefault(answer.key, at)
        return found


class ToolFile(_Part):
    """A file of recorded tools."""

    tools: Annotated[list[RecordedTool], Field(min_length=1, max_length=TOOLS, examples=[_EXAMPLE])]
    """What the model can call."""

    @model_validator(mode="after")
    def _each_once(self) -> "ToolFile":
        first: dict[str, int] = {}
        again = []
        for at, tool in enumerate(self.tools):
            if first.setdefault(tool.name, at) != at:
                said = f"{quoted(tool.name)} is the name of tools[{first[tool.name]}], too"
                again.append((("tools", at, "name"), said, "put its answers under one entry"))
        if again:
            raise wrong_at(*again)
        return self


def tools_schema() -> dict[str, Any]:
    """The JSON Schema of a file of recorded tools."""
    return file_schema(ToolFile, "tools")


def parse_tools(text: str, file: str) -> tuple[RecordedTool, ...]:
    """The tools of a file, in its order.

    Args:
        text: YAML, or JSON where the name ends in `.json`.
    """
    if len(text) > TOOL_FILE_CHARS:
        raise one_problem(file, 0, f"is longer than {TOOL_FILE_CHARS:,} characters", "record fewer answers")
    read = read_json if file.lower().endswith(".json") else read_yaml
    document: Document = read(text.removeprefix("\ufeff"), file)
    if not isinstance(document.data, dict):
        raise one_problem(file, document.line, "must hold a mapping", f"tools: {_EXAMPLE}")
    return tuple(validate(ToolFile, document).tools)
