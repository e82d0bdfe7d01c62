"""Parts of `run.json` on what the change does to its own exam: told apart, and without a part in the verdict."""

from typing import Literal

from gate.domain.ranges import Amount, Count, Delta, RecordPart, Share
from gate.domain.record_parts import CallsRecord

TrialKind = Literal["added", "edited", "scorers", "rescored"]


class ExamTrialRecord(RecordPart):
    """What one part of the edited exam says.

    `added` and `edited` are cases of the change, with the scorers of the exam that counts. `scorers`: the answers of
    both arms once more, by the change's scorers. `rescored`, where no prompt changed: the same answers by the scorers
    that count (`baseline`) and by the change's (`candidate`).

    `n` of the `asked` cases have a score; `left_out` are beyond the limit. `baseline` is null where one arm alone was
    asked, and a bound is null beside a `mean` where it is infinite. `reason` is why something is missing.
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


class EditedValueRecord(RecordPart):
    """What a setting was and what the change makes of it; `name` is as in `rules` and `run_edits`."""

    name: str
    old: str
    new: str


class ExamChangeRecord(RecordPart):
    """How the change edits the exam of one suite.

    `rules` are what it edits beside cases, as `policy.max_cost_increase` or `scorers.judge`; `suite` is the suite
    itself, which it drops. `values` are those of rules whose values are short. The ids are those of cases; `obsolete`
    are those that it marks so. `calls` and
    `spent_usd` are those of the trials.
    """

    suite: str
    rules: list[str] = []
    values: list[EditedValueRecord] = []
    added: list[str] = []
    removed: list[str] = []
    edited: list[str] = []
    obsolete: list[str] = []
    trials: list[ExamTrialRecord] = []
    calls: CallsRecord = CallsRecord(made=0, cached=0, retried=0, failed=0)
    spent_usd: Amount | None = 0.0
