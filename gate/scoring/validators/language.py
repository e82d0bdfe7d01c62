"""Validators of language: length in words and sentences, forbidden words, similarity, and which language it is."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gate.config.values import LANGUAGES, language_code
from gate.scoring.interface import (
    LOOKED_AT,
    Finding,
    OptionCheck,
    OptionComplaint,
    Options,
    Subject,
    Validator,
    as_text,
    compiled,
    empty_words,
    finding,
    listed_texts,
    normal_form,
    number_of,
    opening_of,
    quote,
    texts_of,
)

_ALONE = (
    "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003347f"  # Han
    "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d"  # Hiragana, Katakana
)
_SCRIPTS_WITHOUT_BLANKS = re.compile(f"[{_ALONE}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_RUN = re.compile(rf"[{_ALONE}]|[^\s\u2013\u2014\u2026/{_ALONE}]+")


def word_count(text: str) -> int:
    """The number of words in the beginning of a text.

    A word is a text between blanks, dashes (not hyphens) and slashes that contains a letter or digit: `well-known`,
    `don't` and `3.5` are one word each, a single `-` is none. Chinese characters and kana, which are written without
    blanks, count one each. Thai, Lao, Khmer and Burmese are also written without blanks: a run counts as one word.
    """
    return sum(1 for run in _RUN.findall(opening_of(text)) if run.isalnum() or any(map(str.isalnum, run)))


def folded(text: str) -> str:
    """The text as words are compared: one form for each character, small letters, nothing invisible.

    Source: Unicode's NFKC and case folding; format characters (soft hyphens, joiners) and
    what else a screen ignores (its Default_Ignorable_Code_Point) are left out.
    """
    text = normal_form(text, "NFKC").casefold()[: 2 * LOOKED_AT]
    return text if text.isascii() else compiled(r"[\p{Cf}\p{Default_Ignorable_Code_Point}]+").sub("", text)


def word_runs(text: str) -> Iterator[tuple[str, int, int]]:
    """The runs of letters, digits and their marks in a folded text, each with its place."""
    for match in compiled(r"[\p{L}\p{N}\p{M}]+").finditer(text):
        yield match[0], match.start(), match.end()


def has_unspaced_script(text: str) -> bool:
    """It holds characters of a script that is written without blanks, where no word has borders."""
    return _SCRIPTS_WITHOUT_BLANKS.search(text) is not None


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
        """Whole words, ignoring case; with inflections also in English forms of each word."""
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


def count_words(options: Options, subject: Subject) -> Finding:
    """From `min` to `max` words."""
    return _within(word_count(subject.text), options, "word")


def count_sentences(options: Options, subject: Subject) -> Finding:
    """From `min` to `max` sentences."""
    return _within(len(sentences(subject.text)), options, "sentence")


def count_characters(options: Options, subject: Subject) -> Finding:
    """From `min` to `max` Unicode code points, without surrounding blanks."""
    return _within(len(subject.text.strip()), options, "character")


def _within(count: int, options: Options, unit: str) -> Finding:
    low, high = number_of(options, "min"), number_of(options, "max")
    has = f"has {count:,} {unit}{'' if count == 1 else 's'}"
    if low is not None and count < low:
        return 0.0, f"{has}, fewer than {low:,.0f}"
    if high is not None and count > high:
        return 0.0, f"{has}, more than {high:,.0f}"
    return 1.0, has


def forbidden_words(options: Options, subject: Subject) -> Finding:
    """None of `words` occurs as a whole word, ignoring case; with `inflections` in no English form either."""
    words = texts_of(options, "words")
    found = Phrases.of(words, inflections=bool(options.get("inflections", False))).within(subject.text)
    return (0.0, f"contains {listed_texts(found)}") if found else (1.0, f"contains none of {listed_texts(words)}")


_COMPARED = 20_000
"""Characters for the edit distance, whose time grows with the product of both lengths."""
_ARTICLES = frozenset({"a", "an", "the"})


def similarity(options: Options, subject: Subject) -> Finding:
    """By shared words (`token_f1`) or by characters to change (`edit`)."""
    want, metric = as_text(options["value"]), options.get("metric", "token_f1")
    score = edit_similarity(want, subject.text) if metric == "edit" else token_f1(want, subject.text)
    return score, f"{metric} {score:.2f} with {quote(want)}"


def token_f1(want: str, got: str) -> float:
    """The harmonic mean of precision and recall over words.

    Source: Rajpurkar et al., SQuAD (EMNLP 2016), section 6.1: capitals, punctuation and English articles count for
    nothing. Unlike theirs, words are Unicode's, and characters of scripts without blanks count one by one.
    """
    first, second = Counter(_tokens(want)), Counter(_tokens(got))
    if not first or not second:
        return 1.0 if first == second else 0.0
    shared = (first & second).total()
    return 2 * shared / (first.total() + second.total())


def edit_similarity(want: str, got: str) -> float:
    """1 minus the edit distance (Levenshtein 1966) by the longer text's length, without surrounding blanks.

    Characters after the first 20,000 count as different, so the result is a lower bound.
    """
    from rapidfuzz.distance import Levenshtein

    one, other = normal_form(want.strip()), normal_form(got.strip())
    longest = max(len(want.strip()), len(got.strip()), len(one), len(other))
    if longest == 0 or want.strip() == got.strip():
        return 1.0
    distance = Levenshtein.distance(one[:_COMPARED], other[:_COMPARED])
    distance += max(0, longest - _COMPARED)
    return max(0.0, 1.0 - distance / longest)


def _tokens(text: str) -> Sequence[str]:
    found = [word for word, _, _ in word_runs(folded(text))]
    found = [part for word in found for part in (word if has_unspaced_script(word) else (word,))]
    return [word for word in found if word not in _ARTICLES] or found


_READ = 20_000
"""Characters that suffice for any language."""
_PLAUSIBLE = 5.0
"""How much likelier another language may be (natural logarithm). Words that two languages share, and one-word
greetings, are below it; a sentence of another language is far above.
"""
_BYTES = 4
"""With fewer bytes of letters (three Latin ones, one Chinese character) plausibility is not checked."""
_NO_WORDS = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|(?<![\w.+-])[\w.+-]{1,64}@\S+|<[^<>\n]{0,200}>", re.DOTALL
)


def language(options: Options, subject: Subject) -> Finding:
    """The answer is in the language; a text too short to detect it passes if the language is plausible.

    Code, addresses and tags are left out. Source of the detector: Lui and Baldwin, langid.py (ACL 2012), as py3langid.
    """
    if not subject.text.strip():
        return 0.0, "is empty, and in no language"
    wanted = language_code(as_text(options["is"])) or ""
    text = _NO_WORDS.sub(" ", normal_form(subject.text[:_READ]))
    letters = "".join(filter(str.isalpha, text)).encode(errors="replace")
    if len(letters) < _BYTES:
        return 1.0, f"has too few letters to detect its language, {wanted} is possible"
    likely = _likelihoods(text)
    top = max(likely, key=lambda code: likely[code])
    plausible = likely[top] - likely.get(wanted, float("-inf")) <= _PLAUSIBLE
    seems = f"seems to be {top}" if top != wanted else f"is {wanted}"
    return finding(plausible, seems if top == wanted else f"{seems}, {wanted} is possible", f"{seems}, not {wanted}")


def _likelihoods(text: str) -> dict[str, float]:
    """The log-likelihood of each language."""
    import py3langid  # its model takes half a second and 100 MiB, so load it only for a language scorer

    ranking: list[tuple[str, float]] = py3langid.rank(text)
    return {code: score for code, score in ranking if code in LANGUAGES}


def _known_language(options: Options) -> Iterator[OptionComplaint]:
    if language_code(as_text(options["is"])) is None:
        yield (
            f"{quote(as_text(options['is']))} is not a language that this scorer can detect",
            "write a code of ISO 639, such as en",
        )


def _reference(options: Options) -> Iterator[OptionComplaint]:
    if not as_text(options["value"]).strip():
        yield "the text that it compares with is empty", "add an expected text to the case"


VALIDATORS: Mapping[str, Validator] = {
    "words": count_words,
    "sentences": count_sentences,
    "characters": count_characters,
    "forbidden_words": forbidden_words,
    "similarity": similarity,
    "language": language,
}
CHECKS: Mapping[str, OptionCheck] = {
    "forbidden_words": empty_words("words"),
    "similarity": _reference,
    "language": _known_language,
}
