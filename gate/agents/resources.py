"""Starts the agents and the scoring functions of a run, and ends them with it."""

import asyncio
import shlex
import shutil
import sys
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from gate.agents.interface import (
    Agent,
    ConversationServices,
    ConversationTarget,
    PersonSimulator,
    PromptTarget,
    Question,
    TargetRoute,
    Toolbox,
)
from gate.agents.interface import Target as Answers
from gate.calls.interface import BudgetedCalls, Memory
from gate.config.scorer import ScorerSpec
from gate.config.targets import CommandAgent, HttpAgent, PythonAgent, Target, ToolLoop, runs_code
from gate.config.values import PYTHON_PREFIX, FunctionName, function_named
from gate.environment.settings import Surroundings, values_of
from gate.errors import GateError
from gate.prompts.files import CannotLoad, CodePlace
from gate.resolve.code import code_scorers
from gate.resolve.resolved import Resolved
from gate.scoring.interface import CodeScorer
from gate.suite import Arm, Exam

if TYPE_CHECKING:
    import aiohttp

    from gate.agents.code_folder import FileWatch
    from gate.agents.databases import Databases
    from gate.agents.mcp_servers import ToolKit
    from gate.agents.processes import ProgramPlace

AgentKey: TypeAlias = tuple[Target, CodePlace | None]
"""Conversations with the same key share tools and files."""

LookedUp: TypeAlias = Callable[[Toolbox], Toolbox]
"""Wraps the tools of a conversation so that they are observed."""

COMMAND_CHARS = 100
"""Characters of a command in a reason."""
INSTEAD = "a model with recorded tools, or an agent with a URL"


@dataclass(slots=True)
class SharedResources:
    """What the conversations of a run share."""

    sessions: Path
    databases: "Databases | None"
    concurrency: int
    kits: "dict[AgentKey, ToolKit]" = field(default_factory=dict)
    places: "dict[AgentKey, ProgramPlace]" = field(default_factory=dict)
    watches: "dict[AgentKey, FileWatch]" = field(default_factory=dict)
    client: "aiohttp.ClientSession | None" = None
    notes: dict[str, None] = field(default_factory=dict)

    def target(self, asking: Callable[[str], BudgetedCalls], memory: Memory, look: LookedUp) -> Answers:
        """What answers the cases of a run.

        Args:
            asking: sends the requests of a role: `answer` for the arms, `aside` for models that talk to agents.
        """
        caller, aside = asking("answer"), asking("aside")

        def detector(exam: Exam) -> PersonSimulator | None:
            from gate.agents.simulated_user import FollowUps, PersonModel

            asked = exam.conversing.followups
            return FollowUps(PersonModel(aside, asked.model, asked.params)) if asked.model else None

        def user(exam: Exam) -> PersonSimulator | None:
            from gate.agents.simulated_user import PersonModel, SimulatedUser

            asked = exam.conversing.user
            return SimulatedUser(PersonModel(aside, asked.model, asked.params)) if asked.model else None

        services = ConversationServices(detector, user, self.databases)
        maker = AgentMaker(self, caller, look)
        conversing = ConversationTarget(maker, services, memory, caller, lambda: uuid.uuid4().hex, self._note)
        return TargetRoute(PromptTarget(caller), conversing)

    def _note(self, notes: Sequence[str]) -> None:
        self.notes.update(dict.fromkeys(notes))


class AgentMaker:
    """Makes an agent for each conversation; see `gate.agents.interface.Agents`."""

    def __init__(self, resources: SharedResources, calls: BudgetedCalls, look: LookedUp) -> None:
        self._resources, self._calls, self._look = resources, calls, look
        self._room = asyncio.Semaphore(resources.concurrency)

    def agent(self, question: Question, *, fresh: bool) -> Agent:
        target = question.arm.target
        match target:
            case ToolLoop() | None:
                return self._loop(question, target, fresh=fresh)
            case HttpAgent():
                return self._service(question, target)
            case _:
                return self._program(question, target)

    async def tampered(self, question: Question) -> str:
        target = question.arm.target
        watch = None if target is None else self._resources.watches.get((target, question.arm.place))
        return "" if watch is None else await asyncio.to_thread(watch.changed)

    def _loop(self, question: Question, target: ToolLoop | None, *, fresh: bool) -> Agent:
        from gate.agents.loop import LoopAgent, LoopResources, SessionFiles

        resources = LoopResources(self._calls, SessionFiles(self._resources.sessions))
        if target is None:
            return LoopAgent(question, resources, fresh=fresh)
        box = self._look(self._resources.kits[agent_key(question.arm)].toolbox())
        return LoopAgent(question, resources, box, target.max_steps, fresh, target.parallel)

    def _service(self, question: Question, target: HttpAgent) -> Agent:
        from gate.agents.external import ProtocolSession, Service, ServiceAgent
        from gate.agents.masks import Masks

        if self._resources.client is None:
            raise GateError(f"nothing here calls {target.url}")
        values = values_of(target.headers.values(), "the agent")
        headers = {header: values[name] for header, name in target.headers.items()}
        service = Service(target.url, headers, target.timeout_s, self._resources.client)
        return ServiceAgent(
            ProtocolSession(question, Masks(tuple(values.values())), f"the agent at {target.url}"), service
        )

    def _program(self, question: Question, target: PythonAgent | CommandAgent) -> Agent:
        from gate.agents import runner
        from gate.agents.external import Program, ProgramAgent, ProtocolSession
        from gate.agents.masks import Masks

        if isinstance(target, PythonAgent):
            command: tuple[str, ...] = (sys.executable, "-P", "-s", "-B", runner.__file__, "agent", target.function)
            who = f"the agent {target.function}"
        else:
            command, who = target.run, f"the agent {shlex.join(target.run)[:COMMAND_CHARS]}"
        values = values_of(target.env, who)
        place, told = self._resources.places[agent_key(question.arm)], isinstance(target, PythonAgent)
        program = Program(command, place, values, target.timeout_s, self._room, told)
        return ProgramAgent(ProtocolSession(question, Masks(tuple(values.values())), who), program)


def agent_key(arm: Arm) -> AgentKey:
    """The key by which conversations of an arm share tools and files.

    Raises:
        GateError: the arm has no agent.
    """
    if arm.target is None:
        raise GateError("a model that is called with only the prompt has no agent")
    return arm.target, arm.place


@asynccontextmanager
async def shared_resources(resolved: Resolved, out: Path, concurrency: int) -> AsyncIterator[SharedResources]:
    """The resources that conversations share, for as long as a run lasts.

    Raises:
        GateError: no code may run here, a package is missing, or an address is none.
        MissingKey: a variable is not set.
        CannotEvaluate: the files of a commit cannot be had.
    """
    arms = {agent_key(arm): arm for arm in _arms(resolved) if arm.target is not None}
    resources = SharedResources(out / "sessions", _databases(resolved), concurrency)
    async with AsyncExitStack() as stack:
        stack.callback(shutil.rmtree, resources.sessions, ignore_errors=True)
        if resources.databases is not None:
            stack.callback(resources.databases.close)
        folders = stack.enter_context(ExitStack())
        for key, arm in arms.items():
            await _open_resources(resources, key, arm, Surroundings.from_environ(), folders)
            if key in resources.kits:
                stack.push_async_callback(resources.kits[key].close)
        if any(isinstance(target, HttpAgent) for target, _ in arms):
            resources.client = await stack.enter_async_context(_client())
        yield resources


def _client() -> "aiohttp.ClientSession":
    """Connections to services, without a limit, and without cookies shared between conversations."""
    import aiohttp

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0),
        cookie_jar=aiohttp.DummyCookieJar(),
        # Each agent sets its own time limit.
        timeout=aiohttp.ClientTimeout(),
        auto_decompress=False,
    )


async def _open_resources(
    resources: SharedResources, key: AgentKey, arm: Arm, here: Surroundings, folders: ExitStack
) -> None:
    """Prepare files and tools for the arms' agents; nothing is started yet."""
    target, place = key
    if runs_code(target):
        from gate.agents.code_folder import FileWatch, code_folder, refuse_untrusted
        from gate.agents.processes import ProgramPlace

        said = f"{agent_label(target)} of {arm.version.path}"
        refuse_untrusted(here, said, INSTEAD)
        if place is None:
            raise GateError(f"{said} is code, which does not run here", f"use {INSTEAD}")
        laid = folders.enter_context(code_folder(place))
        resources.places[key] = ProgramPlace(laid.root, laid.scratch, here.path)
        if laid.written is not None:
            resources.watches[key] = FileWatch.of(laid.written, place.label)
    match target:
        case ToolLoop():
            from gate.agents.mcp_servers import ToolKit, check_mcp, needed_variables

            check_mcp(target)
            values = values_of(needed_variables(target), "an agent with tools")
            resources.kits[key] = ToolKit(target, resources.places.get(key), values)
        case HttpAgent():
            values_of(target.headers.values(), agent_label(target))
        case PythonAgent() | CommandAgent():
            values_of(target.env, agent_label(target))


def agent_label(target: Target) -> str:
    """The agent's name for readers."""
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


def _databases(resolved: Resolved) -> "Databases | None":
    """The databases of the pinned suites, with their statements: those of a change are not used before it is merged.

    None if no scorer queries a database.
    """
    answered = [trial.answers for edit in resolved.edits for trial in edit.trials if trial.answers is not None]
    exams = [suite.exam for suite in (*resolved.asked, *answered)]
    if not any(spec.kind == "database" for exam in exams for spec in exam.all_scorers()):
        return None
    from gate.agents.databases import Databases, check_sqlalchemy, check_urls, names

    counts = [suite.exam for suite in resolved.suites if not suite.trial]
    asking = [spec for exam in counts for spec in exam.all_scorers() if spec.lookup]
    if asking:
        check_sqlalchemy()
    urls = values_of(names(asking), "a database scorer", "sqlite:////path/to/file.db")
    check_urls(urls)
    return Databases(urls, frozenset(spec.lookup for spec in asking))


if TYPE_CHECKING:
    from gate.agents.functions import ScoringProcess

MOST_FUNCTIONS = 20
"""Functions of one run: each is a process that stays."""
_INSTALL = "it runs in the gate's own environment, without environment variables; install what it imports there"

_FunctionKey = tuple[CodePlace, FunctionName]


@dataclass(frozen=True, slots=True)
class ScoringFunctions:
    """The scoring functions of a run, by the place of their code and their entry."""

    processes: "dict[_FunctionKey, ScoringProcess]" = field(default_factory=dict)

    def scorer(self, spec: ScorerSpec, exam: Exam) -> CodeScorer:
        """The scorer that calls the function of a spec.

        Raises:
            GateError: nothing was started for it.
        """
        from gate.agents.functions import FunctionScorer

        place, entry = exam.code, _function_entry(spec)
        if place is None or (place, entry) not in self.processes:
            raise GateError(f"{entry} is code, which does not run here", "use another validator")
        return FunctionScorer(spec, self.processes[place, entry])


@asynccontextmanager
async def scoring_functions(resolved: Resolved) -> AsyncIterator[ScoringFunctions]:
    """The functions that score in a run, imported, for as long as it lasts.

    Raises:
        GateError: no code may run here, a function cannot be loaded, or there are too many of them.
        CannotEvaluate: the files of a commit, or a process, are not available.
    """
    wanted = dict.fromkeys(_function_keys(_function_exams(resolved)))
    if not wanted:
        yield ScoringFunctions()
        return
    from gate.agents.code_folder import FileWatch, code_folder, refuse_untrusted
    from gate.agents.functions import FunctionWorktree, ScoringProcess

    here = Surroundings.from_environ()
    refuse_untrusted(here, str(next(iter(wanted))[1]), "a validator that is not code")
    if len(wanted) > MOST_FUNCTIONS:
        hint = "write one function that reads the case and decides what to check"
        raise GateError(f"the run has {len(wanted):,} scorer functions; the limit is {MOST_FUNCTIONS}", hint)
    functions = ScoringFunctions()
    beside = any(runs_code(arm.target) for suite in resolved.suites for arm in suite.arms.values())
    # Each has its own files, so that no other process reads what one writes. Other agents could write there.
    with ExitStack() as folders:
        try:
            for place, entry in wanted:
                laid = folders.enter_context(code_folder(place))
                worktree = FunctionWorktree(laid.root, place.checkout, laid.scratch, here.path)
                process = ScoringProcess(entry, worktree)
                if beside and laid.written is not None:
                    process.tampered = FileWatch.of(laid.written, place.label).changed
                functions.processes[place, entry] = process
                try:
                    await process.start()
                except CannotLoad as error:
                    raise GateError(f"{error.message} (at {place.label})", error.hint or _INSTALL) from None
            yield functions
        finally:
            for process in functions.processes.values():
                await process.close()


def _function_exams(resolved: Resolved) -> Iterable[Exam]:
    yield from (suite.exam for suite in resolved.suites)
    for trial in (trial for edit in resolved.edits for trial in edit.trials if not trial.reason):
        yield trial.suite.exam
        if trial.answers is not None:
            yield trial.answers.exam


def _function_keys(exams: Iterable[Exam]) -> Iterable[_FunctionKey]:
    return (
        (exam.code, _function_entry(spec)) for exam in exams if exam.code is not None for spec in code_scorers(exam)
    )


def _function_entry(spec: ScorerSpec) -> FunctionName:
    return function_named(PYTHON_PREFIX + spec.function)
