"""What a run needs of a target, and what a conversation needs of an agent, its tools and its sessions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gate.calls.interface import Request
from gate.cases.case import Case
from gate.messages import Message, Tool
from gate.record.sample import Reply
from gate.record.transcript import Cost, Effort, Failed, Observation, ToolUse, Unpriced, Usage
from gate.suite import Arm, Exam


@dataclass(frozen=True, slots=True)
class Question:
    """One sample to be taken.

    Args:
        index: of the sample, 0 to k - 1.
        exam: says how conversations are led; None where the case is one question to a model.
    """

    suite: str
    arm: Arm
    case: Case
    index: int
    exam: Exam | None = None


class Target(Protocol):
    """Answers cases for arms."""

    async def answer(self, question: Question, *, fresh: bool = False) -> Reply | Failed:
        """Take one sample."""
        ...

    def request_of(self, question: Question) -> Request:
        """The key that an answer is remembered under. Raises NotBuilt: the prompt has no text for the case."""
        ...


class AgentFailed(Exception):
    """An agent gave no answer, and asking again in this conversation will not help.

    Args:
        reason: one clean line.
        attempts: requests of the call that failed.
        effort: of the message until then, without that call.
        tools: called until then.
    """

    def __init__(self, reason: str, attempts: int = 1, effort: Effort | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.attempts = attempts
        self.effort = (effort or Effort()) + Effort(retries=max(0, attempts - 1))
        self.tools: tuple[ToolUse, ...] = ()


class ServerUnfit(Exception):
    """A server of tools cannot be used; the message continues after its name."""


class ToolCallFailed(Exception):
    """A server of tools refused one call; the message continues after its name."""


class ConnectionLost(Exception):
    """The connection to a server of tools is lost."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An agent's answer to one message, and its work for it.

    Args:
        text: may be empty.
        tools: in order of the calls.
        steps: calls of a model, as far as known.
        latency_s: seconds of models and tools, without queueing; None where time means nothing.
        model_id: named by the last reply; empty where none did.
        stop_reason: empty where unknown.
        effort: the part that was asked for now; None where all of it was, and nothing twice.
        tools_told: the agent reports its tool calls; otherwise they are unknown.
    """

    text: str
    tools: tuple[ToolUse, ...] = ()
    steps: int = 1
    usage: Usage = Usage()
    cost: Cost = Unpriced("unknown")
    latency_s: float | None = None
    model_id: str = ""
    stop_reason: str = ""
    effort: Effort | None = None
    tools_told: bool = True

    @property
    def taken(self) -> Effort:
        """The effort to get it now."""
        return self.effort or Effort(self.steps, cost=self.cost)


class Agent(Protocol):
    """One conversation with one agent. `start` or `reopen` comes first; `close` may come at any time, and twice."""

    async def start(self, session: str) -> None:
        """Begin a session. Raises AgentFailed: it is not available."""
        ...

    async def send(self, text: str) -> Answer:
        """Send a message and wait for the answer, for a limited time. Raises AgentFailed: there is none."""
        ...

    async def close(self) -> None:
        """End the client, or the process and its child processes; the session's data stays where it is."""
        ...

    async def reopen(self, session: str) -> None:
        """Continue a session that was closed. Raises AgentFailed: the session is unknown."""
        ...


class Agents(Protocol):
    """Makes an agent for each conversation."""

    def agent(self, question: Question, *, fresh: bool) -> Agent:
        """One that works with the arm's prompt, model and tools."""
        ...

    async def tampered(self, question: Question) -> str:
        """Why the agent's files may have changed before it answered; empty where they have not."""
        ...


class Toolbox(Protocol):
    """The tools of one conversation."""

    async def tools(self) -> tuple[Tool, ...]:
        """The tools for the model, without arguments that the gate sets.

        Raises:
            AgentFailed: a server is not available, or has no tools.
        """
        ...

    async def call(self, name: str, arguments: str, session: str) -> ToolUse:
        """Call a tool; a failure, a time-out or an unknown name is a result, too.

        Raises:
            AgentFailed: its server is gone.
        """
        ...

    async def close(self) -> None:
        """Release what only this conversation used."""
        ...


class Sessions(Protocol):
    """Keeps the conversations of the built-in loop, so that they can be continued."""

    def save(self, session: str, messages: Sequence[Message]) -> None:
        """Replace what is kept of a session. Raises OSError: it cannot be kept."""
        ...

    def load(self, session: str) -> tuple[Message, ...] | None:
        """The messages so far; None for an unknown session."""
        ...


class Observer(Protocol):
    """Observes databases after a conversation."""

    async def observe(self, exam: Exam, case: Case, session: str) -> tuple[Observation, ...]:
        """The data that a case's database scorers need; an unavailable database is an observation, too."""
        ...


class Reader(Protocol):
    """Reads the agent's answers and replies in place of a person."""

    async def reply(self, said: Sequence[tuple[str, str]], case: Case, index: int) -> "PersonReply":
        """What the person says next. Raises AgentFailed: the reader is not available."""
        ...


@dataclass(frozen=True, slots=True)
class PersonReply:
    """A person's next message, and the effort to find it.

    Args:
        text: empty where the person has nothing to add.
        calls: of a model.
        cost: of those; None without any.
        missed: why the person's reply is unknown; empty where it is known.
        effort: the part that was asked for now; None where all of it was, and nothing twice.
    """

    text: str = ""
    calls: int = 0
    cost: Cost | None = None
    missed: str = ""
    effort: Effort | None = None

    @property
    def taken(self) -> Effort:
        """The effort to get it now."""
        return self.effort or Effort(self.calls, cost=self.cost)
