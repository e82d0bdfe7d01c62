"""Words, phrases, inflections and sentences of a text."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from gate.scoring.validators.interface import LOOKED_AT

if TYPE_CHECKING:
    import regex

_ALONE = (
    "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003347f"  # Han
    "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d"  # Hiragana, Katakana
)
_SCRIPTS_WITHOUT_BLANKS = re.compile(f"[{_ALONE}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_BLANKS = re.compile(r"\s{3,}")
_RUN = re.compile(rf"[{_ALONE}]|[^\s\u2013\u2014\u2026/{_ALONE}]+")


def opening_of(text: str) -> str:
    """The beginning of a text, for all further work; long runs of blanks, which could fill it, are shortened."""
    return text if len(text) <= LOOKED_AT else _BLANKS.sub(_shortened, text)[:LOOKED_AT]


def _shortened(blanks: re.Match[str]) -> str:
    return "\n\n" if blanks[0].count("\n") > 1 else "\n" if "\n" in blanks[0] else " "


def word_count(text: str) -> int:
    """How many words the beginning of a text has.

    A word is what stands between blanks, dashes (not hyphens) and slashes and holds a letter or a digit: `well-known`,
    `don't` and `3.5` are one word each, a lone `-` is none. Chinese characters and kana, which are written without
    blanks, count one each. Thai, Lao, Khmer and Burmese are written without them, too: a run counts as one word.
    """
    return sum(1 for run in _RUN.findall(opening_of(text)) if run.isalnum() or any(map(str.isalnum, run)))


def folded(text: str) -> str:
    """The text as words are compared: one form for each character, small letters, nothing invisible.

    Source: Unicode's NFKC and case folding; format characters (soft hyphens, joiners) and
    what else a screen ignores (its Default_Ignorable_Code_Point) are left out.
    """
    text = normal_form(text, "NFKC").casefold()[: 2 * LOOKED_AT]
    return text if text.isascii() else _compiled(r"[\p{Cf}\p{Default_Ignorable_Code_Point}]+").sub("", text)


def normal_form(text: str, form: str = "NFC", *, whole: bool = False) -> str:
    """A Unicode normal form of the beginning of a text; of a pile of accents on one letter the first are kept.

    The library sorts such a pile in a time that grows with the square of its height.

    Args:
        form: `NFC` or `NFKC`.
        whole: normalise the whole text.
    """
    text = text if whole else opening_of(text)
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC" if form == "NFKC" else "NFC", _compiled(r"(\p{M}{8})\p{M}+").sub(r"\1", text))


def word_runs(text: str) -> Iterator[tuple[str, int, int]]:
    """The runs of letters, digits and their marks in a folded text, each with its place."""
    for match in _compiled(r"[\p{L}\p{N}\p{M}]+").finditer(text):
        yield match[0], match.start(), match.end()


def has_unspaced_script(text: str) -> bool:
    """It holds characters of a script that is written without blanks, where no word has borders."""
    return _SCRIPTS_WITHOUT_BLANKS.search(text) is not None


@lru_cache(maxsize=8)
def _compiled(pattern: str) -> "regex.Pattern[str]":
    import regex  # only for those who use one

    return regex.compile(pattern)


_VOWELS = "aeiou"


def inflected(word: str) -> frozenset[str]:
    """A word (small letters) and its inflections."""
    forms = {word}
    if len(word) < 2 or not (word.isascii() and word.isalpha()):
        return frozenset(forms)
    last, before = word[-1], word[-2]
    if last == "y" and before not in _VOWELS:
        forms |= {word[:-1] + "ies", word[:-1] + "ied", word + "ing"}
    elif word.endswith("ie"):
        forms |= {word + "s", word + "d", word[:-2] + "ying"}
    elif last == "e":
        stem = word if before in "eoy" else word[:-1]
        forms |= {word + "s", word + "d", stem + "ing"}
    else:
        forms |= {word + ("es" if _hisses(word) else "s"), word + "ed", word + "ing"}
        forms |= {word + "es"} if last == "o" else set()
        if last == "c":
            forms |= {word + "ked", word + "king"}
        if _doubles(word):
            forms |= {word + last + "ed", word + last + "ing"}
        if last == "z" and before in _VOWELS:
            forms.add(word + "zes")
    return frozenset(forms)


def _hisses(word: str) -> bool:
    return word.endswith(("s", "x", "z", "ch", "sh"))


def _doubles(word: str) -> bool:
    """One vowel letter before one consonant letter, as in `stop`, `refer` and `travel`; w, x and y never double."""
    if word[-1] in _VOWELS + "wxy" or word[-2] not in _VOWELS:
        return False
    return len(word) < 3 or word[-3] not in _VOWELS or word[-3:-1] == "ui"


_GAP = 3
"""Characters between two words of a phrase, at most; the end of a sentence is not allowed."""
_BORDERS = frozenset(".!?;:,…。！？，")


@dataclass(frozen=True, slots=True)
class Phrases:
    """Words and phrases, prepared for the search.

    Args:
        starts: by first word: what may follow, word by word in each form, and the phrase as written.
        parts: texts that are found anywhere, because they contain punctuation or a script without blanks.
    """

    starts: Mapping[str, tuple[tuple[tuple[frozenset[str], ...], str], ...]]
    parts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, phrases: Iterable[str], *, inflections: bool = False) -> "Phrases":
        """Whole words, ignoring case.

        Args:
            phrases: such as `process`, `follow up`, `C++`.
            inflections: include English forms of each word.
        """
        return _prepared(tuple(phrases), inflections)

    def within(self, text: str) -> list[str]:
        """The phrases in a text, as originally written, in order of first occurrence."""
        text = folded(text)
        first: dict[str, int] = {}
        for part, phrase in self.parts:
            if (place := _whole(part, text)) >= 0:
                first[phrase] = min(place, first.get(phrase, place))
        if self.starts:
            found = list(word_runs(text))
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
        words = [word for word, _, _ in word_runs(text)]
        plain = "".join(c for c in text if c not in " -'’")
        if not words or has_unspaced_script(text) or "".join(words) != plain:
            parts.append((text, phrase))
            continue
        forms = [inflected(word) if inflections else frozenset({word}) for word in words]
        for form in forms[0]:
            starts.setdefault(form, []).append((tuple(forms[1:]), phrase))
    return Phrases({word: tuple(rest) for word, rest in starts.items()}, tuple(parts))


def _follows(rest: tuple[frozenset[str], ...], found: list[tuple[str, int, int]], index: int, text: str) -> bool:
    """Do the other words of a phrase follow its first one?"""
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
    """The first place of a text with punctuation; next to its letters no word may continue."""
    if not part:
        return -1
    open_left, open_right = (
        not part[0].isalnum() or has_unspaced_script(part[0]),
        not part[-1].isalnum() or has_unspaced_script(part[-1]),
    )
    place = text.find(part)
    while place >= 0:
        left, right = text[place - 1 : place], text[place + len(part) : place + len(part) + 1]
        if (open_left or not left.isalnum()) and (open_right or not right.isalnum()):
            return place
        place = text.find(part, place + len(part))
    return -1


_CLOSERS = "\"'”’»›)\\]}*_`」』】）"
_FOREIGN = "。！？｡।॥؟۔።፧"
_END = re.compile(rf"[.!?…{_FOREIGN}]+[{_CLOSERS}]*")
_ITEM = re.compile(r"(?m)^[ \t]*(?:[-*•+–]|#{1,6}|\(?[0-9]{1,3}[.)])[ \t]+")
_BREAK = re.compile(r"\n[ \t\r]*\n|\u2029|\x00")
_BEFORE = re.compile(r"[^\s(\[\"“„«'’/—–]*\Z")
_AFTER = re.compile(r"\s*[\"“„«‘'(\[*_¿¡]*")

_NEVER_LAST = frozenset(
    (
        "mr mrs ms mx dr prof rev hon st sgt capt lt col gen gov sen rep pres e.g i.e eg ie cf vs approx ca incl excl "
        "esp fig figs vol ed eds dept est tel ext viz al "
        "z.b zb d.h u.a z.t z b d h bzw evtl ggf inkl exkl hr fr frl str nr vgl sog abs art "
        "m mme mlle mm p.ex ex env "
        "sr sra srta sres ud uds vd vds p.ej ej aprox pág núm"
    ).split()
)
"""Abbreviations that are never last in a sentence, whatever letter follows."""

_MAY_END = frozenset(
    (
        "etc a.m p.m am pm inc ltd co corp jr usw u.s.w usf u.s u.k e.u d.c ph.d b.a m.a min max std sec hrs mins "
        "jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun ave blvd rd gmbh ag ee.uu"
    ).split()
)
"""Abbreviations that end a sentence where a capital follows."""

_BEFORE_NUMBERS = frozenset("no nos nr nº n p pp art fig sec ch vol tel approx ca apt".split())
_MONTHS = frozenset("januar jänner februar märz april mai juni juli august september oktober november dezember".split())


def sentences(text: str) -> list[str]:
    """The sentences of the beginning of a text, in order, without surrounding blanks."""
    found: list[str] = []
    for block in _BREAK.split(opening_of(text)):
        for item in _ITEM.split(block):
            found.extend(_of_block(item))
    return found


def _of_block(block: str) -> list[str]:
    found: list[str] = []
    start = 0
    for end in _END.finditer(block):
        if _ends(block, end):
            found.append(block[start : end.end()].strip())
            start = end.end()
    found.append(block[start:].strip())
    return [sentence for sentence in found if any(map(str.isalnum, sentence))]


def _ends(block: str, end: re.Match[str]) -> bool:
    """Is this mark the end of a sentence?"""
    marks = end[0].rstrip(_CLOSERS.replace("\\", ""))
    if marks[-1] in _FOREIGN:
        return True
    after = end.end()
    if after == len(block):
        return True
    if not block[after].isspace():
        return False
    # More blanks count as an end of the line.
    ahead = block[after : after + 60]
    begin = _AFTER.match(ahead)
    rest = ahead[begin.end() :] if begin else ahead
    small = rest[:1].islower()
    if marks == ".":
        return _point_ends(block[max(0, end.start() - 40) : end.start()], rest, small)
    going_on = len(marks) < len(end[0]) or marks[-1] in ".…"
    return not (small and going_on)


def _point_ends(before: str, rest: str, small: bool) -> bool:
    match = _BEFORE.search(before)
    written = match[0] if match else ""
    word = written.lower()
    if not written:
        return True
    if word in _BEFORE_NUMBERS and rest[:1].isdigit():
        return False
    if word in _NEVER_LAST:
        return False
    if word in _MAY_END:
        return not small and not rest[:1].isdigit()
    if len(written) == 1 and written.isupper() and written != "I":
        return not (small or (rest[:1].isupper() and _named(before[: -len(written)])))
    if re.fullmatch(r"(?:\w\.)+\w", written):
        return not small
    if written.isdigit() and len(written) <= 2:
        next_word = re.match(r"\w*", rest)
        return not (small or (next_word is not None and next_word[0].lower() in _MONTHS))
    return True


def _named(before: str) -> bool:
    """What comes before a single letter makes it an initial: nothing, a name, or another initial."""
    last = before.rstrip().rsplit(None, 1)[-1:] or [""]
    return not last[0] or last[0][:1].isupper() or last[0].lower().rstrip(".") in _NEVER_LAST
