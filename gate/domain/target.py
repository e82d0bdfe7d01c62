"""What answers in place of a model that is only called with the prompt: agents, and how one talks to them."""

from dataclasses import asdict, dataclass
from typing import Annotated, Literal, Self, TypeAlias, cast

from pydantic import Field, model_validator

from gate.config.validation import FileModel, wrong, wrong_at
from gate.config.values import Model, empty_is
from gate.domain.case import Case
from gate.domain.jsonvalue import JsonValue
from gate.domain.model import ModelRef, Params

Transport: TypeAlias = Literal["stdio", "streamable-http", "sse"]
RoundRule: TypeAlias = Literal["mean", "min", "last"]


@dataclass(frozen=True, slots=True)
class Server:
    """One MCP server.

    Args:
        name: unique within the suite.
        transport: how it is talked to.
        command: starts it (`stdio`); run in the files of the arm's own ref.
        url: of the other transports.
        env: names of environment variables that it gets (`stdio`).
        headers: header to the environment variable that holds its value (the other transports).
        version: of what answers at the address, as its users name it; empty where nobody says.
    """

    name: str
    transport: Transport
    command: tuple[str, ...] = ()
    url: str = ""
    env: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    version: str = ""


@dataclass(frozen=True, slots=True)
class Fixture:
    """A recorded answer of a tool.

    Args:
        tool: its name.
        arguments: subset of the arguments that it answers, as canonical JSON text; `{}` answers any.
        result: text.
        failed: the tool failed.
    """

    tool: str
    arguments: str
    result: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class FixtureTool:
    """A tool that is known from a file alone.

    Args:
        name: the tool's.
        description: for the model.
        schema: JSON Schema of its arguments, as JSON text.
    """

    name: str
    description: str
    schema: str


@dataclass(frozen=True, slots=True)
class ToolLoop:
    """The model called with the prompt and tools, again and again until it answers.

    Args:
        servers: where tools come from.
        fixtures: path of a file of recorded tools; empty for none.
        tools: tools of that file.
        recorded: answers of that file.
        only: names of the tools that the model is told of; empty for all.
        inject: argument to the environment variable that holds its value: the model neither sees nor writes it.
        max_steps: calls of the model until it has to answer, 1 or more.
        tool_timeout_s: seconds for one call of a tool.
        parallel: calls of tools that a model asks for at once are made at once.
        files: patterns of the files that its programs depend on; empty for all of the repository.
    """

    servers: tuple[Server, ...] = ()
    fixtures: str = ""
    tools: tuple[FixtureTool, ...] = ()
    recorded: tuple[Fixture, ...] = ()
    only: tuple[str, ...] = ()
    inject: tuple[tuple[str, str], ...] = ()
    max_steps: int = 12
    tool_timeout_s: float = 30.0
    parallel: bool = True
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PythonAgent:
    """A function or class of the repository, in a process of its own.

    Args:
        function: `module:name`.
        env: names of environment variables that it gets.
        timeout_s: seconds for one answer.
        files: patterns of the files that it depends on; empty for all of the repository.
    """

    function: str
    env: tuple[str, ...] = ()
    timeout_s: float = 120.0
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandAgent:
    """A program that speaks JSON lines on standard input and output.

    Args:
        command: run in the files of the arm's own ref.
        env: names of environment variables that it gets.
        timeout_s: seconds for one answer.
        files: patterns of the files that it depends on; empty for all of the repository.
    """

    command: tuple[str, ...]
    env: tuple[str, ...] = ()
    timeout_s: float = 120.0
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HttpAgent:
    """A service.

    Args:
        url: that the protocol's messages are posted to.
        headers: header to the environment variable that holds its value.
        timeout_s: seconds for one answer.
        version: of what answers there, as its users name it; empty where nobody says.
    """

    url: str
    headers: tuple[tuple[str, str], ...] = ()
    timeout_s: float = 120.0
    version: str = ""


Target: TypeAlias = ToolLoop | PythonAgent | CommandAgent | HttpAgent


class ConversationModel(FileModel):
    """A model that takes part in conversations."""

    model: Model | None = Field(default=None, examples=["openai:gpt-5-mini"], description="Who, as provider:name.")
    params: Annotated[Params, empty_is(dict)] = Field(default_factory=Params, description="Parameters of its calls.")

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.model is None and self.model_fields_set:
            raise wrong("needs a model", "model: openai:gpt-5-mini")
        return self


class Conversing(FileModel):
    """How conversations are led and scored."""

    score: RoundRule = Field(default="mean", description="What the scores of rounds come to.")
    max_followups: int = Field(default=2, ge=0, le=10, description="Questions back that are answered in one round.")
    followups: ConversationModel = Field(
        default_factory=ConversationModel, description="A model that answers the agent's questions back."
    )
    user: ConversationModel = Field(
        default_factory=ConversationModel, description="A model that plays the users of cases that have one."
    )

    @model_validator(mode="after")
    def _followed(self) -> Self:
        if "max_followups" in self.model_fields_set and self.followups.model is None:
            hint = "followups: {model: openai:gpt-5-mini} finds the agent's questions, and answers them"
            raise wrong_at((("max_followups",), "needs a model under followups", hint))
        return self

    @property
    def models(self) -> tuple[tuple[ModelRef, Params], ...]:
        """The models that answer an agent's questions, or play its user."""
        return tuple((one.model, one.params) for one in (self.followups, self.user) if one.model is not None)

    def hears(self, case: Case) -> bool:
        """Would anybody notice that the agent asks back? A simulated user answers questions like anything else."""
        return self.followups.model is not None and self.max_followups > 0 and case.user is None


def leads_itself(target: Target | None) -> bool:
    """Is it an agent whose calls of models are its own, so that nobody else knows what they cost?"""
    return isinstance(target, PythonAgent | CommandAgent | HttpAgent)


def runs_code(target: Target | None) -> bool:
    """Would the agent, or a server of its tools, run a program?"""
    if isinstance(target, ToolLoop):
        return any(server.command for server in target.servers)
    return isinstance(target, PythonAgent | CommandAgent)


def unversioned(target: Target | None) -> bool:
    """Does something answer at an address of which nobody says which version of it that is?"""
    if isinstance(target, ToolLoop):
        return any(server.url and not server.version for server in target.servers)
    return isinstance(target, HttpAgent) and not target.version


def target_json(target: Target | None) -> JsonValue:
    """Everything that can change what the agent does, for digests; null where there is none."""
    if target is None:
        return None
    return {"kind": type(target).__name__, **cast("dict[str, JsonValue]", asdict(target))}
