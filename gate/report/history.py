"""Stored runs as people see them: lists of runs, cases over time, agreement of judges, override labels."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime

from gate.record.comparison import Verdict
from gate.record.history import CaseInRun, CaseOverTime, Context, JudgeOverTime, OverrideRow, RunRow
from gate.report import numbers
from gate.report.escape import one_line
from gate.report.view.slices import LONGEST_SENTENCE, short_line

SUITES_NAMED = 3
COMMIT_CHARS = 10
_WAIVED = {"override": "let pass by a label", "advisory": "advisory"}


@dataclass(frozen=True, slots=True)
class RunView:
    """A stored run, as text.

    Args:
        aside: what made it green whatever the verdict; mostly empty.
        more: how many suites are not named.
        repository, branch, event: each may be empty.
        pushed_by: may be empty.
        commit: shortened; may be empty.
        samples: how many are kept.
        cost: in dollars; a dash where unknown.
        forgotten: the day on which retention removed answers and reasons; empty where they are kept.
    """

    id: int
    verdict: Verdict
    aside: str
    created: datetime
    suites: tuple[str, ...]
    more: int
    repository: str
    branch: str
    event: str
    pull_request: int | None
    pushed_by: str
    commit: str
    samples: str
    cost: str
    forgotten: str


def run_view(row: RunRow) -> RunView:
    """A stored run as people see it."""
    where: Context = row.context
    return RunView(
        id=row.id,
        verdict=row.verdict,
        aside=_WAIVED.get(row.waived, row.waived),
        created=row.created,
        suites=tuple(map(short_line, row.suites[:SUITES_NAMED])),
        more=max(0, len(row.suites) - SUITES_NAMED),
        repository=short_line(where.repository),
        branch=short_line(where.branch),
        event=one_line(where.event).replace("_", " "),
        pull_request=where.pull_request,
        pushed_by=short_line(where.pushed_by),
        commit=one_line(row.commit)[:COMMIT_CHARS],
        samples=f"{row.samples:,}",
        cost=numbers.NOTHING if row.spent_usd is None else numbers.dollars(row.spent_usd),
        forgotten="" if row.forgotten is None else f"{row.forgotten.astimezone(UTC):%Y-%m-%d}",
    )


_KINDS = {"jury": "with each other", "people": "with people"}


@dataclass(frozen=True, slots=True)
class CaseHistory:
    """One case over all its stored runs, as text.

    Args:
        deviation: standard deviation of the scores within one run and arm; a dash where unknown.
        lowest, highest: of the means of the arms.
        says: of a case that never tells the arms apart: `always 0`, `always 1`, or that both arms had the same score.
    """

    id: str
    name: str
    deviation: str
    runs: str
    samples: str
    missing: str
    lowest: str
    highest: str
    says: str


def case_history(one: CaseOverTime) -> CaseHistory:
    """A case as people see it."""
    return CaseHistory(
        id=one.case,
        name=short_line(one.case),
        deviation=numbers.score(None if one.variance is None else math.sqrt(max(0.0, one.variance))),
        runs=f"{one.runs:,}",
        samples=f"{one.samples:,}",
        missing=f"{one.missing:,}",
        lowest=numbers.score(one.lowest),
        highest=numbers.score(one.highest),
        says=_says(one),
    )


@dataclass(frozen=True, slots=True)
class CaseRunView:
    """One case in one run; `scores` are of both arms, or of the only one."""

    run: int
    suite: str
    case: str
    created: datetime
    verdict: Verdict
    scores: str


def case_run_view(one: CaseInRun) -> CaseRunView:
    """A case in a run as people see it."""
    candidate = numbers.score(one.candidate)
    scores = candidate if one.baseline is None else f"{numbers.score(one.baseline)} → {candidate}"
    return CaseRunView(one.run, one.suite, one.case, one.created, one.verdict, scores)


def _says(one: CaseOverTime) -> str:
    if one.highest < numbers.ZERO:
        return "always 0"
    if one.lowest > 1.0 - numbers.ZERO:
        return "always 1"
    return "the same in both arms"


@dataclass(frozen=True, slots=True)
class JudgeHistory:
    """How far the judges of one scorer agreed in one run.

    Args:
        what: with whom they agreed.
        answers: how many the value rests on.
        value: with its interval; a dash where there is none.
        why_not: why there is no value; empty where there is one.
    """

    run: int
    created: datetime
    scorer: str
    what: str
    answers: str
    value: str
    why_not: str


def judge_history(one: JudgeOverTime) -> JudgeHistory:
    """The agreement of judges as people see it."""
    told = one.agreement
    value = numbers.NOTHING if told.value is None else numbers.two_decimals(told.value)
    if told.lower is not None and told.upper is not None:
        value += f" [{numbers.two_decimals(told.lower)}, {numbers.two_decimals(told.upper)}]"
    return JudgeHistory(
        run=one.run,
        created=one.created,
        scorer=short_line(told.scorer),
        what=_KINDS[told.kind],
        answers=f"{told.answers:,}",
        value=value,
        why_not=short_line(told.why_not, LONGEST_SENTENCE),
    )


@dataclass(frozen=True, slots=True)
class OverrideView:
    """A label that was meant to set the gate aside.

    Args:
        label, by, at, role, reason, commit: as GitHub reported them; each may be empty.
        why_not: why it does not count, in a sentence; empty where it counts.
    """

    run: RunView
    label: str
    by: str
    at: str
    role: str
    reason: str
    commit: str
    counted: bool
    why_not: str


def override_view(one: OverrideRow) -> OverrideView:
    """A label as people see it."""
    return OverrideView(
        run=run_view(one.run),
        label=short_line(one.label),
        by=short_line(one.by or ""),
        at=one_line(one.at or "").replace("T", " ").replace("Z", " UTC")[:30],
        role=short_line(one.role),
        reason=short_line(one.reason, LONGEST_SENTENCE),
        commit=one_line(one.commit)[:COMMIT_CHARS],
        counted=one.counted,
        why_not=short_line(one.why_not, LONGEST_SENTENCE),
    )
