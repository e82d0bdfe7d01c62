"""What is to be evaluated: two arms, one exam, and the policy that judges the difference."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gate.cases.case import Case
from gate.config.gatefile import RuleComparisonOptions
from gate.config.models import ModelRef, Params
from gate.config.policy import SuitePolicy
from gate.config.scorer import ScorerSpec
from gate.config.targets import ConversationOptions, Target, calls_own_models, runs_code, unversioned
from gate.prompts.files import CodePlace
from gate.prompts.version import PromptVersion
from gate.record.parts import JudgeQuote
from gate.record.transcript import ArmName


@dataclass(frozen=True, slots=True)
class Arm:
    """Prompt, model, parameters and agent, each read at its own ref.

    Args:
        target: the agent that works with the prompt; None where the model is called with it and no more.
        place: the files that the agent, or its tools, run in; None where no program is run.
        code: tells those files from others; empty where nobody can, as in a working tree.
    """

    version: PromptVersion
    model: ModelRef
    params: Params
    target: Target | None = None
    place: CodePlace | None = None
    code: str = ""

    @property
    def recognised(self) -> bool:
        """Can anybody tell whether the agent is the same another time? Only then is what it said then an answer now."""
        return not unversioned(self.target) and (bool(self.code) or not runs_code(self.target))

    @property
    def remembered(self) -> bool:
        """Is what was answered not paid again? Of the loop of our own, the model's answers stay known in any case."""
        return self.recognised or not calls_own_models(self.target)


@dataclass(frozen=True, slots=True)
class Exam:
    """Cases, scorers and policy, pinned to one ref.

    Args:
        ref: where the exam was read.
        digest: SHA-256 of cases, scorers and policy.
        threshold: a sample passes when its score is at least this; None where each scorer has its own mark.
        judges: how far its judges agree with people; no part of the digest, for it changes no score.
        code: where the functions lie that score; None where none does. The digest has that of each function's module.
        placeholders: name to text, put into the prompts and cases of both arms, `today` besides; None for none at all.
        obsolete: cases of the file that are no part of it.
        store: the version of a store's suite that the cases are, as `store:support@12`; empty where a file has them.
        store_digest: of that version, as `sha256:…`; neither is part of the exam's own digest.
    """

    ref: str
    digest: str
    cases: tuple[Case, ...]
    scorers: tuple[ScorerSpec, ...]
    dimensions: tuple[str, ...] = ()
    policy: SuitePolicy = field(default_factory=SuitePolicy)
    threshold: float | None = None
    judges: tuple[JudgeQuote, ...] = ()
    code: CodePlace | None = None
    conversing: ConversationOptions = ConversationOptions()
    placeholders: Mapping[str, str] | None = None
    obsolete: int = 0
    store: str = ""
    store_digest: str = ""

    def scorers_of(self, case: Case) -> tuple[ScorerSpec, ...]:
        """What scores the answers to a case: its own scorers or else the exam's, and those that it adds."""
        return (*self.lasting_scorers_of(case), *case.round_scorers)

    def lasting_scorers_of(self, case: Case) -> tuple[ScorerSpec, ...]:
        """The same without those that count in single rounds alone."""
        return (self.scorers if case.scorers is None else case.scorers) + case.extra_scorers

    def threshold_of(self, case: Case) -> float | None:
        """What the combined score of a case must reach: its own threshold goes before the exam's; None without one."""
        return self.threshold if case.threshold is None else case.threshold

    def all_scorers(self) -> Iterator[ScorerSpec]:
        """The exam's scorers and those that cases bring, whether they count for a case or not."""
        yield from self.scorers
        for case in self.cases:
            yield from (*(case.scorers or ()), *case.extra_scorers, *case.round_scorers)


@dataclass(frozen=True, slots=True)
class Suite:
    """One prompt with its eval set, model, scorers and policy.

    Args:
        baseline: what it is compared with; None where the change brings the prompt, which then stands alone.
        samples: k, outputs per case and arm.
        own_exam: the exam is the change's own, because the base has none for this prompt.
        trial: shown, but has no part in the verdict: its exam is the change's own.
        promises: who compares what the prompt promises before and after; None where nobody wants to know.
    """

    name: str
    baseline: Arm | None
    candidate: Arm
    exam: Exam
    samples: int = 3
    own_exam: bool = False
    trial: bool = False
    promises: RuleComparisonOptions | None = None

    @property
    def arms(self) -> dict[ArmName, Arm]:
        """The arms that there are, the baseline first."""
        if self.baseline is None:
            return {ArmName.CANDIDATE: self.candidate}
        return {ArmName.BASELINE: self.baseline, ArmName.CANDIDATE: self.candidate}

    @property
    def at_stake(self) -> RuleComparisonOptions | None:
        """What to know of its promises; None where nobody wants to, or the prompt is the same in both arms."""
        before = self.baseline
        if before is None or before.version.prompt.digest == self.candidate.version.prompt.digest:
            return None
        return self.promises

    def arm(self, name: ArmName) -> Arm:
        """One arm; KeyError where the suite does not have it."""
        return self.arms[name]
