"""What was said and done in one conversation with an agent."""

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias

from pydantic import ConfigDict

from gate.record.usage import Cost, Effort, Unpriced, Usage
from gate.values import WRITTEN, Amount, Count, Tries

Speaker: TypeAlias = Literal["case", "follow-up", "simulated"]
"""Who wrote what the agent was told: the case, an answer to a question of the agent's, or a simulated user."""
UserEnd: TypeAlias = Literal["", "done", "max_turns"]
"""Why a simulated user said no more: it had what it wanted, or had said all that it may; empty where there was none."""
Cell: TypeAlias = bool | int | float | str | None
"""One value of a database; what is none of these is text."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One call of a tool and what came of it.

    Args:
        name: of the tool; as the agent wrote it where there is none of that name.
        arguments: JSON text as the agent wrote it, without what the harness puts in.
        result: what the tool said, or why it failed; cut where it is long.
        failed: the tool raised, took too long, or is not there.
        latency_s: seconds; None where nobody measured it.
        missing: there is no tool of that name, so that nothing was called; it has `failed`, too.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    name: str
    arguments: str
    result: str
    failed: bool = False
    latency_s: Amount | None = None
    missing: bool = False


RESULT_CHARS = 4_000
"""Of the result of one call, in transcripts."""
ARGUMENT_CHARS = 20_000
"""Of its arguments."""


def recorded(use: ToolUse) -> ToolUse:
    """The call with long texts cut, and how long they were."""
    return replace(use, arguments=_cut(use.arguments, ARGUMENT_CHARS), result=_cut(use.result, RESULT_CHARS))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text):,} characters)"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message to the agent, and what it did until it answered.

    Args:
        round: of the case, counted from 0.
        said: what the agent was told.
        by: who wrote that.
        answer: what it answered; empty where it gave up.
        tools: its calls, in the order in which it made them.
        steps: calls of a model, as far as they are known.
        usage: tokens of those.
        cost: price of those.
        latency_s: seconds of models and tools, without queueing; None where time means nothing.
        stop_reason: why it ended, such as `step limit`; empty where nobody said.
        tools_told: the agent says which tools it called; without that nobody knows.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    round: Count
    said: str
    by: Speaker
    answer: str
    tools: tuple[ToolUse, ...] = ()
    steps: Count = 1
    usage: Usage = Usage()
    cost: Cost = Unpriced("unknown")
    latency_s: Amount | None = None
    stop_reason: str = ""
    tools_told: bool = True


@dataclass(frozen=True, slots=True)
class Aside:
    """Calls of a model that are the harness's own and not the agent's: detection of follow-ups, a simulated user.

    Args:
        calls: how many.
        cost: price of those; None where there were none.
        missed: why the detector gave no verdict on an answer, each once.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    calls: Count = 0
    cost: Cost | None = None
    missed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """What a database held for this session when the conversation was over.

    Args:
        scorer: name of the scorer that asked.
        rows: what the query gave, each row a list of values; None where it failed.
        error: why it failed; empty where it did not.
        more: there were more rows than are kept.
        columns: their names.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    scorer: str
    rows: tuple[tuple[Cell, ...], ...] | None
    error: str = ""
    more: bool = False
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """What of a conversation is counted and compared.

    Args:
        turns: messages to the agent.
        followups: how many of them answered a question of the agent's automatically.
        tools: names of the tools that it called, in order; those that are not there left out.
        failures: how many calls failed, those of tools that are not there among them.
        steps: calls of a model that the agent made, as far as they are known.
        tools_told: the agent says of each message which tools it called.
        missing: calls of tools that are not there.
        heard: of each answer that may ask something it is known whether it does.
    """

    turns: int
    followups: int
    tools: tuple[str, ...]
    failures: int
    steps: int = 1
    tools_told: bool = True
    missing: int = 0
    heard: bool = True

    @property
    def calls(self) -> int:
        """Of tools, those that are not there among them."""
        return len(self.tools) + self.missing


@dataclass(frozen=True, slots=True)
class Transcript:
    """One conversation.

    Args:
        session: its id, of which the agent, its tools and its database know.
        turns: in order.
        revived: rounds after which the session was closed and opened again.
        aside: what the harness itself asked a model.
        observations: of databases, after the conversation.
        files: digest of the files that the agent's programs ran in; empty where there were none, or nobody knows.
        user_end: of a simulated user.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    session: str
    turns: tuple[Turn, ...]
    revived: tuple[Count, ...] = ()
    aside: Aside = Aside()
    observations: tuple[Observation, ...] = ()
    files: str = ""
    user_end: UserEnd = ""

    @property
    def outline(self) -> Outline:
        """What is counted and compared."""
        tools = self.tools
        followups = sum(turn.by == "follow-up" for turn in self.turns)
        return Outline(
            turns=len(self.turns),
            followups=followups,
            tools=tuple(use.name for use in tools if not use.missing),
            failures=sum(use.failed for use in tools),
            steps=sum(turn.steps for turn in self.turns),
            tools_told=self.tools_told,
            missing=sum(use.missing for use in tools),
            heard=not self.aside.missed,
        )

    @property
    def tools(self) -> tuple[ToolUse, ...]:
        """All calls of tools, in order."""
        return tuple(use for turn in self.turns for use in turn.tools)

    @property
    def tools_told(self) -> bool:
        """Does the agent say of each message which tools it called?"""
        return all(turn.tools_told for turn in self.turns)

    def of_round(self, number: int) -> tuple[Turn, ...]:
        """The turns of one round, the last one being that which is scored."""
        return tuple(turn for turn in self.turns if turn.round == number)


@dataclass(frozen=True, slots=True)
class Failed:
    """A call that gave no answer after every retry.

    Args:
        reason: one line, free of keys and control characters.
        attempts: how many requests were sent.
        effort: of a conversation that broke off: what it took until then; None where one call was all there was.
        transcript: of such a conversation, what was said until then, with the message that got no answer, if it was one
            that broke it off, as its last turn; None where nothing was said.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    reason: str
    attempts: Tries = 1
    effort: Effort | None = None
    transcript: Transcript | None = None


@dataclass(frozen=True, slots=True)
class Unscored:
    """An answer that no score could be given to.

    Args:
        reason: one line.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    reason: str
