"""Validators of texts, patterns, length, forbidden words, similarity and language."""

import re
from collections import Counter
from collections.abc import Sequence

from gate.config.json_schema import TooSlow, occurs
from gate.config.values import LANGUAGES, language_code
from gate.record.transcript import Unscored
from gate.scoring.interface import Subject
from gate.scoring.validators.interface import (
    Finding,
    Options,
    as_text,
    finding,
    listed_texts,
    number_of,
    quote,
    texts_of,
)
from gate.scoring.validators.words import Phrases, folded, has_unspaced_script, normal_form, word_count, word_runs
from gate.scoring.validators.words import sentences as sentences_of


def exact(options: Options, subject: Subject) -> Finding:
    """The answer is the value, letter by letter (`strip` and `ignore_case` relax that); of a list, one of its texts."""
    wanted, got = _stripped(options, subject)
    folded = _fold(got, options)
    same = any(folded == _fold(want, options) for want in wanted)
    return finding(same, f"is exactly {_one_of(wanted)}", f"is not {_one_of(wanted)}")


def contains(options: Options, subject: Subject) -> Finding:
    """The value occurs in the answer, and so do all of `all`, at least one of `any` and none of `none`."""
    text = _fold(subject.text, options)

    def split(key: str) -> tuple[list[str], list[str]]:
        wanted = texts_of(options, key)
        found = {want for want in wanted if _fold(want, options) in text}
        return [want for want in wanted if want in found], [want for want in wanted if want not in found]

    there, missing = split("value")
    for_all, missing_of_all = split("all")
    of_any, missing_of_any = split("any")
    unwanted, avoided = split("none")
    if missing or missing_of_all:
        return 0.0, f"does not contain {listed_texts(missing + missing_of_all)}"
    if missing_of_any and not of_any:
        return 0.0, f"contains none of {listed_texts(missing_of_any)}"
    if unwanted:
        return 0.0, f"contains {listed_texts(unwanted)}, which it must not"
    held = there + for_all + of_any
    return (
        1.0,
        f"contains {listed_texts(held)}" if held else f"contains none of {listed_texts(avoided)}, as it should be",
    )


def regex(options: Options, subject: Subject) -> Finding:
    """The pattern matches somewhere in the answer."""
    pattern = as_text(options["pattern"])
    try:
        found = occurs(pattern, subject.text, ignore_case=bool(options.get("ignore_case", False)))
    except TooSlow as slow:
        return Unscored(str(slow)), f"/{pattern}/"
    return finding(found, f"matches /{pattern}/", f"does not match /{pattern}/")


def starts_with(options: Options, subject: Subject) -> Finding:
    """The answer begins with the value, or with one of a list, without surrounding blanks unless `strip` is false."""
    wanted, got = _stripped(options, subject)
    found = any(_fold(got[: 4 * len(want)], options).startswith(_fold(want, options)) for want in wanted)
    return finding(found, f"starts with {_one_of(wanted)}", f"does not start with {_one_of(wanted)}")


def ends_with(options: Options, subject: Subject) -> Finding:
    """The answer ends with the value, or with one of a list, without surrounding blanks unless `strip` is false."""
    wanted, got = _stripped(options, subject)
    found = any(_fold(got[-4 * len(want) :], options).endswith(_fold(want, options)) for want in wanted)
    return finding(found, f"ends with {_one_of(wanted)}", f"does not end with {_one_of(wanted)}")


def _stripped(options: Options, subject: Subject) -> tuple[list[str], str]:
    """The expected texts, and the answer; a list stands for each of its texts, and for itself in JSON."""
    value, got = options["value"], subject.text
    wanted = [*map(as_text, value), as_text(value)] if isinstance(value, list) else [as_text(value)]
    if not options.get("strip", True):
        return wanted, got
    return [want.strip() for want in wanted], got.strip()


def _one_of(wanted: list[str]) -> str:
    # The last is the whole list.
    return quote(wanted[0]) if len(wanted) == 1 else f"one of {listed_texts(wanted[:-1])}"


def _fold(value: str, options: Options) -> str:
    """The text in the form for comparison: Unicode's NFC, where equal letters have equal characters; `ignore_case`."""
    text = normal_form(value, whole=True)
    return text.casefold() if options.get("ignore_case", False) else text


def count_words(options: Options, subject: Subject) -> Finding:
    """From `min` to `max` words."""
    return _within(word_count(subject.text), options, "word")


def count_sentences(options: Options, subject: Subject) -> Finding:
    """From `min` to `max` sentences."""
    return _within(len(sentences_of(subject.text)), options, "sentence")


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
    return (0.0, f"holds {listed_texts(found)}") if found else (1.0, f"holds none of {listed_texts(words)}")


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

    Beyond the first 20,000 characters, what is longer counts as different: a lower bound.
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
_ENOUGH = 24
"""Bytes of letters in a short sentence."""
_NO_WORDS = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|(?<![\w.+-])[\w.+-]{1,64}@\S+|<[^<>\n]{0,200}>", re.DOTALL
)


def language(options: Options, subject: Subject) -> Finding:
    """The answer is in the language; a text too short to tell passes as long as the language is plausible.

    Code, addresses and tags are left out. Source of the detector: Lui and Baldwin, langid.py (ACL 2012), as py3langid.
    """
    if not subject.text.strip():
        return 0.0, "is empty, and in no language"
    wanted = language_code(as_text(options["is"])) or ""
    text = _NO_WORDS.sub(" ", normal_form(subject.text[:_READ]))
    letters = "".join(filter(str.isalpha, text)).encode(errors="replace")
    if len(letters) < _BYTES:
        return 1.0, f"has too few letters to tell its language, {wanted} is possible"
    likely = _likelihoods(text)
    top = max(likely, key=lambda code: likely[code])
    plausible = likely[top] - likely.get(wanted, float("-inf")) <= _PLAUSIBLE
    seems = f"seems to be {top}" if top != wanted else f"is {wanted}"
    return finding(plausible, seems if top == wanted else f"{seems}, {wanted} is possible", f"{seems}, not {wanted}")


def likeliest_language(text: str, unless: str) -> str:
    """The language of a text; `unless` where that is nearly as likely, or where the text is too short to tell.

    Args:
        unless: a language that is expected beforehand.
    """
    cleaned = _NO_WORDS.sub(" ", normal_form(text[:_READ]))
    if len("".join(filter(str.isalpha, cleaned)).encode(errors="replace")) < _ENOUGH:
        return unless
    likely = _likelihoods(cleaned)
    top = max(likely, key=lambda code: likely[code])
    return top if likely[top] - likely.get(unless, float("-inf")) > _PLAUSIBLE else unless


def _likelihoods(text: str) -> dict[str, float]:
    """The log-likelihood of each language."""
    import py3langid  # its model takes half a second and 100 MiB: only for those who ask for a language

    ranking: list[tuple[str, float]] = py3langid.rank(text)
    return {code: score for code, score in ranking if code in LANGUAGES}
