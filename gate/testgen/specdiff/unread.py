"""Sentences that came or went, and that no rule rests on: what a comparison of rules alone would pass over."""

from collections.abc import Iterator

from gate.domain.promptspec import Specification
from gate.testgen.specdiff.place import Side
from gate.testgen.specdiff.units import Unit

LONGEST = 160
"""Characters of a sentence that a note quotes."""


def unread(base: Specification, head: Specification, both: tuple[Side, Side]) -> tuple[str, ...]:
    """What of the change no rule speaks of: one note for each sentence, the shortest first, so that none hides another.

    A specification can be of another version than the prompt that it is held against, and a model can overlook a
    demand: then no rule is dropped or new, and the change of the prompt would be passed over.

    Args:
        base, head: the specifications.
        both: the two versions of the prompt.
    """
    gone, new = (_alone(one, side) for one, side in zip((base, head), both, strict=True))
    notes = [(unit, "A sentence went that no rule of the specification rests on") for unit in gone]
    notes += [(unit, "A sentence came from which no rule was read") for unit in new]
    notes.sort(key=lambda note: len(note[0].words))
    return tuple(dict.fromkeys(f'{what}: "{_short(unit.words)}".' for unit, what in notes))


def _alone(specification: Specification, side: Side) -> list[Unit]:
    """Headings and lead-ins are told of by what stands under them."""
    told = {unit.start for evidence in _evidence(specification) for unit in side.around(evidence)}
    scopes = {words for unit in side.differing for words in unit.under.split("\n")}
    return [unit for unit in side.differing if unit.start not in told and unit.words not in scopes]


def _evidence(specification: Specification) -> Iterator[str]:
    yield from (rule.evidence for rule in specification.rules)
    yield from (rule.evidence for one in specification.components for rule in one.rules)


def _short(words: str) -> str:
    return words if len(words) <= LONGEST else words[:LONGEST] + "…"
