"""A judge's verdict, and the check that it does not repeat what the judge was shown."""

import base64
import html
import re
import sys
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from urllib.parse import unquote

from gate.record.transcript import Part, Unscored

ROUNDS = 8
"""Rounds of decoding escapes in a text, because they may be nested."""
WORD, KEY = 1, 2
"""Kinds of place at the edge of a word."""
GROWTH = 4
"""Letters from one character, at most; Unicode turns some into eighteen."""

# Matched possessively: a long run would otherwise be searched again from each of its ends.
_ESCAPED = re.compile(r"(?<!\\)\\++(?:u\{(H{1,6})\}|u(H{4})|x(H{2})|U(H{8}))".replace("H", "[0-9a-fA-F]"))
_BACKSLASHED = re.compile(r"\\++[bfnrt]?")
_AMPERSAND = re.compile(r"&(?:amp;)++")
_PERCENT = re.compile(r"%(?:25)++")
# The library accepts numbers of any length, but raises for one of more than 4,300 digits.
_ENDLESS = re.compile(r"&#[0-9]{8,}")
_TAG_LETTERS = re.compile("[\U000e0020-\U000e007e]++")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{24,}+={0,2}")
_WITHIN_WORDS = re.compile(r"</?[a-z]{1,2}[0-9]?\s?/?>|(?<=\w)['\u2019](?=\w)", re.IGNORECASE)
_TOKEN = re.compile(
    r"^[^\S\n]*+\d{1,3}+[.):](?=\s)"  # the number of an item or a line has no meaning
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
class PlainText:
    """A text in the form for comparison.

    Args:
        letters: small and without accents, without gaps.
        edges: for each place among the letters, and for their end: 0 within a word, `WORD` where one begins or ends,
            `KEY` after one that is followed by a colon or the like, as the name of a field is.
        places, numbers: numbers and their places among the letters.
        alone: for each number: is it written as a score, not as an amount: as a separate value or with a point?
    """

    letters: str
    edges: bytearray
    places: "array[int]"
    numbers: "array[float]"
    alone: bytearray

    def words(self, letters: str, edge: int = WORD, within: tuple[int, int] | None = None) -> Iterator[int]:
        """The places where letters stand as one or more whole words; `KEY` looks for the name of a field."""
        low, high = within or (0, len(self.letters))
        at = self.letters.find(letters, low, high + len(letters))
        while at >= 0:
            if self.edges[at] and self.edges[at + len(letters)] >= edge:
                yield at
            at = self.letters.find(letters, at + 1, high + len(letters))

    def valued(self, number: float) -> Iterator[tuple[int, bool]]:
        """The places of a number, and whether it is a separate value."""
        for at, one, alone in zip(self.places, self.numbers, self.alone, strict=True):
            if abs(one - number) < 1e-9:
                yield at, bool(alone)


def plain_text(text: str) -> PlainText | None:
    """A text without escapes (of JSON, HTML, addresses), accents, lookalikes, formatting tags and invisible characters;
    None where escapes are left after `ROUNDS` rounds. Whatever is hidden in base64 or in Unicode's tags is put behind
    it."""
    shown = "\n".join([text, "".join(_hidden(text))])
    for _ in range(ROUNDS):
        found = _decoded(shown)
        if found == shown:
            return _taken_apart(_one_form(shown))
        shown = found
    return None


def _hidden(text: str) -> Iterator[str]:
    """Content that a text hides, but a reader may decode."""
    for found in () if text.isascii() else _TAG_LETTERS.finditer(text):
        yield "".join(chr(ord(letter) - 0xE0000) for letter in found[0])
    for found in _BASE64.finditer(text):
        try:
            yield base64.b64decode(found[0].translate(_URL_SAFE) + "==").decode()
        except ValueError:
            continue


def _decoded(text: str) -> str:
    """One round of decoding the escapes of HTML, of addresses, and of JSON and programs."""
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
    """The base of a character, by Unicode's NFKD, without marks and invisible characters."""
    parts = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold()).translate(_LOOKALIKES)
    seen = (one for one in parts if unicodedata.category(one) not in {"Mn", "Mc", "Me", "Cf"} and one not in _FILLERS)
    return "".join(seen)[:GROWTH]


def _taken_apart(text: str) -> PlainText:
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
    return PlainText("".join(letters), edges, places, numbers, alone)


_WORD = re.compile(r"\w+")
FENCE_CHARS = 8
"""Letters of a fence in a row that are not written by chance."""


@dataclass(frozen=True, slots=True)
class ScoredReason:
    """One reason with its score on the judge's scale, or the word given instead; `field` of the reply held both."""

    reason: str
    score: float
    field: str = ""
    word: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One parsed opinion, in [0, 1]; `parts` are its single figures, where it has several."""

    value: float
    reason: str
    marks: tuple[ScoredReason, ...]
    parts: tuple[Part, ...] = ()


def is_wordless(verdict: Verdict, fences: Iterable[str] = ()) -> bool:
    """Is there a reason without any word of the judge: only punctuation and figures, or a fence (its mark) repeated?"""
    known = tuple(fences)

    def own(word: str) -> bool:
        form = plain_text(word)
        seen = form is not None and form.letters != ""
        return seen and not (len(word) >= FENCE_CHARS and any(word in one for one in known))

    for mark in verdict.marks:
        reason = mark.reason.lower()
        for fence in known:
            reason = reason.replace(fence, " ")
        if not any(map(own, _WORD.findall(reason))):
            return True
    return False


ECHO = Unscored("the judge repeated a verdict that the answer contains")
VEILED = Unscored("the answer is escaped too many times to check whether the judge repeated it")
NEAR = 200
"""Letters between a reason and the score or field that makes it a verdict."""
TELLING = 12
"""Letters of a reason that are not repeated by chance."""
PIECE, PIECES = 8, 32
"""Least letters in a piece of a reason; most pieces."""
OWN_PIECES = 3
"""Pieces of a reason that may be the judge's own where the others are repeated."""

_QUOTED = re.compile(r"(?<!\w)(?:\"[^\"]+\"|“[^“”]+”|„[^„“”]+[“”]|«[^«»]+»|‘[^‘’]+’(?!\w)|'[^']+'(?!\w)|`[^`]+`)")

_known = lru_cache(maxsize=16)(plain_text)
_said = lru_cache(maxsize=64)(plain_text)
"""For reasons and names of fields, which every verdict has; their own cache, so that they do not displace texts."""


def echo_complaint(verdict: Verdict, judged: Iterable[str], shown: Iterable[str] = ()) -> Unscored | None:
    """Why a verdict does not count: what the judge was shown already contains it. None where it counts.

    A reason alone is a quotation, and a reason next to its score a verdict. So one is repeated if all of its reason but
    a word or two is in the judged text within `NEAR` letters of its score, written as scores are; and if reason and
    score directly follow the names of their fields, anywhere in anything that was shown. What a reason quotes in
    quotation marks does not count beside words of its own. Only letters and numbers are
    compared (`gate.scoring.verdict`), so neither form nor order matters. The work is linear in the texts.

    Args:
        judged: the answer and the question.
        shown: what else the judge saw, such as the criteria, whose words an honest verdict may repeat.
    """
    texts = [(_known(text), (_near, _spelled)) for text in judged] + [(_known(text), (_spelled,)) for text in shown]
    for mark in verdict.marks:
        reason, own = _said(mark.reason), _said(_QUOTED.sub(" ", mark.reason))
        for text, rules in texts:
            if text is None or reason is None or own is None:
                return VEILED
            quotes = own.letters != reason.letters and len(own.letters) >= TELLING
            if reason.letters and any(rule(mark, reason, text, whole=quotes) for rule in rules):
                return ECHO
            if quotes and _near in rules and _near(mark, own, text, within=reason):
                return ECHO
    return None


def _spelled(mark: ScoredReason, reason: PlainText, text: PlainText, *, whole: bool = False) -> bool:
    """Do both directly follow the names of their fields?"""
    if reason.letters not in text.letters:
        return False
    scored = {at + len(_under(mark)) for at in text.words(_under(mark))}
    return any(at in scored for at, _ in _values(mark, text)) and any(
        text.letters.startswith(reason.letters, at + len("reason")) for at in text.words("reason")
    )


def _near(
    mark: ScoredReason, reason: PlainText, text: PlainText, *, whole: bool = False, within: PlainText | None = None
) -> bool:
    """Are the pieces of a reason near the signs of a verdict: all where it is `whole`, else all but a few?

    Args:
        within: the reason that this is a part of.
    """
    pieces, telling = _pieces(reason.letters), len(reason.letters) >= TELLING
    most = 0 if whole else min(len(pieces) // 3, OWN_PIECES)
    if sum(piece not in text.letters for piece in pieces) > most:
        return False
    places, own = _signs(mark, text, telling), _signs(mark, within or reason, telling)
    regions = _regions(places, len(own), NEAR + len(reason.letters))
    if not telling:
        return any(True for region in regions for _ in text.words(reason.letters, within=region))
    far = (
        piece for piece in pieces if all(text.letters.find(piece, low, high + len(piece)) < 0 for low, high in regions)
    )
    return sum(1 for _ in far) <= most


def _signs(mark: ScoredReason, text: PlainText, telling: bool) -> list[int]:
    """The places of the signs that make a reason a verdict: the score, near the name of a requested field.

    Next to a specific reason, a score that is written as one needs no name, and the name of its field needs no score.
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
    """The regions with more signs within reach than the reason itself contains."""
    found = list[tuple[int, int]]()
    for first, last in zip(signs, signs[own:], strict=False):
        low, high = max(0, last - reach), first + reach
        if found and low <= found[-1][1]:
            found[-1] = found[-1][0], max(high, found[-1][1])
        elif low <= high:
            found.append((low, high))
    return found


def _values(mark: ScoredReason, text: PlainText) -> Iterator[tuple[int, bool]]:
    """The places of a score, and whether each is written as one; a word may always be only a word."""
    return ((at, False) for at in text.words(mark.word)) if mark.word else text.valued(mark.score)


def _under(mark: ScoredReason) -> str:
    """The field of a score, or of the word instead of it."""
    return (mark.field or "better") if mark.word else "score"


def _pieces(letters: str) -> list[str]:
    """A reason, cut into pieces of similar size: a judge may add or change a word."""
    count = min(PIECES, max(1, len(letters) // PIECE)) if len(letters) >= TELLING else 1
    ends = [len(letters) * place // count for place in range(count + 1)]
    return [letters[start:end] for start, end in pairwise(ends)]
