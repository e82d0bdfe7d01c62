"""Findings of runs that evaluated nothing on purpose, and of those that only recorded a baseline."""

from typing import ClassVar, Literal

from gate.numbers import share
from gate.record.findings.finding import Code, Finding, Text, names
from gate.values import Count, Share, counted


class NothingChanged(Finding):
    """Every suite was read at both refs, and all that it rests on is the same.

    Args:
        suites: those that were read.
    """

    code: Literal["nothing-changed"] = "nothing-changed"
    severity: Literal["note"] = "note"
    suites: list[str]

    @property
    def headline(self) -> Text:
        if not self.suites:
            return ("nothing has changed",)
        return ("nothing that ", *names(self.suites), f" {'uses' if len(self.suites) == 1 else 'use'} has changed")


class LabelSet(Finding):
    """The override label is set and counts, so nothing was evaluated.

    Args:
        by: who set it; empty where GitHub did not say.
    """

    code: Literal["overridden"] = "overridden"
    severity: Literal["note"] = "note"
    label: str
    by: str = ""
    remedy: ClassVar[str] = "To evaluate the change, remove the label."

    @property
    def headline(self) -> Text:
        return ("the label ", Code(self.label), " is set")


class PullRequestClosed(Finding):
    """The pull request is closed, so nothing is evaluated."""

    code: Literal["pull-request-closed"] = "pull-request-closed"
    severity: Literal["note"] = "note"

    @property
    def headline(self) -> Text:
        return ("the pull request is closed",)


class NothingToEvaluate(Finding):
    """The event has nothing to evaluate.

    Args:
        reason: why.
    """

    code: Literal["nothing-to-evaluate"] = "nothing-to-evaluate"
    severity: Literal["note"] = "note"
    reason: str

    @property
    def headline(self) -> Text:
        return (self.reason,)


class NoConfiguration(Finding):
    """The repository has no configuration, and need not have one.

    Args:
        path: of the configuration.
    """

    code: Literal["no-configuration"] = "no-configuration"
    severity: Literal["note"] = "note"
    path: str

    @property
    def headline(self) -> Text:
        return ("there is no ", Code(self.path), ", so this repository has no gate")


class SecretsMissing(Finding):
    """GitHub gives this run no secrets, and the workflow lets such runs pass: no answer was compared.

    Args:
        reason: why there are none.
        message: names the missing one.
    """

    code: Literal["secrets-missing"] = "secrets-missing"
    severity: Literal["note"] = "note"
    reason: str
    message: str
    remedy: ClassVar[str] = "Review the change with care before you merge it: no answer was compared."
    settings: ClassVar[tuple[str, ...]] = ("on-missing-secrets",)

    @property
    def headline(self) -> Text:
        return (f"nothing was evaluated: {self.reason}",)

    @property
    def more(self) -> Text:
        return (f"{self.message[:1].upper()}{self.message[1:]}.",)


class BaselineRecorded(Finding):
    """The answers of a branch are cached for later runs.

    Args:
        cached: answers that this run added.
    """

    code: Literal["baseline-recorded"] = "baseline-recorded"
    severity: Literal["note"] = "note"
    branch: str
    cached: Count

    @property
    def headline(self) -> Text:
        added = f"{counted(self.cached, 'answer')} {'was' if self.cached == 1 else 'were'} cached"
        return (
            "the baseline ",
            Code(self.branch),
            f" is recorded: {added if self.cached else 'all were cached already'}",
        )


class BaselinePassRate(Finding):
    """How many of the recorded answers pass.

    Args:
        rate: null where no answer could be scored.
    """

    code: Literal["baseline-pass-rate"] = "baseline-pass-rate"
    severity: Literal["note"] = "note"
    suite: str
    rate: Share | None
    n: Count
    samples: Count

    @property
    def headline(self) -> Text:
        passing = "no answer could be scored" if self.rate is None else f"{share(self.rate)} of the answers pass"
        return (
            Code(self.suite),
            f": {passing}, over {counted(self.n, 'case')} and {counted(self.samples, 'sample')} of each",
        )
