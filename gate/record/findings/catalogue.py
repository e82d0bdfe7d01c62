"""All kinds of findings, by their codes, and the verdict that follows from the findings of a run."""

from collections.abc import Iterable, Mapping
from inspect import cleandoc
from typing import Annotated, Any, TypeAlias, get_args

from pydantic import Field

from gate.record.comparison import Verdict
from gate.record.findings import notes, quality, rates, skipped, unfinished
from gate.record.findings.finding import Finding, Severity

AnyFinding: TypeAlias = Annotated[
    quality.SliceRegressed
    | rates.PassRateMissed
    | unfinished.BudgetReached
    | unfinished.RunInterrupted
    | unfinished.ServiceFailed
    | unfinished.CannotSave
    | unfinished.ShardsIncomplete
    | unfinished.SamplesMissing
    | unfinished.InputError
    | unfinished.KeyMissing
    | unfinished.EvaluationFailed
    | unfinished.ErrorInBase
    | unfinished.PromptDeleted
    | unfinished.BaselineIncomplete
    | quality.SliceUnmeasured
    | quality.RequiredSliceEmpty
    | quality.TooFewCases
    | quality.SliceSuspect
    | quality.ScorersOpposed
    | quality.JudgeBlind
    | quality.ToolUnknown
    | quality.ScoresAllZero
    | quality.CostAboveLimit
    | quality.LatencyAboveLimit
    | rates.PassRateUnproven
    | rates.ThresholdUnset
    | rates.PolicySliceEmpty
    | quality.OverallImproved
    | quality.AxisNotCompared
    | quality.NoRegression
    | quality.NoPromptChanged
    | rates.PassRateMet
    | skipped.NothingChanged
    | skipped.LabelSet
    | skipped.PullRequestClosed
    | skipped.NothingToEvaluate
    | skipped.NoConfiguration
    | skipped.SecretsMissing
    | skipped.BaselineRecorded
    | skipped.BaselinePassRate
    | notes.ExamEdited
    | notes.PromptUntested
    | notes.ConfigurationNew
    | notes.PromptNew
    | notes.PromptRenamed
    | notes.SuiteNew
    | notes.SuiteRemoved
    | notes.SuiteUnfilled
    | notes.SuiteNotEvaluated
    | notes.CasesObsolete
    | notes.CasesSelected
    | notes.DimensionsEmpty
    | notes.SettingsUnused
    | notes.SettingsEdited
    | notes.IncludesChanged
    | notes.PromptNotBuilt
    | notes.AddressesNew
    | notes.ServersEdited
    | notes.PlaceholdersFilled
    | notes.SamplesRepeat
    | notes.JudgeRelated
    | notes.CacheUnused
    | notes.CostUncounted
    | notes.BudgetTooLow
    | notes.FormatUnchecked
    | notes.MergedByGate
    | notes.PromptCacheUncompared
    | notes.CallsUnreported
    | notes.Remark,
    Field(discriminator="code"),
]

KINDS: Mapping[str, type[Finding]] = {
    kind.model_fields["code"].default: kind for kind in get_args(get_args(AnyFinding)[0])
}
"""Every kind of finding by its code, the most urgent first."""

SKIPPING = (
    skipped.NothingChanged,
    skipped.LabelSet,
    skipped.PullRequestClosed,
    skipped.NothingToEvaluate,
    skipped.NoConfiguration,
    skipped.SecretsMissing,
)
"""Kinds that say why nothing was evaluated on purpose."""

QUIET = (skipped.NothingChanged, skipped.PullRequestClosed, skipped.NothingToEvaluate, skipped.NoConfiguration)
"""Kinds that need no comment where there are no others."""

VERDICTS: tuple[tuple[Severity, Verdict], ...] = (
    ("block", Verdict.BLOCK),
    ("undecided", Verdict.INCONCLUSIVE),
    ("hold", Verdict.HOLD),
)
"""The verdict of the most urgent finding; without any of these it is PASS, or SHIP."""

DECIDING: Mapping[Verdict, Severity] = {verdict: severity for severity, verdict in VERDICTS}
"""The severity of the findings that a verdict rests on."""


def verdict_of(findings: Iterable[Finding]) -> Verdict:
    """The verdict of a run: the first row of the verdict table that applies."""
    findings = tuple(findings)
    severities = {finding.severity for finding in findings}
    for severity, verdict in VERDICTS:
        if severity in severities:
            return verdict
    if any(isinstance(finding, SKIPPING) for finding in findings):
        return Verdict.SKIPPED
    improved = any(isinstance(finding, quality.OverallImproved) for finding in findings)
    compared = not any(isinstance(finding, quality.AxisNotCompared) for finding in findings)
    return Verdict.SHIP if improved and compared else Verdict.PASS


def by_severity(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The most severe first; those of one severity keep their order."""
    order: tuple[Severity, ...] = (*(severity for severity, _ in VERDICTS), "note")
    return tuple(sorted(findings, key=lambda finding: order.index(finding.severity)))


def meaning(kind: type[Finding]) -> str:
    """What a kind of finding means, in a paragraph."""
    return " ".join(cleandoc(kind.__doc__ or "").partition("\n\nArgs:\n")[0].split())


def severities(kind: type[Finding]) -> tuple[str, ...]:
    """The severities that findings of a kind may have."""
    annotation: Any = kind.model_fields["severity"].annotation
    return get_args(annotation)
