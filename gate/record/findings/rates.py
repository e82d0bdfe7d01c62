"""Findings about pass rates: of prompts that stand alone, and of checks."""

from typing import ClassVar, Literal

from gate.config.values import OVERALL
from gate.numbers import share
from gate.record.findings.finding import Code, Finding, Text, names
from gate.values import Amount, Count, Share, counted


class PassRateFinding(Finding):
    """The pass rate of one slice.

    Args:
        n: cases with a score.
        passed: sum over the cases of the share of their samples that pass.
        wanted: the rate that the policy requires; null where it requires none.
        checked: of a check, which counts cases, not answers.
    """

    suite: str
    slice: str
    n: Count
    passed: Amount
    rate: Share
    lower: Share
    upper: Share
    wanted: Share | None
    checked: bool = False

    @property
    def name(self) -> Code:
        """The suite, with its slice unless it is all of it."""
        return Code(self.suite if self.slice == OVERALL else f"{self.suite}/{self.slice}")

    @property
    def headline(self) -> Text:
        some = self.wanted if self.wanted != 1.0 else None
        wanted = "" if some is None else f", at least {share(some)} needed"
        if self.checked:
            return (self.name, f": {round(self.passed):,} of {counted(self.n, 'case')} passed{wanted}")
        rate = f"{share(self.rate)} [{share(self.lower)}, {share(self.upper)}]"
        return (self.name, f": {rate} of the answers passed{wanted}")


class PassRateMissed(PassRateFinding):
    """Too few answers, or cases, pass.

    Args:
        failed: cases that fail, where every case has to pass.
    """

    code: Literal["pass-rate-missed"] = "pass-rate-missed"
    severity: Literal["block"] = "block"
    failed: list[str] = []
    remedy: ClassVar[str] = "Read the failing cases, and fix the prompt or the model's settings."
    settings: ClassVar[tuple[str, ...]] = ("suites[].policy.min_pass_rate", "suites[].threshold")

    @property
    def headline(self) -> Text:
        if not self.failed:
            return super().headline
        count = f": {len(self.failed):,} of {counted(self.n, 'case')} failed: "
        return (self.name, count, *names(self.failed))

    @property
    def more(self) -> Text:
        return () if self.checked else (f"The upper bound over {counted(self.n, 'case')} is {share(self.upper)}.",)


class PassRateUnproven(PassRateFinding):
    """The pass rate reaches what is required, and its lower bound does not."""

    code: Literal["pass-rate-unproven"] = "pass-rate-unproven"
    severity: Literal["hold"] = "hold"
    remedy: ClassVar[str] = "Add cases until the interval is narrow enough, or merge although it is not shown."
    settings: ClassVar[tuple[str, ...]] = ("suites[].policy.min_pass_rate", "policy.fail_on")

    @property
    def more(self) -> Text:
        return (f"That is not shown with confidence: the lower bound is {share(self.lower)}.",)


class PassRateMet(PassRateFinding):
    """The pass rate reaches what is required."""

    code: Literal["pass-rate-met"] = "pass-rate-met"
    severity: Literal["note"] = "note"


class ThresholdUnset(Finding):
    """A new prompt has nothing to be compared with, and the policy requires no pass rate."""

    code: Literal["threshold-unset"] = "threshold-unset"
    severity: Literal["hold"] = "hold"
    suite: str
    remedy: ClassVar[str] = "Set min_pass_rate in the policy of the suite, for example 0.9."
    settings: ClassVar[tuple[str, ...]] = ("suites[].policy.min_pass_rate",)

    @property
    def headline(self) -> Text:
        return (Code(self.suite), " has no baseline, and its policy sets no ", Code("min_pass_rate"))


class PolicySliceEmpty(Finding):
    """The policy names a slice that no case is in, such as one that is misspelt."""

    code: Literal["policy-slice-empty"] = "policy-slice-empty"
    severity: Literal["hold", "note"]
    suite: str
    slices: list[str]
    remedy: ClassVar[str] = "Correct the name in the policy, or add cases of the slice."
    settings: ClassVar[tuple[str, ...]] = ("suites[].policy.slices", "suites[].policy.advisory")

    @property
    def headline(self) -> Text:
        them = "it" if len(self.slices) == 1 else "them"
        return ("the policy of ", Code(self.suite), " includes ", *names(self.slices), f", and no case is in {them}")
