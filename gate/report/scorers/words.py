"""What the scorers of a case say, each on its own scale: a rubric's `3.5 of 5`, anybody else's share of 1."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from gate.domain.checked import CaseResult, CaseState, ScorerResult
from gate.report import numbers
from gate.report.slices import short

PARTS_SHOWN = 12
LONGEST_REASON, BESIDE_PARTS = 200, 100
"""Characters of what one scorer says, where all have to be read at a glance; fewer where its parts have figures."""
FULL = 1.0 - 1e-9
"""From here on a score is all that there is to get."""

Scale = tuple[float, float] | None
"""The ends of a rubric's scale; None where a score's own range is meant."""


def scorer_text(one: ScorerResult) -> str:
    """`rubric 3.4 of 5, needs 3.5 (brevity 5.0, tone 3.0)`, with the mark where that is missed."""
    if one.value is None:
        return f"{short(one.name)} no score"
    mark = one.mark if one.passed is False else None
    parts = [f"{short(part.name)} {_figure(part.value, one.scale)}" for part in one.parts[:PARTS_SHOWN]]
    more = [*parts, *(["…"] if len(one.parts) > PARTS_SHOWN else [])]
    inside = f" ({', '.join(more)})" if more else ""
    return f"{short(one.name)} {against(one.value, mark, one.scale)}{inside}"


def case_score(check: CaseResult) -> str:
    """The score of a case, with what was wanted of it where it falls short; a dash where there is none."""
    if check.score is None:
        return numbers.NOTHING
    scale, mark = case_scale(check), check.mark if check.state is CaseState.FAILED else None
    if scale is not None and check.scorers[0].passed is False:
        # The same figure as that of its only scorer.
        mark = check.scorers[0].mark
    return against(check.score, mark, scale)


def case_scale(check: CaseResult) -> Scale:
    """The scale of a case's score: that of its scorer, if it has one alone."""
    return check.scorers[0].scale if len(check.scorers) == 1 else None


def against(value: float, mark: float | None, scale: Scale) -> str:
    """`3.46 of 5, needs 3.5`, with as many decimals as it takes to tell the two apart.

    Args:
        value: in [0, 1].
        mark: that it misses, in [0, 1]; None where there is none, or it is reached.
        scale: on which both are shown.
    """
    of = "" if scale is None else f" of {scale[1]:g}"
    if mark is None:
        return f"{_figure(value, scale)}{of}"
    pairs = ((_figure(value, scale, more), _figure(mark, scale, more)) for more in range(6))
    low, high = next((pair for pair in pairs if pair[0] != pair[1]), (_figure(value, scale), _figure(mark, scale)))
    return f"{low}{of}, needs {high}"


def shortcomings(check: CaseResult) -> Iterator[str]:
    """Each scorer that falls short with what it says, and why there is no score where there is none.

    Where the mark is that of the combined score, what keeps a scorer from all that there is to get is what the case
    falls short by.
    """
    for one in check.scorers:
        if falls_short(check, one):
            room = BESIDE_PARTS if one.parts else LONGEST_REASON
            yield scorer_text(one) + (f": {short(one.reason, room)}" if one.reason else "")


def falls_short(check: CaseResult, one: ScorerResult) -> bool:
    """Is it this scorer's doing that the case does not pass?"""
    if check.state is not CaseState.FAILED or one.value is None:
        return False
    return one.passed is False if check.mark is None else one.value < FULL


def others(check: CaseResult) -> str:
    """All other scorers in one line: `rubric 4.1 of 5 (brevity 5.0, tone 3.0), 3 others 1.000`."""
    known = [one for one in check.scorers if one.value is not None and not falls_short(check, one)]
    full = [one for one in known if one.scale is None and (one.value or 0.0) >= FULL]
    named = [one for one in known if one not in full]
    if len(full) == 1:
        named, full = known, []
    told = [scorer_text(one) for one in named]
    if full:
        what = "others" if len(full) < len(check.scorers) else "scorers"
        told.append(f"{len(full)} {what} {_figure(1.0, None)}")
    return ", ".join(told)


def mean_score(checks: Sequence[CaseResult]) -> str:
    """The mean over some cases; on a scale where all of them are on that one."""
    known = [check for check in checks if check.score is not None]
    if not known:
        return numbers.NOTHING
    scales = {case_scale(check) for check in known}
    mean = fmean(check.score or 0.0 for check in known)
    return against(mean, None, scales.pop() if len(scales) == 1 else None)


def _figure(value: float, scale: Scale, more: int = 0) -> str:
    """Three decimals of a share, one of a grade, and `more`."""
    return numbers.score(value, 3 + more) if scale is None else numbers.grade_of(value, scale, 1 + more)
