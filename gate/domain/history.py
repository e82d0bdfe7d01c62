"""What a store keeps of a run beside the record itself, so that many runs can be looked at together."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from gate.domain.sample import ArmName
from gate.domain.verdict import Verdict

Axis: TypeAlias = Literal["quality", "cost", "latency"]


@dataclass(frozen=True, slots=True)
class Context:
    """Where a run comes from.

    Args:
        repository: `owner/name`, or a name that people know it by; may be empty.
        branch: of the candidate, or the one that was pushed to; empty where nobody knows.
        event: GitHub's word, `local` for a run by hand.
        pull_request: its number; None where there is none.
        pushed_by: who sent the run.
    """

    repository: str = ""
    branch: str = ""
    event: str = "local"
    pull_request: int | None = None
    pushed_by: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """One slice of one suite of one run, on one axis.

    Args:
        axis: quality in [0, 1], cost in dollars or latency in seconds for one sample.
        slice: `overall`, or `dimension=value`.
        n: cases.
        units: independent groups of them.
        baseline, candidate: means of the arms; None where an arm has none.
        error: standard error of the candidate's mean; None where it cannot be told.
        change, lower, upper: of the comparison, absolute for quality and relative else, with its interval.
        state: of the comparison, or of the pass rate of a prompt that stands alone.
    """

    axis: Axis
    slice: str
    n: int
    units: int
    baseline: float | None
    candidate: float | None
    error: float | None
    change: float | None
    lower: float | None
    upper: float | None
    state: str


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case in one arm.

    Args:
        case: its id.
        arm: which.
        n: samples with a score.
        missing: samples without one: failed, or never asked for.
        mean: of the scores; None without any.
        variance: of the scores among each other, unbiased; None with fewer than two.
    """

    case: str
    arm: ArmName
    n: int
    missing: int
    mean: float | None
    variance: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far the judges of a scorer agree, with each other or with people.

    Args:
        scorer: its name.
        kind: `jury` is Krippendorff's alpha of its judges, `people` the agreement that a calibration found.
        answers: that it rests on.
        value, lower, upper: the coefficient with its interval; None where there is none.
        why_not: why there is none; empty where there is one.
    """

    scorer: str
    kind: Literal["jury", "people"]
    answers: int
    value: float | None
    lower: float | None
    upper: float | None
    why_not: str


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """One suite of a run.

    Args:
        name: of the suite.
        alone: there is one arm, the candidate.
        prompt: path of the prompt.
        model: of the candidate, as `provider:name`.
        digest: of the candidate's prompt.
        exam: digest of the exam.
        cases: how many it has.
        store: suite of a store that they are; empty where a file has them.
        figures: each of another axis and slice.
        results: each of another case and arm.
        agreements: of its judges, each of another scorer and kind.
    """

    name: str
    alone: bool
    prompt: str
    model: str
    digest: str
    exam: str
    cases: int
    store: str
    figures: tuple[Figure, ...]
    results: tuple[CaseResult, ...]
    agreements: tuple[Agreement, ...]


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in a list.

    Args:
        id: of the store.
        digest: SHA-256 of the record, as `sha256:…`.
        created: when the run was made.
        stored: when the store got it.
        context: where it comes from.
        commit: that was evaluated; empty where nobody knows.
        verdict, exit_code: the outcome.
        waived: what made it green whatever the verdict; mostly empty.
        kind: see `gate.domain.record.RunRecord`.
        suites: names.
        samples: how many are kept.
        spent_usd: None where nobody knows.
        forgotten: when its answers and reasons were removed; None where they were not.
    """

    id: int
    digest: str
    created: datetime
    stored: datetime
    context: Context
    commit: str
    verdict: Verdict
    exit_code: int
    waived: str
    kind: str
    suites: tuple[str, ...]
    samples: int
    spent_usd: float | None
    forgotten: datetime | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """A figure in a trend.

    Args:
        run: id of the run.
        created: when.
        branch, event: where it comes from.
        verdict: of the run.
        figure: what was measured.
    """

    run: int
    created: datetime
    branch: str
    event: str
    verdict: Verdict
    figure: Figure


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs somebody wants to see; what is empty is whatever it is.

    Args:
        suite: that the run evaluated.
        verdict: the outcome.
        repository, branch: where it comes from.
        pull_request: its number.
    """

    suite: str = ""
    verdict: Verdict | None = None
    repository: str = ""
    branch: str = ""
    pull_request: int | None = None


@dataclass(frozen=True, slots=True)
class CaseOverTime:
    """One case in the newest runs of its suite.

    Args:
        case: its id.
        runs: in which it has a score.
        paired: of those, in how many both arms have one.
        samples: with a score, of both arms.
        missing: samples without one.
        variance: of the scores within one run and arm, pooled; None where no arm of a run has two samples.
        lowest, highest: of the means of the arms.
        spread: the largest difference between the arms of one run; 0 where there is one arm alone.
    """

    case: str
    runs: int
    paired: int
    samples: int
    missing: int
    variance: float | None
    lowest: float
    highest: float
    spread: float


@dataclass(frozen=True, slots=True)
class CaseInRun:
    """One case in one run.

    Args:
        run: id of the run.
        suite: its name there.
        case: what it was called there.
        created: when.
        verdict: of the run.
        baseline, candidate: means of the scores; None where there is none, or no such arm.
    """

    run: int
    suite: str
    case: str
    created: datetime
    verdict: Verdict
    baseline: float | None
    candidate: float | None


@dataclass(frozen=True, slots=True)
class JudgeOverTime:
    """How far the judges of one scorer agreed in one run.

    Args:
        run: id of the run.
        created: when.
        agreement: what was found.
    """

    run: int
    created: datetime
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class OverrideRow:
    """A label that was to set the gate aside.

    Args:
        run: the run that tells of it.
        label: its name.
        by, at: who set it and when, as far as GitHub said.
        commit: for which it was set.
        role: of that person in the repository; may be empty.
        reason: which that person gave; may be empty.
        counted: it counts.
        why_not: a sentence; empty where it counts.
    """

    run: RunRow
    label: str
    by: str | None
    at: str | None
    commit: str
    role: str
    reason: str
    counted: bool
    why_not: str
