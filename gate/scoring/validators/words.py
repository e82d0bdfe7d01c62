"""Takes texts apart into words, in any script."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from gate.scoring.validators.port import LOOKED_AT

if TYPE_CHECKING:
    import regex

_ALONE = (
    "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003347f"  # Han
    "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d"  # Hiragana, Katakana
)
_SCRIPTS_WITHOUT_BLANKS = re.compile(f"[{_ALONE}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_BLANKS = re.compile(r"\s{3,}")
_RUN = re.compile(rf"[{_ALONE}]|[^\s\u2013\u2014\u2026/{_ALONE}]+")


def opening(text: str) -> str:
    """The beginning of a text that is looked at; long runs of blanks are shortened first, for they could fill it.

    Args:
        text: hostile.
    """
    return text if len(text) <= LOOKED_AT else _BLANKS.sub(_shortened, text)[:LOOKED_AT]


def _shortened(blanks: re.Match[str]) -> str:
    return "\n\n" if blanks[0].count("\n") > 1 else "\n" if "\n" in blanks[0] else " "


def word_count(text: str) -> int:
    """How many words the beginning of a text has.

    A word is what stands between blanks, dashes (not hyphens) and slashes and holds a letter or a digit: `well-known`,
    `don't` and `3.5` are one word each, a lone `-` is none. Chinese characters and kana, which are written without
    blanks, count one each. Thai, Lao, Khmer and Burmese are written without them, too: a run counts as one word.
    """
    return sum(1 for run in _RUN.findall(opening(text)) if run.isalnum() or any(map(str.isalnum, run)))


def folded(text: str) -> str:
    """The text as words are compared: one form for each character, small letters, nothing invisible.

    Source: Unicode's NFKC and case folding; format characters (soft hyphens, joiners) and
    what else a screen ignores (its Default_Ignorable_Code_Point) are left out.
    """
    text = composed(text, "NFKC").casefold()[: 2 * LOOKED_AT]
    return text if text.isascii() else _compiled(r"[\p{Cf}\p{Default_Ignorable_Code_Point}]+").sub("", text)


def composed(text: str, form: str = "NFC", *, whole: bool = False) -> str:
    """A Unicode normal form of the beginning of a text; of a pile of accents on one letter the first are kept.

    The library sorts such a pile in a time that grows with the square of its height.

    Args:
        text: hostile.
        form: `NFC` or `NFKC`.
        whole: all of the text.
    """
    text = text if whole else opening(text)
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC" if form == "NFKC" else "NFC", _compiled(r"(\p{M}{8})\p{M}+").sub(r"\1", text))


def pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """The runs of letters, digits and their marks in a folded text, each with its place."""
    for match in _compiled(r"[\p{L}\p{N}\p{M}]+").finditer(text):
        yield match[0], match.start(), match.end()


def unspaced(text: str) -> bool:
    """It holds characters of a script that is written without blanks, where no word has borders."""
    return _SCRIPTS_WITHOUT_BLANKS.search(text) is not None


@lru_cache(maxsize=8)
def _compiled(pattern: str) -> "regex.Pattern[str]":
    import regex  # only for those who use one

    return regex.compile(pattern)
