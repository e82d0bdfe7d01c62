"""Makes the agents of a run, and lets go of what they share when it ends."""

import asyncio
import shlex
import sys
import uuid
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from gate.bootstrap.seal import Seal
from gate.bootstrap.worktrees import laid_out, refuse_untrusted
from gate.calls.port import Asking, Memory
from gate.config.targets import CommandAgent, HttpAgent, PythonAgent, Target, ToolLoop, runs_code
from gate.domain.code_place import CodePlace
from gate.domain.suite import Arm, Exam
from gate.errors import GateError
from gate.flows.resolved import Resolved
from gate.settings.surroundings import Surroundings
from gate.settings.variables import values_of
from gate.store.database import Databases, check_sqlalchemy, check_urls, names
from gate.store.sessions import SessionFiles
from gate.targets.conversation import Company, ConversationTarget
from gate.targets.followups import FollowUps
from gate.targets.listening import Listener
from gate.targets.loop import Equipment, LoopAgent
from gate.targets.persona import SimulatedUser
from gate.targets.port import Agent, Question, Reader, Toolbox
from gate.targets.port import Target as Answers
from gate.targets.prompt import PromptTarget
from gate.targets.route import Route

if TYPE_CHECKING:
    import aiohttp

    from gate.targets.tools.kit import ToolKit
    from gate.targets.tools.process import Place

Key: TypeAlias = tuple[Target, CodePlace | None]
"""What conversations share that have the same agent in the same files."""

Look: TypeAlias = Callable[[Toolbox], Toolbox]
"""Puts whoever looks at tools around them."""

COMMAND_CHARS = 100
"""Of a command, in reasons."""
INSTEAD = "a model with recorded tools, or an agent behind an address"


@dataclass(slots=True)
class Crew:
    """What the conversations of a run share.

    Args:
        sessions: conversations that are closed and opened again.
        databases: are looked at when a conversation is over.
        concurrency: programs at once.
    """

    sessions: SessionFiles
    databases: Databases
    concurrency: int
    kits: "dict[Key, ToolKit]" = field(default_factory=dict)
    places: "dict[Key, Place]" = field(default_factory=dict)
    seals: dict[Key, Seal] = field(default_factory=dict)
    client: "aiohttp.ClientSession | None" = None

    def target(self, asking: Callable[[str], Asking], memory: Memory, look: Look) -> Answers:
        """What answers the cases of a run.

        Args:
            asking: sends the requests of a role: of the arms (`answer`), and of whoever talks to agents (`aside`).
            memory: known conversations.
            look: looks at the tools of a conversation.
        """
        caller, aside = asking("answer"), asking("aside")

        def detector(exam: Exam) -> Reader | None:
            asked = exam.conversing.followups
            return FollowUps(Listener(aside, asked.model, asked.params)) if asked.model else None

        def user(exam: Exam) -> Reader | None:
            asked = exam.conversing.user
            return SimulatedUser(Listener(aside, asked.model, asked.params)) if asked.model else None

        company = Company(detector, user, self.databases)
        maker = AgentMaker(self, Equipment(caller, self.sessions), look)
        conversing = ConversationTarget(maker, company, memory, caller, lambda: uuid.uuid4().hex)
        return Route(PromptTarget(caller), conversing)


class AgentMaker:
    """Makes an agent for each conversation; see `gate.targets.port.Agents`.

    Args:
        crew: what they share.
        equipment: of the loop of our own.
        look: looks at the tools of a conversation.
    """

    def __init__(self, crew: Crew, equipment: Equipment, look: Look) -> None:
        self._crew, self._equipment, self._look = crew, equipment, look
        self._room = asyncio.Semaphore(crew.concurrency)

    def agent(self, question: Question, *, fresh: bool) -> Agent:
        target = question.arm.target
        match target:
            case None:
                return LoopAgent(question, self._equipment, fresh=fresh)
            case ToolLoop():
                box = self._look(self._crew.kits[key_of(question.arm)].toolbox())
                return LoopAgent(question, self._equipment, box, target.max_steps, fresh, target.parallel)
            case HttpAgent():
                return self._service(question, target)
            case _:
                return self._program(question, target)

    async def tampered(self, question: Question) -> str:
        target = question.arm.target
        seal = None if target is None else self._crew.seals.get((target, question.arm.place))
        return "" if seal is None else await asyncio.to_thread(seal.broken)

    def _service(self, question: Question, target: HttpAgent) -> Agent:
        from gate.targets.external.protocol import Tongue
        from gate.targets.external.service import Service, ServiceAgent
        from gate.targets.tools.masks import Masks

        if self._crew.client is None:
            raise GateError(f"nothing talks to {target.url}")
        values = values_of(target.headers.values(), "the agent")
        headers = {header: values[name] for header, name in target.headers.items()}
        service = Service(target.url, headers, target.timeout_s, self._crew.client)
        return ServiceAgent(Tongue(question, Masks(tuple(values.values())), f"the agent at {target.url}"), service)

    def _program(self, question: Question, target: PythonAgent | CommandAgent) -> Agent:
        from gate.targets.external import python_agent
        from gate.targets.external.program import Program, ProgramAgent
        from gate.targets.external.protocol import Tongue
        from gate.targets.tools.masks import Masks

        if isinstance(target, PythonAgent):
            command: tuple[str, ...] = (sys.executable, "-P", "-s", "-B", python_agent.__file__, target.function)
            who = f"the agent {target.function}"
        else:
            command, who = target.run, f"the agent {shlex.join(target.run)[:COMMAND_CHARS]}"
        values = values_of(target.env, who)
        place, told = self._crew.places[key_of(question.arm)], isinstance(target, PythonAgent)
        program = Program(command, place, values, target.timeout_s, self._room, told)
        return ProgramAgent(Tongue(question, Masks(tuple(values.values())), who), program)


def key_of(arm: Arm) -> Key:
    """What conversations of an arm share their agent's tools and files by.

    Raises:
        GateError: the arm has no agent.
    """
    if arm.target is None:
        raise GateError("a model that is called with the prompt alone has no agent")
    return arm.target, arm.place


@asynccontextmanager
async def crew_of(
    resolved: Resolved, out: Path, concurrency: int, here: Surroundings | None = None
) -> AsyncIterator[Crew]:
    """What conversations share, for as long as a run lasts.

    Args:
        resolved: what is evaluated.
        out: folder of the run.
        concurrency: programs at once.
        here: what started this process; read from the environment when None.

    Raises:
        GateError: no code may run here, a package is missing, or an address is none.
        MissingKey: a variable is not set.
        CannotEvaluate: the files of a commit cannot be had.
    """
    arms = {key_of(arm): arm for arm in _arms(resolved) if arm.target is not None}
    crew = Crew(SessionFiles(out / "sessions"), _databases(resolved), concurrency)
    async with AsyncExitStack() as stack:
        stack.callback(crew.sessions.clear)
        stack.callback(crew.databases.close)
        folders = stack.enter_context(ExitStack())
        for key, arm in arms.items():
            await _equip(crew, key, arm, here or Surroundings.from_environ(), folders)
            if key in crew.kits:
                stack.push_async_callback(crew.kits[key].close)
        if any(isinstance(target, HttpAgent) for target, _ in arms):
            crew.client = await stack.enter_async_context(_client())
        yield crew


def _client() -> "aiohttp.ClientSession":
    """Connections to services: as many as there are conversations, none of which knows the cookies of another."""
    import aiohttp

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0),
        cookie_jar=aiohttp.DummyCookieJar(),
        # Each agent has a time of its own.
        timeout=aiohttp.ClientTimeout(),
        auto_decompress=False,
    )


async def _equip(crew: Crew, key: Key, arm: Arm, here: Surroundings, folders: ExitStack) -> None:
    """Files for what is a program, and the tools of the loop of our own; nothing is started yet."""
    target, place = key
    if runs_code(target):
        from gate.python import system
        from gate.targets.tools.process import Place

        said = f"{told(target)} of {arm.version.path}"
        refuse_untrusted(here, said, INSTEAD)
        if place is None:
            raise GateError(f"{said} is code, and nothing here runs it", f"use {INSTEAD}")
        system.conceal()
        laid = folders.enter_context(laid_out(place))
        crew.places[key] = Place(laid.root, laid.scratch, here.path)
        if laid.written is not None:
            crew.seals[key] = Seal.of(laid.written, place.label)
    match target:
        case ToolLoop():
            from gate.targets.tools.kit import ToolKit, check_mcp, variables

            check_mcp(target)
            values = values_of(variables(target), "an agent with tools")
            crew.kits[key] = ToolKit(target, crew.places.get(key), values)
        case HttpAgent():
            values_of(target.headers.values(), told(target))
        case PythonAgent() | CommandAgent():
            values_of(target.env, told(target))


def told(target: Target) -> str:
    """The agent as a reader knows it."""
    match target:
        case ToolLoop(servers=servers):
            return f"the MCP server {', '.join(name for name, server in servers.items() if server.command)}"
        case PythonAgent(function=function):
            return f"the agent python:{function}"
        case CommandAgent(run=words):
            return f"the agent {' '.join(words)}"
        case HttpAgent(url=url):
            return f"the agent at {url}"


def _arms(resolved: Resolved) -> Iterable[Arm]:
    for suite in resolved.suites:
        yield from suite.arms.values()
    for trial in (trial for edit in resolved.edits for trial in edit.trials if not trial.reason):
        yield from trial.suite.arms.values()
        if trial.answers is not None:
            yield from trial.answers.arms.values()


def _databases(resolved: Resolved) -> Databases:
    """Of the exams that count, down to the statement: what a change looks up is not looked up before it is merged."""
    counts = [suite.exam for suite in resolved.suites if not suite.trial]
    asking = [spec for exam in counts for spec in exam.all_scorers() if spec.lookup]
    if asking:
        check_sqlalchemy()
    urls = values_of(names(asking), "a database scorer", "sqlite:////path/to/file.db")
    check_urls(urls)
    return Databases(urls, frozenset(spec.lookup for spec in asking))
