"""The one form in which a judge's words are looked for: letters alone, and where words and numbers stood among them."""

import base64
import html
import re
import sys
import unicodedata
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

ROUNDS = 8
"""Times that escapes are taken out of a text, for they may stand within each other."""
WORD, KEY = 1, 2
"""What may be at the edge of a word."""
GROWTH = 4
"""Letters that one character becomes, at most; Unicode makes eighteen of some."""

# Runs are taken whole, or a long one would be gone through once for each of its ends.
_ESCAPED = re.compile(r"(?<!\\)\\++(?:u\{(H{1,6})\}|u(H{4})|x(H{2})|U(H{8}))".replace("H", "[0-9a-fA-F]"))
_BACKSLASHED = re.compile(r"\\++[bfnrt]?")
_AMPERSAND = re.compile(r"&(?:amp;)++")
_PERCENT = re.compile(r"%(?:25)++")
# The library reads a number of any length, and raises for one of more than 4,300 digits.
_ENDLESS = re.compile(r"&#[0-9]{8,}")
_TAG_LETTERS = re.compile("[\U000e0020-\U000e007e]++")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{24,}+={0,2}")
_WITHIN_WORDS = re.compile(r"</?[a-z]{1,2}[0-9]?\s?/?>|(?<=\w)['\u2019](?=\w)", re.IGNORECASE)
_TOKEN = re.compile(
    r"^[^\S\n]*+\d{1,3}+[.):](?=\s)"  # the number of an item or a line says nothing
    r"|(?:(?P<value>(?<!\d):|[=|(\[>\"']),?[^\S\n]{0,3}+)?"
    r"(?P<number>\d{1,30}+(?:\.\d{1,30}+|,\d{1,2}+(?!\d))?(?:e[+-]?\d{1,3}+)?)(?!:\d)"
    r"|(?P<word>[^\W\d_]++)(?P<key>(?=\s{0,3}[\"'\u201d\u2019]?\s{0,3}[:=>]))?",
    re.MULTILINE,
)
# Cyrillic, Greek and other letters that look like Latin ones (Unicode's UTS 39 lists them, among many more). Both sides
# of a comparison are written so.
_LOOKALIKES = str.maketrans(
    "авгекмнорстухіјѕһԁԛԝү" + "αβεηικμνορτυχωγ" + "ıłøđɡɩ",
    "abrekmhopctyxijshdqwy" + "abenikuvoptuxwy" + "ilodgi",
)
_FILLERS = "\u115f\u1160"
_URL_SAFE = str.maketrans("-_", "+/")


@dataclass(frozen=True, slots=True)
class Plain:
    """A text in that form.

    Args:
        letters: small and without accents, one after the other.
        edges: for each place among the letters, and for their end: 0 within a word, `WORD` where one begins or ends,
            `KEY` behind one that has a colon or the like behind it, as the name of a field has.
        places, numbers: where among the letters a number stood, and which.
        alone: for each number: is it written as a score is and an amount is not, as a value of its own or with a point?
    """

    letters: str
    edges: bytearray
    places: "array[int]"
    numbers: "array[float]"
    alone: bytearray

    def words(self, letters: str, edge: int = WORD, within: tuple[int, int] | None = None) -> Iterator[int]:
        """Where some letters stand as a word, or as several.

        Args:
            letters: a few.
            edge: `KEY` for the name of a field.
            within: the first and the last place that is looked at.
        """
        low, high = within or (0, len(self.letters))
        at = self.letters.find(letters, low, high + len(letters))
        while at >= 0:
            if self.edges[at] and self.edges[at + len(letters)] >= edge:
                yield at
            at = self.letters.find(letters, at + 1, high + len(letters))

    def valued(self, number: float) -> Iterator[tuple[int, bool]]:
        """Where a number stood, and whether alone."""
        for at, one, alone in zip(self.places, self.numbers, self.alone, strict=True):
            if abs(one - number) < 1e-9:
                yield at, bool(alone)


def plain(text: str) -> Plain | None:
    """A text without escapes (of JSON, HTML, addresses), accents, lookalikes, tags of formatting and what is unseen.

    Whatever is hidden in base64 or in Unicode's tags is put behind it. The work is linear in the text.

    Args:
        text: hostile.

    Returns:
        None where escapes are left after `ROUNDS` rounds.
    """
    shown = "\n".join([text, "".join(_hidden(text))])
    for _ in range(ROUNDS):
        found = _decoded(shown)
        if found == shown:
            return _taken_apart(_one_form(shown))
        shown = found
    return None


def _hidden(text: str) -> Iterator[str]:
    """What a reader may take out of a text that does not show it."""
    for found in () if text.isascii() else _TAG_LETTERS.finditer(text):
        yield "".join(chr(ord(letter) - 0xE0000) for letter in found[0])
    for found in _BASE64.finditer(text):
        try:
            yield base64.b64decode(found[0].translate(_URL_SAFE) + "==").decode()
        except ValueError:
            continue


def _decoded(text: str) -> str:
    """One round: escapes of HTML, of addresses, and of JSON and programs."""
    if "&" in text:
        text = html.unescape(_ENDLESS.sub("", _AMPERSAND.sub("&", text)))
    if "%" in text:
        text = unquote(_PERCENT.sub("%", text))
    if "\\" not in text:
        return text
    text = _BACKSLASHED.sub(lambda found: "\n" if found[0][-1] == "n" else " ", _ESCAPED.sub(_letter, text))
    # Two escapes may be the halves of one letter.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _letter(found: re.Match[str]) -> str:
    code = int(next(filter(None, found.groups())), 16)
    return chr(code) if code <= sys.maxunicode else ""


def _one_form(text: str) -> str:
    text = _WITHIN_WORDS.sub("", text).casefold()
    return text if text.isascii() else text.translate({ord(one): _skeleton(one) for one in {*text}})


def _skeleton(character: str) -> str:
    """What is left of a character, by Unicode's NFKD, without marks and what nobody sees."""
    parts = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold()).translate(_LOOKALIKES)
    seen = (one for one in parts if unicodedata.category(one) not in {"Mn", "Mc", "Me", "Cf"} and one not in _FILLERS)
    return "".join(seen)[:GROWTH]


def _taken_apart(text: str) -> Plain:
    letters, edges, edge = list[str](), bytearray(), WORD
    places, numbers, alone = array("q"), array("d"), bytearray()
    for found in _TOKEN.finditer(text):
        what = found.lastgroup
        if what == "number":
            number = found["number"]
            places.append(len(edges))
            numbers.append(float(number.replace(",", ".")))
            alone.append(found["value"] is not None or "." in number)
        elif what is not None:
            word = found["word"]
            letters.append(word)
            edges.append(edge)
            edges += bytes(len(word) - 1)
            edge = KEY if what == "key" else WORD
    edges.append(edge)
    return Plain("".join(letters), edges, places, numbers, alone)
