"""What a run needs of a target, and what a conversation needs of an agent, its tools and its sessions."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import reduce
from math import fsum
from operator import add
from typing import Protocol

from gate.calls.interface import (
    AnswerNotSaved,
    CallRefused,
    Calls,
    ExternalBudgets,
    ExternalConversation,
    Memory,
    Request,
)
from gate.cases.case import Case, NotBuilt, render
from gate.config.targets import ToolLoop, calls_own_models, target_json
from gate.messages import Message, Tool
from gate.record.transcript import (
    BROKE_OFF,
    STEP_LIMIT,
    Cost,
    Effort,
    Failed,
    HarnessCalls,
    Observation,
    Reply,
    Speaker,
    ToolUse,
    Transcript,
    Turn,
    Unpriced,
    Usage,
    UserEnd,
    added,
)
from gate.suite import Arm, Exam, Suite


@dataclass(frozen=True, slots=True)
class Question:
    """One sample to be taken.

    Args:
        index: of the sample, 0 to k - 1.
        exam: defines how conversations run; None if the case is one question to a model.
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
    """An agent gave no answer, and a retry in this conversation will not help.

    Args:
        reason: one clean line.
        attempts: requests of the call that failed.
        effort: for the message until then, without that call.
        tools: called until then.
    """

    def __init__(self, reason: str, attempts: int = 1, effort: Effort | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.attempts = attempts
        self.effort = (effort or Effort()) + Effort(retries=max(0, attempts - 1))
        self.tools: tuple[ToolUse, ...] = ()


class SessionEnded(AgentFailed):
    """A server of tools no longer knows the session, and has not called the tool: it has to be opened again."""


class ServerUnfit(Exception):
    """A server of tools cannot be used; the message continues after its name."""


class ToolCallFailed(Exception):
    """A server of tools refused one call; the message continues after its name."""


class SessionLost(Exception):
    """A server of tools no longer knows the session; the message continues after its name."""


class ConnectionLost(Exception):
    """The connection to a server of tools is lost."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An agent's answer to one message, and the effort for it.

    Args:
        text: may be empty.
        tools: in order of the calls.
        steps: calls of a model, as far as known.
        latency_s: seconds of models and tools, without queueing; None if it has no meaning.
        model_id: named by the last reply; empty where none did.
        stop_reason: empty where unknown.
        effort: the part that was not cached; None if nothing was cached.
        tools_told: the agent reports its tool calls; otherwise they are unknown.
        offered: names of the tools that the agent has; empty where it does not say.
        thinking: before the answer.
        notes: what readers should know of the tools.
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
    offered: tuple[str, ...] = ()
    thinking: str = ""
    notes: tuple[str, ...] = ()

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

    @property
    def notes(self) -> tuple[str, ...]:
        """What readers should know of its tools and their servers so far, in sentences."""
        ...

    async def tools(self) -> tuple[Tool, ...]:
        """The tools for the model, without arguments that the gate sets.

        Raises:
            AgentFailed: a server is not available, or has no tools.
        """
        ...

    async def call(self, name: str, arguments: str, session: str) -> ToolUse:
        """Call a tool; a failure, a time-out or an unknown name is also a result.

        Raises:
            AgentFailed: its server has ended.
        """
        ...

    async def close(self) -> None:
        """Release what only this conversation used."""
        ...


class Sessions(Protocol):
    """Stores the conversations of the built-in loop, so that they can be continued."""

    def save(self, session: str, messages: Sequence[Message]) -> None:
        """Replace the stored state of a session. Raises OSError: it cannot be stored."""
        ...

    def load(self, session: str) -> tuple[Message, ...] | None:
        """The messages so far; None for an unknown session."""
        ...


class Observer(Protocol):
    """Observes databases after a conversation."""

    async def observe(self, exam: Exam, case: Case, session: str) -> tuple[Observation, ...]:
        """The data that a case's database scorers need; an unavailable database is also an observation."""
        ...


class PersonSimulator(Protocol):
    """Reads the agent's answers and replies in place of a person."""

    async def reply(self, said: Sequence[tuple[str, str]], case: Case, index: int) -> "PersonReply":
        """The person's next message. Raises AgentFailed: the reader is not available."""
        ...


@dataclass(frozen=True, slots=True)
class PersonReply:
    """A person's next message, and the effort to find it.

    Args:
        text: empty if the person has nothing to add.
        calls: of a model.
        cost: of those; None without any.
        missed: why the person's reply is unknown; empty if it is known.
        effort: the part that was not cached; None if nothing was cached.
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


def needs_conversation(question: Question) -> bool:
    """Is a case more than one question to a model?"""
    case, exam = question.case, question.exam
    asks_back = exam is not None and exam.conversing.followups.model is not None
    return question.arm.target is not None or bool(case.rounds) or case.user is not None or asks_back


def suite_needs_conversation(suite: Suite) -> bool:
    """Is any sample of a suite a conversation?"""
    asked = (Question(suite.name, arm, case, 0, suite.exam) for arm in suite.arms.values() for case in suite.exam.cases)
    return any(map(needs_conversation, asked))


@dataclass(frozen=True, slots=True)
class TargetRoute:
    """Chooses between a model called once and an agent; see `gate.agents.interface.Target`."""

    plain: Target
    conversation: Target

    async def answer(self, question: Question, *, fresh: bool = False) -> Reply | Failed:
        return await self._of(question).answer(question, fresh=fresh)

    def request_of(self, question: Question) -> Request:
        return self._of(question).request_of(question)

    def _of(self, question: Question) -> Target:
        return self.conversation if needs_conversation(question) else self.plain


@dataclass(frozen=True, slots=True)
class PromptTarget:
    """Answers a case for an arm."""

    calls: Calls

    async def answer(self, question: Question, *, fresh: bool = False) -> Reply | Failed:
        """Render the arm's prompt with the case and call its model; see `gate.agents.interface.Target`."""
        try:
            request = request_of(question)
        except NotBuilt as error:
            return error.failed
        return await self.calls.call(request, fresh=fresh)

    def request_of(self, question: Question) -> Request:
        """See `gate.agents.interface.Target`."""
        return request_of(question)


def request_of(question: Question) -> Request:
    """The request for one sample. Raises NotBuilt: the prompt has no text for the case."""
    arm, case = question.arm, question.case
    messages = render(arm.version.prompt, case)
    return Request(messages, arm.model, arm.params, question.index, about=sample_name(question))


def sample_name(question: Question) -> str:
    """The suite and case of a request, so that equal questions of two cases remain two samples."""
    return json.dumps([question.suite, question.case.id])


@dataclass(frozen=True, slots=True)
class ConversationServices:
    """The others who take part in conversations.

    Args:
        detector: finds and answers the agent's questions, by suite; None without one.
        user: plays the user of a case with a persona, by suite.
        observer: of databases; None if no scorer queries one.
    """

    detector: Callable[[Exam], PersonSimulator | None]
    user: Callable[[Exam], PersonSimulator | None]
    observer: Observer | None


@dataclass(frozen=True, slots=True)
class ConversationTarget:
    """Answers a case with a whole conversation.

    Args:
        noted: takes the notes of each conversation.
    """

    agents: Agents
    services: ConversationServices
    memory: Memory
    outside: ExternalBudgets
    new_session: Callable[[], str]
    noted: Callable[[Sequence[str]], object] = list

    async def answer(self, question: Question, *, fresh: bool = False) -> Reply | Failed:
        """Lead the conversation, unless it is known; see `gate.agents.interface.Target`."""
        reply = await self._answer(question, fresh=fresh)
        if reply.transcript is not None:
            self.noted([f"Suite {question.suite}: {note}" for note in reply.transcript.notes])
        return reply

    async def _answer(self, question: Question, *, fresh: bool) -> Reply | Failed:
        request, arm = self.request_of(question), question.arm
        if not fresh and arm.recognised and (known := self.memory.find(request)) is not None and _told(known, arm):
            return known
        agent = self.agents.agent(question, fresh=fresh)
        conversation = _Conversation(question, agent, self.services, self.new_session())
        try:
            reply = await self._led(conversation)
            if reason := await self.agents.tampered(question):
                raise AgentFailed(reason, attempts=0)
        except AgentFailed as failure:
            # A change of its files is reported rather than its consequences.
            failure.reason = await self.agents.tampered(question) or failure.reason
            return conversation.broken(failure)
        finally:
            await agent.close()
        unseen = reply.transcript is not None and any(one.error for one in reply.transcript.observations)
        if unseen or not (arm.recognised or isinstance(arm.target, ToolLoop | None)):
            # What could not be observed this time may be available the next time.
            return reply
        try:
            return await self.memory.keep(request, reply)
        except AnswerNotSaved as lost:
            return Failed(f"the conversation cannot be saved: {lost.reason}", 0, reply.effort, reply.transcript)

    async def _led(self, conversation: "_Conversation") -> Reply:
        """Lead the conversation once there is room for it. Raises AgentFailed: there is no room, or it broke off."""
        if not calls_own_models(conversation.question.arm.target):
            return await conversation.lead()
        try:
            async with self.outside.outside(conversation.question.case.turns) as conversation.talking:
                return await conversation.lead()
        except CallRefused as refusal:
            raise AgentFailed(refusal.reason, attempts=0) from None

    def request_of(self, question: Question) -> Request:
        """The cache key of the conversation: all that takes part except files; nothing of it is sent.

        An entry for other files is not an answer. It only shows that the model's answers are cached and will be reused,
        so a run knows beforehand which calls to repeat to measure time and cost (`gate.engine.run`).
        """
        arm, case, exam = question.arm, question.case, question.exam
        parts = [
            arm.version.prompt.digest,
            target_json(arm.target),
            [list(message.told) for message in case.messages],
            [case.input, case.facts, case.revival, [one.said for one in case.steps]],
            None if case.user is None else asdict(case.user),
            [dict(case.vars), dict(case.slices)],
            None if exam is None else _led(exam, case),
        ]
        told = Message("system", json.dumps(parts, sort_keys=True))
        return Request((told,), arm.model, arm.params, question.index, about=f"{sample_name(question)} conversation")


def _told(known: Reply, arm: Arm) -> bool:
    """Was a known conversation led with the arm's current files?"""
    return known.transcript is not None and known.transcript.files == arm.code


def _led(exam: Exam, case: Case) -> object:
    """How the eval set leads a conversation, and what it observes afterwards."""
    looked_up = [[spec.name, dict(spec.options)] for spec in exam.scorers_of(case) if spec.kind == "database"]
    conversing = exam.conversing
    followups, played = conversing.followups, conversing.user
    detector = [conversing.max_followups, str(followups.model), followups.params.changed()]
    user = [str(played.model), played.params.changed()]
    return [detector, user, looked_up]


@dataclass(slots=True)
class _Conversation:
    """One conversation under way."""

    question: Question
    agent: Agent
    services: ConversationServices
    session: str
    turns: list[Turn] = field(default_factory=list)
    revived: list[int] = field(default_factory=list)
    asides: list[PersonReply] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    user_end: UserEnd = ""
    talking: ExternalConversation | None = None

    async def lead(self) -> Reply:
        """Run it from the first message to the observation of the databases. Raises AgentFailed: it broke off."""
        case, exam = self.question.case, self.question.exam
        await self.agent.start(self.session)
        if case.user is not None and exam is not None:
            await self._simulated(exam, case.user.max_turns)
        else:
            await self._rounds(case)
        await self.agent.close()
        observations: tuple[Observation, ...] = ()
        if exam is not None and self.services.observer is not None:
            observations = await self.services.observer.observe(exam, case, self.session)
        return self._reply(observations)

    async def _rounds(self, case: Case) -> None:
        for number, one in enumerate(case.steps):
            await self._say(number, one.said, "case")
            await self._follow_up(number)
            if number == 0 and case.revival and case.turns > 1:
                await self.agent.close()
                try:
                    await self.agent.reopen(self.session)
                except AgentFailed as failure:
                    failure.reason = f"reopened: {failure.reason}"
                    raise
                self.revived.append(number)

    async def _follow_up(self, number: int) -> None:
        exam = self.question.exam
        detector = None if exam is None else self.services.detector(exam)
        if exam is None or detector is None:
            return
        for _ in range(exam.conversing.max_followups):
            said = await self._heard(detector)
            if not said.text:
                return
            await self._say(number, said.text, "follow-up")

    async def _simulated(self, exam: Exam, most: int) -> None:
        user = self.services.user(exam)
        if user is None:
            raise AgentFailed("the case has a simulated user, and no model is set to play it", attempts=0)
        text = self.question.case.input
        for _ in range(most):
            if not text:
                said = await self._heard(user)
                if said.missed:
                    raise AgentFailed(f"the simulated user said nothing: {said.missed}", attempts=0)
                text = said.text
            if not text:
                self.user_end = "done"
                return
            await self._say(0, text, "simulated")
            text = ""
        self.user_end = "max_turns"

    async def _heard(self, reader: PersonSimulator) -> PersonReply:
        said = [(turn.said, turn.answer) for turn in self.turns]
        try:
            found = await reader.reply(said, self.question.case, self.question.index)
        except AgentFailed as failure:
            failure.effort = failure.effort.set_aside()
            raise
        self.asides.append(found)
        return found

    async def _say(self, number: int, text: str, by: Speaker) -> None:
        try:
            answer = await self._asked(text)
        except AgentFailed as failure:
            if self.question.case.turns > 1:
                failure.reason = f"round {number + 1}: {failure.reason}"
            # Its cost is known only in total, and is part of the effort.
            self.turns.append(Turn(number, text, by, "", failure.tools, 0, stop_reason=BROKE_OFF))
            raise
        self.answers.append(answer)
        self.turns.append(
            Turn(
                round=number,
                said=text,
                by=by,
                answer=answer.text,
                tools=answer.tools,
                steps=answer.steps,
                usage=answer.usage,
                cost=answer.cost,
                latency_s=answer.latency_s,
                stop_reason=answer.stop_reason,
                tools_told=answer.tools_told,
            )
        )

    async def _asked(self, text: str) -> Answer:
        if self.talking is None:
            return await self.agent.send(text)
        try:
            async with self.talking.message() as bill:
                answer = await self.agent.send(text)
                bill.cost = answer.cost
                return answer
        except CallRefused as refusal:
            raise AgentFailed(refusal.reason, attempts=0) from None

    @property
    def effort(self) -> Effort:
        """The effort until now."""
        taken = [answer.taken for answer in self.answers] + [said.taken.set_aside() for said in self.asides]
        return sum(taken, Effort())

    def broken(self, failure: AgentFailed) -> Failed:
        """The failure, with the effort until then."""
        said = self._transcript() if self.turns else None
        return Failed(failure.reason, failure.attempts, self.effort + failure.effort, said)

    def _transcript(self, observations: tuple[Observation, ...] = ()) -> Transcript:
        missed = tuple(dict.fromkeys(said.missed for said in self.asides if said.missed))
        heard = reduce(added, [said.cost for said in self.asides], None)
        aside = HarnessCalls(sum(said.calls for said in self.asides), heard, missed)
        return Transcript(
            session=self.session,
            turns=tuple(self.turns),
            revived=tuple(self.revived),
            aside=aside,
            observations=observations,
            files=self.question.arm.code,
            user_end=self.user_end,
            notes=tuple(dict.fromkeys(note for answer in self.answers for note in answer.notes)),
            offered=tuple(dict.fromkeys(name for answer in self.answers for name in answer.offered)),
        )

    def _reply(self, observations: tuple[Observation, ...]) -> Reply:
        if not self.answers:
            raise AgentFailed("the conversation has no message for the agent", attempts=0)
        last = self.answers[-1]
        reused = any(answer.taken.reused for answer in self.answers)
        seconds = [answer.latency_s for answer in self.answers]
        known = [second for second in seconds if second is not None]
        cost = reduce(added, [answer.cost for answer in self.answers], None)
        limited = any(answer.stop_reason == STEP_LIMIT for answer in self.answers)
        return Reply(
            text=last.text,
            model_id=last.model_id or str(self.question.arm.model),
            usage=reduce(add, [answer.usage for answer in self.answers]),
            cost=cost or Unpriced("unknown"),
            # Some of it was known from earlier, in no time.
            latency_s=fsum(known) if len(known) == len(seconds) and not reused else None,
            stop_reason=STEP_LIMIT if limited else last.stop_reason,
            transcript=self._transcript(observations),
            effort=self.effort,
            thinking=last.thinking,
        )
