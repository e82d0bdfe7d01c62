"""How many: numbers as digits or words, and the phrases that make bounds of them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

MOST = 1_000_000
"""The greatest number that a rule may name."""

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen \
eighteen nineteen".split()
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS: Mapping[str, int] = {
    **{word: number for number, word in enumerate(_UNITS)},
    **{word: 20 + 10 * number for number, word in enumerate(_TENS)},
    **{
        f"{ten}-{unit}": 20 + 10 * tens + units
        for tens, ten in enumerate(_TENS)
        for units, unit in enumerate(_UNITS[:10])
        if units
    },
    "a": 1,
    "an": 1,
    "one hundred": 100,
    "a hundred": 100,
    **{f"{_UNITS[hundreds]} hundred": 100 * hundreds for hundreds in range(2, 10)},
    "a dozen": 12,
}
_NUMBER = r"(?:\d{1,3}(?:,\d{3}){1,2}|\d{1,7}|" + "|".join(sorted(_WORDS, key=len, reverse=True)) + ")"


@dataclass(frozen=True, slots=True)
class Quantity:
    """So many of something.

    Args:
        low, high: bounds, both included; None where there is none.
        of: what is counted, the rest of the phrase.
        bare: the phrase only names a number, so that it depends on the verb whether more would do.
    """

    low: int | None
    high: int | None
    of: str
    bare: bool = False

    def told(self, noun: str) -> str:
        """The bounds in words, such as `at most 3 lines`.

        Args:
            noun: what is counted, one of it.
        """
        noun += "" if 1 == (self.low if self.high is None else self.high) else "s"
        if self.low == self.high:
            return f"exactly {self.low:,} {noun}"
        if self.low is None:
            return f"at most {self.high:,} {noun}"
        return f"at least {self.low:,} {noun}" if self.high is None else f"from {self.low:,} to {self.high:,} {noun}"

    def opposite(self) -> "Quantity | None":
        """What is left where this must not be; None where that is not one range."""
        if self.low is None and self.high is not None:
            return Quantity(self.high + 1, None, self.of)
        if self.high is None and self.low:
            return Quantity(None, self.low - 1, self.of)
        return None


AT_MOST = (
    "(?:at (?:the )?most|(?:no|not) (?:more|longer|greater|larger) than|(?:no|not) over|not exceeding|up to|"
    "a (?:maximum(?: length)?|limit|max) of|max(?:imum|\\.)?(?: of)?)"
)
AT_LEAST = (
    "(?:at (?:the )?least|(?:no|not) (?:fewer|less|shorter) than|(?:no|not) under|a minimum(?: length)? of|"
    "min(?:imum|\\.)?(?: of)?)"
)
BARE = re.compile(rf"(?!an? ){_NUMBER} ", re.IGNORECASE)
"""A number that nothing says a bound of."""
_N, _M, _OF = rf"(?P<n>{_NUMBER})", rf"(?P<m>{_NUMBER})", r"(?P<of>\S.*)"

FEWER, MORE = "(?:(?:fewer|less|shorter) than|under|below)", "(?:(?:more|longer|greater) than|over|above)"
_SAME = r"(?P<unit>[a-z]+) (?:and|but) "
_OF_SAME = r"(?P<of>(?P=unit)(?: .*)?)"
_PHRASES: tuple[tuple[str, Callable[[int, int], tuple[int | None, int | None]], bool], ...] = (
    (rf"{AT_LEAST} {_N} (?:and|but) {AT_MOST} {_M} {_OF}", lambda n, m: (n, m), False),
    (rf"{AT_LEAST} {_N} {_SAME}{AT_MOST} {_M} {_OF_SAME}", lambda n, m: (n, m), False),
    (rf"{AT_MOST} {_N} (?:and|but) {AT_LEAST} {_M} {_OF}", lambda n, m: (m, n), False),
    (rf"{MORE} {_N} (?:and|but) {FEWER} {_M} {_OF}", lambda n, m: (n + 1, m - 1), False),
    (rf"{_N} or {_M} {_OF}", lambda n, m: (n, m) if m == n + 1 else (1, 0), False),
    (rf"(?:between|from|between a minimum of) {_N} (?:and|to) {_M} {_OF}", lambda n, m: (n, m), False),
    (rf"{_N}(?: to |(?<=\d)-(?=\d)| - ){_M} {_OF},? (?:at most|max\.?|maximum)", lambda n, m: (n, m), False),
    (rf"{_N}(?: to |(?<=\d)-(?=\d)| - ){_M} {_OF}", lambda n, m: (n, m), False),
    (rf"{AT_MOST} {_N} {_OF} or (?:fewer|less)", lambda n, _: (None, n), False),
    (rf"{AT_MOST} {_N} {_OF}", lambda n, _: (None, n), False),
    (rf"{FEWER} {_N} {_OF}", lambda n, _: (None, n - 1), False),
    (rf"{AT_LEAST} {_N} {_OF}", lambda n, _: (n, None), False),
    (rf"{MORE} {_N} {_OF}", lambda n, _: (n + 1, None), False),
    (rf"(?:exactly|precisely|only|just) {_N} {_OF}", lambda n, _: (n, n), False),
    (rf"(?:(?:exactly|only|just) )?(?P<n>a|one) single {_OF}", lambda n, _: (n, n), False),
    (rf"{_N} or (?:fewer|less) {_OF}", lambda n, _: (None, n), False),
    (rf"{_N} or more {_OF}", lambda n, _: (n, None), False),
    (rf"{_N} {_OF} or (?:fewer|less|shorter|under)", lambda n, _: (None, n), False),
    (rf"{_N} {_OF} (?:at most|at maximum|maximum|max)", lambda n, _: (None, n), False),
    (rf"{_N} {_OF} (?:at least|at minimum|minimum)", lambda n, _: (n, None), False),
    (rf"multiple {_OF}", lambda n, _: (n, None), False),
    (rf"{_N} {_OF} or (?:more|longer)", lambda n, _: (n, None), False),
    (rf"{_N} {_OF}", lambda n, _: (n, n), True),
)
_INCLUSIVE = re.compile(r",? \(?inclusive\)?$", re.IGNORECASE)
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), bounds, bare) for pattern, bounds, bare in _PHRASES)


def number(text: str) -> int | None:
    """A number in digits or English words; None where it is none, or above `MOST`."""
    word = text.strip().lower()
    found = int(word.replace(",", "")) if word.replace(",", "").isdecimal() and word.isascii() else _WORDS.get(word)
    return found if found is not None and found <= MOST else None


def quantity(text: str) -> Quantity | None:
    """Read `at most 80 words` and its like.

    Args:
        text: a phrase, and nothing around it.

    Returns:
        None where no number leads the phrase, or where no count lies within its bounds.
    """
    for pattern, bounds, bare in _COMPILED:
        found = pattern.fullmatch(text)
        if found is None:
            continue
        named = found.groupdict()
        first = number(named.get("n", "two"))
        second = number(named["m"]) if "m" in named else first
        if first is None or second is None:
            return None
        low, high = bounds(first, second)
        if (high is not None and high < (low or 0)) or (low == 0 and high is None):
            return None
        return Quantity(low, high, _INCLUSIVE.sub("", found["of"].strip()), bare)
    return None
