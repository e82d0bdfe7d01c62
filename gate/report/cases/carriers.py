"""Which cases a report shows: those that carry what the first line says, each of them telling something of its own."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from gate.config.policy import OVERALL
from gate.domain.record import RunRecord
from gate.domain.record_compared import CaseRecord
from gate.domain.verdict import State
from gate.report import numbers
from gate.report.parts.whole import Text
from gate.report.slices import Named, case_label, in_state, name, of_run, suite_label

SHOWN = 3
"""Cases of the slice that matters most."""
SHOWN_OF_OTHERS = 2
"""Cases of further slices that fell, one of each."""
_ALIKE = 0.8
"""Share of words from which on two questions ask the same."""
_CANDIDATES = 300
"""Cases that are looked at closely: a run may have tens of thousands."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Fallen:
    """A case with a lower score than before.

    Args:
        full: its id, with the suite in front in a run over several.
        suite: the suite's name.
        record: the case.
    """

    full: str
    suite: str
    record: CaseRecord

    @property
    def places(self) -> set[tuple[str, str]]:
        """Suite and name of every slice that it is in."""
        slices = (f"{dimension}={value}" for dimension, value in self.record.slices.items())
        return {(self.suite, OVERALL), *((self.suite, slice) for slice in slices)}


@dataclass(frozen=True, slots=True)
class Carriers:
    """The cases to show.

    Args:
        head: what they are.
        cases: the most telling first.
    """

    head: Text
    cases: tuple[Fallen, ...]


def carriers(run: RunRecord) -> Carriers:
    """The cases that explain the worst slice: large falls, of different sources, questions and other slices.

    Where nothing regressed and nothing is suspect, those that fell most.

    Args:
        run: a finished run.
    """
    fallen = [one for one in _all(run) if one.record.delta is not None and one.record.delta < -numbers.ZERO]
    blocking = [named for named in of_run(run) if named.record.blocking]
    named = in_state(blocking, State.REGRESSION)
    sure = bool(named)
    # A record may have no cases of a slice.
    known = {place for one in fallen for place in one.places}
    named = tuple(slice for slice in named or in_state(blocking, State.SUSPECT) if _place(slice) in known)
    if not named:
        return Carriers(("Cases that fell most",), tuple(_told(fallen, (), SHOWN)))
    mine = [one for one in fallen if _inside(one, named[0])]
    shown = _told(mine, named, SHOWN)
    more = list(_of_others(fallen, shown, named[1:]))
    return Carriers(_head(len(shown), len(mine), len(more), named[0], sure=sure), (*shown, *more))


def _all(run: RunRecord) -> Iterator[Fallen]:
    for suite in run.suites:
        label = suite_label(run, suite)
        for case in suite.cases:
            yield Fallen(case_label(run, suite, case.id), label, case)


def _place(named: Named) -> tuple[str, str]:
    return named.suite, named.local


def _inside(one: Fallen, named: Named) -> bool:
    return _place(named) in one.places


def _told(found: Sequence[Fallen], named: Sequence[Named], count: int) -> list[Fallen]:
    """The largest falls; among equals those of more slices that fell, then those of values not seen yet.

    A case without its answers explains nothing, and comes last. Of variants one is shown; a question that is nearly the
    same as another's, only where there are no others.
    """
    fallen = set(map(_place, named))
    left = {one.full: (*_weight(one, fallen), one) for one in _sources(found, fallen)}
    shown: list[Fallen] = []
    again: list[Fallen] = []
    seen: set[tuple[str, str]] = set()
    while left and len(shown) < count:
        keys = ((*key[:3], len(seen & {*key[3].record.slices.items()}), full) for full, key in left.items())
        best = left.pop(min(keys)[-1])[3]
        if any(_alike(best, other) for other in shown):
            again.append(best)
            continue
        shown.append(best)
        seen |= {*best.record.slices.items()}
    return [*shown, *again[: count - len(shown)]]


def _sources(found: Sequence[Fallen], fallen: Set[tuple[str, str]]) -> list[Fallen]:
    """One case of each source, the heaviest, and not more of them than can be looked at closely."""
    ordered = sorted(found, key=lambda one: (*_weight(one, fallen), one.full))
    first: dict[tuple[str, str], Fallen] = {}
    for one in ordered:
        first.setdefault((one.suite, one.record.cluster or f"\0{one.full}"), one)
    return list(first.values())[:_CANDIDATES]


def _weight(one: Fallen, fallen: Set[tuple[str, str]]) -> tuple[bool, float, int]:
    case = one.record
    silent = not case.baseline_outputs and not case.candidate_outputs
    return silent, round(case.delta or 0.0, 9), -len(one.places & fallen)


def _alike(one: Fallen, other: Fallen) -> bool:
    """Do both ask nearly the same question?"""
    left, right = ({*_WORD.findall((case.record.input or "").casefold())} for case in (one, other))
    return bool(left and right) and len(left & right) >= _ALIKE * len(left | right)


def _of_others(fallen: Sequence[Fallen], shown: Sequence[Fallen], named: Sequence[Named]) -> Iterator[Fallen]:
    """The largest fall of each further slice that none of the shown cases is in."""
    told = list(shown)
    for slice in named:
        if len(told) < len(shown) + SHOWN_OF_OTHERS and not any(_inside(one, slice) for one in told):
            for one in _told([case for case in fallen if _inside(case, slice)], named, 1):
                told.append(one)
                yield one


def _head(shown: int, total: int, more: int, named: Named, *, sure: bool) -> Text:
    """`3 of the 11 cases that carry the fall of lang=de`."""
    which = f"{shown} of the {numbers.counted(total, 'case')}" if shown < total else f"The {_cases(total)}"
    carry = "carries" if shown == total == 1 else "carry"
    what: Text = (f" that {carry} the fall of ", name(named)) if sure else (" that fell in ", name(named))
    others = "another slice that fell" if more == 1 else "other slices that fell"
    return (which, *what, *((f", and {more} of {others}",) if more else ()))


def _cases(total: int) -> str:
    return "case" if total == 1 else numbers.counted(total, "case")
