"""Hand-built parts of runs, with plain defaults."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gate.record.comparison import (
    ArmAxis,
    ArmPrefix,
    AxisComparison,
    CacheComparison,
    Comparison,
    Estimate,
    PassState,
    PrefixEnd,
    ScorerChange,
    State,
    Verdict,
)
from gate.record.findings.catalogue import verdict_of
from gate.record.findings.finding import Finding
from gate.record.findings.quality import (
    CostAboveLimit,
    JudgeBlind,
    LatencyAboveLimit,
    NoRegression,
    OverallImproved,
    ScorersOpposed,
    SliceRegressed,
    SliceSuspect,
    TooFewCases,
)
from gate.record.findings.rates import PassRateMet, PassRateMissed, PassRateUnproven, ThresholdUnset
from gate.record.findings.skipped import NothingChanged
from gate.record.findings.unfinished import EvaluationFailed
from gate.record.parts import (
    ArmRecord,
    CallsRecord,
    ExamRecord,
    OutputRecord,
    ReasonRecord,
    SpendingRecord,
    SpentRecord,
)
from gate.record.run import (
    CaseRecord,
    MethodRecord,
    MissingRecord,
    NewSuiteRecord,
    QualityRecord,
    RunRecord,
    SuiteRecord,
)
from gate.record.transcript import Usage
from gate.values import JsonValue

Change = tuple[float, float | None, float | None]
"""Mean, lower, upper."""
NO_SPENDING = SpendingRecord(answers=SpentRecord(), aside=SpentRecord(), judges=SpentRecord())


def comparison(name: str, state: State, n: int, baseline: float, change: Change, **other: object) -> Comparison:
    """One slice; `other` replaces any further field."""
    mean, lower, upper = change
    fields: dict[str, object] = {
        "slice": name,
        "n": n,
        "units": n,
        "baseline": baseline,
        "candidate": min(1.0, max(0.0, baseline + mean)),
        "mean": mean,
        "lower": lower,
        "upper": upper,
        "p": 0.5,
        "state": state,
        "method": "maxt",
        "blocking": state is not State.TOO_FEW,
        "advisory": False,
        "familiar_fail": state is State.REGRESSION,
        "mde": 0.08,
        "cases_needed": None,
        "moved": 0 if (mean, lower, upper) == (0.0, None, None) else n // 2,
    }
    return Comparison.model_validate(fields | other)


def arm(ref: str = "origin/main", sha: str | None = "4be1f0c2d7", **other: object) -> ArmRecord:
    """One arm of a suite called support."""
    fields: dict[str, object] = {
        "ref": ref,
        "sha": sha,
        "path": "prompts/support.md",
        "digest": "9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab",
        "model": "openai:gpt-4o-mini",
        "returned_models": ["gpt-4o-mini-2024-07-18"],
        "params": {"max_output_tokens": 512},
        **dict.fromkeys(("replies", "cut_off", "refused", "empty", "step_limited", "more_prompt"), 0),
        "max_steps": None,
        "remembered": True,
        "prompt": [],
    }
    return ArmRecord.model_validate(fields | other)


def cost(change: Change | None = (0.034, 0.011, 0.058), *, exceeded: bool = False, **other: object) -> AxisComparison:
    """A cost axis with tokens; None is not compared."""
    mean, lower, upper = change or (None, None, None)
    before = Usage(input_tokens=81_240, cache_read_tokens=20_480, cache_write_tokens=0, output_tokens=18_204)
    after = Usage(input_tokens=84_910, cache_read_tokens=20_480, cache_write_tokens=1_024, output_tokens=18_611)
    axis = AxisComparison(
        axis="cost",
        compared=change is not None,
        reason="",
        applicable=True,
        n=120,
        baseline=ArmAxis(mean=0.000_061_2, p50=0.00006, p95=0.00009, usage=before),
        candidate=ArmAxis(mean=0.000_063_3, p50=0.00006, p95=0.00009, usage=after),
        change=mean,
        lower=lower,
        upper=upper,
        allowance=0.10,
        exceeded=exceeded,
    )
    return axis.model_copy(update=other)


def latency(change: Change | None = (0.042, -0.013, 0.1), *, exceeded: bool = False, **other: object) -> AxisComparison:
    """A latency axis; None is not compared."""
    mean, lower, upper = change or (None, None, None)
    axis = AxisComparison(
        axis="latency",
        compared=change is not None,
        reason="",
        applicable=True,
        n=120,
        baseline=ArmAxis(mean=0.71, p50=0.64, p95=1.32, usage=None),
        candidate=ArmAxis(mean=0.74, p50=0.66, p95=1.41, usage=None),
        change=mean,
        lower=lower,
        upper=upper,
        allowance=0.20,
        exceeded=exceeded,
    )
    return axis.model_copy(update=other)


def prefix(tokens: int, line: int, variable: str, **other: object) -> ArmPrefix:
    """What the requests of one arm share."""
    fields: dict[str, object] = {
        "requests": 120,
        "tokens": tokens,
        "request_tokens": 1_961,
        "measured": True,
        "place": PrefixEnd(message=1, line=line, variable=variable),
        "minimum": 1_024,
        "obstacle": "" if tokens >= 1_024 else "too short",
    }
    return ArmPrefix.model_validate(fields | other)


def cache(**other: object) -> CacheComparison:
    """A date that moved from line 41 to line 1."""
    fields: dict[str, object] = {
        "baseline": prefix(1_934, 41, "date"),
        "candidate": prefix(12, 1, "date"),
        "shrank": True,
        "moved": True,
        "fresh_tokens": 0,
        "fresh_usd": 0.0,
        "baseline_share": Estimate(value=0.931, lower=0.902, upper=0.96),
        "candidate_share": Estimate(value=0.0, lower=0.0, upper=0.0),
        "share_change": Estimate(value=-0.931, lower=-0.96, upper=-0.902),
    }
    return CacheComparison.model_validate(fields | other)


def output(
    index: int, text: str | None, score: float | None, *reasons: str, failure: str | None = None
) -> OutputRecord:
    """One answer; a reason begins with the name of its scorer, if it has one."""
    parts = (reason.partition(": ") for reason in reasons)
    told = [ReasonRecord(scorer=name if mark else "", text=text if mark else name) for name, mark, text in parts]
    return OutputRecord(index=index, text=text, failure=failure, score=score, reasons=told)


def case(
    name: str,
    slices: dict[str, str],
    question: str,
    expected: JsonValue,
    answers: tuple[list[OutputRecord], list[OutputRecord]],
) -> CaseRecord:
    """One case, its scores taken from its answers."""
    before, after = ([answer.score for answer in side] for side in answers)
    known = [[score for score in side if score is not None] for side in (before, after)]
    delta = sum(known[1]) / len(known[1]) - sum(known[0]) / len(known[0]) if all(known) else None
    return CaseRecord(
        id=name,
        where="evals/support/cases.jsonl:17",
        slices=slices,
        baseline=before,
        candidate=after,
        delta=delta,
        input=question,
        expected=expected,
        baseline_outputs=answers[0],
        candidate_outputs=answers[1],
    )


def scorer(
    name: str, weight: float | None, n: int, scores: tuple[float, float], passed: tuple[float, float] | None = None
) -> ScorerChange:
    """One scorer before and after; one that is required has shares of answers that passed."""
    return ScorerChange(
        name=name,
        weight=weight,
        required=passed is not None,
        n=n,
        baseline=scores[0],
        candidate=scores[1],
        mean=scores[1] - scores[0],
        baseline_passed=passed[0] if passed else None,
        candidate_passed=passed[1] if passed else None,
    )


def suite(overall: Comparison, slices: list[Comparison], cases: list[CaseRecord], **other: object) -> SuiteRecord:
    """A suite called support."""
    fields: dict[str, object] = {
        "name": "support",
        "samples": 3,
        "baseline": arm(),
        "candidate": arm("working tree", None, digest="f21d3cb2aa01" + "0" * 52),
        "exam": ExamRecord(
            ref="origin/main", digest="77aa10b4c2de" + "0" * 52, cases=overall.n, scorers=["contains", "judge"]
        ),
        "quality": QualityRecord(overall=overall, slices=slices),
        "cost": cost(),
        "latency": latency(),
        "cases": cases,
        "calls": CallsRecord(made=1_080, cached=0, retried=3, failed=0),
        "spent_usd": 0.0874,
        "spending": NO_SPENDING,
        "scorers": [],
    }
    return SuiteRecord.model_validate(fields | other)


def shown_findings(suites: Sequence[SuiteRecord], new: Sequence[NewSuiteRecord] = ()) -> Iterator[Finding]:
    """What the figures of these suites show, the most important first, as a run would say it."""
    rows = [(one.name, row) for one in suites for row in (one.quality.overall, *one.quality.slices) if row.blocking]
    fallen = [(name, row) for name, row in rows if row.state is State.REGRESSION]
    for name, row in sorted(fallen, key=lambda found: found[1].upper or 0.0):
        yield SliceRegressed(**slice_fields(name, row), margin=row.margin)
    yield from (SliceSuspect(**slice_fields(name, row)) for name, row in rows if row.state is State.SUSPECT)
    for one in suites:
        yield from _scorers(one)
    for name, whole in ((one.name, one.quality.overall) for one in suites):
        if whole.state is State.TOO_FEW:
            count = {"n": whole.n, "units": whole.units}
            yield TooFewCases(severity="hold", suite=name, slice=whole.slice, **count, required=False)
    for one in suites:
        yield from _axes(one)
    for name, whole in ((one.name, one.quality.overall) for one in suites):
        if whole.state is State.IMPROVEMENT:
            yield OverallImproved(**slice_fields(name, whole))
    yield from _rates(new)


def _scorers(one: SuiteRecord) -> Iterator[Finding]:
    if (pair := one.opposed) is not None:
        yield ScorersOpposed(suite=one.name, **pair.model_dump())
    for judge in one.blind:
        severity = "undecided" if judge.alone else "hold"
        yield JudgeBlind(severity=severity, suite=one.name, **judge.model_dump(exclude={"alone"}))


def _axes(one: SuiteRecord) -> Iterator[Finding]:
    for kind, axis in ((CostAboveLimit, one.cost), (LatencyAboveLimit, one.latency)):
        if axis.exceeded and axis.change is not None:
            span = {"lower": axis.lower, "upper": axis.upper}
            yield kind(suite=one.name, change=axis.change, **span, limit=axis.allowance)


def slice_fields(name: str, row: Comparison) -> dict[str, Any]:
    """The fields of a finding about a slice."""
    fields = ("slice", "n", "baseline", "candidate", "mean", "lower", "upper", "p")
    return {"suite": name} | {field: getattr(row, field) for field in fields}


def _rates(new: Sequence[NewSuiteRecord]) -> Iterator[Finding]:
    kinds = {PassState.MISSED: PassRateMissed, PassState.UNPROVEN: PassRateUnproven, PassState.MET: PassRateMet}
    for state, kind in kinds.items():
        for one in new:
            for row in (one.overall, *one.slices):
                said = state is not PassState.MET or row.slice == "overall"
                if row.state is state and row.rate is not None and said and (row.blocking or row.doubtful):
                    names = ("slice", "n", "passed", "rate", "lower", "upper", "wanted")
                    yield kind(suite=one.name, **{name: getattr(row, name) for name in names})
    for one in new:
        whole = one.overall
        if whole.state is PassState.TOO_FEW:
            count = {"n": whole.n, "units": whole.units}
            yield TooFewCases(severity="hold", suite=one.name, slice=f"{one.name}/overall", **count, required=False)
        elif whole.state is PassState.NO_THRESHOLD:
            yield ThresholdUnset(suite=one.name)


_NAMED: Mapping[Verdict, Finding] = {
    Verdict.BLOCK: PassRateMissed(
        suite="new", slice="overall", n=60, passed=30, rate=0.5, lower=0.4, upper=0.6, wanted=0.9
    ),
    Verdict.INCONCLUSIVE: EvaluationFailed(message="the evaluation could not be finished"),
    Verdict.HOLD: ThresholdUnset(suite="new"),
    Verdict.SKIPPED: NothingChanged(suites=["support"]),
    Verdict.SHIP: OverallImproved(
        suite="support", slice="overall", n=60, baseline=0.5, candidate=0.6, mean=0.1, lower=0.05, upper=0.15
    ),
}
"""A finding for each verdict that the figures of a run do not give it."""


def run(
    verdict: Verdict, suites: list[SuiteRecord], findings: Sequence[Finding] | None = None, **other: Any
) -> RunRecord:
    """A run over some suites; without findings, with those that its figures show, and with `more` of them."""
    tested = sum(row.blocking for s in suites for row in (s.quality.overall, *s.quality.slices))
    more = other.pop("more", ())
    if findings is None:
        findings = [*shown_findings(suites, other.get("new", ())), *([NoRegression(slices=tested)] if suites else [])]
        if verdict_of([*findings, *more]) is not verdict:
            findings = [_NAMED[verdict], *findings]
    fields: dict[str, object] = {
        "tool_version": "0.1.0",
        "created": "2026-11-20T09:30:00Z",
        "duration_s": 42.3,
        "verdict": verdict,
        "exit_code": {Verdict.BLOCK: 1, Verdict.INCONCLUSIVE: 3}.get(verdict, 0),
        "findings": [*findings, *more],
        "seed": 8_417_720_911,
        "commit": "a81d06c3f2",
        "method": MethodRecord(name="maxt", alpha=0.025, slices_tested=tested, flips=4_999, fail_on="block"),
        "missing": MissingRecord(samples=0, total=720, best=None, worst=None, reasons=[]),
        "suites": suites,
        "calls": CallsRecord(made=1_080, cached=0, retried=3, failed=0),
        "spent_usd": 0.0874,
    }
    return RunRecord.model_validate(fields | other)
