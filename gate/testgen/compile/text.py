"""The sentence of a rule with its quotations taken out, so that nothing in them reads as a part of the sentence."""

import re
import unicodedata
from dataclasses import dataclass

LONGEST = 600
"""Characters of a rule that is looked at."""
MARK = "§"
LITERAL = rf"{MARK}\d{{1,3}}{MARK}"
"""Where a quotation stood."""

_STRAIGHT = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-"})
_QUOTED = re.compile(r"\"([^\"]{1,200})\"|`([^`]{1,200})`|(?<!\w)'([^']{1,200})'(?!\w)")
_TAG = re.compile(r"<[a-z][a-z0-9]{0,19}>", re.IGNORECASE)
_UNLIKE = "ſıİ"
"""Letters that a search takes for `s` and `i` where capitals do not count, and that no table of words holds."""
_STANDS_FOR = re.compile(
    r"\{[^{}]*\w[^{}]*\}|\[[^\W\d_][\w -]*\]|<[^\W\d_][\w -]*>|\.\.\.|…|__|"
    r"\b(?:YYYY|YY|MM|DD|HH|SS|yyyy|hh:mm|X{2,}|N{2,}|YOUR|NAME)\b|(?!N/A)\b[XYN]\b.|.\b[XYN]\b"
)
"""A quotation that holds `{name}`, `[name]`, `<name>`, dots, `YYYY` or `X` shows a form; it is no text to be found."""
_CAPITALS = re.compile(r"\b(?!(?:AI|OK|PS|FAQ|JSON|HTML|USA|URL)\b)[A-Z]{2,}\b")
_SMALL = re.compile(r"\b[A-Z]?[a-z]{2,}\b")
"""Capitals beside words in small letters, as in `Dear NAME`, may stand for something, too."""
_NEXT = re.compile(r"[.;] (?=[A-Z])")
_TEMPLATE = re.compile(r"\{\{|\{%|\{#")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A rule, ready to be read.

    Args:
        text: one line without its full stop; `§0§` stands for the first quotation. A quoted tag such as `<p>` stays.
        literals: the quotations.
    """

    text: str
    literals: tuple[str, ...]


def sentence(text: str) -> Sentence | None:
    """A rule without its quotations.

    Args:
        text: hostile.

    Returns:
        None for what is too long, for what holds control characters or the fields of a template (a scorer would fill
        them in), and for a quotation that is blank or stands for something else.
    """
    if len(text) > LONGEST:
        return None
    written = " ".join(unicodedata.normalize("NFC", text).split())
    if not written.isprintable() or MARK in written or _TEMPLATE.search(written):
        return None
    literals: list[str] = []

    def taken(found: re.Match[str]) -> str:
        # Quotation marks are made alike to be found; what they hold stays as it is written.
        literal = written[found.start() + 1 : found.end() - 1]
        if _TAG.fullmatch(literal):
            return literal
        literals.append(literal)
        return f"{MARK}{len(literals) - 1}{MARK}"

    without = _QUOTED.sub(taken, written.translate(_STRAIGHT)).strip().removesuffix(".").strip()
    if any(letter in without for letter in _UNLIKE):
        return None
    if any(not literal.strip() or _shows_a_form(literal) for literal in literals):
        return None
    return Sentence(without, tuple(literals))


def sentences(read: Sentence) -> tuple[Sentence, ...]:
    """Each sentence of a rule that has several.

    Args:
        read: the rule.
    """
    return tuple(Sentence(part.strip(), read.literals) for part in _NEXT.split(read.text))


def _shows_a_form(literal: str) -> bool:
    return bool(_STANDS_FOR.search(literal) or (_CAPITALS.search(literal) and _SMALL.search(literal)))
