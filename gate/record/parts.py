"""Parts of `run.json` that compared suites and new prompts have in common."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, TypeAlias

from gate.config.specification import OutputRule
from gate.record.transcript import Ending, PartKind, Speaker, UserEnd
from gate.values import Amount, Count, Difference, JsonValue, RecordPart, Share, Tokens

Standing: TypeAlias = Literal["calibrated", "another judge", "another threshold", "unreadable", "not calibrated"]


class AskedModel(RecordPart):
    """A model that was called as a judge.

    Args:
        model: as `provider:name`.
        temperature: null where its interface takes none.
        params: the others that are not the default.
    """

    model: str
    temperature: Amount | None
    params: dict[str, JsonValue] = {}


class JudgeQuote(RecordPart):
    """One judge, and how far it agrees with people.

    Args:
        scorer: its name.
        standing: `calibrated` where the file is about this very judge; `another judge` where something has changed
            since that can change a judgement.
        agreement: share of agreement with its bounds; null unless calibrated.
        answers: that it was calibrated with; 0 unless calibrated.
        units: independent ones among them, for answers to one question say the same thing several times.
        created: the day, `2026-11-22`; empty where no calibration was read.
        reason: why the file could not be read; empty otherwise.
        kind: of the scorer.
        combine: how the opinions of several models become one; empty where one judges.
        asked: its models.
    """

    scorer: str
    standing: Standing
    agreement: tuple[Share, Share, Share] | None = None
    answers: Count = 0
    units: Count = 0
    created: str = ""
    reason: str = ""
    kind: str = ""
    combine: str = ""
    asked: list[AskedModel] = []


class PromptTextRecord(RecordPart):
    """A text that a prompt is made of; a long one is cut, and `cut` is true.

    Of a `message`, `name` is the role; of a `file` that a template pulls in, its path; of a text that a function has
    `built`, the number of the session, from 1: both arms number the sessions of the same cases alike.
    """

    kind: Literal["message", "file", "built"]
    name: str
    text: str
    cut: bool = False


class ArmRecord(RecordPart):
    """One arm: prompt version, model, parameters, and how its replies ended.

    No reply counts twice. `step_limited` are conversations that were ended at `max_steps`, which is null where there
    is no loop of tools. `remembered` is false for an agent that may be another one the
    next time: it is called again. `prompt` has the texts of the prompt; `more_prompt` counts those not saved.
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
    """The eval set and how the candidate's side changed it.

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
    """See `Part` in `gate schema sample`."""

    scorer: str
    kind: PartKind
    name: str
    value: Share
    weight: Amount = 1.0


class ToolUseRecord(RecordPart):
    """See `ToolUse` in `gate schema sample`; long texts are cut."""

    name: str
    arguments: str
    result: str
    failed: bool = False
    latency_s: Amount | None = None


class TurnRecord(RecordPart):
    """See `Turn` in `gate schema sample`; long texts are cut, and `more_tools` counts calls that are not saved.

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
    """See `Observation` in `gate schema sample`; `rows` is null where the query failed.

    `found` is JSON text, cut where it is long: the only value, or the first row. It is empty without rows.
    """

    scorer: str
    rows: Count | None
    found: str = ""
    error: str = ""


class TranscriptRecord(RecordPart):
    """See `Transcript` in `gate schema sample`; `more_turns` counts those that are not saved.

    `calls`, `failed_calls` and `followups` count those of all turns, saved or not. `aside_calls` are those of whoever
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
    notes: list[str] = []


class ReasonRecord(RecordPart):
    """Why a scorer gave its score; `scorer` is empty where it is why there is no score."""

    scorer: str
    text: str

    @property
    def line(self) -> str:
        """Behind the scorer's name."""
        return f"{self.scorer}: {self.text}" if self.scorer else self.text


class OutputRecord(RecordPart):
    """One output of one arm, saved only for the informative cases; `transcript` is null where it was one reply."""

    index: Count
    text: str | None
    failure: str | None
    score: Share | None
    reasons: list[ReasonRecord]
    ending: Ending = ""
    parts: list[OutputPartRecord] = []
    transcript: TranscriptRecord | None = None
    thinking: str = ""


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
    """Replies of one arm: cached ones, and those requested in this run."""

    reused: Count
    fresh: Count


class DriftRecord(RecordPart):
    """A comparison of cached answers: pairs of an earlier and a new score, and why the earlier ones no longer hold."""

    pairs: Count
    reason: str | None


class ReuseRecord(RecordPart):
    """Answers that were cached: they count for quality, not for cost and latency.

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


OverrideBy = Literal["triage", "anyone", "not-author"]
LabelScope = Literal["pull-request", "commit"]

_COARSE = {
    "triage": frozenset({"read", "write", "admin"}),
    "write": frozenset({"write", "admin"}),
    "maintain": frozenset({"write", "admin"}),
    "admin": frozenset({"admin"}),
}
"""GitHub's own roles that may label, each with the coarse permissions that GitHub names next to it."""

_TOO_LITTLE = ("read", "none")


@dataclass(frozen=True, slots=True)
class Rule:
    """When the override label counts.

    Args:
        label: its name; the same name in brackets is accepted, too.
        by: `triage` is anybody with triage rights or more; `not-author` is the same without the author of the pull
            request and of its newest commit; `anyone` takes bots and workflows, too.
        scope: `commit` lets it expire with the next push.
    """

    label: str
    by: OverrideBy = "triage"
    scope: LabelScope = "pull-request"


@dataclass(frozen=True, slots=True)
class Role:
    """What somebody may do in the repository.

    Args:
        name: of the role, which an organization may have made itself; empty where an older server names none.
        permission: the coarse one: `admin`, `write`, `read` or `none`, where triage is `read`.
        triage: whether GitHub lets this person triage.
    """

    name: str
    permission: str
    triage: bool = False

    @property
    def may_triage(self) -> bool:
        """Triage rights or more. Answers that contradict themselves give none."""
        name, permission = self.name.casefold(), self.permission.casefold()
        if name in _COARSE:
            return permission in _COARSE[name]
        if name in _TOO_LITTLE:
            return False
        return permission in ("write", "admin") or (permission == "read" and self.triage)


class CaseState(StrEnum):
    """What the samples of one case show."""

    FAILED = "failed"
    UNSCORED = "unscored"
    PASSED = "passed"  # noqa: S105


class PartMean(RecordPart):
    """A part of a score, see `Part` in `gate schema sample`.

    Args:
        value: mean over the samples.
    """

    kind: PartKind
    name: str
    value: Share
    weight: Amount = 1.0


class ScorerResult(RecordPart):
    """The result of one scorer for a case, over its samples.

    Args:
        name: the scorer's.
        value: mean over the samples that it scored, in [0, 1]; null where there is none.
        mark: what the mean must reach; null where the case has a threshold for its combined score, or its rounds have
            marks of their own.
        passed: whether it does, or each round does; null where missing samples could change that, or there is no mark.
        reason: the rounds that miss their marks, and that of the sample that it scored worst, cut where it is long; may
            be empty.
        parts: in the order of the first sample.
        scale: ends of the scale that a rubric is written on; null where the score's own range is meant.
    """

    name: str
    value: Share | None
    mark: Share | None
    passed: bool | None
    reason: str = ""
    parts: tuple[PartMean, ...] = ()
    scale: tuple[Difference, Difference] | None = None


class CaseResult(RecordPart):
    """One case.

    Args:
        state: passed or failed, whatever the missing samples are taken for; else unscored.
        score: mean of the combined scores that there are; null where there is none.
        mark: what that mean must reach; null where each scorer has its own mark.
        scorers: in the order of the eval set.
        missing: for each sample without a score why it has none.
        untaken: how many of the last of these were not taken because the run ended.
        counts: it has a part in the verdict.
    """

    state: CaseState
    score: Share | None
    mark: Share | None
    scorers: tuple[ScorerResult, ...]
    missing: tuple[str, ...] = ()
    untaken: Count = 0
    counts: bool = True


Relation: TypeAlias = Literal["unchanged", "reworded", "tightened", "loosened", "changed", "unknown"]
"""How a rule of the baseline lives on in the candidate. `tightened`: fewer outputs keep it; `loosened`: more do;
`changed`: some that kept it no longer do, and the other way round; `unknown`: not decided."""

ChangeState: TypeAlias = Literal[Relation, "added", "removed"]

AlignedBy: TypeAlias = Literal["id", "evidence", "wording", "code", "meaning", ""]
"""How two rules were found to be one: `code` counts or looks for the same thing in both, and a judge finds the same
meaning; empty where there is only one."""

InputState: TypeAlias = Literal["added", "removed", "changed"]

INTENDED: Collection[ChangeState] = ("removed", "loosened", "changed", "unknown")
"""A rule is dropped, or may be: the report asks its author whether that was intended."""
TO_TEST: Collection[ChangeState] = ("added", "tightened", "changed")
"""A rule is new, so no earlier test covers it."""
QUIET: Collection[ChangeState] = ("unchanged", "reworded")


@dataclass(frozen=True, slots=True)
class RuleChange:
    """What became of one rule.

    Args:
        state: what.
        base, head: the rule before and after; at least one is there. An unchanged rule may have been read from one
            version alone, where the prompt is the same in both.
        by: how the two were found to be one.
        reason: why, in a sentence; a judge's own words where a judge decided. Empty where no reason is needed.
        judged: a model decided, not code.
    """

    state: ChangeState
    base: OutputRule | None
    head: OutputRule | None
    by: AlignedBy = ""
    reason: str = ""
    judged: bool = False

    @property
    def rule(self) -> OutputRule:
        """The rule as it is now, or as it last was."""
        found = self.head or self.base
        if found is None:
            raise ValueError("a change of no rule")
        return found


class InputChange(RecordPart):
    """What became of one component of the input.

    Args:
        state: what.
        component: its name; the candidate's where both versions have it.
        before, after: what is said of it, or the rules that differ; empty where it is not there.
    """

    state: InputState
    component: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class SpecDiff:
    """How the rules of two versions of a prompt differ; without any arguments, not at all.

    Args:
        rules: the baseline's in their order, then those that are new.
        inputs: of the input specification.
        notes: what could not be done, in sentences.
    """

    rules: tuple[RuleChange, ...] = ()
    inputs: tuple[InputChange, ...] = ()
    notes: tuple[str, ...] = ()

    def of(self, *states: ChangeState) -> tuple[RuleChange, ...]:
        """The changes of some states, in their order."""
        return tuple(change for change in self.rules if change.state in states)

    @property
    def empty(self) -> bool:
        """No rule is known to differ."""
        return not self.inputs and all(change.state in QUIET for change in self.rules)


@dataclass(frozen=True, slots=True)
class UpdatePlan:
    """What has to be done to a specification and its tests, so that they fit the new prompt.

    Args:
        add: rules with ids that are free, which tests are generated for.
        obsolete: ids of rules that no longer hold as they are written; their tests are obsolete with them.
        moved: rules that live on under their id and wording, with the words of the new prompt as their evidence.
        open: ids that a person has to decide on.
        successors: for rules with a different requirement now, the id of the new rule by that of the old one.
    """

    add: tuple[OutputRule, ...] = ()
    obsolete: tuple[str, ...] = ()
    moved: tuple[OutputRule, ...] = ()
    open: tuple[str, ...] = ()
    successors: Mapping[str, str] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """There is nothing to do."""
        return not (self.add or self.obsolete or self.moved or self.open)
