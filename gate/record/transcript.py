"""One sample: its reply or failure, scores, tokens and conversation; no secrets in it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import fmean
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from pydantic import ConfigDict, Field

from gate.messages import Image, ToolCall
from gate.values import WRITTEN, Amount, Count, JsonValue, Share, Tokens, Tries


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply.

    Args:
        input_tokens: input neither read from nor written to a prompt cache.
        cache_read_tokens: input read from a prompt cache.
        cache_write_tokens: input written to a prompt cache.
        output_tokens: output, reasoning included.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    input_tokens: Tokens = 0
    cache_read_tokens: Tokens = 0
    cache_write_tokens: Tokens = 0
    output_tokens: Tokens = 0

    @property
    def total_input(self) -> int:
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.output_tokens + other.output_tokens,
        )


@dataclass(frozen=True, slots=True)
class Dollars:
    """A known price, in US dollars."""

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    amount: Amount


@dataclass(frozen=True, slots=True)
class Unpriced:
    """A price that is not known (`unknown`) or does not exist (`n/a`: local models); never 0."""

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    why: Literal["unknown", "n/a"]


Cost: TypeAlias = Dollars | Unpriced


UNPRICED = "at least one model has no known price"
UNTOLD = "the agent does not report its cost (cost_usd)"
"""Why a cost in dollars is not known."""


def added(left: Cost | None, right: Cost | None) -> Cost | None:
    """Two prices together; one that is not known, or does not exist, is what the sum is."""
    if isinstance(left, Dollars) and isinstance(right, Dollars):
        return Dollars(left.amount + right.amount)
    if left is None or right is None:
        return right if left is None else left
    return right if isinstance(left, Dollars) else left


@dataclass(frozen=True, slots=True)
class Effort:
    """What it took to have an answer now; what was known from earlier took nothing.

    Args:
        calls: of models, answered now; retries left out.
        retries: requests sent again.
        reused: calls whose answers were known.
        cost: price of the calls that were answered now; None where there were none.
        aside_calls: further calls, of whoever talks with an agent in the place of a person.
        aside_cost: price of those; None where there were none.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    calls: Count = 0
    retries: Count = 0
    reused: Count = 0
    cost: Cost | None = None
    aside_calls: Count = 0
    aside_cost: Cost | None = None

    def set_aside(self) -> "Effort":
        """The same, as effort of whoever talks with an agent."""
        calls, cost = self.calls + self.aside_calls, added(self.cost, self.aside_cost)
        return Effort(0, self.retries, self.reused, None, calls, cost)

    def __add__(self, other: "Effort") -> "Effort":
        return Effort(
            self.calls + other.calls,
            self.retries + other.retries,
            self.reused + other.reused,
            added(self.cost, other.cost),
            self.aside_calls + other.aside_calls,
            added(self.aside_cost, other.aside_cost),
        )


Speaker: TypeAlias = Literal["case", "follow-up", "simulated"]
"""Who wrote a message to the agent: the case, an answer to a question of the agent's, or a simulated user."""
UserEnd: TypeAlias = Literal["", "done", "max_turns"]
"""Why a simulated user said no more: it had what it wanted, or had said all that it may; empty where there was none."""
CELL_CHARS = 2_000
"""Of one value of a database."""


def cut_cell(text: str) -> str:
    """A value of a database as text, with a mark at the end where it was cut."""
    return text if len(text) <= CELL_CHARS else f"{text[:CELL_CHARS]}…"


def is_cut(cell: JsonValue) -> bool:
    """Was this value cut?"""
    return isinstance(cell, str) and len(cell) > CELL_CHARS


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One call of a tool and what came of it.

    Args:
        name: of the tool; as the agent wrote it where there is none of that name.
        arguments: JSON text as the agent wrote it, without what the harness puts in.
        result: what the tool said, or why it failed; cut where it is long.
        failed: the tool raised, took too long, or is not there.
        latency_s: seconds; None where it was not measured.
        missing: there is no tool of that name, so that nothing was called; it has `failed`, too.
        images: of the result, for the model; no record has them.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    name: str
    arguments: str
    result: str
    failed: bool = False
    latency_s: Amount | None = None
    missing: bool = False
    images: tuple[Image, ...] = ()


RESULT_CHARS = 4_000
"""Of the result of one call, in transcripts."""
ARGUMENT_CHARS = 20_000
"""Of its arguments."""


def recorded(use: ToolUse) -> ToolUse:
    """The call without images, and with long texts cut, and how long they were."""
    cut = _cut(use.arguments, ARGUMENT_CHARS), _cut(use.result, RESULT_CHARS)
    return replace(use, arguments=cut[0], result=cut[1], images=())


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text):,} characters)"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message to the agent, and what it did until it answered.

    Args:
        round: of the case, counted from 0.
        said: the message to the agent.
        by: who wrote that.
        answer: what it answered; empty where it gave up.
        tools: its calls, in the order in which it made them.
        steps: calls of a model, as far as they are known.
        usage: tokens of those.
        cost: price of those.
        latency_s: seconds of models and tools, without queueing; None where time means nothing.
        stop_reason: why it ended, such as `step limit`; empty where unknown.
        tools_told: the agent reports which tools it called; otherwise they are unknown.
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
class HarnessCalls:
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
        scorer: name of the scorer.
        rows: what the query gave, each row a list of values; None where it failed.
        error: why it failed; empty where it did not.
        more: there were more rows than are saved.
        columns: their names.
        types: the names that Postgres has for their types, without those that somebody made; that of an array is the
            type of its items. Empty with SQLite, where each value has a type of its own.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    scorer: str
    rows: tuple[tuple[JsonValue, ...], ...] | None
    error: str = ""
    more: bool = False
    columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """What of a conversation is counted and compared.

    Args:
        turns: messages to the agent.
        followups: how many of them answered a question of the agent's automatically.
        tools: names of the tools that it called, in order; those that are not there left out.
        failures: how many calls failed, those of tools that are not there among them.
        steps: calls of a model that the agent made, as far as they are known.
        tools_told: the agent reports for each message which tools it called.
        missing: names of the tools that it called and that are not there, in order.
        offered: names of the tools that it has; empty where it does not say.
        heard: of each answer it is known whether it asks something, if a model is set to find out.
        ends_asking: the last answer looks like a question.
    """

    turns: int
    followups: int
    tools: tuple[str, ...]
    failures: int
    steps: int = 1
    tools_told: bool = True
    missing: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    heard: bool = True
    ends_asking: bool = False

    @property
    def calls(self) -> int:
        """Of tools, those that are not there among them."""
        return len(self.tools) + len(self.missing)


@dataclass(frozen=True, slots=True)
class Transcript:
    """One conversation.

    Args:
        session: its id, of which the agent, its tools and its database know.
        turns: in order.
        revived: rounds after which the session was closed and opened again.
        aside: calls of models by the harness itself.
        observations: of databases, after the conversation.
        files: digest of the files that the agent's programs ran in; empty where there were none, or they are unknown.
        user_end: of a simulated user.
        notes: what readers should know of the agent's tools, in sentences.
        offered: names of the tools that the agent has; empty where it does not say.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    session: str
    turns: tuple[Turn, ...]
    revived: tuple[Count, ...] = ()
    aside: HarnessCalls = HarnessCalls()
    observations: tuple[Observation, ...] = ()
    files: str = ""
    user_end: UserEnd = ""
    notes: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()

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
            missing=tuple(use.name for use in tools if use.missing),
            offered=self.offered,
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
    """An answer that no score could be given to, and the reason in one line."""

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    reason: str


_FORMS = (
    (
        "private key",
        "PRIVATE KEY",
        r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"[\s\S]*?(?:-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    ("API key", "sk-", r"(?<![A-Za-z0-9])sk-(?=[\w-]{0,200}\d)[\w-]{20,}"),
    ("GitHub token", "gh", r"(?<![A-Za-z0-9])gh[opsur]_[A-Za-z0-9]{20,}"),
    ("GitHub token", "github_pat_", r"github_pat_\w{20,}"),
    ("AWS key", "IA", r"(?<![A-Za-z0-9])A(?:KIA|SIA)[A-Z0-9]{16}"),
    ("AWS key", "_", r"(?i)(?<=secret_access_key)[\"']?\s{0,4}[=:]\s{0,4}[\"']?[A-Za-z0-9/+=]{40,}"),
    ("Google key", "AIza", r"AIza[\w-]{35,}"),
    ("Slack token", "xox", r"xox[abeoprs]-[\w-]{10,}"),
    ("GitLab token", "glpat-", r"glpat-[\w-]{20,}"),
    ("Hugging Face token", "hf_", r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}"),
    ("npm token", "npm_", r"(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,}"),
    ("Stripe key", "k_", r"(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("Prompt Gate token", "pgate_", r"(?<![A-Za-z0-9])pgate_[A-Za-z0-9]{30,}"),
    ("session token", "eyJ", r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?"),
)
_COMPILED = tuple((f"⟨{name}⟩", mark, re.compile(form, re.ASCII)) for name, mark, form in _FORMS)


def masked(text: str) -> str:
    """The text with the name of its kind in place of each key.

    Args:
        text: not yet cut, or half of a key would be left.
    """
    for name, mark, form in _COMPILED if len(text) >= 15 else ():  # characters of the shortest key
        # Most texts hold no key, and looking for a word is a hundred times faster than a pattern.
        if mark in text:
            text = form.sub(name, text)
    return text


class ArmName(StrEnum):
    """The two arms of a comparison."""

    BASELINE = "baseline"
    CANDIDATE = "candidate"


@dataclass(frozen=True, slots=True)
class Origin:
    """When and where an answer was taken.

    Args:
        sitting: the process that sent the request; answers of one process were taken in turn.
        at: seconds since the epoch.
        reused: it was not requested now: it comes from the journal or from the answer cache.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    sitting: str = ""
    at: Amount = 0.0
    reused: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model, or an agent, answered.

    Args:
        text: the answer; of a conversation the last one.
        model_id: the model id that the reply names, which may differ from the requested one.
        latency_s: seconds of the one successful request, without queueing and retries; None where time means nothing
            (recorded answers).
        attempts: requests sent until this reply, 1 or more.
        stop_reason: the provider's word for why it ended; `length` or the like where its thinking does not end; of a
            conversation `step limit` where any answer met that, or
            else the last one's.
        origin: when and where it was taken.
        tool_calls: what the model wants to be called before it goes on; only within a conversation.
        transcript: the whole conversation, where there was one: tokens, price and seconds are those of all of it.
        effort: what a conversation took now; None for one call.
        thinking: what the model wrote before its answer, or the provider separates from it.
        original: the provider's own message, to be sent back; only within a conversation with tools.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    text: str
    model_id: str
    usage: Usage
    cost: Cost
    latency_s: Amount | None
    attempts: Tries = 1
    stop_reason: str = ""
    origin: Origin = Origin()
    tool_calls: tuple[ToolCall, ...] = ()
    transcript: Transcript | None = None
    effort: Effort | None = None
    thinking: str = ""
    original: str = ""


def effort_of(reply: Reply | Failed) -> Effort:
    """What it took to have a reply now, or to have none."""
    if isinstance(reply, Failed):
        return reply.effort or Effort(retries=max(0, reply.attempts - 1))
    if reply.origin.reused:
        known = reply.transcript
        return Effort(reused=1 if known is None else known.outline.steps + known.aside.calls)
    return reply.effort or Effort(1, max(0, reply.attempts - 1), 0, reply.cost)


def effort_of_all(replies: Iterable[Reply]) -> Effort:
    """What it took to have all of them now."""
    return sum(map(effort_of, replies), Effort())


PartKind: TypeAlias = Literal["dimension", "judge", "order", "round"]


@dataclass(frozen=True, slots=True)
class Part:
    """One of the figures that a score was made of.

    Args:
        kind: `dimension` of a rubric, `judge` of a jury, `order` in which a pair of answers was shown,
            or `round` of a conversation.
        name: unique within its kind and score.
        value: in [0, 1].
        weight: share in the score, above 0.
        reason: what was said of a round; empty for other kinds.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    kind: PartKind
    name: str
    value: Share
    weight: Amount = 1.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """One scorer's view of one sample.

    Args:
        scorer: the scorer's name.
        value: in [0, 1], or why there is none.
        reason: a judge's or validator's one-line explanation.
        weight: share in the weighted mean.
        required: a 0 here makes the sample 0.
        calls: model calls this score took, retries left out.
        retries: requests sent again.
        cost: price of those calls; None when there were none.
        reused: opinions that were not requested now.
        parts: what the value was made of, where it was made of several; empty where there is no value.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    scorer: str
    value: Share | Unscored
    reason: str = ""
    weight: Amount = 1.0
    required: bool = False
    calls: Tries = 0
    retries: Tries = 0
    cost: Cost | None = None
    reused: Tries = 0
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """One output with its scores.

    Args:
        suite: name of the suite.
        case_id: the case.
        arm: which arm answered.
        index: 0 to k - 1.
        reply: the answer, or why there is none.
        scores: one for each scorer; empty when the call failed.
        score: the combined score in [0, 1], or why there is none.
        warmup: the first call of its arm, which fills the provider's prompt cache: it counts for quality alone.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    suite: str
    case_id: Annotated[str, Field(alias="case")]
    arm: ArmName
    index: Annotated[int, Field(ge=0, le=99)]
    reply: Reply | Failed
    scores: tuple[Score, ...] = ()
    score: Share | Unscored = Unscored("not scored")
    warmup: bool = False


def mean_score(scores: Iterable[float | None]) -> float | None:
    """Mean over the samples that have a score; None where none has.

    Args:
        scores: of samples, None for one without.
    """
    known = [score for score in scores if score is not None]
    return fmean(known) if known else None


Ending: TypeAlias = Literal["", "refused", "step limit", "cut off", "empty"]
"""Empty where the model came to its end."""

CUT_OFF = ("length", "max_tokens", "max_output_tokens")
"""What providers call a reply that met the limit on its tokens."""

REFUSED = ("refusal", "content_filter")
"""What providers call a reply that the model refused, or that a filter held back."""

STEP_LIMIT: Final = "step limit"
"""What ended an agent that would have called tools for ever."""

BROKE_OFF: Final = "failed"
"""Why the last turn of a conversation has no answer: the agent gave none, and would give none to other words."""


def ending(stop_reason: str, *, blank: bool) -> Ending:
    """How a reply ended; of one to which several words apply the first, in the order of `Ending`.

    Args:
        stop_reason: the provider's word.
        blank: its text is empty, or nothing but white space.
    """
    if stop_reason in REFUSED:
        return "refused"
    if stop_reason == STEP_LIMIT:
        return STEP_LIMIT
    if stop_reason in CUT_OFF:
        return "cut off"
    return "empty" if blank else ""


def ending_of(reply: Reply) -> Ending:
    """How it ended.

    Args:
        reply: what a model answered.
    """
    return ending(reply.stop_reason, blank=not reply.text.strip())
