"""One output of one arm on one case, and its scores."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from pydantic import ConfigDict, Field

from gate.messages import ToolCall
from gate.record.transcript import Cost, Effort, Failed, Transcript, Unscored, Usage
from gate.values import WRITTEN, Amount, Share, Tries


class ArmName(StrEnum):
    """The two arms of a comparison."""

    BASELINE = "baseline"
    CANDIDATE = "candidate"


@dataclass(frozen=True, slots=True)
class Origin:
    """When and where an answer was taken.

    Args:
        sitting: one process that asked; answers of one sitting were taken side by side.
        at: seconds since the epoch.
        reused: it was not asked for now: it comes from the journal or from the answer cache.
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
        model_id: the model id that the reply names, which may differ from the one asked for.
        usage: tokens.
        cost: price of this reply.
        latency_s: seconds of the one successful request, without queueing and retries; None where time means nothing
            (recorded answers).
        attempts: requests sent until this reply, 1 or more.
        stop_reason: the provider's word for why it ended; of a conversation `STEP_LIMIT` where any answer met that, or
            else the last one's.
        origin: when and where it was taken.
        tool_calls: what the model wants to be called before it goes on; only within a conversation.
        transcript: the whole conversation, where there was one: tokens, price and seconds are those of all of it.
        effort: what a conversation took now; None where one call was all there was.
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
        reused: opinions that were not asked for now.
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


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of one sample.

    Args:
        text: of the reply; empty where there is none.
        reasons: of its scores, in their order.
        parts: of each score, the reasons of its parts.
        transcript: of the conversation, where there was one.
    """

    text: str
    reasons: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]
    transcript: Transcript | None = None


def words_of(sample: Sample) -> Words:
    """The texts of a sample, to be put back by `SampleTable.whole`."""
    reply, reasons = sample.reply, tuple(score.reason for score in sample.scores)
    parts = tuple(tuple(part.reason for part in score.parts) for score in sample.scores)
    return Words(reply.text if isinstance(reply, Reply) else "", reasons, parts, reply.transcript)


def mean_score(scores: Iterable[float | None]) -> float | None:
    """Mean over the samples that have a score; None where none has.

    Args:
        scores: of samples, None for one without.
    """
    known = [score for score in scores if score is not None]
    return fmean(known) if known else None


Ending: TypeAlias = Literal["", "refused", "step limit", "empty", "cut off"]
"""Empty where the model came to its end."""

CUT_OFF = ("length", "max_tokens")
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
    if blank:
        return "empty"
    return "cut off" if stop_reason in CUT_OFF else ""


def ending_of(reply: Reply) -> Ending:
    """How it ended.

    Args:
        reply: what a model answered.
    """
    return ending(reply.stop_reason, blank=not reply.text.strip())
