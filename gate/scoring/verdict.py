"""What a judge said of an answer, and whether there is a word of its own in it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gate.domain.sample import Part
from gate.scoring.plain import plain

_WORD = re.compile(r"\w+")
FENCE_CHARS = 8
"""Letters of a fence in a row that nobody writes by chance."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One reason with its score.

    Args:
        reason: in the judge's words.
        score: as the judge wrote it, on the scale that it was asked for.
        field: that the two stood under; empty where they are the whole reply.
        word: that stood in the place of a score.
    """

    reason: str
    score: float
    field: str = ""
    word: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One opinion, parsed.

    Args:
        value: in [0, 1].
        reason: for the reader.
        marks: what it was made of.
        parts: figures that the value was made of; empty where it is one figure.
    """

    value: float
    reason: str
    marks: tuple[Mark, ...]
    parts: tuple[Part, ...] = ()


def wordless(verdict: Verdict, fences: Iterable[str] = ()) -> bool:
    """Is there a reason without a word of the judge's own: signs and figures alone, or the fence handed back?

    Args:
        verdict: as the judge gave it.
        fences: hexadecimal marks that stood around what was judged; a piece of one is no word either.
    """
    known = tuple(fences)

    def own(word: str) -> bool:
        form = plain(word)
        seen = form is not None and form.letters != ""
        return seen and not (len(word) >= FENCE_CHARS and any(word in one for one in known))

    for mark in verdict.marks:
        reason = mark.reason.lower()
        for fence in known:
            reason = reason.replace(fence, " ")
        if not any(map(own, _WORD.findall(reason))):
            return True
    return False
