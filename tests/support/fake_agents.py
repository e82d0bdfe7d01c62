"""Questions for agents, and fake agents, toolboxes and users."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from gate.agents.interface import (
    Agent,
    AgentFailed,
    Answer,
    ConversationServices,
    ConversationTarget,
    PersonReply,
    PersonSimulator,
    Question,
)
from gate.calls.cache import request_key
from gate.calls.interface import Bill, ExternalBudgets, Request
from gate.cases.case import Case
from gate.config.models import ModelRef, Params
from gate.config.targets import ConversationOptions, Target
from gate.messages import Message, Tool, ToolCall
from gate.prompts.version import Prompt, PromptVersion
from gate.record.transcript import Observation, Origin, Reply, ToolUse
from gate.suite import Arm, Exam
from tests.support.fakes import reply

MODEL = ModelRef("openai", "m")


def question(case: Case, target: Target | None = None, exam: Exam | None = None, **arm: Any) -> Question:
    """One sample of a case."""
    version = PromptVersion("p.md", "main", None, Prompt((Message("system", "Be kind."),)))
    return Question("s", Arm(version, MODEL, Params(), target, **arm), case, 0, exam)


def exam(case: Case, conversing: ConversationOptions | None = None) -> Exam:
    """An exam of one case."""
    return Exam("main", "digest", (case,), (), conversing=conversing or ConversationOptions())


def calls(*names: str, text: str = "") -> Reply:
    """A reply that calls tools without arguments."""
    asked = tuple(ToolCall(f"id{place}", name, "{}") for place, name in enumerate(names))
    return replace(reply(text, stop_reason="tool_calls"), tool_calls=asked)


@dataclass
class FakeBox:
    """Tools that do as a test wants them to."""

    work: Callable[[str], Any] = lambda name: f"{name} done"
    events: list[str] = field(default_factory=list)
    notes: tuple[str, ...] = ()

    async def tools(self) -> tuple[Tool, ...]:
        self.events.append("open")
        return (Tool("look", "Looks.", "{}"),)

    async def call(self, name: str, arguments: str, session: str) -> ToolUse:
        self.events.append(f"begin {name}")
        try:
            found = self.work(name)
            found = await found if asyncio.iscoroutine(found) else found
        except asyncio.CancelledError:
            self.events.append(f"cancelled {name}")
            raise
        self.events.append(f"end {name}")
        return ToolUse(name, arguments, found)

    async def close(self) -> None:
        self.events.append("close")


@dataclass
class FakeAgent:
    """An agent that answers from a script: a text, an answer, or a failure."""

    script: Sequence[str | Answer | AgentFailed]
    remembers: bool = True
    events: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    async def start(self, session: str) -> None:
        self.events.append(f"start {session}")

    async def send(self, text: str) -> Answer:
        self.said.append(text)
        found = self.script[len(self.said) - 1]
        if isinstance(found, AgentFailed):
            raise found
        return Answer(found) if isinstance(found, str) else found

    async def close(self) -> None:
        self.events.append("close")

    async def reopen(self, session: str) -> None:
        self.events.append(f"reopen {session}")
        if not self.remembers:
            raise AgentFailed("the context is lost", attempts=0)


@dataclass
class FakeReader:
    """A user that replies from a script, and records the conversations it was given."""

    script: Sequence[PersonReply]
    read: list[list[tuple[str, str]]] = field(default_factory=list)

    async def reply(self, said: Sequence[tuple[str, str]], case: Case, index: int) -> PersonReply:
        self.read.append(list(said))
        return self.script[len(self.read) - 1]


class Blind:
    """An observer that finds nothing."""

    async def observe(self, exam: Exam, case: Case, session: str) -> tuple[Observation, ...]:
        return ()


@dataclass
class Kept:
    """An answer cache in a dict."""

    known: dict[bytes, Reply] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        return not self.known

    def find(self, request: Request) -> Reply | None:
        found = self.known.get(request_key(request, ""))
        return None if found is None else replace(found, origin=Origin("earlier", 0.0, True))

    def earlier(self, request: Request) -> Reply | None:
        return self.find(request)

    async def keep(self, request: Request, reply: Reply) -> Reply:
        self.known[request_key(request, "")] = reply
        return reply


@dataclass
class OneAgent:
    """Gives the same agent for each conversation."""

    one: Agent

    def agent(self, question: Question, *, fresh: bool) -> Agent:
        return self.one

    async def tampered(self, question: Question) -> str:
        return ""


class Free:
    """Has no budget, and records the announced messages and the bills."""

    def __init__(self) -> None:
        self.announced: list[int] = []
        self.bills: list[Bill] = []

    @asynccontextmanager
    async def outside(self, messages: int) -> AsyncIterator["Free"]:
        self.announced.append(messages)
        yield self

    @asynccontextmanager
    async def message(self) -> AsyncIterator[Bill]:
        self.bills.append(Bill())
        yield self.bills[-1]


def leading(
    agent: Agent,
    detector: PersonSimulator | None = None,
    user: PersonSimulator | None = None,
    memory: Kept | None = None,
    outside: ExternalBudgets | None = None,
) -> ConversationTarget:
    """A target that holds conversations with one agent, always with the same session name."""
    services = ConversationServices(lambda _: detector, lambda _: user, Blind())
    return ConversationTarget(OneAgent(agent), services, memory or Kept(), outside or Free(), lambda: "session-1")
