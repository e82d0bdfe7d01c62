"""Scorers of a suite or a case that no answer can meet together."""

from collections.abc import Iterator, Sequence

from gate.cases.case import Case, place_of
from gate.config.documents import quoted
from gate.config.scorer import ScorerSpec
from gate.errors import Problem
from gate.scoring.contradictions import Contradiction, contradictions
from gate.values import counted

_REMEDY = "change one of them, or remove it"


def contradicting_scorers(
    suite: tuple[str, str, int], scorers: Sequence[ScorerSpec], cases: Sequence[Case]
) -> Iterator[Problem]:
    """An error for each contradiction, in the suite or at the first case that has it.

    Args:
        suite: its name, and the file and line that it stands in.
    """
    name, file, line = suite
    of_suite = {one.why: one for one in contradictions(scorers)}
    for one in of_suite.values():
        yield Problem(file, line, f"suite {name}: {_sentence(one)}", _REMEDY)
    found: dict[str, tuple[Contradiction, list[Case]]] = {}
    for case in cases:
        for one in _of_case(scorers, case) if not case.obsolete else ():
            if one.why not in of_suite:
                found.setdefault(one.why, (one, []))[1].append(case)
    for one, of_kind in found.values():
        more = f"; and in {counted(len(of_kind) - 1, 'other case')}" if len(of_kind) > 1 else ""
        yield Problem(*place_of(of_kind[0].where), f"case {quoted(of_kind[0].id)}: {_sentence(one)}{more}", _REMEDY)


def _of_case(scorers: Sequence[ScorerSpec], case: Case) -> Iterator[Contradiction]:
    if case.scorers is not None or case.extra_scorers:
        yield from contradictions((*(scorers if case.scorers is None else case.scorers), *case.extra_scorers))
    for one in case.rounds:
        yield from contradictions(one.scorers)


def _sentence(found: Contradiction) -> str:
    who = " and ".join(map(quoted, found.names))
    return f"no answer can meet the scorer{'s' if len(found.names) > 1 else ''} {who}: {found.why}"
