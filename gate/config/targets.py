"""`target` of a suite: which agent answers, and with which tools."""

from typing import Annotated, Literal, Self, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from gate.config.validation import FileModel, Matches, wrong, wrong_at
from gate.config.values import Function, Name, Path, Variable, each_once, empty_is
from gate.domain.target import (
    CommandAgent,
    HttpAgent,
    PythonAgent,
    Server,
    Target,
    ToolLoop,
)
from gate.inputs.limits import PATH_CHARS

SESSION = "$session"
"""In place of an environment variable: the id of the session."""
_COMMAND = "no shell reads it; for example [python, agent.py]"


def _url(text: str) -> str:
    parts = urlsplit(text)
    if parts.username or parts.password:
        raise wrong("holds a user's name or password", "put keys into headers, which name the variables that hold them")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise wrong("is no address", "write http:// or https://")
    return text


def _program(words: list[str]) -> list[str]:
    if not words[0].strip() or any("\0" in word for word in words):
        raise wrong("must begin with the name of a program", _COMMAND)
    return words


def _short_for(key: str) -> BeforeValidator:
    """What is no mapping is short for one of its keys."""
    return BeforeValidator(lambda value: {key: value} if isinstance(value, (str, list)) else value)


_Url: TypeAlias = Annotated[str, Field(max_length=PATH_CHARS), AfterValidator(_url)]
_Command: TypeAlias = Annotated[
    list[Annotated[str, Field(min_length=1)]],
    Field(min_length=1, max_length=100, examples=["[python, agent.py]"]),
    AfterValidator(_program),
]
_Variables: TypeAlias = Annotated[list[Variable], AfterValidator(each_once)]
_Header: TypeAlias = Annotated[str, Matches(r"^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$", "is no name of a header")]
_Headers: TypeAlias = Annotated[dict[_Header, Variable], empty_is(dict)]
_Injected: TypeAlias = Annotated[
    str,
    Matches(
        r"^(\$session|[A-Za-z_][A-Za-z0-9_]*)$",
        "must be the name of an environment variable",
        f"its value stays in the environment; or {SESSION}",
    ),
]
_ServerName: TypeAlias = Annotated[
    str, Matches(r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$", "may have letters, digits, '.', '_' and '-' only")
]
_Patterns: TypeAlias = Annotated[list[Name], AfterValidator(each_once)]
_ENV = "Names of the environment variables that it may see."
_HEADERS = "Header to the environment variable that holds its value."
_FILES = "Files that it depends on; a change of one is a change of the agent."
_VERSION = "Names what answers; another one is another agent."


class ServerOptions(FileModel):
    """A server of tools (MCP): a command that starts it, or the url of one that runs."""

    command: _Command | None = Field(default=None, description="The words of the command that starts the server.")
    url: _Url | None = Field(default=None, description="An address.")
    transport: Literal["streamable-http", "sse"] = Field(
        default="streamable-http", description="How a server with a url is spoken to."
    )
    env: _Variables = Field(default=[], description=_ENV)
    headers: _Headers = Field(default={}, description=_HEADERS)
    version: Name | None = Field(default=None, description=_VERSION)

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.command is None) == (self.url is None):
            said = "one of command and url, not both" if self.command else "command or url"
            raise wrong(f"needs {said}", "command: [python, server.py], or url: https://…/mcp")
        others = ("env",) if self.url else ("headers", "transport", "version")
        if found := [key for key in others if key in self.model_fields_set]:
            kind = "command" if self.url else "url"
            raise wrong_at(*(((key,), f"is for servers with a {kind}", "") for key in found))
        return self

    def server(self, name: str) -> Server:
        return Server(
            name=name,
            transport=self.transport if self.command is None else "stdio",
            command=tuple(self.command or ()),
            url=self.url or "",
            env=tuple(self.env),
            headers=tuple(self.headers.items()),
            version=self.version or "",
        )


class ToolsTarget(FileModel):
    """The model called with the prompt and tools, again and again until it answers."""

    servers: Annotated[dict[_ServerName, ServerOptions], empty_is(dict)] = Field(
        default={}, max_length=20, description="Servers of tools (MCP), by name."
    )
    fixtures: Path | None = Field(default=None, description="A file of recorded tools.")
    only: _Patterns = Field(default=[], description="Only these tools.")
    inject: Annotated[dict[str, _Injected], empty_is(dict)] = Field(
        default={},
        description="Argument to the environment variable that holds its value; the model does not see it.",
    )
    max_steps: int = Field(default=12, ge=1, le=100, description="Calls of the model for one answer.")
    timeout_s: float = Field(default=30.0, gt=0, le=3600, description="Seconds for one call of a tool.")
    parallel: bool = Field(default=True, description="Tools of one step are called at the same time.")
    files: _Patterns = Field(default=[], description=_FILES)

    @field_validator("fixtures")
    @classmethod
    def _yaml_or_json(cls, path: str | None) -> str | None:
        if path is not None and not path.lower().endswith((".yaml", ".yml", ".json")):
            raise wrong("is neither YAML nor JSON")
        return path

    @model_validator(mode="after")
    def _some(self) -> Self:
        if not self.servers and self.fixtures is None:
            raise wrong("needs servers or fixtures", "without tools no target is needed")
        return self

    def target(self) -> Target:
        return ToolLoop(
            servers=tuple(one.server(name) for name, one in self.servers.items()),
            fixtures=self.fixtures or "",
            only=tuple(self.only),
            inject=tuple(self.inject.items()),
            max_steps=self.max_steps,
            tool_timeout_s=self.timeout_s,
            parallel=self.parallel,
            files=tuple(self.files),
        )


class PythonTarget(FileModel):
    """A function or class of the repository."""

    function: Function = Field(
        examples=["agents.shop:Agent"], description="As module:function, from the root of the repository."
    )
    env: _Variables = Field(default=[], description=_ENV)
    timeout_s: float = Field(default=120.0, gt=0, le=3600, description="Seconds for one answer.")
    files: _Patterns = Field(default=[], description=_FILES)

    def target(self) -> Target:
        return PythonAgent(self.function, tuple(self.env), self.timeout_s, tuple(self.files))


class CommandTarget(FileModel):
    """A program that speaks JSON lines on standard input and output."""

    run: _Command = Field(description="The words of the command.")
    env: _Variables = Field(default=[], description=_ENV)
    timeout_s: float = Field(default=120.0, gt=0, le=3600, description="Seconds for one answer.")
    files: _Patterns = Field(default=[], description=_FILES)

    def target(self) -> Target:
        return CommandAgent(tuple(self.run), tuple(self.env), self.timeout_s, tuple(self.files))


class HttpTarget(FileModel):
    """A service."""

    url: _Url = Field(examples=["https://agent.example/chat"], description="An address.")
    headers: _Headers = Field(default={}, description=_HEADERS)
    timeout_s: float = Field(default=120.0, gt=0, le=3600, description="Seconds for one answer.")
    version: Name | None = Field(default=None, description=_VERSION)

    def target(self) -> Target:
        return HttpAgent(self.url, tuple(self.headers.items()), self.timeout_s, self.version or "")


class TargetOptions(FileModel):
    """An agent that answers in place of the model alone, of one kind."""

    meant = {
        **dict.fromkeys(("servers", "fixtures"), "tools: {servers: …}"),
        "function": "python: module:function",
        "run": "command: [python, agent.py]",
        "url": "http: https://…",
    }

    tools: ToolsTarget | None = Field(default=None, description="Tools that the suite's model may call.")
    python: Annotated[PythonTarget, _short_for("function")] | None = Field(
        default=None, description="A function or class of the repository, as module:name."
    )
    command: Annotated[CommandTarget, _short_for("run")] | None = Field(
        default=None, description="A command that answers each case."
    )
    http: Annotated[HttpTarget, _short_for("url")] | None = Field(
        default=None, description="An address that answers each case."
    )

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if len(self.model_fields_set) != 1:
            found = " and ".join(sorted(self.model_fields_set)) or "none"
            hint = "for example target: {tools: {servers: {shop: {command: [python, server.py]}}}}"
            raise wrong(f"is one of {', '.join(type(self).model_fields)}, and this one has {found}", hint)
        return self

    def target(self) -> Target:
        kinds = (self.tools, self.python, self.command, self.http)
        return next(one.target() for one in kinds if one is not None)
