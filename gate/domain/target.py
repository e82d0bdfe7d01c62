"""What answers in place of a model that is only called with the prompt: agents, and how one talks to them."""

from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias, cast

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


@dataclass(frozen=True, slots=True)
class Conversing:
    """How conversations are led and scored; part of the exam.

    Args:
        score: how the scores of a case's rounds become one.
        max_followups: questions of the agent's that are answered automatically in one round, 0 or more.
        detector: the model that finds such questions and answers them; None for none.
        detector_params: of its requests.
        user: the model of simulated users; None where no case has one.
        user_params: of its requests.
    """

    score: RoundRule = "mean"
    max_followups: int = 2
    detector: ModelRef | None = None
    detector_params: Params = Params()
    user: ModelRef | None = None
    user_params: Params = Params()

    def hears(self, case: Case) -> bool:
        """Would anybody notice that the agent asks back? A simulated user answers questions like anything else."""
        return self.detector is not None and self.max_followups > 0 and case.user is None


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
