"""What is to be evaluated: two arms, one exam, and the policy that judges the difference."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from gate.domain.case import Case, ScorerSpec
from gate.domain.code_place import CodePlace
from gate.domain.judge_quote import JudgeQuote
from gate.domain.model import ModelRef, Params
from gate.domain.promises import Promises
from gate.domain.prompt import PromptVersion
from gate.domain.sample import ArmName
from gate.domain.target import Conversing, Target, leads_itself, runs_code, unversioned
from gate.domain.usage import exact_dollars

OVERALL = "overall"
"""The slice of all cases."""

MethodName = Literal["maxt", "percentile", "t", "mcnemar"]
CorrectionName = Literal["none", "bonferroni", "holm"]
Limit = Literal["max_calls", "max_usd", "max_minutes", "max_output_tokens"]

"""The cap of a month, as it is named where a run's dollars are what it leaves."""


@dataclass(frozen=True, slots=True)
class Arm:
    """Prompt, model, parameters and agent, each read at its own ref.

    Args:
        version: the prompt.
        model: who answers.
        params: of each request.
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
        return self.recognised or not leads_itself(self.target)


@dataclass(frozen=True, slots=True)
class SlicePolicy:
    """What one slice tolerates and must reach; None is as the suite says.

    Args:
        margin: tolerated fall of its mean score.
        min_pass_rate: share of the samples that must pass, in (0, 1).
    """

    margin: float | None = None
    min_pass_rate: float | None = None


@dataclass(frozen=True, slots=True)
class SuitePolicy:
    """What one suite tolerates.

    Args:
        max_cost_increase: allowance as a fraction; 0.10 is +10 %.
        max_latency_increase: allowance on the mean per-case log ratio, as a fraction.
        required: slices that must have enough cases.
        advisory: slices that are shown and never block.
        margin: tolerated fall of a slice's mean score, on the scale of 0 to 1.
        min_pass_rate: share of the samples of a new prompt that must pass, in each slice; None asks for none.
        slices: what holds for single slices, `overall` among them, in place of the suite's.
    """

    max_cost_increase: float = 0.10
    max_latency_increase: float = 0.20
    required: tuple[str, ...] = ()
    advisory: tuple[str, ...] = ()
    margin: float = 0.0
    min_pass_rate: float | None = None
    slices: Mapping[str, SlicePolicy] = field(default_factory=dict)

    def margin_of(self, name: str) -> float:
        """The tolerated fall of one slice, by its name within the suite."""
        own = self.slices.get(name, SlicePolicy()).margin
        return self.margin if own is None else own

    def wanted_rate(self, name: str) -> float | None:
        """The pass rate that the slice must reach, or None."""
        own = self.slices.get(name, SlicePolicy()).min_pass_rate
        return self.min_pass_rate if own is None else own


@dataclass(frozen=True, slots=True)
class RunPolicy:
    """What holds for the whole run.

    Args:
        confidence: two-sided; alpha = (1 - confidence) / 2, one-sided, for all slices of all suites together.
        fail_on: `hold` turns HOLD into exit 1.
        method: `maxt` (default), which tests all slices together; or a method that looks at each slice alone:
            `percentile` (the familiar rule), `t`, `mcnemar`.
        correction: for the methods that look at each slice alone.
        breakage: with `maxt`, also test whether any case changed at all.
        early_stop: with `maxt`, look at the results after each repeat of the cases, and ask no more than is needed.
        mode: `advisory` never fails a pull request, and says what would have happened.
    """

    confidence: float = 0.95
    fail_on: Literal["block", "hold"] = "block"
    method: MethodName = "maxt"
    correction: CorrectionName = "none"
    breakage: bool = False
    early_stop: bool = True
    mode: Literal["enforce", "advisory"] = "enforce"

    @property
    def alpha(self) -> float:
        return (1.0 - self.confidence) / 2.0

    @property
    def contradiction(self) -> str:
        """Two settings that do not go together; empty when all do."""
        if self.joint and self.correction != "none":
            return f"correction is {self.correction}, and maxt holds its level for all slices together already"
        if self.breakage and not self.joint:
            return f"breakage is a channel of maxt, and the method is {self.method}"
        return ""

    @property
    def joint(self) -> bool:
        """All slices are tested together, so that there is nothing left to correct."""
        return self.method == "maxt"


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits that are enforced before each call; None is no limit.

    Args:
        max_calls: requests, those that are sent again included.
        max_usd: dollars.
        max_minutes: of the whole run; what is under way is cut.
        max_output_tokens: per reply.
        set_by: limits that the configuration's `budget` did not set, each with the words for what did.
    """

    max_calls: int | None = None
    max_usd: float | None = None
    max_minutes: float | None = None
    max_output_tokens: int | None = None
    set_by: tuple[tuple[Limit, str], ...] = ()

    def setting(self, limit: Limit) -> str:
        """What set a limit, within a sentence: `budget.max_calls`, `the input max-calls`."""
        return dict(self.set_by).get(limit, f"budget.{limit}")

    def lowered(self, limit: Limit, value: float, setting: str) -> "Budget":
        """The same with one limit from elsewhere.

        Args:
            limit: which one.
            value: a whole number where the limit is one.
            setting: what set it, within a sentence.
        """
        others = tuple(one for one in self.set_by if one[0] != limit)
        changed: dict[str, Any] = {limit: value}
        return replace(self, **changed, set_by=(*others, (limit, setting)))

    @property
    def usd_said(self) -> str:
        """The limit of dollars within a sentence; only where there is one."""
        return f"{self.setting('max_usd')} is {exact_dollars(self.max_usd or 0.0)}"


@dataclass(frozen=True, slots=True)
class CachePolicy:
    """Which answers of earlier runs quality may rest on, and how many are kept.

    Args:
        max_age_days: older answers are asked for anew.
        same_model: an answer counts only while the model id that it names is the one that answers now.
        max_mb: size of the cache, beyond which the least recently used answers go.
    """

    max_age_days: float = 7.0
    same_model: bool = True
    max_mb: int = 512


@dataclass(frozen=True, slots=True)
class Exam:
    """Cases, scorers and policy, pinned to one ref.

    Args:
        ref: where the exam was read.
        digest: SHA-256 of cases, scorers and policy.
        cases: in file order.
        scorers: the suite's scorers; a case may bring its own.
        dimensions: slice dimensions that are tested.
        policy: what the suite tolerates.
        threshold: a sample passes when its score is at least this; None where each scorer has its own mark.
        judges: how far its judges agree with people; no part of the digest, for it changes no score.
        code: where the functions lie that score; None where none does. The digest has that of each function's module.
        conversing: how conversations are led and scored.
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
    conversing: Conversing = Conversing()
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
        name: unique within a run.
        baseline: what it is compared with; None where the change brings the prompt, which then stands alone.
        candidate: the change's arm.
        exam: what every arm sits.
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
    promises: Promises | None = None

    @property
    def arms(self) -> dict[ArmName, Arm]:
        """The arms that there are, the baseline first."""
        if self.baseline is None:
            return {ArmName.CANDIDATE: self.candidate}
        return {ArmName.BASELINE: self.baseline, ArmName.CANDIDATE: self.candidate}

    @property
    def at_stake(self) -> Promises | None:
        """What to know of its promises; None where nobody wants to, or the prompt is the same in both arms."""
        before = self.baseline
        if before is None or before.version.prompt.digest == self.candidate.version.prompt.digest:
            return None
        return self.promises

    def arm(self, name: ArmName) -> Arm:
        """One arm; KeyError where the suite does not have it."""
        return self.arms[name]
