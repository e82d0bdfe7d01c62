"""Which cases of a run tell most, so that their answers come first where there is no room for all."""

from collections.abc import Sequence
from operator import itemgetter
from statistics import fmean
from typing import TypeAlias

from gate.domain.checked import CaseState
from gate.domain.record import RunRecord
from gate.domain.record_compared import CaseRecord, SuiteRecord
from gate.domain.record_new import NewCaseRecord, NewSuiteRecord
from gate.report import numbers

Key: TypeAlias = tuple[str, str]
"""Suite and case."""
_RISES = 3
"""Of four cases that tell something, so many fell as long as there are such; the fourth rose."""


def suites_of(run: RunRecord) -> list[SuiteRecord | NewSuiteRecord]:
    """Those that were compared, then those that stand alone."""
    return [*run.suites, *run.new]


def most_telling(run: RunRecord) -> list[Key]:
    """All cases: what fell and what has no score first, with what rose among them; last what did not move."""
    falls: list[tuple[float, Key]] = []
    rises: list[tuple[float, Key]] = []
    still: list[tuple[float, Key]] = []
    for suite in run.suites:
        for case in suite.cases:
            weight, delta = _weight(case), case.delta or 0.0
            target = still if weight == 0 else rises if delta > numbers.ZERO else falls
            target.append((-weight, (suite.name, case.id)))
    for new in run.new:
        for alone in new.cases:
            (falls if (weight := _short_of(alone)) else still).append((-weight, (new.name, alone.id)))
    # What is alike stays in the order of the file.
    falls.sort(key=itemgetter(0))
    rises.sort(key=itemgetter(0))
    return [*_mixed(falls, rises), *(key for _, key in still)]


def _weight(case: CaseRecord) -> float:
    """How far it moved; a case with a sample without a score counts as one that moved a little."""
    missing = None in case.baseline or None in case.candidate
    moved = abs(case.delta or 0.0)
    return moved if moved > numbers.ZERO else 0.5 if missing or case.delta is None else 0.0


def _short_of(case: NewCaseRecord) -> float:
    """How far a case that stands alone is from passing."""
    if case.check is not None:
        if case.check.state is CaseState.PASSED:
            return 0.0
        return 1.0 if case.check.score is None else 1.5 - case.check.score
    known = [float(one) for one in case.passed if one is not None]
    return 1.0 - fmean(known) if known else 0.5


def _mixed(falls: Sequence[tuple[float, Key]], rises: Sequence[tuple[float, Key]]) -> list[Key]:
    out, up = list[Key](), iter(rises)
    for place, (_, key) in enumerate(falls, 1):
        out.append(key)
        if place % _RISES == 0 and (rise := next(up, None)) is not None:
            out.append(rise[1])
    return [*out, *(key for _, key in up)]
