"""The subject of an evaluation: two arms and one exam (cases, scorers and policy)."""

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
        target: the agent that works with the prompt; None if the model is called with only the prompt.
        place: the files that the agent, or its tools, run in; None if no program runs.
        code: fingerprint of those files; empty if unknown, as in a working tree.
    """

    version: PromptVersion
    model: ModelRef
    params: Params
    target: Target | None = None
    place: CodePlace | None = None
    code: str = ""

    @property
    def recognised(self) -> bool:
        """Is it known whether the agent is the same in another run? Only then can its answers be reused."""
        return not unversioned(self.target) and (bool(self.code) or not runs_code(self.target))

    @property
    def remembered(self) -> bool:
        """Can answers be reused without paying again? For the built-in loop, the model's answers can in any case."""
        return self.recognised or not calls_own_models(self.target)


@dataclass(frozen=True, slots=True)
class Exam:
    """Cases, scorers and policy, pinned to one ref.

    Args:
        ref: from which the exam was read.
        digest: SHA-256 of cases, scorers and policy.
        threshold: a sample passes when its score is at least this; None if each scorer has its own threshold.
        judges: how far its judges agree with people; not part of the digest, because it changes no score.
        code: place of the scorer functions; None without any. The digest includes that of each function's module.
        placeholders: name to text, put into prompts and cases of both arms, besides `today`; None if none are set.
        obsolete: cases of the file that are not part of it.
        store: the version of the store's suite with the cases, as `store:support@12`; empty if they are in a file.
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
        """The scorers of a case: its own or else the exam's, and those that it adds."""
        return (*self.lasting_scorers_of(case), *case.round_scorers)

    def lasting_scorers_of(self, case: Case) -> tuple[ScorerSpec, ...]:
        """The same without those that only count in single rounds."""
        return (self.scorers if case.scorers is None else case.scorers) + case.extra_scorers

    def threshold_of(self, case: Case) -> float | None:
        """The threshold for the combined score of a case: its own, or else the exam's; None without one."""
        return self.threshold if case.threshold is None else case.threshold

    def all_scorers(self) -> Iterator[ScorerSpec]:
        """The exam's scorers and those of cases, whether they count for a case or not."""
        yield from self.scorers
        for case in self.cases:
            yield from (*(case.scorers or ()), *case.extra_scorers, *case.round_scorers)


@dataclass(frozen=True, slots=True)
class Suite:
    """One prompt with its eval set, model, scorers and policy.

    Args:
        baseline: the arm to compare with; None if the prompt is new.
        samples: k, outputs per case and arm.
        own_exam: the exam is the change's own, because the base has none for this prompt.
        trial: shown, but has no part in the verdict: its exam is the change's own.
        promises: compares the rules of the prompt before and after; None if it is not set.
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
        """The comparison of its rules; None if it is not set, or the prompt is the same in both arms."""
        before = self.baseline
        if before is None or before.version.prompt.digest == self.candidate.version.prompt.digest:
            return None
        return self.promises

    def arm(self, name: ArmName) -> Arm:
        """One arm; KeyError where the suite does not have it."""
        return self.arms[name]
