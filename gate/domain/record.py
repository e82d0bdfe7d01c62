"""`run.json`, schema `prompt-gate/run/1`: the whole record of one evaluation, from which every report is rendered.

A bound of `null` beside a mean is infinite. Costs are dollars, or null with the reason in the axis. Numbers have
ranges, since a record may come from anywhere.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, NonNegativeInt, model_validator
from pydantic_core import PydanticCustomError

from gate.domain.ranges import Amount, Count, Level, RecordPart
from gate.domain.record_compared import SuiteRecord
from gate.domain.record_exam import EditedValueRecord, ExamChangeRecord
from gate.domain.record_new import NewSuiteRecord
from gate.domain.record_parts import CallsRecord
from gate.domain.record_promises import PromisesRecord
from gate.domain.verdict import Verdict


class MethodRecord(RecordPart):
    """How the verdict was reached; `rates_judged` are slices of new prompts that can block.

    With early stopping the comparison rests on `samples_taken` of `samples_planned` samples per case, the same for all
    slices, and `spared` counts the samples that it saved; without it the two are null.
    """

    name: str
    alpha: Level
    slices_tested: Count
    flips: Count | None
    fail_on: Literal["block", "hold"]
    correction: Literal["none", "bonferroni", "holm"] = "none"
    breakage: bool = False
    rates_judged: Count = 0
    samples_planned: Count | None = None
    samples_taken: Count | None = None
    spared: Count = 0


class MissingRecord(RecordPart):
    """Samples without a score, and the verdicts had they gone best and worst for the candidate.

    `cases` names the cases that have to be asked again, `suite/id` in a run over several suites.
    """

    samples: Count
    total: Count
    best: Verdict | None
    worst: Verdict | None
    reasons: list[str]
    cases: list[str] = []


class OverrideRecord(RecordPart):
    """The override label: who set it and when (null where GitHub did not say), for which commit, and does it count.

    `role` is what that person is in the repository, empty where nobody asked. `reason` is what that person gave.
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

    `unfinished` is why it ended early: a budget, a signal, a service that was not there; null where it came to its end.
    `waived` is what makes the exit code 0 whatever the verdict; `waived_code` is what it would have been.
    `deleted` are paths of prompts that the base examines and that are gone.
    `exam_changes` and `run_edits` are what the change does to its own exam; they have no part in the verdict.
    `run_values` are the old and the new values of `run_edits`, where they are short.
    `promises` is what the change does to the promises of its prompts; it has no part in the verdict either.
    `kind` is what a run without suites is about, where the verdict alone does not say it: `baseline`, answers of a
    branch for later runs; `base_mistake`, one that the merge target has already; `unjudged`, a change that nobody
    could judge; `setup`, what kept the gate from looking at the change, or at its label; `closed`, a pull request that
    is. `check` is a check: each of `new` was held against its thresholds, case by case, and nothing was compared.
    `priced` is false where money means nothing, as with a local model, and no suite is there to say so.
    """

    # The key in the file is `schema`; pydantic keeps that name for itself.
    schema_id: Literal["prompt-gate/run/1"] = Field(default="prompt-gate/run/1", alias="schema")
    tool_version: str
    created: str
    duration_s: Amount
    verdict: Verdict
    exit_code: int = Field(ge=0, le=255)
    reasons: list[str]
    seed: NonNegativeInt
    commit: str | None
    method: MethodRecord
    missing: MissingRecord
    unfinished: str | None = None
    suites: list[SuiteRecord]
    new: list[NewSuiteRecord] = []
    calls: CallsRecord
    spent_usd: Amount | None
    override: OverrideRecord | None = None
    waived: Literal["", "override", "advisory"] = ""
    waived_code: int = Field(default=0, ge=0, le=255)
    config: str = ""
    notes: list[str] = []
    deleted: list[str] = []
    exam_changes: list[ExamChangeRecord] = []
    run_edits: list[str] = []
    run_values: list[EditedValueRecord] = []
    promises: list[PromisesRecord] = []
    kind: Literal["", "baseline", "base_mistake", "unjudged", "setup", "closed", "check"] = ""
    priced: bool = True

    @property
    def evaluated(self) -> bool:
        """Whether anything was asked at all."""
        return bool(self.suites or self.new)

    @property
    def skipped_by_label(self) -> bool:
        """Whether nothing was evaluated because the override label counts."""
        counts = self.override is not None and self.override.counted
        return counts and self.verdict is Verdict.SKIPPED and not self.waived

    @model_validator(mode="after")
    def _waived_is_green(self) -> Self:
        """A record that says both that it is set aside and that it is red says nothing."""
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
