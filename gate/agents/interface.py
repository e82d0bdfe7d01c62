"""What a run needs of a target, and what a conversation needs of an agent, its tools and its sessions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gate.calls.provider import Request
from gate.cases.case import Case
from gate.messages import Message, Tool
from gate.record.sample import Reply
from gate.record.transcript import Failed, Observation, ToolUse
from gate.record.usage import Cost, Effort, Unpriced, Usage
from gate.suite import Arm, Exam


@dataclass(frozen=True, slots=True)
class Question:
    """One sample to be taken.

    Args:
        suite: name of the suite.
        arm: prompt, model, parameters and agent.
        case: what is asked.
        index: sample index, 0 to k - 1.
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
        """Take one sample.

        Args:
            question: who is asked what.
            fresh: ask even if an answer is known.
        """
        ...

    def request_of(self, question: Question) -> Request:
        """What an answer is remembered under.

        Raises:
            NotBuilt: the prompt has no text for the case.
        """
        ...


class AgentFailed(Exception):
    """An agent gave no answer, and no other words will get one out of it in this conversation.

    Args:
        reason: one clean line.
        attempts: requests of the call that failed.
        effort: what the message took until then, that call left out.
        tools: that were called until then.
    """

    def __init__(self, reason: str, attempts: int = 1, effort: Effort | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.attempts = attempts
        self.effort = (effort or Effort()) + Effort(retries=max(0, attempts - 1))
        self.tools: tuple[ToolUse, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What an agent answered to one message, and what it did until then.

    Args:
        text: may be empty.
        tools: its calls, in order.
        steps: calls of a model, as far as they are known.
        usage: tokens of those.
        cost: price of those.
        latency_s: seconds of models and tools, without queueing; None where time means nothing.
        model_id: the model that the last of its replies named; empty where nobody said.
        stop_reason: why it ended; empty where nobody said.
        effort: what of it was asked for now; None where all of it was, and nothing twice.
        tools_told: the agent says which tools it called; without that nobody knows.
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
        """What it took to have it now."""
        return self.effort or Effort(self.steps, cost=self.cost)


class Agent(Protocol):
    """One conversation with one agent. `start` or `reopen` comes first; `close` may come at any time, and twice."""

    async def start(self, session: str) -> None:
        """Begin a session.

        Raises:
            AgentFailed: it cannot be had.
        """
        ...

    async def send(self, text: str) -> Answer:
        """Say something and wait for the answer, a bounded time.

        Raises:
            AgentFailed: there is none.
        """
        ...

    async def close(self) -> None:
        """Discard the client, or the process, and all that it started; what the session holds stays where it is."""
        ...

    async def reopen(self, session: str) -> None:
        """Go on with a session that was closed.

        Raises:
            AgentFailed: nobody knows it any more.
        """
        ...


class Agents(Protocol):
    """Makes an agent for each conversation."""

    def agent(self, question: Question, *, fresh: bool) -> Agent:
        """One that works with the arm's prompt, model and tools.

        Args:
            question: who is asked what.
            fresh: ask models even if their answers are known.
        """
        ...

    async def tampered(self, question: Question) -> str:
        """Why it may have been another agent that answered, its files being others by now; empty where it was not."""
        ...


class Toolbox(Protocol):
    """The tools of one conversation."""

    async def tools(self) -> tuple[Tool, ...]:
        """What a model is told of them, without arguments that the harness puts in.

        Raises:
            AgentFailed: a server cannot be had, or has no tools.
        """
        ...

    async def call(self, name: str, arguments: str, session: str) -> ToolUse:
        """Call a tool; that it fails, takes too long or is not there is a result of its own.

        Args:
            name: as the model wrote it.
            arguments: as the model wrote them.
            session: id of the session, for tools that need it.

        Raises:
            AgentFailed: its server is gone.
        """
        ...

    async def close(self) -> None:
        """Let go of what this conversation alone used."""
        ...


class Sessions(Protocol):
    """Keeps the conversations of the loop of our own, so that they can be gone on with."""

    def save(self, session: str, messages: Sequence[Message]) -> None:
        """Replace what is known of a session.

        Raises:
            OSError: it cannot be kept.
        """
        ...

    def load(self, session: str) -> tuple[Message, ...] | None:
        """The messages so far; None where nobody knows the session."""
        ...


class Observer(Protocol):
    """Looks at a database once a conversation is over."""

    async def observe(self, exam: Exam, case: Case, session: str) -> tuple[Observation, ...]:
        """What the database scorers of a case asked for; that one cannot be had is an observation of its own."""
        ...


class Reader(Protocol):
    """Whoever reads the agent's answers and talks back in the place of a person."""

    async def reply(self, said: Sequence[tuple[str, str]], case: Case, index: int) -> "PersonReply":
        """What the person says next.

        Args:
            said: messages to the agent and its answers, in order.
            case: whose facts or persona count.
            index: sample index.

        Raises:
            AgentFailed: whoever reads cannot be had.
        """
        ...


@dataclass(frozen=True, slots=True)
class PersonReply:
    """What a person says next, and what it took to find out.

    Args:
        text: empty where the person has nothing to add.
        calls: of a model.
        cost: price of those; None where there were none.
        missed: why nobody knows what the person would say; empty where somebody does.
        effort: what of it was asked for now; None where all of it was, and nothing twice.
    """

    text: str = ""
    calls: int = 0
    cost: Cost | None = None
    missed: str = ""
    effort: Effort | None = None

    @property
    def taken(self) -> Effort:
        """What it took to know it now."""
        return self.effort or Effort(self.calls, cost=self.cost)
