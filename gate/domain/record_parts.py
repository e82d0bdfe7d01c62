"""Parts of `run.json` that compared suites and new prompts have in common."""

from typing import Literal

from gate.domain.ending import Ending
from gate.domain.jsonvalue import JsonValue
from gate.domain.judge_quote import JudgeQuote
from gate.domain.ranges import Amount, Count, RecordPart, Share, Tokens
from gate.domain.sample import PartKind
from gate.domain.transcript import Speaker, UserEnd


class PromptTextRecord(RecordPart):
    """A text that a prompt is made of; a long one is cut, as `cut` says.

    Of a `message`, `name` is the role; of a `file` that a template pulls in, its path; of a text that a function has
    `built`, the number of the session, from 1: both arms number the sessions of the same cases alike.
    """

    kind: Literal["message", "file", "built"]
    name: str
    text: str
    cut: bool = False


class ArmRecord(RecordPart):
    """One arm: prompt version, model, parameters, and how its replies ended; see `gate.domain.ending`.

    No reply counts twice. `step_limited` are conversations that were ended at `max_steps`, which is null where there
    is no loop of tools. `remembered` is false for an agent of which nobody can tell whether it is the same another
    time: it is asked again. `prompt` is what the prompt says; `more_prompt` counts texts that are not kept.
    """

    ref: str
    sha: str | None
    path: str
    digest: str
    model: str
    returned_models: list[str]
    params: dict[str, JsonValue]
    replies: Count
    cut_off: Count
    refused: Count
    empty: Count
    step_limited: Count
    max_steps: Count | None
    remembered: bool
    prompt: list[PromptTextRecord]
    more_prompt: Count


class ExamRecord(RecordPart):
    """The exam and how the candidate's side changed it.

    `store` is the version of a store's suite that the cases are, such as `store:support@12`, and `store_digest` that
    version's; both are empty where a file has the cases.
    """

    ref: str
    digest: str
    cases: Count
    scorers: list[str]
    judges: list[JudgeQuote] = []
    added: list[str] = []
    removed: list[str] = []
    edited: list[str] = []
    obsolete: list[str] = []
    store: str = ""
    store_digest: str = ""


class OutputPartRecord(RecordPart):
    """See `gate.domain.sample.Part`."""

    scorer: str
    kind: PartKind
    name: str
    value: Share
    weight: Amount = 1.0


class ToolUseRecord(RecordPart):
    """See `gate.domain.transcript.ToolUse`; long texts are cut."""

    name: str
    arguments: str
    result: str
    failed: bool = False
    latency_s: Amount | None = None


class TurnRecord(RecordPart):
    """See `gate.domain.transcript.Turn`; long texts are cut, and `more_tools` counts calls that are not kept.

    `usd` is null where the price is not known, or money means nothing.
    """

    round: Count
    said: str
    by: Speaker
    answer: str
    tools: list[ToolUseRecord] = []
    more_tools: Count = 0
    steps: Count = 1
    input_tokens: Tokens = 0
    output_tokens: Tokens = 0
    usd: Amount | None = None
    latency_s: Amount | None = None
    stop_reason: str = ""
    tools_told: bool = True


class ObservationRecord(RecordPart):
    """See `gate.domain.transcript.Observation`; `rows` is null where the query failed.

    `found` is JSON text, cut where it is long: the only value, or the first row. It is empty without rows.
    """

    scorer: str
    rows: Count | None
    found: str = ""
    error: str = ""


class TranscriptRecord(RecordPart):
    """See `gate.domain.transcript.Transcript`; `more_turns` counts those that are not kept.

    `calls`, `failed_calls` and `followups` count those of all turns, kept or not. `aside_calls` are those of whoever
    talked with the agent in the place of a person, and `aside_usd` is their price; `missed` is why such a one had
    nothing to say, and `user_end` why a simulated user said no more. `judge_usd` is the price of the scorers of this
    sample. A price is null where it is not known, or there were no calls.
    """

    turns: list[TurnRecord]
    more_turns: Count = 0
    calls: Count = 0
    failed_calls: Count = 0
    followups: Count = 0
    revived: list[Count] = []
    agent_usd: Amount | None = None
    aside_calls: Count = 0
    aside_usd: Amount | None = None
    judge_usd: Amount | None = None
    missed: list[str] = []
    observations: list[ObservationRecord] = []
    user_end: UserEnd = ""


class OutputRecord(RecordPart):
    """One output of one arm, kept for the informative cases only; `transcript` is null where it was one reply."""

    index: Count
    text: str | None
    failure: str | None
    score: Share | None
    reasons: list[str]
    ending: Ending = ""
    parts: list[OutputPartRecord] = []
    transcript: TranscriptRecord | None = None


class CallsRecord(RecordPart):
    """Model calls: answered (judges included), read from a cache, sent again, given up."""

    made: Count
    cached: Count
    retried: Count
    failed: Count


class SpentRecord(RecordPart):
    """Calls that were made, and their dollars: null where there were none, or their price is not known or none."""

    calls: Count = 0
    usd: Amount | None = None


class SpendingRecord(RecordPart):
    """Who made the calls: the arms for their `answers`, the harness `aside`, to talk with agents, and the `judges`."""

    answers: SpentRecord
    aside: SpentRecord
    judges: SpentRecord


class ArmReuseRecord(RecordPart):
    """Replies of one arm: those that were known, and those that were asked for in this run."""

    reused: Count
    fresh: Count


class DriftRecord(RecordPart):
    """A look at known answers: pairs of an earlier and a new score, and why the earlier ones no longer hold."""

    pairs: Count
    reason: str | None


class ReuseRecord(RecordPart):
    """Answers that a suite did not have to ask for: quality rests on them, cost and latency do not.

    `baseline` is null for a new prompt. `oldest` is when the oldest of them was taken, or null where none was reused
    or nobody can tell. `pairs` of answers, one of each arm, were taken in one sitting. `drift` is null where nobody had
    to look for it. `opinions` are those of judges.
    """

    baseline: ArmReuseRecord | None
    candidate: ArmReuseRecord
    oldest: str | None
    pairs: Count = 0
    drift: DriftRecord | None = None
    opinions: Count = 0
