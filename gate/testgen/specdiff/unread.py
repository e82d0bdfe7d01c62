"""Sentences that came or went, and that no rule rests on: what a comparison of rules alone would pass over."""

from collections.abc import Iterator, Sequence

from gate.domain.promptspec import Specification
from gate.domain.words import counted
from gate.testgen.specdiff.place import Side
from gate.testgen.specdiff.units import Unit

SHOWN = 5
"""Sentences that one note quotes."""
LONGEST = 120
"""Characters of each."""


def unread(base: Specification, head: Specification, both: tuple[Side, Side]) -> tuple[str, ...]:
    """What of the change no rule speaks of, as sentences for the reader.

    A specification can be of another version than the prompt that it is held against, and a model can overlook a
    demand: then no rule is dropped or new, and the change of the prompt would be passed over.

    Args:
        base, head: the specifications.
        both: the two versions of the prompt.
    """
    gone, new = (_alone(one, side) for one, side in zip((base, head), both, strict=True))
    notes = []
    if gone:
        notes.append(
            f"{counted(len(gone), 'sentence')} went that no rule of the specification rests on: {_quoted(gone)}"
        )
    if new:
        notes.append(f"{counted(len(new), 'sentence')} came from which no rule was read: {_quoted(new)}")
    return tuple(notes)


def _alone(specification: Specification, side: Side) -> list[Unit]:
    """Headings and lead-ins are told of by what stands under them."""
    told = {unit.start for evidence in _evidence(specification) for unit in side.around(evidence)}
    scopes = {words for unit in side.differing for words in unit.under.split("\n")}
    return [unit for unit in side.differing if unit.start not in told and unit.words not in scopes]


def _evidence(specification: Specification) -> Iterator[str]:
    yield from (rule.evidence for rule in specification.rules)
    yield from (rule.evidence for one in specification.components for rule in one.rules)


def _quoted(units: Sequence[Unit]) -> str:
    said = [f'"{_short(unit.words)}"' for unit in units[:SHOWN]]
    return ", ".join(said) + (f", and {len(units) - SHOWN:,} more." if len(units) > SHOWN else ".")


def _short(words: str) -> str:
    return words if len(words) <= LONGEST else words[:LONGEST] + "…"
