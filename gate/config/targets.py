"""`target` and `conversation` of a suite: the agent, its tools, and how conversations with it are led."""

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
from gate.config.validation import (
    FileModel,
    Matches,
    describe_attributes,
    file_schema,
    validate,
    value_error,
    value_errors,
)
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
        raise value_error(f"{quoted(text)} is not a valid tool name", hint)
    return text


def _of_object(schema: Any) -> Any:
    if schema.get("type") != "object":
        raise value_error(
            "must be the JSON Schema of an object",
            "for example {type: object, properties: {city: {type: string}}, required: [city]}",
        )
    if len(json.dumps(schema)) > TOOL_SCHEMA_CHARS:
        raise value_error(f"is longer than {TOOL_SCHEMA_CHARS:,} characters")
    from gate.config.json_schema import schema_complaint

    if complaint := schema_complaint(schema):
        raise value_error(f"is not a JSON Schema: {complaint}")
    return schema


class _ToolFileModel(FileModel):
    model_config = ConfigDict(json_schema_extra=describe_attributes)


class ToolAnswer(_ToolFileModel):
    """One recorded answer of a tool."""

    meant = {
        "args": "arguments",
        "input": "arguments",
        "output": "result",
        "content": "result",
        "failed": "error",
    }

    arguments: dict[str, JsonValue] = {}
    """Arguments that a call must include; without any, the answer fits every call."""
    result: Annotated[JsonValue, Field(examples=["No such flat."]), WithJsonSchema({})]
    """The answer: text, or any JSON."""
    error: bool = False
    """The answer is an error of the tool."""

    @property
    def text(self) -> str:
        """The text that the model gets."""
        return self.result if isinstance(self.result, str) else json.dumps(self.result, ensure_ascii=False)

    @property
    def key(self) -> str:
        """The arguments as canonical JSON."""
        return json.dumps(self.arguments, sort_keys=True, ensure_ascii=False)


class RecordedTool(_ToolFileModel):
    """A tool with recorded answers."""

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
    """The name by which the model calls it."""
    description: Annotated[
        str, Field(pattern=r"\S", max_length=TOOL_TEXT_CHARS, examples=["The flats that a landlord has."])
    ]
    """Description of the tool for the model."""
    parameters: Annotated[dict[str, JsonValue], AfterValidator(_of_object)] = {"type": "object", "properties": {}}
    """JSON Schema of the arguments."""
    answers: Annotated[list[ToolAnswer], Field(min_length=1, max_length=TOOL_ANSWERS, examples=["[{result: …}]"])]
    """The first answer that fits a call is used."""

    @model_validator(mode="after")
    def _answers_fit(self) -> "RecordedTool":
        errors = [*self._unknown_arguments(), *self._unreachable_answers()]
        if errors:
            raise value_errors(*errors)
        return self

    def _unknown_arguments(self) -> list[tuple[Loc, str, str]]:
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

    def _unreachable_answers(self) -> list[tuple[Loc, str, str]]:
        found: list[tuple[Loc, str, str]] = []
        seen: dict[str, int] = {}
        hint = "the first match is used: move the answer for any arguments to the end"
        for at, answer in enumerate(self.answers):
            before = seen.get("{}", seen.get(answer.key))
            if before is not None:
                found.append((("answers", at), f"is never used, because answers[{before}] matches first", hint))
            seen.setdefault(answer.key, at)
        return found


class ToolFile(_ToolFileModel):
    """File of recorded tools."""

    tools: Annotated[list[RecordedTool], Field(min_length=1, max_length=TOOLS, examples=[_EXAMPLE])]
    """Tools for the model."""

    @model_validator(mode="after")
    def _each_once(self) -> "ToolFile":
        first: dict[str, int] = {}
        again = []
        for at, tool in enumerate(self.tools):
            if first.setdefault(tool.name, at) != at:
                message = f"{quoted(tool.name)} is also the name of tools[{first[tool.name]}]"
                again.append((("tools", at, "name"), message, "put all its answers under one entry"))
        if again:
            raise value_errors(*again)
        return self


def tools_schema() -> dict[str, Any]:
    """The JSON Schema of a file of recorded tools."""
    return file_schema(ToolFile, "tools")


def parse_tools(text: str, file: str) -> tuple[RecordedTool, ...]:
    """The tools of a file, in its order.

    Args:
        text: JSON if the name ends in `.json`, else YAML.
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
        raise value_error("contains a user name or password", "put the name of an environment variable under headers")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise value_error("is not an address", "write http:// or https://")
    return text


def _program(words: tuple[str, ...]) -> tuple[str, ...]:
    if not words[0].strip() or any("\0" in word for word in words):
        raise value_error("must start with the name of a program", _COMMAND)
    return words


def _short_for(key: str) -> BeforeValidator:
    """A value that is not a mapping is short for one key."""
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
    """A tool server (MCP): a command that starts it, or the URL of a running one."""

    command: _Command = Field(default=(), description="Command that starts the server, as a list of words.")
    url: _Url = Field(default="", description="Address.")
    transport: Literal["streamable-http", "sse"] = Field(
        default="streamable-http", description="Protocol of a server with a url."
    )
    env: _Variables = Field(default=(), description=_ENV)
    headers: _Headers = Field(default={}, description=_HEADERS)
    version: Name = Field(default="", description=_VERSION)

    @model_validator(mode="after")
    def _check_one_transport(self) -> Self:
        if bool(self.command) == bool(self.url):
            message = "one of command and url, not both" if self.command else "command or url"
            raise value_error(f"needs {message}", "command: [python, server.py], or url: https://…/mcp")
        others = ("env",) if self.url else ("headers", "transport", "version")
        if found := [key for key in others if key in self.model_fields_set]:
            kind = "command" if self.url else "url"
            raise value_errors(*(((key,), f"is for servers with a {kind}", "") for key in found))
        return self


class _Agent(FileModel):
    """An agent, hashable as a dict key."""

    def __hash__(self) -> int:
        return hash(digest(self.model_dump(mode="json")))


class ToolLoop(_Agent):
    """Calls the model with the prompt and tools until it answers."""

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
            raise value_error("is neither YAML nor JSON")
        return path

    @model_validator(mode="after")
    def _check_tools(self) -> Self:
        if not self.servers and not self.fixtures:
            raise value_error("needs servers or fixtures", "without tools no target is needed")
        return self

    @property
    def recorded(self) -> "tuple[RecordedTool, ...]":
        """The tools of the file `fixtures`; empty before it is read."""
        return self._recorded

    def with_recorded(self, tools: "tuple[RecordedTool, ...]") -> Self:
        """The same target with the tools of its file."""
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
    """An agent behind an HTTP address."""

    url: _Url = Field(examples=["https://agent.example/chat"], description="Address.")
    headers: _Headers = Field(default={}, description=_HEADERS)
    timeout_s: float = Field(default=120.0, gt=0, le=3600, description="Time limit of one answer in seconds.")
    version: Name = Field(default="", description=_VERSION)


Target: TypeAlias = ToolLoop | PythonAgent | CommandAgent | HttpAgent


class TargetOptions(FileModel):
    """An agent in place of a single model call; exactly one kind is set."""

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
    def _check_one_kind(self) -> Self:
        if len(self.model_fields_set) != 1:
            found = " and ".join(sorted(self.model_fields_set)) or "none"
            hint = "for example target: {tools: {servers: {shop: {command: [python, server.py]}}}}"
            raise value_error(f"needs exactly one of {', '.join(type(self).model_fields)}, not {found}", hint)
        return self

    @property
    def chosen(self) -> Target:
        return next(one for one in (self.tools, self.python, self.command, self.http) if one is not None)


class ConversationModel(FileModel):
    """A model that takes part in conversations."""

    model: Model | None = Field(default=None, examples=["openai:gpt-5-mini"], description="Model, as provider:name.")
    params: Annotated[Params, empty_is(dict)] = Field(default_factory=Params, description="Parameters of its calls.")

    @model_validator(mode="after")
    def _check_model(self) -> Self:
        if self.model is None and self.model_fields_set:
            raise value_error("needs a model", "model: openai:gpt-5-mini")
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
    def _check_followups(self) -> Self:
        if "max_followups" in self.model_fields_set and self.followups.model is None:
            hint = "followups: {model: openai:gpt-5-mini} finds the agent's questions and answers them"
            raise value_errors((("max_followups",), "needs a model under followups", hint))
        return self

    @property
    def models(self) -> tuple[tuple[ModelRef, Params], ...]:
        """The models that answer the agent's questions and play the user."""
        return tuple((one.model, one.params) for one in (self.followups, self.user) if one.model is not None)

    @property
    def answers_questions(self) -> bool:
        """Does a model answer the agent's follow-up questions?"""
        return self.followups.model is not None and self.max_followups > 0


def calls_own_models(target: Target | None) -> bool:
    """Does the agent call models itself, so that their cost is unknown?"""
    return isinstance(target, PythonAgent | CommandAgent | HttpAgent)


def runs_code(target: Target | None) -> bool:
    """Does the agent, or one of its tool servers, run a program?"""
    if isinstance(target, ToolLoop):
        return any(server.command for server in target.servers.values())
    return isinstance(target, PythonAgent | CommandAgent)


def unversioned(target: Target | None) -> bool:
    """Does the target use an address without a `version`?"""
    if isinstance(target, ToolLoop):
        return any(server.url and not server.version for server in target.servers.values())
    return isinstance(target, HttpAgent) and not target.version


def target_json(target: Target | None) -> JsonValue:
    """All settings that can change the agent's behaviour, for digests; None without an agent."""
    if target is None:
        return None
    recorded = [one.model_dump(mode="json") for one in target.recorded] if isinstance(target, ToolLoop) else []
    return {"kind": type(target).__name__, "recorded": [*recorded], **target.model_dump(mode="json")}
