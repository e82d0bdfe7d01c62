"""What a demand becomes: one scorer that code runs, and the patterns that it looks for."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from gate.limits import PATTERN_CHARS
from gate.testgen.rules.sentences import Clause
from gate.values import JsonValue


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


MARKDOWN = (
    r"```|~~~|^[^\S\n]{0,3}(?:#{1,6}[^\S\n]|>[^\S\n]|[-*+][^\S\n]++\S)|(?<![\w*])\*\*[^\s*]|"
    r"(?<!\w)__[^\s_]++[^\S\n][^_\n]*+__(?!\w)|(?<!\w)__[A-Z]|(?<![\w_])_[^\s_][^_\n]*+_(?![\w_])|"
    r"`[^`\n]++`|\[[^\[\]\n]++\]\([^()\n]++\)|(?<![\w*])\*[^\s*][^*\n]*+\*(?!\w)|^[^\S\n]*+\|[^\n]*\|[^\S\n]*$"
)
"""`2**3` is no match, nor is a name such as `__init__`."""
MARKUP = r"```|~~~|^[^\S\n]{0,3}#{1,6}[^\S\n]|(?<![\w*])\*\*[^\s*]|\[[^\[\]\n]++\]\([^()\n]++\)"
"""Markdown that no plain text holds; dashes before items may be plain text."""
_ELEMENTS = (
    "a|abbr|address|article|aside|audio|b|blockquote|body|br|button|caption|center|cite|code|dd|del|details|div|dl|dt|"
    "em|fieldset|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|"
    "link|main|mark|meta|nav|object|ol|option|p|pre|q|s|samp|script|section|select|small|span|strong|style|sub|"
    "summary|sup|svg|table|tbody|td|textarea|tfoot|th|thead|title|tr|u|ul|video"
)
HTML = rf"(?i:</?(?:{_ELEMENTS})(?:\s++[\w:-]++\s*+=[^<>]*+)?\s*+/?>)"
"""Tags of elements by their names: `List<String>` is no match."""
ADDRESS = (
    r"https?://|www\.\w|\[[^\[\]\n]++\]\([^()\s]++\)|(?<![\w@.-])(?:[a-z0-9-]++\.)++(?:com|org|net|edu|gov)(?![\w-])"
)
EMOJI = "[\\p{Emoji_Presentation}\U0001f000-\U0001faff]|\\p{Emoji}\ufe0f|(?=\\p{Emoji})[\u2600-\u26ff\u2763\u2764]"
APOLOGY = (
    r"(?i:\b(?:I|we)(?:['’](?:m|re)| am| are)(?: (?:so|very|truly|really|terribly|deeply)){0,2} sorry\b|\A\W*+sorry\b|"
    r"\bsorry (?:about|for|to hear|that|if)\b|"
    r"\b(?:I|we)(?: (?:do|must|sincerely|deeply|truly|really)){0,2} apologi[sz]e\b|"
    r"\b(?:my|our)(?: (?:sincere|deepest|sincerest))? apologies\b|\bapologies (?:for|that)\b)"
)
"""An apology; "no need to apologise" is no match."""
NUMBER = (
    r"\A\s*+[-+−]?(?:\d{1,3}(?:,\d{3})++|\d{1,3}(?:[ \u00a0\u202f]\d{3})++|\d++)?"
    r"(?:(?<=\d)|(?=\.\d))(?:\.\d++)?(?:[eE][-+]?\d++)?\s*\Z"
)
_LEAP = r"(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DAYS_31, _DAYS_30 = r"(?:0[1-9]|[12]\d|3[01])", r"(?:0[1-9]|[12]\d|30)"
_MONTHS_31, _MONTHS_30, _DAYS_28 = r"(?:0[13578]|1[02])", r"(?:0[469]|11)", r"(?:0[1-9]|1\d|2[0-8])"
CODE_BLOCK = r"\A\s*+(`{3,}+|~{3,}+)[^\n`]*+\n(?:(?![^\S\n]*+\1)[^\n]*+\n)*+[^\S\n]*+\1\s*\Z|\A\s*+```[^`\n]++```\s*\Z"
"""One block, and nothing around it."""


def date_pattern(form: str) -> str:
    """A pattern for a valid day; `form` has `{y}`, `{m}` and `{d}` for year, month and day."""
    year = r"\d{4}"
    days = (
        (year, _MONTHS_31, _DAYS_31),
        (year, _MONTHS_30, _DAYS_30),
        (year, "02", _DAYS_28),
        (_LEAP, "02", "29"),
    )
    return rf"\A\s*+(?:{'|'.join(form.format(y=y, m=m, d=d) for y, m, d in days)})\s*\Z"


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
