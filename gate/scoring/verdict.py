"""What a judge said of an answer, and the rule that it must be the judge who says it."""

import html
import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from gate.domain.jsonvalue import JsonValue
from gate.domain.sample import Part
from gate.scoring.validators.words import composed

# Runs of backslashes are taken whole, or a long one would be gone through once for each of its ends.
_ESCAPED = re.compile(r"(?<!\\)\\++u([0-9a-fA-F]{4})")
_BACKSLASHED = re.compile(r"\\++[bfnrt]?")
_ENDLESS = re.compile(r"&#[0-9]{8,}")
_BEGINNING = re.compile(r'\{\s*"')
_WORD = re.compile(r"\w+")
_DECODER = json.JSONDecoder()
TELLING = 30
"""Letters and digits of a reason that nobody gives twice by chance."""
FENCE_CHARS = 8
"""Letters of a fence in a row that nobody writes by chance."""
MOST_OBJECTS = 2_000
"""Places in one text where a JSON object may begin."""
ESCAPED_TWICE = 4
"""Escapes within escapes that are taken out."""


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


def echoed(verdict: Verdict, judged: Iterable[str], shown: Iterable[str] = ()) -> bool:
    """Does the verdict repeat one that stands in a text that was judged?

    A judge that can be talked into it hands back what an answer holds. So a verdict is an echo where JSON in a text,
    decoded as JSON is, gives the same reason with the same score; and where a reason that nobody writes twice by chance
    stands in what was judged as a whole, in whatever form. That is looked for among letters and digits alone, so
    neither keys nor quotes, case, fences, tables or a missing brace around it matter. Time is linear in the texts.

    Args:
        verdict: as the judge gave it.
        judged: the answer and the question; a long reason in them is no coincidence.
        shown: what else the judge was shown, such as the reference, whose words an honest reason may well repeat.
    """
    texts = tuple(judged)
    if any(_given(verdict.marks, text) for text in (*texts, *shown)):
        return True
    wanted = [_traces(mark) for mark in verdict.marks]
    folded = [fold(text) for text in texts]
    return any(trace in text for traces in wanted for trace in traces for text in folded)


def wordless(verdict: Verdict, fences: Iterable[str] = ()) -> bool:
    """Is there a reason without a word of the judge's own: signs and figures alone, or the fence handed back?

    Args:
        verdict: as the judge gave it.
        fences: hexadecimal marks that stood around what was judged; a piece of one is no word either.
    """
    known = tuple(fences)

    def own(word: str) -> bool:
        return any(map(str.isalpha, word)) and not (len(word) >= FENCE_CHARS and any(word in one for one in known))

    for mark in verdict.marks:
        reason = mark.reason.lower()
        for fence in known:
            reason = reason.replace(fence, " ")
        if not any(map(own, _WORD.findall(reason))):
            return True
    return False


def _given(marks: Iterable[Mark], text: str) -> bool:
    """Does JSON in a text give one of these marks, by itself or inside of something else?"""
    known = [(fold(mark.reason), round(mark.score, 9)) for mark in marks]
    for one in mappings(text):
        texts = {fold(value) for value in one.values() if isinstance(value, str)}
        numbers = {_number(value) for value in one.values()}
        if any(reason in texts and score in numbers for reason, score in known):
            return True
    return False


def _number(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return round(found, 9) if math.isfinite(found) else None


def mappings(text: str) -> Iterator[dict[str, JsonValue]]:
    """Every JSON object of a text, those inside of others too, also behind escapes of HTML and of JSON inside JSON.

    After `MOST_OBJECTS` places where one may begin no more are looked for.
    """
    for found in _objects(text):
        left = [found]
        while left:
            one = left.pop()
            if isinstance(one, list):
                left += one
            if isinstance(one, dict):
                left += one.values()
                yield one


def _objects(text: str) -> Iterator[JsonValue]:
    forms = (text, _unescaped(text), text.replace('\\"', '"').replace("\\\\", "\\"))
    for form in dict.fromkeys(forms):
        at = 0
        for _ in range(MOST_OBJECTS):
            start = _BEGINNING.search(form, at)
            if start is None:
                break
            at = start.end()
            try:
                found, end = _DECODER.raw_decode(form, start.start())
            except (ValueError, RecursionError):
                continue
            at = end
            yield found


@lru_cache(maxsize=16)
def fold(text: str) -> str:
    """Letters and digits, in lower case, of a text out of which JSON or HTML escapes are taken."""
    plain = text
    for _ in range(ESCAPED_TWICE):
        found = _decoded(plain)
        if found == plain:
            break
        plain = found
    folded = plain.casefold() if plain.isascii() else composed(plain, "NFKC", whole=True).casefold()
    return "".join(letter for letter in folded if letter.isalnum())


def _decoded(text: str) -> str:
    plain = _unescaped(text)
    if "\\" not in plain:
        return plain
    plain = _BACKSLASHED.sub("", _ESCAPED.sub(lambda found: chr(int(found[1], 16)), plain))
    # Two escapes may be the halves of one letter.
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _unescaped(text: str) -> str:
    # The library reads a number of any length, and raises for one of more than 4,300 digits.
    return html.unescape(_ENDLESS.sub("", text)) if "&" in text else text


def _traces(mark: Mark) -> tuple[str, ...]:
    """How a reason looks, folded: alone if it is long, else with the word before it and its score behind or before."""
    alone = fold(mark.reason)
    if len(alone) >= TELLING:
        return (alone,)
    reason, field = f"reason{alone}", fold(mark.field)
    numbers = {fold(text) for text in (f"{mark.score!r}", f"{mark.score:g}", f"{mark.score:.2f}")}
    ways = [(f"{field}{reason}score{number}", f"{field}score{number}{reason}") for number in sorted(numbers)]
    return tuple(way for both in ways for way in both)
