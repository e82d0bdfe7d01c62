"""Marks that help: runs of words are marked as one, and texts without much in common not at all."""

from collections.abc import Sequence
from dataclasses import replace

from gate.report.differences.words import Piece, joined
from gate.report.parts.sidebyside import Given, Pair

_ALIKE = 0.25
"""Share of the longer text, spaces left out, that both have."""


def alike(before: Sequence[Piece], after: Sequence[Piece]) -> bool:
    """Have two texts enough in common for what differs to be worth a mark?"""
    common = sum(len("".join(piece.text.split())) for piece in before if not piece.differs)
    longer = max(len("".join("".join(piece.text for piece in side).split())) for side in (before, after))
    return common >= _ALIKE * longer


def sparing(pair: Pair) -> Pair:
    """Two answers with the marks that help."""
    before, after = pair.baseline, pair.candidate
    if pair.how not in ("words", "lines") or before is None or after is None:
        return pair
    if not alike(before.pieces or (), after.pieces or ()):
        return replace(pair, how="texts", baseline=_plain(before), candidate=_plain(after))
    return replace(
        pair,
        baseline=replace(before, pieces=joined(before.pieces or ())),
        candidate=replace(after, pieces=joined(after.pieces or ())),
    )


def _plain(given: Given) -> Given:
    return replace(given, pieces=(Piece(given.text, False),) if given.text else ())
