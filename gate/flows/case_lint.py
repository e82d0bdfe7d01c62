"""Advice about cases that nothing is wrong with, and that could still be better."""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gate.cases.forms import GoldenTranscript, form_of
from gate.cases.reading import case_of
from gate.domain.case import Case
from gate.domain.jsonvalue import JsonValue, digest
from gate.domain.stored_suite import Entry
from gate.flows.reach import own_reaches


@dataclass(frozen=True, slots=True)
class Advice:
    """One piece of advice.

    Args:
        message: a sentence, without the cases.
        cases: ids of those that it is about.
    """

    message: str
    cases: tuple[str, ...]


def advice(entries: Sequence[Entry], *, stored: bool = False) -> tuple[Advice, ...]:
    """What could be better about an eval set; none of it is a mistake.

    Args:
        entries: of one set, sound ones.
        stored: they are in a store, whose cases reach no further than their suite in gate.yaml.
    """
    cases = [case_of(entry) for entry in entries]
    # A transcript has no place for a description.
    describable = [case for case, entry in zip(cases, entries, strict=True) if form_of(entry) is not GoldenTranscript]
    refused = _refused(cases) if stored else ()
    return (*refused, *_twice(cases), *_aimless(cases), *_spellings(cases), *_lonely(cases), *_undescribed(describable))


def _refused(cases: Sequence[Case]) -> Iterator[Advice]:
    found: dict[str, list[str]] = defaultdict(list)
    for case in cases:
        for told in dict.fromkeys(reach.told for _, reach in own_reaches(case)):
            found[told].append(case.id)
    for told, names in found.items():
        message = f"a scorer of its own {told}: the gate will refuse it unless the suite in gate.yaml names the same"
        yield Advice(message, tuple(names))


def _twice(cases: Sequence[Case]) -> Iterator[Advice]:
    asked: dict[Hashable, list[str]] = defaultdict(list)
    for case in cases:
        variables: JsonValue = dict(case.vars)
        asked[(case.question, case.facts, repr(case.user), digest(variables))].append(case.id)
    for names in asked.values():
        if len(names) > 1:
            yield Advice("the same question is asked more than once, and would count as often", tuple(names))


def _aimless(cases: Sequence[Case]) -> Iterator[Advice]:
    found = tuple(case.id for case in cases if not _aims(case))
    if found:
        yield Advice("neither 'expected' nor 'criteria' nor scorers of its own say what a good answer is", found)


def _aims(case: Case) -> bool:
    own = case.expected is not None or case.criteria or case.scorers or case.extra_scorers
    return bool(own) or any(one.criteria or one.scorers for one in case.rounds)


def _spellings(cases: Sequence[Case]) -> Iterator[Advice]:
    for dimension, values in _slices(cases).items():
        alike: dict[str, list[str]] = defaultdict(list)
        for value in values:
            alike["".join(value.split()).casefold()].append(value)
        for spelt in alike.values():
            if len(spelt) > 1:
                told = " and ".join(repr(value) for value in spelt)
                names = tuple(name for value in spelt for name in values[value])
                yield Advice(f"{dimension} is {told}, which are different slices", names)


def _lonely(cases: Sequence[Case]) -> Iterator[Advice]:
    for dimension, values in _slices(cases).items():
        for value, names in values.items():
            if len(names) == 1 and len(cases) > 1:
                yield Advice(f"the slice {dimension}={value} has one case, which can show nothing", tuple(names))


def _undescribed(cases: Sequence[Case]) -> Iterator[Advice]:
    found = tuple(case.id for case in cases if not case.description)
    if found:
        yield Advice("no 'description' says what it is for", found)


def _slices(cases: Sequence[Case]) -> Mapping[str, Mapping[str, list[str]]]:
    """By dimension and value, the cases."""
    found: dict[str, dict[str, list[str]]] = {}
    for case in cases:
        for dimension, value in case.slices.items():
            found.setdefault(dimension, {}).setdefault(value, []).append(case.id)
    return found
