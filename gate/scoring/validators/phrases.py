"""Finds whole words and phrases in a text, many of them in one pass."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from gate.scoring.validators.inflections import inflected
from gate.scoring.validators.words import folded, pieces, unspaced

_GAP = 3
"""Characters between two words of a phrase, at most; what ends a sentence is none of them."""
_BORDERS = frozenset(".!?;:,…。！？，")


@dataclass(frozen=True, slots=True)
class Phrases:
    """Words and phrases, made ready to be looked for.

    Args:
        starts: for each first word, what may follow it, word by word in each of its forms, and the phrase as written.
        parts: texts that are found anywhere, because they hold signs or a script without blanks.
    """

    starts: Mapping[str, tuple[tuple[tuple[frozenset[str], ...], str], ...]]
    parts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, phrases: Iterable[str], *, inflections: bool = False) -> "Phrases":
        """Whole words in any case.

        Args:
            phrases: `process`, `follow up`, `C++`.
            inflections: English forms of each word count, too.
        """
        return _prepared(tuple(phrases), inflections)

    def within(self, text: str) -> list[str]:
        """The phrases that occur in a text, as they were written, in the order of their first places in it."""
        text = folded(text)
        first: dict[str, int] = {}
        for part, phrase in self.parts:
            if (place := _whole(part, text)) >= 0:
                first[phrase] = min(place, first.get(phrase, place))
        if self.starts:
            found = list(pieces(text))
            for index, (word, start, _) in enumerate(found):
                for rest, phrase in self.starts.get(word, ()):
                    if phrase not in first and _follows(rest, found, index, text):
                        first[phrase] = start
        return sorted(first, key=lambda phrase: first[phrase])


@lru_cache(maxsize=256)
def _prepared(phrases: tuple[str, ...], inflections: bool) -> Phrases:
    starts: dict[str, list[tuple[tuple[frozenset[str], ...], str]]] = {}
    parts: list[tuple[str, str]] = []
    for phrase in phrases:
        text = " ".join(folded(phrase).split())
        words = [word for word, _, _ in pieces(text)]
        plain = "".join(c for c in text if c not in " -'’")
        if not words or unspaced(text) or "".join(words) != plain:
            parts.append((text, phrase))
            continue
        forms = [inflected(word) if inflections else frozenset({word}) for word in words]
        for form in forms[0]:
            starts.setdefault(form, []).append((tuple(forms[1:]), phrase))
    return Phrases({word: tuple(rest) for word, rest in starts.items()}, tuple(parts))


def _follows(rest: tuple[frozenset[str], ...], found: list[tuple[str, int, int]], index: int, text: str) -> bool:
    """Do the other words of a phrase stand behind its first one?"""
    if index + len(rest) >= len(found):
        return False
    for number, forms in enumerate(rest, index + 1):
        word, start, _ = found[number]
        gap = text[found[number - 1][2] : start]
        apart = not _BORDERS.isdisjoint(gap) or gap.count("\n") > 1 or (len(gap) > _GAP and not gap.isspace())
        if word not in forms or apart:
            return False
    return True


def _whole(part: str, text: str) -> int:
    """The first place of a text with signs in it; where it begins or ends with a letter, no word goes on there."""
    if not part:
        return -1
    open_left, open_right = not part[0].isalnum() or unspaced(part[0]), not part[-1].isalnum() or unspaced(part[-1])
    place = text.find(part)
    while place >= 0:
        left, right = text[place - 1 : place], text[place + len(part) : place + len(part) + 1]
        if (open_left or not left.isalnum()) and (open_right or not right.isalnum()):
            return place
        place = text.find(part, place + len(part))
    return -1
