"""`target` and `conversation` of a suite: which agent answers, with which tools, and how one talks to it."""

import json
from typing import Annotated, Any, Literal, Self, TypeAlias
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    Strict,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from gate.config.documents import Document, Loc, did_you_mean, one_problem, quoted, read_json, read_yaml
from gate.config.models import ModelRef, Params
from gate.config.validation import FileModel, Matches, file_schema, validate, wrong, wrong_at
from gate.config.values import Function, Model, Name, Names, Path, Variable, each_once, empty_is
from gate.limits import PATH_CHARS, TOOL_ANSWERS, TOOL_FILE_CHARS, TOOL_SCHEMA_CHARS, TOOL_TEXT_CHARS, TOOLS
from gate.messages import is_tool_name
from gate.values import JsonValue, digest

_EXAMPLE = "[{name: get_listings, description: …, answers: [{arguments: {city: Rome}, result: …}]}]"
_ELSEWHERE = ("additionalProperties", "patternProperties", "allOf", "anyOf", "oneOf", "$ref")
"""Where a schema may say of parameters that are not under `properties`."""


def _name(text: str) -> str:
    if not is_tool_name(text):
        hint = "use 1 to 64 letters, digits, '_' and '-'"
        raise wrong(f"{quoted(text)} is not a valid tool name", hint)
    return text


def _of_object(schema: Any) -> Any:
    if schema.get("type") != "object":
        raise wrong(
            "must be the JSON Schema of an object",
            "for example {type: object, properties: {city: {type: string}}, required: [city]}",
        )
    if len(json.dumps(schema)) > TOOL_SCHEMA_CHARS:
        raise wrong(f"is longer than {TOOL_SCHEMA_CHARS:,} characters")
    from gate.config.json_schema import schema_complaint

    if complaint := schema_complaint(schema):
        raise wrong(f"is not a JSON Schema: {complaint}")
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
        hint = "" if known else "the tool has no parameters"
        return [
            (("answers", at, "arguments", name), "is not a parameter of the tool", hint or did_you_mean(name, known))
            for at, answer in enumerate(self.answers)
            for name in answer.arguments
            if name not in known
        ]

    def _never_given(self) -> list[tuple[Loc, str, str]]:
        found: list[tuple[Loc, str, str]] = []
        seen: dict[str, int] = {}
        hint = "the first match is used: move the answer for any arguments to the end"
        for at, answer in enumerate(self.answers):
            before = seen.get("{}", seen.get(answer.key))
            if before is not None:
                found.append((("answers", at), f"is never used, because answers[{before}] matches first", hint))
            seen.setdefault(answer.key, at)
        return found


class ToolFile(_Part):
    """File of recorded tools."""

    tools: Annotated[list[RecordedTool], Field(min_length=1, max_length=TOOLS, examples=[_EXAMPLE])]
    """What the model can call."""

    @model_validator(mode="after")
    def _each_once(self) -> "ToolFile":
        first: dict[str, int] = {}
        again = []
        for at, tool in enumerate(self.tools):
            if first.setdefault(tool.name, at) != at:
                said = f"{quoted(tool.name)} is also the name of tools[{first[tool.name]}]"
                again.append((("tools", at, "name"), said, "put all its answers under one entry"))
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
        raise one_problem(file, document.line, "must be a mapping", f"tools: {_EXAMPLE}")
    return tuple(validate(ToolFile, document).tools)


RoundRule: TypeAlias = Literal["mean", "min", "last"]

SESSION = "$session"
"""In place of an environment variable: the id of the session."""
_COMMAND = "it runs without a shell; for example [python, agent.py]"


def _url(text: str) -> str:
    parts = urlsplit(text)
    if parts.username or parts.password:
        raise wrong("contains a user name or password", "put the name of an environment variable under headers")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise wrong("is not an address", "write http:// or https://")
    return text


def _program(words: tuple[str, ...]) -> tuple[str, ...]:
    if not words[0].strip() or any("\0" in word for word in words):
        raise wrong("must start with the name of a program", _COMMAND)
    return words


def _short_for(key: str) -> BeforeValidator:
    """What is no mapping is short for one of its keys."""
    return BeforeValidator(lambda value: {key: value} if isinstance(value, (str, list)) else value)


_Url: TypeAlias = Annotated[str, Field(max_length=PATH_CHARS), AfterValidator(_url)]
_Command: TypeAlias = Annotated[
    tuple[Annotated[str, Field(min_length=1)], ...],
    Strict(False),
    Field(min_length=1, max_length=100, examples=["[python, agent.py]"]),
    AfterValidator(_program),
]
_Variables: TypeAlias = Annotated[tuple[Variable, ...], Strict(False), AfterValidator(each_once)]
_Header: TypeAlias = Annotated[str, Matches(r"^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$", "is not a header name")]
_Headers: TypeAlias = Annotated[dict[_Header, Variable], empty_is(dict)]
_Injected: TypeAlias = Annotated[
    str,
    Matches(
        r"^(\$session|[A-Za-z_][A-Za-z0-9_]*)$",
        "must be the name of an environment variable",
        f"write the name of an environment variable, or {SESSION}",
    ),
]
_ServerName: TypeAlias = Annotated[
    str, Matches(r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$", "may only have letters, digits, '.', '_' and '-'")
]
_ENV = "Environment variables that it may read."
_HEADERS = "Header name: environment variable with its value."
_FILES = "Files it depends on; a change of one counts as a change of the agent."
_VERSION = "Version of the agent; a change counts as a change of the agent."


class Server(FileModel):
    """A server of tools (MCP): a command that starts it, or the url of one that runs."""

    command: _Command = Field(default=(), description="Command that starts the server, as a list of words.")
    url: _Url = Field(default="", description="Address.")
    transport: Literal["streamable-http", "sse"] = Field(
        default="streamable-http", description="Protocol of a server with a url."
    )
    env: _Variables = Field(default=(), description=_ENV)
    headers: _Headers = Field(default={}, description=_HEADERS)
    version: Name = Field(default="", description=_VERSION)

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if bool(self.command) == bool(self.url):
            said = "one of command and url, not both" if self.command else "command or url"
            raise wrong(f"needs {said}", "command: [python, server.py], or url: https://…/mcp")
        others = ("env",) if self.url else ("headers", "transport", "version")
        if found := [key for key in others if key in self.model_fields_set]:
            kind = "command" if self.url else "url"
            raise wrong_at(*(((key,), f"is for servers with a {kind}", "") for key in found))
        return self


class _Agent(FileModel):
    """What answers in place of a model that is only called with the prompt. It can be the key of a dict."""

    def __hash__(self) -> int:
        return hash(digest(self.model_dump(mode="json")))


class ToolLoop(_Agent):
    """The model called with the prompt and tools, again and again until it answers."""

    servers: Annotated[dict[_ServerName, Server], empty_is(dict)] = Field(
        default={}, max_length=20, description="MCP servers, by name."
    )
    fixtures: Path = Field(default="", description="File of recorded tools.")
    only: Names = Field(default=(), description="Use only these tools.")
    inject: Annotated[dict[str, _Injected], empty_is(dict)] = Field(
        default={},
        description="Argument: environment variable with its value. The model does not see it.",
    )
    max_steps: int = Field(default=12, ge=1, le=100, description="Model calls of one answer.")
    timeout_s: float = Field(default=30.0, gt=0, le=3600, description="Time limit of one tool call in seconds.")
    parallel: bool = Field(default=True, description="Call the tools of one step at the same time.")
    files: Names = Field(default=(), description=_FILES)
    _recorded: "tuple[RecordedTool, ...]" = PrivateAttr(default=())

    @field_validator("fixtures")
    @classmethod
    def _yaml_or_json(cls, path: str) -> str:
        if not path.lower().endswith((".yaml", ".yml", ".json")):
            raise wrong("is neither YAML nor JSON")
        return path

    @model_validator(mode="after")
    def _some(self) -> Self:
        if not self.servers and not self.fixtures:
            raise wrong("needs servers or fixtures", "without tools no target is needed")
        return self

    @property
    def recorded(self) -> "tuple[RecordedTool, ...]":
        """The tools of the file `fixtures`, once somebody has read it."""
        return self._recorded

    def with_recorded(self, tools: "tuple[RecordedTool, ...]") -> Self:
        """The same with what its file holds."""
        found = self.model_copy()
        found._recorded = tools
        return found


class PythonAgent(_Agent):
    """A function or class of the repository."""

    function: Function = Field(
        examples=["agents.shop:Agent"], description="module:function, from the root of the repository."
    )
    env: _Variables = Field(default=(), description=_ENV)
    timeout_s: float = Field(default=120.0, gt=0, le=3600, description="Time limit of one answer in seconds.")
    files: Names = Field(default=(), description=_FILES)


class CommandAgent(_Agent):
    """A program that speaks JSON lines on standard input and output."""

    run: _Command = Field(description="Command, as a list of words.")
    env: _Variables = Field(default=(), description=_ENV)
    timeout_s: float = Field(default=120.0, gt=0, le=3600, description="Time limit of one answer in seconds.")
    files: Names = Field(default=(), description=_FILES)


class HttpAgent(_Agent):
    """A service."""

    url: _Url = Field(examples=["https://agent.example/chat"], description="Address.")
    headers: _Headers = Field(default={}, description=_HEADERS)
    timeout_s: float = Field(default=120.0, gt=0, le=3600, description="Time limit of one answer in seconds.")
    version: Name = Field(default="", description=_VERSION)


Target: TypeAlias = ToolLoop | PythonAgent | CommandAgent | HttpAgent


class TargetOptions(FileModel):
    """An agent that answers in place of the model alone, of one kind."""

    meant = {
        **dict.fromkeys(("servers", "fixtures"), "tools: {servers: …}"),
        "function": "python: module:function",
        "run": "command: [python, agent.py]",
        "url": "http: https://…",
    }

    tools: ToolLoop | None = Field(default=None, description="Tools for the suite's model.")
    python: Annotated[PythonAgent, _short_for("function")] | None = Field(
        default=None, description="Python function or class of the repository."
    )
    command: Annotated[CommandAgent, _short_for("run")] | None = Field(
        default=None, description="Command that answers a case."
    )
    http: Annotated[HttpAgent, _short_for("url")] | None = Field(
        default=None, description="HTTP address that answers a case."
    )

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if len(self.model_fields_set) != 1:
            found = " and ".join(sorted(self.model_fields_set)) or "none"
            hint = "for example target: {tools: {servers: {shop: {command: [python, server.py]}}}}"
            raise wrong(f"needs exactly one of {', '.join(type(self).model_fields)}, not {found}", hint)
        return self

    @property
    def chosen(self) -> Target:
        return next(one for one in (self.tools, self.python, self.command, self.http) if one is not None)


class ConversationModel(FileModel):
    """A model that takes part in conversations."""

    model: Model | None = Field(default=None, examples=["openai:gpt-5-mini"], description="Model, as provider:name.")
    params: Annotated[Params, empty_is(dict)] = Field(default_factory=Params, description="Parameters of its calls.")

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.model is None and self.model_fields_set:
            raise wrong("needs a model", "model: openai:gpt-5-mini")
        return self


class ConversationOptions(FileModel):
    """How conversations are led and scored."""

    score: RoundRule = Field(default="mean", description="How to combine the scores of rounds.")
    max_followups: int = Field(default=2, ge=0, le=10, description="Follow-up questions answered per round.")
    followups: ConversationModel = Field(
        default_factory=ConversationModel, description="Model that answers follow-up questions of the agent."
    )
    user: ConversationModel = Field(default_factory=ConversationModel, description="Model that plays the user.")

    @model_validator(mode="after")
    def _followed(self) -> Self:
        if "max_followups" in self.model_fields_set and self.followups.model is None:
            hint = "followups: {model: openai:gpt-5-mini} finds the agent's questions and answers them"
            raise wrong_at((("max_followups",), "needs a model under followups", hint))
        return self

    @property
    def models(self) -> tuple[tuple[ModelRef, Params], ...]:
        """The models that answer an agent's questions, or play its user."""
        return tuple((one.model, one.params) for one in (self.followups, self.user) if one.model is not None)

    @property
    def answers_questions(self) -> bool:
        """Does a model answer when the agent asks back?"""
        return self.followups.model is not None and self.max_followups > 0


def leads_itself(target: Target | None) -> bool:
    """Is it an agent whose calls of models are its own, so that nobody else knows what they cost?"""
    return isinstance(target, PythonAgent | CommandAgent | HttpAgent)


def runs_code(target: Target | None) -> bool:
    """Would the agent, or a server of its tools, run a program?"""
    if isinstance(target, ToolLoop):
        return any(server.command for server in target.servers.values())
    return isinstance(target, PythonAgent | CommandAgent)


def unversioned(target: Target | None) -> bool:
    """Does something answer at an address of which nobody says which version of it that is?"""
    if isinstance(target, ToolLoop):
        return any(server.url and not server.version for server in target.servers.values())
    return isinstance(target, HttpAgent) and not target.version


def target_json(target: Target | None) -> JsonValue:
    """Everything that can change what the agent does, for digests; null where there is none."""
    if target is None:
        return None
    recorded = [one.model_dump(mode="json") for one in target.recorded] if isinstance(target, ToolLoop) else []
    return {"kind": type(target).__name__, "recorded": recorded, **target.model_dump(mode="json")}
