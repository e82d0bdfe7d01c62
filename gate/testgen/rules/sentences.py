"""Parses the sentence of a rule: quotations, the subject, numbers, lists of words; and what a demand becomes."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from gate.limits import PATTERN_CHARS
from gate.values import JsonValue

SENTENCE_CHARS = 600
"""Characters of a rule that is looked at."""
LITERAL_MARK = "§"
LITERAL = rf"{LITERAL_MARK}\d{{1,3}}{LITERAL_MARK}"
"""The mark in place of a quotation."""

_STRAIGHT = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-"})
_QUOTED = re.compile(r"\"([^\"]{1,200})\"|`([^`]{1,200})`|(?<!\w)'([^']{1,200})'(?!\w)")
_TAG = re.compile(r"<[a-z][a-z0-9]{0,19}>", re.IGNORECASE)
_UNLIKE = "ſıİ"
"""Letters that a search without case takes for `s` and `i`, and that no table of words holds."""
_STANDS_FOR = re.compile(
    r"\{[^{}]*\w[^{}]*\}|\[[^\W\d_][\w -]*\]|<[^\W\d_][\w -]*>|\.\.\.|…|__|"
    r"\b(?:YYYY|YY|MM|DD|HH|SS|yyyy|hh:mm|X{2,}|N{2,}|YOUR|NAME)\b|(?!N/A)\b[XYN]\b.|.\b[XYN]\b"
)
"""A quotation with `{name}`, `[name]`, `<name>`, dots, `YYYY` or `X` shows a form, and is no text to be found."""
_CAPITALS = re.compile(r"\b(?!(?:AI|OK|PS|FAQ|JSON|HTML|USA|URL)\b)[A-Z]{2,}\b")
_SMALL = re.compile(r"\b[A-Z]?[a-z]{2,}\b")
"""Capitals beside words in small letters, as in `Dear NAME`, may stand for something, too."""
_NEXT = re.compile(r"[.;] (?=[A-Z])")
_TEMPLATE = re.compile(r"\{\{|\{%|\{#")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A rule as it is parsed.

    Args:
        text: one line without its full stop; `§0§` stands for the first quotation. A quoted tag such as `<p>` stays.
    """

    text: str
    literals: tuple[str, ...]


def read_sentence(text: str) -> Sentence | None:
    """A rule (untrusted) with its quotations replaced by marks.

    Returns:
        None for what is too long, for what holds control characters or the fields of a template (a scorer would fill
        them in), and for a quotation that is blank or stands for something else.
    """
    if len(text) > SENTENCE_CHARS:
        return None
    written = " ".join(unicodedata.normalize("NFC", text).split())
    if not written.isprintable() or LITERAL_MARK in written or _TEMPLATE.search(written):
        return None
    literals: list[str] = []

    def taken(found: re.Match[str]) -> str:
        # Quotation marks are made alike to be found; what they hold stays as it is written.
        literal = written[found.start() + 1 : found.end() - 1]
        if _TAG.fullmatch(literal):
            return literal
        literals.append(literal)
        return f"{LITERAL_MARK}{len(literals) - 1}{LITERAL_MARK}"

    without = _QUOTED.sub(taken, written.translate(_STRAIGHT)).strip().removesuffix(".").strip()
    if any(letter in without for letter in _UNLIKE):
        return None
    if any(not literal.strip() or _shows_a_form(literal) for literal in literals):
        return None
    return Sentence(without, tuple(literals))


def split_sentences(read: Sentence) -> tuple[Sentence, ...]:
    """The sentences of a rule, one by one."""
    return tuple(Sentence(part.strip(), read.literals) for part in _NEXT.split(read.text))


def _shows_a_form(literal: str) -> bool:
    return bool(_STANDS_FOR.search(literal) or (_CAPITALS.search(literal) and _SMALL.search(literal)))


ONE, MANY = "(?:output|response|answer|reply|result|completion)", "(?:outputs|responses|answers|replies|completions)"
NOUN = f"(?:{ONE}|{MANY})"
_KIND = r"(?:generated |produced |returned |resulting |assistant's |model's |entire |whole |overall |complete |full )"
PRODUCT = (
    r"(?:summary|message|text|description|explanation|translation|paraphrase|rewrite|rewritten (?:text|version)|"
    r"e-?mail|tweet|caption|blurb|poem|story|essay)"
)
"""Names that some prompts give their whole output; where the output has parts, they may name one of them."""
WHOLE = (
    rf"(?:(?:the |your )?{_KIND}?{ONE}(?: text)?|(?:all |your |all your |all of your )?{_KIND}?{MANY}|all output|"
    rf"(?:each|every) (?:of your )?{_KIND}?(?:output|response)|(?:the )?(?:generated|output|response) text|"
    rf"(?:the |your )?final (?:output|response|reply)|(?:the|your|this) {_KIND}?{PRODUCT}|it|"
    r"everything(?: (?:that )?you (?:write|say|output))?)"
)
"""Names of the output as a whole, and of no part of it."""
MUST = (
    r"(?:(?:must|should|shall|has to|have to|needs? to|ought to|will|is to|are to|(?:is|are) required to)(?: always)?)"
)
NOT = (
    r"(?:(?:must|should|shall|may|can|will) ?(?:not|never)(?: ever)?|never|does not|do not|cannot|is not to|are not to|"
    r"(?:must|should|does|do|ca|wo)n't|(?:is|are) (?:not|never) (?:allowed |permitted )?to)"
)
WORDS = (
    r"(?:the )?(?:exact )?(?:words?|terms?|phrases?|strings?|symbols?|characters?|expressions?) "
    rf"{LITERAL}(?:(?:,|,? (?:and|or)) {LITERAL}){{0,49}}|{LITERAL}"
)
"""Quotations, named as words or not."""
COUNT = (
    r"(?:at most|at least|at the most|at the least|no more than|no fewer than|no less than|not more than|"
    r"no longer than|no shorter than|fewer than|less than|more than|up to|under|below|over|exactly|precisely|between|"
    r"from|max(?:imum|\.)?|min(?:imum|\.)?|a (?:maximum|minimum)|only|a single|one|two|three|four|five)"
)
"""How a phrase begins that says how many."""


_ALONE = re.compile(
    r"(?:,? (?:and|with) nothing else|, nothing (?:else|more)|,? (?:with no|without(?: any)?|and no|no)"
    r"(?: (?:other|extra|additional|further|surrounding|explanatory))?"
    r" (?:text|words?|explanations?|commentary|prose|comments?|output|content|punctuation and no explanation|"
    r"markdown(?: formatting| fences?)?|code (?:fences?|blocks?)))+$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A demand in the words of its sentence, with its verb in a fixed form.

    Args:
        said: begins with `be`, `contain`, `start with`, `end with` or `each`; quotations are `§0§`, `§1§`, ….
    """

    said: str
    literals: tuple[str, ...] = ()
    negated: bool = False

    @property
    def alone(self) -> str:
        """Without words such as `and nothing else`, for forms that allow nothing else anyway."""
        return _ALONE.sub("", self.said)


LISTED_ITEMS = 100
"""Of one list, at most."""

_QUOTED_ITEM = re.compile(
    rf"(?:both |either |neither )?{LITERAL}"
    rf"(?:(?:, (?:and |or |nor )?|,|; ?| ?/ ?| and | or | nor ){LITERAL}){{0,{LISTED_ITEMS - 1}}}",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[^\W_][\w/&+'.-]*(?: [\w/&+'.-]+){0,2}")
_NO_ITEMS = frozenset(
    "a an the another other others any some similar etc none neither either both all each every category categories "
    "label labels of in on at to for from with without by as if unless when where which that who whose than then not "
    "only must should may can be is are and or following above below given input text output user first last more "
    "less respectively accordingly whichever otherwise instead please appropriate depending based possibly perhaps "
    "preferably plus also nothing exactly lowercase uppercase sorted ordered indented quoted nested unique "
    "capitalized".split()
)
"""Words that show that a list describes its items, or is no list."""


def quoted_text(clause: Clause, mark: str) -> str:
    """The quotation that a mark stands for."""
    return clause.literals[int(mark.strip(LITERAL_MARK))]


def quoted_items(clause: Clause, text: str) -> tuple[str, ...]:
    """The quotations of a list that holds nothing else; empty if it does."""
    if not _QUOTED_ITEM.fullmatch(text):
        return ()
    return _different(quoted_text(clause, mark) for mark in re.findall(LITERAL, text))


def listed_items(clause: Clause, text: str, *, sure: bool) -> tuple[str, ...]:
    """The items of a list, quoted or not; none where it is not certain what they are.

    Args:
        sure: the sentence needs the `and` before the last item, so that it belongs to no item.
    """
    found = quoted_items(clause, text)
    if found or LITERAL_MARK in text:
        return found
    parts = [part.strip() for part in text.split(",")]
    parts[-1:] = _ends(parts[-1], alone=len(parts) == 1, sure=sure)
    return _different(parts) if 2 <= len(parts) <= LISTED_ITEMS and all(map(_item, parts)) and _alike(parts) else ()


def _ends(text: str, *, alone: bool, sure: bool) -> list[str]:
    """The last items of a list, separated by a comma, `or`, or a sure `and`."""
    first, _, rest = text.partition(" ")
    if not alone and first in ("or", "and"):
        return [rest]
    if " or " in text or sure:
        return re.split(r" (?:or|and) ", text)
    return [text]


def _alike(items: list[str]) -> bool:
    """All begin with a capital or a digit, or all are single words in small letters; others may be a remark."""
    if any(item[0].islower() for item in items):
        return all(item[0].islower() and " " not in item for item in items)
    return True


def _item(text: str) -> bool:
    if len(text) == 1 and text.isupper():
        return True
    return bool(_PLAIN.fullmatch(text)) and _NO_ITEMS.isdisjoint(text.lower().replace(".", "").split())


def _different(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))


LARGEST_NUMBER = 1_000_000
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
    """A range of counts of something.

    Args:
        low, high: bounds, both included; None where there is none.
        bare: the phrase only names a number, so that it depends on the verb whether more would do.
    """

    low: int | None
    high: int | None
    of: str
    bare: bool = False

    def told(self, noun: str) -> str:
        """The bounds in words, such as `at most 3 lines`; `noun` is in the singular."""
        noun += "" if 1 == (self.low if self.high is None else self.high) else "s"
        if self.low == self.high:
            return f"exactly {self.low:,} {noun}"
        if self.low is None:
            return f"at most {self.high:,} {noun}"
        return f"at least {self.low:,} {noun}" if self.high is None else f"from {self.low:,} to {self.high:,} {noun}"

    def opposite(self) -> "Quantity | None":
        """The range that remains if this one is forbidden; None where that is not one range."""
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
"""A number without a bound."""
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


def read_number(text: str) -> int | None:
    """A number in digits or English words; None for anything else, or above `LARGEST_NUMBER`."""
    word = text.strip().lower()
    found = int(word.replace(",", "")) if word.replace(",", "").isdecimal() and word.isascii() else _WORDS.get(word)
    return found if found is not None and found <= LARGEST_NUMBER else None


def read_quantity(text: str) -> Quantity | None:
    """Read a whole phrase such as `at most 80 words`.

    None where no number leads the phrase, or where no count lies within its bounds.
    """
    for pattern, bounds, bare in _COMPILED:
        found = pattern.fullmatch(text)
        if found is None:
            continue
        named = found.groupdict()
        first = read_number(named.get("n", "two"))
        second = read_number(named["m"]) if "m" in named else first
        if first is None or second is None:
            return None
        low, high = bounds(first, second)
        if (high is not None and high < (low or 0)) or (low == 0 and high is None):
            return None
        return Quantity(low, high, _INCLUSIVE.sub("", found["of"].strip()), bare)
    return None


@dataclass(frozen=True, slots=True)
class Check:
    """One scorer of a rule.

    Args:
        negate: what it finds breaks the rule.
    """

    kind: str
    told: str
    options: Mapping[str, JsonValue] = field(default_factory=dict)
    negate: bool = False


Checks: TypeAlias = tuple[Check, ...]
"""Of one demand; empty where it was not understood."""

Form: TypeAlias = Callable[[Clause], Checks]
"""Understands one kind of demand."""


def pattern_check(pattern: str, told: str, *, ignore_case: bool = False, negate: bool = False) -> Checks:
    """A search for a pattern.

    Args:
        pattern: made of fixed parts and escaped words; no part backtracks, so each takes linear time.
        negate: the pattern must not be found.

    Returns:
        Nothing where the pattern would be longer than a scorer takes.
    """
    if len(pattern) > PATTERN_CHARS:
        return ()
    return (Check("regex", told, {"pattern": pattern, "ignore_case": ignore_case}, negate),)


def capitals_count(item: str) -> bool:
    """Does case count? It does for a text quoted with a capital, and for a single letter."""
    return len(item) == 1 or item.lower() != item


def is_ambiguous(item: str) -> bool:
    """Is a forbidden word one like `May` or `Sorry`: a name, or any word that begins a sentence?"""
    return item.isalpha() and item[0].isupper() and item[1:].islower()


def word_pattern(item: str, *, plural: bool = False) -> str:
    """A pattern for a text as whole words, ignoring case unless `capitals_count`; with `plural` also its plural."""
    text = re.escape(item)
    if plural and item[-1].isalpha():
        text += "(?:e?s)?"
    if not capitals_count(item):
        text = f"(?i:{text})"
    before = r"(?<!\w)" if item[0].isalnum() else ""
    return f"{before}{text}" + (r"(?!\w)" if item[-1].isalnum() else "")


def text_pattern(item: str) -> str:
    """A pattern for a text anywhere, ignoring case unless `capitals_count`."""
    return re.escape(item) if capitals_count(item) else f"(?i:{re.escape(item)})"
