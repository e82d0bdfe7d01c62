"""`run.json`, schema `prompt-gate/run/1`: the whole record of one evaluation, from which every report is rendered."""

from collections import Counter
from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, NonNegativeInt, model_validator
from pydantic_core import PydanticCustomError

from gate.config.values import OVERALL
from gate.record.comparison import (
    ArmAxis,
    AxisComparison,
    BlindJudge,
    CacheComparison,
    Comparison,
    Conversations,
    JuryResult,
    OpposedScorers,
    PassRate,
    PositionBias,
    RubricResult,
    ScorerChange,
    ToolDifference,
    Verdict,
)
from gate.record.findings.catalogue import DECIDING, QUIET, AnyFinding, verdict_of
from gate.record.findings.finding import Finding
from gate.record.findings.unfinished import Unfinished
from gate.record.parts import (
    AlignedBy,
    ArmRecord,
    CallsRecord,
    CaseResult,
    ChangeState,
    ExamRecord,
    InputChange,
    OutputRecord,
    ReuseRecord,
    SpendingRecord,
)
from gate.values import Amount, Count, Delta, JsonValue, Level, RecordPart, SampleCount, Scores, Share


class QualityRecord(RecordPart):
    """Quality of one suite: all cases, then its slices."""

    overall: Comparison
    slices: list[Comparison]

    def local(self, record: Comparison) -> str:
        """The name of one of its slices without the suite, which all of them have in front or none."""
        return record.slice[len(self.overall.slice) - len(OVERALL) :]


class CaseRecord(RecordPart):
    """Both arms' scores on one case; outputs only where they differ most."""

    id: str
    where: str
    slices: dict[str, str]
    baseline: Scores
    candidate: Scores
    delta: Delta | None
    cluster: str | None = None
    input: str | None = None
    expected: JsonValue = None
    baseline_outputs: list[OutputRecord] = []
    candidate_outputs: list[OutputRecord] = []


class SuiteRecord(RecordPart):
    """One suite of the run.

    `opposed` is null where no two scorers are shown to have moved in opposite directions, `conversations` where there
    were none, `tools` where no agent called any.
    """

    name: str
    samples: SampleCount
    baseline: ArmRecord
    candidate: ArmRecord
    exam: ExamRecord
    quality: QualityRecord
    cost: AxisComparison
    latency: AxisComparison
    cases: list[CaseRecord]
    calls: CallsRecord
    spent_usd: Amount | None
    cost_note: str = ""
    spending: SpendingRecord
    cache: CacheComparison | None = None
    reuse: ReuseRecord | None = None
    positions: list[PositionBias] = []
    scorers: list[ScorerChange]
    opposed: OpposedScorers | None = None
    blind: list[BlindJudge] = []
    rubrics: list[RubricResult] = []
    juries: list[JuryResult] = []
    conversations: Conversations | None = None
    tools: ToolDifference | None = None


class NewCaseRecord(RecordPart):
    """One case of a prompt that stands alone: scores, and which samples pass; outputs of failing cases only.

    `check` is the result of a check; null in other runs.
    """

    id: str
    where: str
    slices: dict[str, str]
    scores: Scores
    passed: list[bool | None] = Field(max_length=100)
    input: str | None = None
    expected: JsonValue = None
    outputs: list[OutputRecord] = []
    check: CaseResult | None = None


class NewSuiteRecord(RecordPart):
    """One suite whose prompt the change adds: there is no baseline, so its pass rate is tested.

    `level` is the one-sided level of its bounds; `threshold` is the score at which a sample passes, or null where each
    scorer has its own mark; `priced` is false where money means nothing, as with a local model.
    """

    name: str
    samples: SampleCount
    candidate: ArmRecord
    exam: ExamRecord
    threshold: Share | None
    overall: PassRate
    slices: list[PassRate]
    level: float
    cost: ArmAxis
    latency: ArmAxis
    priced: bool
    cases: list[NewCaseRecord]
    calls: CallsRecord
    spent_usd: Amount | None
    cost_note: str = ""
    spending: SpendingRecord
    reuse: ReuseRecord | None = None
    rubrics: list[RubricResult] = []
    juries: list[JuryResult] = []
    conversations: Conversations | None = None


TrialKind = Literal["added", "edited", "scorers", "rescored"]


class ExamTrialRecord(RecordPart):
    """The result of one part of the edited eval set.

    `added` and `edited` are cases of the change, with the scorers of the base branch. `scorers`: the answers of
    both arms once more, by the change's scorers. `rescored`, where no prompt changed: the same answers by the scorers
    that count (`baseline`) and by the change's (`candidate`).

    `n` of the `asked` cases have a score; `left_out` are over the limit. `baseline` is null where only one arm was
    called, and a bound is null next to a `mean` where it is infinite. `reason` is why something is missing.
    """

    kind: TrialKind
    asked: Count
    left_out: Count = 0
    n: Count = 0
    baseline: Share | None = None
    candidate: Share | None = None
    mean: Delta | None = None
    lower: Delta | None = None
    upper: Delta | None = None
    reason: str = ""


SettingKind = Literal[
    "policy",
    "suite",
    "scorers",
    "conversation",
    "placeholders",
    "threshold",
    "slices",
    "samples",
    "budget",
    "cache",
    "providers",
]


class SettingEdit(RecordPart):
    """One setting that a change edits.

    `kind` is its part of gate.yaml, and `name` the setting in it, empty where there is only one. `old` and `new` are as
    gate.yaml has them; both are empty where one of them is long, or where the setting has no value.
    """

    kind: SettingKind
    name: str = ""
    old: str = ""
    new: str = ""

    @property
    def place(self) -> str:
        """`policy.margin`; the kind alone where it is one setting."""
        return f"{self.kind}.{self.name}" if self.name else self.kind


class ExamChangeRecord(RecordPart):
    """How the change edits the eval set of one suite.

    `rules` are what it edits apart from cases; the kind `suite` is the suite itself, which it drops. The ids are those
    of cases; `obsolete` are those that it marks so. `calls` and `spent_usd` are those of the trials.
    """

    suite: str
    rules: list[SettingEdit] = []
    added: list[str] = []
    removed: list[str] = []
    edited: list[str] = []
    obsolete: list[str] = []
    trials: list[ExamTrialRecord] = []
    calls: CallsRecord = CallsRecord(made=0, cached=0, retried=0, failed=0)
    spent_usd: Amount | None = 0.0


class PromiseRecord(RecordPart):
    """What became of one rule.

    `rule` is the rule's id in the old specification, or in the new one where the old one has no such rule. `before` and
    `after` are its words, null where there is no such rule; `evidence` and `new_evidence` the prompt's.
    """

    state: ChangeState
    rule: str
    before: str | None = None
    after: str | None = None
    evidence: str = ""
    new_evidence: str = ""
    by: AlignedBy = ""
    reason: str = ""
    judged: bool = False


class PromiseTrialRecord(RecordPart):
    """How both versions of the prompt keep one rule that is new or stricter, on tests made for it.

    A rule counts as followed where its check, or a judge, gives at least 0.7; answers without a score are left out.
    """

    rule: str
    tests: Count
    baseline_kept: Count
    baseline_scored: Count
    candidate_kept: Count
    candidate_scored: Count

    @model_validator(mode="after")
    def _no_more_than_tried(self) -> Self:
        """No share can be reckoned of a record that counts more parts than wholes."""
        arms = (self.baseline_kept, self.baseline_scored), (self.candidate_kept, self.candidate_scored)
        if not all(kept <= scored <= self.tests for kept, scored in arms):
            raise PydanticCustomError("more_than_tried", "more tests are kept or scored than there are")
        return self


class PromisesRecord(RecordPart):
    """The rules of one suite's prompt, before and after.

    `changes` are all rules but the `unchanged` ones, which are counted. `judge` is the model that compared wordings, as
    `provider:name`; empty where none was called. `trials` are of the rules that are `added`, `tightened` or `changed`.
    `calls` and `spent_usd` are those of all of it.
    """

    suite: str
    unchanged: Count = 0
    changes: list[PromiseRecord] = []
    inputs: list[InputChange] = []
    notes: list[str] = []
    judge: str = ""
    trials: list[PromiseTrialRecord] = []
    calls: CallsRecord = CallsRecord(made=0, cached=0, retried=0, failed=0)
    spent_usd: Amount | None = 0.0


class MethodRecord(RecordPart):
    """How the verdict was decided; `rates_judged` are slices of new prompts that can block.

    With early stopping the comparison rests on `samples_taken` of `samples_planned` samples per case, the same for all
    slices, and `spared` counts the samples that it saved; without it the two are null.
    """

    name: str
    alpha: Level
    slices_tested: Count
    flips: Count | None
    fail_on: Literal["block", "hold"]
    breakage: bool = False
    rates_judged: Count = 0
    samples_planned: Count | None = None
    samples_taken: Count | None = None
    spared: Count = 0


class MissingReason(RecordPart):
    """Why samples have no score, and how many."""

    reason: str
    samples: Count


class MissingRecord(RecordPart):
    """Samples without a score, and the verdicts had they gone best and worst for the candidate.

    `reasons` are the most frequent ones; samples with others are counted by `others`. `cases` names the cases that have
    to be called again, `suite/id` in a run over several suites.
    """

    samples: Count
    total: Count
    best: Verdict | None
    worst: Verdict | None
    reasons: list[MissingReason]
    others: Count = 0
    cases: list[str] = []


class CoverageRecord(RecordPart):
    """What a run looked at: suites, how many it compared and how many are the same, and the files they rest on."""

    suites: Count
    compared: Count
    same: Count
    files: Count


class OverrideRecord(RecordPart):
    """The override label: who set it and when (null where GitHub did not say), for which commit, and does it count.

    `role` is what that person is in the repository, empty where unknown. `reason` is what that person gave.
    `why_not` is a sentence, empty where the label counts.
    """

    label: str
    by: str | None
    at: str | None
    commit: str
    role: str = ""
    reason: str = ""
    counted: bool = True
    why_not: str = ""


class RunRecord(RecordPart):
    """The whole run: `suites` were compared, `new` ones stand alone; in a run that evaluated nothing both are empty.

    `findings` are what it has to say, the most important first; the verdict follows from their severities.
    `waived` is what makes the exit code 0 whatever the verdict; `waived_code` is what it would have been.
    `coverage` is what the run looked at, where two refs were compared.
    `exam_changes` and `run_edits` are what the change does to its own eval set; they are not part of the verdict.
    `promises` is what the change does to the rules of its prompts; it is not part of the verdict either.
    `kind` is what a run is about where it compares no prompts: `baseline`, answers of a branch for later runs; `setup`,
    what kept the gate from looking at the change, or at its label; `check`: each of `new` was compared with its
    thresholds, case by case.
    `priced` is false where money means nothing, as with a local model, and no suite is there to say so.
    """

    # The key in the file is `schema`; pydantic keeps that name for itself.
    schema_id: Literal["prompt-gate/run/1"] = Field(default="prompt-gate/run/1", alias="schema")
    tool_version: str
    created: str
    duration_s: Amount
    verdict: Verdict
    exit_code: int = Field(ge=0, le=255)
    findings: list[AnyFinding]
    seed: NonNegativeInt
    commit: str | None
    method: MethodRecord
    missing: MissingRecord
    suites: list[SuiteRecord]
    new: list[NewSuiteRecord] = []
    calls: CallsRecord
    spent_usd: Amount | None
    override: OverrideRecord | None = None
    waived: Literal["", "override", "advisory"] = ""
    waived_code: int = Field(default=0, ge=0, le=255)
    config: str = ""
    coverage: CoverageRecord | None = None
    exam_changes: list[ExamChangeRecord] = []
    run_edits: list[SettingEdit] = []
    promises: list[PromisesRecord] = []
    kind: Literal["", "baseline", "setup", "check"] = ""
    priced: bool = True

    @property
    def deciding(self) -> tuple[Finding, ...]:
        """The findings that the verdict rests on: those of its severity, or all where nothing is urgent."""
        severity = DECIDING.get(self.verdict, "note")
        return tuple(finding for finding in self.findings if finding.severity == severity)

    @property
    def quiet(self) -> bool:
        """Nothing was evaluated, and there is nothing that a person has to know."""
        return all(isinstance(finding, QUIET) for finding in self.findings)

    @property
    def unfinished(self) -> Unfinished | None:
        """What ended it early; None where it came to its end."""
        return next((finding for finding in self.findings if isinstance(finding, Unfinished)), None)

    @property
    def evaluated(self) -> bool:
        """Whether anything was called at all."""
        return bool(self.suites or self.new)

    @property
    def skipped_by_label(self) -> bool:
        """Whether nothing was evaluated because the override label counts."""
        counts = self.override is not None and self.override.counted
        return counts and self.verdict is Verdict.SKIPPED and not self.waived

    @model_validator(mode="after")
    def _verdict_follows(self) -> Self:
        """The verdict is that of the findings: a reader who knows these knows it."""
        if self.verdict is not verdict_of(self.findings):
            raise PydanticCustomError("verdict_without_finding", "the findings do not make the verdict {verdict}",
                                      {"verdict": self.verdict.value})  # fmt: skip
        return self

    @model_validator(mode="after")
    def _waived_is_green(self) -> Self:
        """A record cannot be both overridden and red."""
        if self.waived and self.exit_code:
            raise PydanticCustomError("waived_red", "a run that is waived has the exit code 0")
        if self.waived == "override" and not (self.override and self.override.counted):
            raise PydanticCustomError("waived_by_nobody", "a run that is waived by an override names one that counts")
        return self

    @model_validator(mode="after")
    def _named_once(self) -> Self:
        """A suite that is listed twice would count twice."""
        names = Counter([*(suite.name for suite in self.suites), *(suite.name for suite in self.new)])
        name, times = (names.most_common(1) or [("", 0)])[0]
        if times > 1:
            raise PydanticCustomError("named_twice", "two suites are named {name}", {"name": repr(name[:80])})
        return self


def run_schema() -> Mapping[str, object]:
    """The JSON Schema of `run.json`."""
    return RunRecord.model_json_schema(by_alias=True, mode="serialization")
