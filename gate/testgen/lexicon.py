"""Words that say how many, what is quoted and what is forbidden: the one list for all that reads rules."""

import re
from collections.abc import Mapping

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NUMBER_WORDS: Mapping[str, int] = {
    **{word: number for number, word in enumerate(_UNITS)},
    **{word: 20 + 10 * place for place, word in enumerate(_TENS)},
    **{
        f"{ten}-{unit}": 20 + 10 * place + number
        for place, ten in enumerate(_TENS)
        for number, unit in enumerate(_UNITS[:10])
        if number
    },
    "single": 1,
    "dozen": 12,
    "hundred": 100,
    "thousand": 1000,
}
NUMBER = rf"(?:\d{{1,3}}(?:,\d{{3}}){{1,2}}|\d{{1,7}}|{'|'.join(sorted(_NUMBER_WORDS, key=len, reverse=True))})"
"""A pattern for one whole number, in digits or in words."""
_NUMBERS = re.compile(r"\d+(?:[.,]\d+)*|[a-z]+(?:-[a-z]+)?", re.IGNORECASE)
_QUOTED = re.compile(r"\"([^\"]{1,200})\"|“([^”]{1,200})”|`([^`]{1,200})`|(?<!\w)['‘]([^'’]{1,200})['’](?!\w)")
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nothing|nor|neither|without|avoid|cannot|forbid|forbidden|omit)\b|n['’]t\b", re.IGNORECASE
)
_CONDITION = re.compile(
    r"\b(?:if|when|whenever|unless|except|in case|about|around|roughly|approximately|ideally|preferably)\b",
    re.IGNORECASE,
)
BOUNDS: Mapping[str, re.Pattern[str]] = {
    "most": re.compile(
        r"\b(?:at most|up to|maximum|max|(?:no|not) (?:more|longer|later|greater|higher) than"
        r"|(?:not|never|n't) (?:to )?(?:exceed\w*|be (?:over|above|longer than|more than))|not (?:over|above))\b"
    ),
    "least": re.compile(
        r"\b(?:at least|minimum|(?:no|not) (?:less|fewer|shorter|earlier|lower) than|not (?:under|below))\b"
    ),
    "below": re.compile(r"\b(?:below|under|less than|fewer than|shorter than|lower than)\b"),
    "above": re.compile(r"\b(?:above|over|more than|longer than|exceed\w*|greater than|higher than)\b"),
    "exactly": re.compile(r"\b(?:exactly|precisely)\b"),
}
"""Phrases of each kind of bound; searched in this order, each in what the others left."""


def read_number(text: str) -> int | None:
    """A whole number in digits or in English words; None for anything else."""
    word = text.strip().lower().replace(",", "")
    return int(word) if word.isascii() and word.isdecimal() else _NUMBER_WORDS.get(word)


def numbers_in(text: str) -> tuple[str, ...]:
    """The numbers of a text in its order, in digits, whichever way they are written."""
    numbers = []
    for match in _NUMBERS.finditer(text):
        word = match[0].lower()
        if word[0].isdigit():
            numbers.append(word.replace(",", ""))
        elif word in _NUMBER_WORDS:
            numbers.append(str(_NUMBER_WORDS[word]))
    return tuple(numbers)


def quotes_in(text: str) -> tuple[str, ...]:
    """What stands in quotation marks or backticks, in its order."""
    return tuple(next(filter(None, match.groups())) for match in _QUOTED.finditer(text))


def has_condition(text: str) -> bool:
    """Does a text hold under a condition, with an exception, or only nearly? What it quotes does not count."""
    return _CONDITION.search(_QUOTED.sub(" ", text)) is not None


def bounds_in(text: str) -> tuple[tuple[str, ...], str]:
    """The kinds of bounds of a text in lower case, such as `most`, sorted; and the text without them."""
    rest, kinds = text.casefold(), list[str]()
    for kind, pattern in BOUNDS.items():
        rest, count = pattern.subn(" ", rest)
        kinds += [kind] * count
    return tuple(sorted(kinds)), rest


def negations_in(text: str) -> int:
    """How often a text forbids or denies; `no more than` does not."""
    return len(_NEGATION.findall(bounds_in(text)[1]))
