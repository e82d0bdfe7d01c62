"""Parts of `run.json` on what the change does to a prompt's promises: told apart, without a part in the verdict."""

from typing import Self

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from gate.domain.ranges import Amount, Count, RecordPart
from gate.domain.record_parts import CallsRecord
from gate.domain.specdiff import AlignedBy, ChangeState, InputChange


class PromiseRecord(RecordPart):
    """What became of one rule; see `gate.domain.specdiff.RuleChange`.

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

    A rule counts as kept where its check, or a judge, gives at least 0.7; what has no score is not among the scored.
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
    """The promises of one suite's prompt, before and after; see `gate.domain.specdiff.SpecDiff`.

    `changes` are all rules but the `unchanged` ones, which are counted. `judge` is the model that compared wordings, as
    `provider:name`; empty where none was asked. `trials` are of the rules that are `added`, `tightened` or `changed`.
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
