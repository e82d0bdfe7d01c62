"""What many runs say together, as people see it: cases over time, how far judges agree, labels."""

import math
from dataclasses import dataclass
from datetime import datetime

from gate.domain.history import CaseInRun, CaseOverTime, JudgeOverTime, OverrideRow
from gate.domain.verdict import Verdict
from gate.report import numbers
from gate.report.escape import one_line
from gate.report.slices import LONGEST_SENTENCE, short
from gate.report.trend.runs import COMMIT_CHARS, RunView, run_view

_KINDS = {"jury": "with each other", "people": "with people"}


@dataclass(frozen=True, slots=True)
class CaseSeen:
    """One case.

    Args:
        id: as it is.
        name: for a reader.
        deviation: standard deviation of the scores within one run and arm; a dash where it is not known.
        runs, samples, missing: how many.
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


def case_seen(one: CaseOverTime) -> CaseSeen:
    """A case as people see it."""
    return CaseSeen(
        id=one.case,
        name=short(one.case),
        deviation=numbers.score(None if one.variance is None else math.sqrt(max(0.0, one.variance))),
        runs=f"{one.runs:,}",
        samples=f"{one.samples:,}",
        missing=f"{one.missing:,}",
        lowest=numbers.score(one.lowest),
        highest=numbers.score(one.highest),
        says=_says(one),
    )


@dataclass(frozen=True, slots=True)
class Sighting:
    """One case in one run.

    Args:
        run: id of the run.
        suite, case: what they were called there.
        created: when.
        verdict: of the run.
        scores: of both arms, or of the one that there is.
    """

    run: int
    suite: str
    case: str
    created: datetime
    verdict: Verdict
    scores: str


def sighting(one: CaseInRun) -> Sighting:
    """A case in a run as people see it."""
    candidate = numbers.score(one.candidate)
    scores = candidate if one.baseline is None else f"{numbers.score(one.baseline)} → {candidate}"
    return Sighting(one.run, one.suite, one.case, one.created, one.verdict, scores)


def _says(one: CaseOverTime) -> str:
    if one.highest < numbers.ZERO:
        return "always 0"
    if one.lowest > 1.0 - numbers.ZERO:
        return "always 1"
    return "the same in both arms"


@dataclass(frozen=True, slots=True)
class JudgeSeen:
    """How far the judges of one scorer agreed in one run.

    Args:
        run: id of the run.
        created: when.
        scorer: its name.
        what: with whom.
        answers: that it rests on.
        value: with its interval; a dash where there is none.
        why_not: why there is none; empty where there is one.
    """

    run: int
    created: datetime
    scorer: str
    what: str
    answers: str
    value: str
    why_not: str


def judge_seen(one: JudgeOverTime) -> JudgeSeen:
    """The agreement of judges as people see it."""
    told = one.agreement
    value = numbers.NOTHING if told.value is None else numbers.plain(told.value)
    if told.lower is not None and told.upper is not None:
        value += f" [{numbers.plain(told.lower)}, {numbers.plain(told.upper)}]"
    return JudgeSeen(
        run=one.run,
        created=one.created,
        scorer=short(told.scorer),
        what=_KINDS[told.kind],
        answers=f"{told.answers:,}",
        value=value,
        why_not=short(told.why_not, LONGEST_SENTENCE),
    )


@dataclass(frozen=True, slots=True)
class OverrideSeen:
    """A label that was to set the gate aside.

    Args:
        run: that tells of it.
        label, by, at, role, reason, commit: as GitHub said; each may be empty.
        counted: it counts.
        why_not: a sentence; empty where it counts.
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


def override_seen(one: OverrideRow) -> OverrideSeen:
    """A label as people see it."""
    return OverrideSeen(
        run=run_view(one.run),
        label=short(one.label),
        by=short(one.by or ""),
        at=one_line(one.at or "").replace("T", " ").replace("Z", " UTC")[:30],
        role=short(one.role),
        reason=short(one.reason, LONGEST_SENTENCE),
        commit=one_line(one.commit)[:COMMIT_CHARS],
        counted=one.counted,
        why_not=short(one.why_not, LONGEST_SENTENCE),
    )
