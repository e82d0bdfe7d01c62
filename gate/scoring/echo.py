"""A judge that hands back a verdict which it read: the rule that a verdict must be the judge's own."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from gate.domain.absence import Unscored
from gate.scoring.plain import KEY, Plain, plain
from gate.scoring.verdict import Mark, Verdict

ECHO = Unscored("the judge repeated a verdict that stands in the answer")
VEILED = Unscored("what was judged is escaped too many times over to tell whether the judge repeated it")
NEAR = 200
"""Letters between a reason and what makes a verdict of it."""
TELLING = 12
"""Letters of a reason that are not repeated by chance."""
PIECE, PIECES = 8, 32
"""Letters of a piece of a reason, at least; pieces, at most."""

_known = lru_cache(maxsize=16)(plain)
_said = lru_cache(maxsize=64)(plain)
"""Reasons, and names of fields, which every verdict of a judge has; apart, so that they push no text out."""


def repeated(verdict: Verdict, judged: Iterable[str], shown: Iterable[str] = ()) -> Unscored | None:
    """Why a verdict does not count: it stands in what the judge was shown. None where it does count.

    A reason alone is a quotation, and a reason beside its score a verdict. So one is repeated where two thirds of its
    reason stand in what was judged within `NEAR` letters of its score, written as scores are; and where reason and
    score stand right behind the names of their fields, anywhere in anything that was shown. Looked for are letters and
    numbers alone (`gate.scoring.plain`), so neither form nor order matters. The work is linear in the texts.

    Args:
        verdict: as the judge gave it.
        judged: the answer and the question.
        shown: what else the judge was shown, such as the criteria, whose words an honest verdict may well repeat.
    """
    texts = [(_known(text), (_near, _spelled)) for text in judged] + [(_known(text), (_spelled,)) for text in shown]
    for mark in verdict.marks:
        reason = _said(mark.reason)
        for text, rules in texts:
            if text is None or reason is None:
                return VEILED
            if reason.letters and any(rule(mark, reason, text) for rule in rules):
                return ECHO
    return None


def _spelled(mark: Mark, reason: Plain, text: Plain) -> bool:
    """Do both stand right behind the names of their fields?"""
    if reason.letters not in text.letters:
        return False
    scored = {at + len(_under(mark)) for at in text.words(_under(mark))}
    return any(at in scored for at, _ in _values(mark, text)) and any(
        text.letters.startswith(reason.letters, at + len("reason")) for at in text.words("reason")
    )


def _near(mark: Mark, reason: Plain, text: Plain) -> bool:
    """Do two thirds of the pieces of a reason stand near what makes a verdict of them?"""
    pieces, telling = _pieces(reason.letters), len(reason.letters) >= TELLING
    if not _most(piece in text.letters for piece in pieces):
        return False
    places, own = _signs(mark, text, telling), _signs(mark, reason, telling)
    regions = _regions(places, len(own), NEAR + len(reason.letters))
    if not telling:
        return any(True for region in regions for _ in text.words(reason.letters, within=region))
    return _most(
        any(text.letters.find(piece, low, high + len(piece)) >= 0 for low, high in regions) for piece in pieces
    )


def _most(found: Iterable[bool]) -> bool:
    answers = tuple(found)
    return 3 * sum(answers) >= 2 * len(answers)


def _signs(mark: Mark, text: Plain, telling: bool) -> list[int]:
    """Where something makes a verdict of a reason: the score, near the name of a field that was asked for.

    Beside a telling reason a score that is written as one will do without a name, and the name of its field without it.
    """
    field = _said(mark.field)
    names = {"reason", _under(mark), field.letters if field else ""} - {""}
    named = sorted(at for name in names for at in text.words(name))
    signs = [at for at, alone in _values(mark, text) if (telling and alone) or _any(named, at - NEAR, at + NEAR)]
    return sorted([*signs, *(text.words(_under(mark), KEY) if telling else ())])


def _any(places: Sequence[int], low: int, high: int) -> bool:
    at = bisect_left(places, low)
    return at < len(places) and places[at] <= high


def _regions(signs: Sequence[int], own: int, reach: int) -> list[tuple[int, int]]:
    """From where to where more signs are within reach than the reason holds itself."""
    found = list[tuple[int, int]]()
    for first, last in zip(signs, signs[own:], strict=False):
        low, high = max(0, last - reach), first + reach
        if found and low <= found[-1][1]:
            found[-1] = found[-1][0], max(high, found[-1][1])
        elif low <= high:
            found.append((low, high))
    return found


def _values(mark: Mark, text: Plain) -> Iterator[tuple[int, bool]]:
    """Where a score stands, and whether it is written as one; a word may always be just a word."""
    return ((at, False) for at in text.words(mark.word)) if mark.word else text.valued(mark.score)


def _under(mark: Mark) -> str:
    """The field that a score, or the word in its place, stands under."""
    return (mark.field or "better") if mark.word else "score"


def _pieces(letters: str) -> list[str]:
    """A reason, cut into pieces of about the same size: a judge may add or swap a word."""
    count = min(PIECES, max(1, len(letters) // PIECE)) if len(letters) >= TELLING else 1
    ends = [len(letters) * place // count for place in range(count + 1)]
    return [letters[start:end] for start, end in pairwise(ends)]
