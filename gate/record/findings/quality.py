"""Findings about quality, cost and latency, candidate against baseline."""

from typing import ClassVar, Literal

from gate.config.values import OVERALL
from gate.numbers import change, delta, dropped_or_improved, percent, score, score_change, share, with_interval
from gate.record.findings.finding import Code, Finding, Text, names
from gate.values import Amount, Count, Delta, Relative, Share, counted


def slice_text(name: str) -> Text:
    """A slice in a sentence."""
    return ("overall quality",) if name == OVERALL else (Code(name),)


class SliceFinding(Finding):
    """What one slice of a suite shows; `slice` has the suite in front in a run over several."""

    suite: str
    slice: str
    n: Count
    baseline: Share | None
    candidate: Share | None
    mean: Delta | None
    lower: Delta | None
    upper: Delta | None
    p: Share | None = None

    @property
    def movement(self) -> str:
        """`dropped by 0.417, from 0.806 to 0.389`."""
        known = self.baseline is not None and self.candidate is not None
        scores = f", from {score(self.baseline)} to {score(self.candidate)}" if known else ""
        return f"{dropped_or_improved(self.mean or 0.0)}{scores}"


class SliceRegressed(SliceFinding):
    """A slice that can block got worse: the joint test over all slices shows a drop of more than its margin.

    Args:
        margin: the tolerated drop.
    """

    code: Literal["slice-regressed"] = "slice-regressed"
    severity: Literal["block"] = "block"
    margin: Share = 0.0
    remedy: ClassVar[str] = "Read the cases that dropped, and fix the prompt or the model's settings."
    settings: ClassVar[tuple[str, ...]] = (
        "suites[].policy.margin",
        "suites[].policy.advisory",
        "suites[].policy.slices.NAME.margin",
    )

    @property
    def headline(self) -> Text:
        return (*slice_text(self.slice), f" {self.movement}")

    @property
    def more(self) -> Text:
        margin = f", below the margin of {delta(-self.margin)}" if self.margin else ""
        return (f"The upper bound over {counted(self.n, 'case')} is {delta(self.upper)}{margin}.",)


class SliceSuspect(SliceFinding):
    """A slice that can block may have got worse: the drop is shown at 10 %, not at the level of the run."""

    code: Literal["slice-suspect"] = "slice-suspect"
    severity: Literal["hold"] = "hold"
    remedy: ClassVar[str] = "Read the cases that dropped and decide whether the drop is real; more cases would show it."
    settings: ClassVar[tuple[str, ...]] = ("policy.fail_on", "suites[].policy.advisory")

    @property
    def headline(self) -> Text:
        return (*slice_text(self.slice), f" may have dropped: {score_change(self)}")

    @property
    def more(self) -> Text:
        return () if self.p is None else (f"The drop is not statistically significant (p = {self.p:.3f}).",)


class OverallImproved(SliceFinding):
    """Overall quality improved: the lower bound of the change lies above zero."""

    code: Literal["overall-improved"] = "overall-improved"
    severity: Literal["note"] = "note"

    @property
    def headline(self) -> Text:
        return (*slice_text(self.slice), f" {self.movement}")


class NoRegression(Finding):
    """Slices were compared, and none regressed or is suspect."""

    code: Literal["no-regression"] = "no-regression"
    severity: Literal["note"] = "note"
    slices: Count

    @property
    def headline(self) -> Text:
        tested = counted(self.slices, "tested slice")
        return (f"none of {tested} regressed or is suspect" if self.slices != 1 else "the only tested slice held",)


class NoPromptChanged(Finding):
    """No prompt changed; cases, scorers or policy did, so quality can be neither worse nor better."""

    code: Literal["no-prompt-changed"] = "no-prompt-changed"
    severity: Literal["note"] = "note"
    remedy: ClassVar[str] = "Review the changed cases, scorers and policy: after the merge they apply to every prompt."

    @property
    def headline(self) -> Text:
        return ("no prompt changed; cases, scorers or policy did",)


class TooFewCases(Finding):
    """A slice has too few independent cases for a decision. Of a required slice there is then no verdict.

    Args:
        units: independent cases: variants of one source count as one.
        required: named under `policy.required`.
    """

    code: Literal["too-few-cases"] = "too-few-cases"
    severity: Literal["hold", "undecided"]
    suite: str
    slice: str
    n: Count
    units: Count
    required: bool
    remedy: ClassVar[str] = "Add cases: a slice needs at least 30, better 100."
    settings: ClassVar[tuple[str, ...]] = ("suites[].policy.required",)

    @property
    def headline(self) -> Text:
        independent = "" if self.units == self.n else f" in {counted(self.units, 'independent group')}"
        few = f"too few cases to decide ({self.n:,}{independent})"
        if self.slice == OVERALL:
            return (few,)
        return ("the required slice " if self.required else "", Code(self.slice), f" has {few}")


class ScoresAllZero(Finding):
    """Every answer of both versions scored 0, so the scorers show no difference."""

    code: Literal["scores-all-zero"] = "scores-all-zero"
    severity: Literal["hold"] = "hold"
    suite: str
    slice: str
    n: Count
    remedy: ClassVar[str] = "Read some answers: the scorers or the expected answers are probably wrong."

    @property
    def headline(self) -> Text:
        return (Code(self.slice), ": every answer of both versions scored 0, so the scorers show no difference")


class SliceUnmeasured(Finding):
    """No case of a slice has a score, so nothing is known about it.

    Args:
        compared: a score is needed in both versions.
    """

    code: Literal["slice-unmeasured"] = "slice-unmeasured"
    severity: Literal["undecided"] = "undecided"
    suite: str
    slice: str
    compared: bool
    remedy: ClassVar[str] = "Fix what kept the samples from having a score, and run again."

    @property
    def headline(self) -> Text:
        where = " in both versions" if self.compared else ""
        if self.slice == OVERALL:
            return (Code(self.suite), f": no case has a score{where}, so nothing was measured")
        return (Code(f"{self.suite}/{self.slice}"), f": no case has a score{where}, so it was not measured")


class RequiredSliceEmpty(Finding):
    """A slice that the policy requires has no cases."""

    code: Literal["required-slice-empty"] = "required-slice-empty"
    severity: Literal["undecided"] = "undecided"
    suite: str
    slice: str
    remedy: ClassVar[str] = "Add cases of this slice, or take it out of the policy."
    settings: ClassVar[tuple[str, ...]] = ("suites[].policy.required",)

    @property
    def headline(self) -> Text:
        return (Code(self.suite), ": the required slice ", Code(self.slice), " has no cases")


class ScorersOpposed(Finding):
    """One scorer fell and another rose, which their mean hides.

    Args:
        drop, rise: mean changes of the two scorers.
    """

    code: Literal["scorers-opposed"] = "scorers-opposed"
    severity: Literal["hold"] = "hold"
    suite: str
    slice: str
    worse: str
    drop: Delta
    better: str
    rise: Delta
    remedy: ClassVar[str] = "Read some answers and decide whether the rise is worth the drop."
    settings: ClassVar[tuple[str, ...]] = ("suites[].scorers",)

    @property
    def headline(self) -> Text:
        fell, rose = f" fell by {score(-self.drop)}, ", f" rose by {score(self.rise)}"
        where: Text = () if self.slice == OVERALL else (" in ", Code(self.slice))
        return (Code(self.worse), fell, Code(self.better), rose, *where)


class AboveLimit(Finding):
    """Cost or latency rose by more than its allowance.

    Args:
        change, lower, upper: the relative change with its interval: 0.12 is +12 %.
        limit: the allowed increase.
    """

    suite: str
    change: Relative
    lower: Relative | None
    upper: Relative | None
    limit: Amount

    axis: ClassVar[Literal["cost", "latency"]]

    @property
    def headline(self) -> Text:
        rise = with_interval(percent(self.change), self.lower, self.upper, change)
        return (f"{self.axis} of ", Code(self.suite), f" rose by {rise}, limit {change(self.limit)}")


class CostAboveLimit(AboveLimit):
    """The cost of the answers rose by more than the policy allows: the whole interval lies above the limit."""

    code: Literal["cost-above-limit"] = "cost-above-limit"
    severity: Literal["hold"] = "hold"
    axis: ClassVar[Literal["cost", "latency"]] = "cost"
    remedy: ClassVar[str] = "Merge if the change is worth the higher cost; to allow it always, raise the limit."
    settings: ClassVar[tuple[str, ...]] = ("suites[].policy.max_cost_increase",)


class LatencyAboveLimit(AboveLimit):
    """The latency of the answers rose by more than the policy allows: the whole interval lies above the limit."""

    code: Literal["latency-above-limit"] = "latency-above-limit"
    severity: Literal["hold"] = "hold"
    axis: ClassVar[Literal["cost", "latency"]] = "latency"
    remedy: ClassVar[str] = "Merge if the change is worth the higher latency; to allow it always, raise the limit."
    settings: ClassVar[tuple[str, ...]] = ("suites[].policy.max_latency_increase",)


class AxisNotCompared(Finding):
    """Cost or latency could not be compared, so that the verdict cannot be SHIP."""

    code: Literal["axis-not-compared"] = "axis-not-compared"
    severity: Literal["note"] = "note"
    suite: str
    axis: Literal["cost", "latency"]
    reason: str

    @property
    def headline(self) -> Text:
        return (Code(self.suite), f": {self.axis} could not be compared ({self.reason}), so the verdict is not SHIP")


class JudgeBlind(Finding):
    """The verdict of a judge does not depend on the answers: it gives all one score, or turns with their order.

    Args:
        answers: answers, or pairs of answers, that it judged.
        value: the one score of all answers; null for a pairwise judge.
        turned: share of the pairs with another verdict when the answers changed places; null for other judges.
    """

    code: Literal["judge-blind"] = "judge-blind"
    severity: Literal["hold", "undecided"]
    suite: str
    scorer: str
    answers: Count
    value: float | None = None
    turned: Share | None = None
    remedy: ClassVar[str] = "Improve the criteria of the judge, or use another model."
    settings: ClassVar[tuple[str, ...]] = ("suites[].scorers",)

    @property
    def headline(self) -> Text:
        judge: Text = ("the judge ", Code(self.scorer))
        if self.turned is None:
            return (*judge, f" gave all {self.answers:,} answers the score {score(self.value, 2)}")
        return (*judge, f" turned with the places in {share(self.turned)} of {self.answers:,} pairs")

    @property
    def more(self) -> Text:
        return ("It does not judge the answers.",)


class ToolUnknown(Finding):
    """A case names a tool that no version has, so that its check shows nothing.

    Args:
        suggestions: tools that may be meant.
        listed: the agent's tools are known completely.
    """

    code: Literal["tool-unknown"] = "tool-unknown"
    severity: Literal["hold", "undecided"]
    suite: str
    case: str
    tool: str
    suggestions: list[str]
    listed: bool
    remedy: ClassVar[str] = "Correct the tool's name in the case, or let the agent list its tools under tool_names."

    @property
    def headline(self) -> Text:
        return (
            Code(self.suite),
            ": case ",
            Code(self.case),
            " names the tool ",
            Code(self.tool),
            ", which no version has",
        )

    @property
    def more(self) -> Text:
        listing = "" if self.listed else ", or let the agent list its tools under tool_names"
        if self.suggestions:
            return ("Write ", *names(self.suggestions), f"{listing}.")
        return (f"Its check shows nothing: remove it{listing}.",)


def severity_of(required: bool) -> Literal["hold", "undecided"]:
    """What is required leaves the verdict open; other things are for a person to look at."""
    return "undecided" if required else "hold"
