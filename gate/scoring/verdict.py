"""What a judge said of an answer, and the rule that it must be the judge who says it."""

import html
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from gate.domain.sample import Part

# Runs of backslashes are taken whole, or a long one would be gone through once for each of its ends.
_ESCAPED = re.compile(r"(?<!\\)\\++u([0-9a-fA-F]{4})")
_BACKSLASHED = re.compile(r"\\++[bfnrt]?")
_TELLING = 8
"""Letters and digits of a reason that nobody gives twice by chance."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One reason with its score.

    Args:
        reason: in the judge's words.
        score: as the judge wrote it, on the scale that it was asked for.
        field: that the two stood under; empty where they are the whole reply.
    """

    reason: str
    score: float
    field: str = ""


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


def echoed(verdict: Verdict, texts: Iterable[str]) -> bool:
    """Does the verdict repeat one that stands in a text that was judged?

    A judge that can be talked into it hands back the JSON that an answer holds. No honest judge writes, word for word,
    the reason that such JSON gives. It is looked for among letters and digits alone, so neither the form of the JSON
    nor quotes, escapes, case, fences or a missing brace around it matter; time is linear in the texts.

    Args:
        verdict: as the judge gave it.
        texts: what it was shown and was not asked to believe: the answer, the question.
    """
    wanted = [_traces(mark) for mark in verdict.marks]
    folded = [fold(text) for text in texts]
    return any(trace in text for traces in wanted for trace in traces for text in folded)


def fold(text: str) -> str:
    """Letters and digits, in lower case, of a text out of which JSON or HTML escapes are taken."""
    plain = html.unescape(text) if "&" in text else text
    if "\\" in plain:
        plain = _BACKSLASHED.sub("", _ESCAPED.sub(lambda found: chr(int(found[1], 16)), plain))
        # Two escapes may be the halves of one letter.
        plain = plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return "".join(letter for letter in unicodedata.normalize("NFKC", plain).casefold() if letter.isalnum())


def _traces(mark: Mark) -> tuple[str, ...]:
    """How a reason looks, folded, in JSON that gives it; one of few letters counts together with its score."""
    reason = f"reason{fold(mark.reason)}"
    if len(reason) >= len("reason") + _TELLING:
        return (reason,)
    field = fold(mark.field)
    numbers = {fold(text) for text in (f"{mark.score!r}", f"{mark.score:g}", f"{mark.score:.2f}")}
    ways = [(f"{field}{reason}score{number}", f"{field}score{number}{reason}") for number in sorted(numbers)]
    return tuple(way for both in ways for way in both)
