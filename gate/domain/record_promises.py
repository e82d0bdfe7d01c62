"""Parts of `run.json` on what the change does to a prompt's promises: told apart, without a part in the verdict."""

from gate.domain.ranges import Count
from gate.domain.record_parts import Part
from gate.domain.specdiff import AlignedBy, ChangeState, InputState


class PromiseRecord(Part):
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


class InputPromiseRecord(Part):
    """What became of a component of the input; see `gate.domain.specdiff.InputChange`."""

    state: InputState
    component: str
    before: str = ""
    after: str = ""


class PromisesRecord(Part):
    """The promises of one suite's prompt, before and after; see `gate.domain.specdiff.SpecDiff`.

    `changes` are all rules but the `unchanged` ones, which are counted. `judge` is the model that compared wordings, as
    `provider:name`; empty where none was asked.
    """

    suite: str
    unchanged: Count = 0
    changes: list[PromiseRecord] = []
    inputs: list[InputPromiseRecord] = []
    notes: list[str] = []
    judge: str = ""
