"""Marks that are looked for anywhere in the output: punctuation, hashtags, the items of a list."""

import re
from collections.abc import Mapping

from gate.testgen.compile.check import Checks, searched
from gate.testgen.compile.clause import Clause

_INDENT = r"^[^\S\n]*+"
_BULLET, _NUMBERED = r"[-*+•‣–]", r"\d{1,4}[.)]"
MARKS: Mapping[str, str] = {
    "question mark": r"\?",
    "exclamation mark": "!",
    "exclamation point": "!",
    "comma": ",",
    "asterisk": r"\*",
    "ampersand": "&",
    "underscore": "_",
    "em dash": "—",
    "en dash": "–",
    "hyphen": "-",
    "dash": r"[–—―]|--|(?<=\S )-(?=\s)",
    "apostrophe": "['’]",
    "quotation mark": '["“”„«»]',
    "ellipsis": r"…|\.\.\.",
    "parenthesis": "[()]",
    "square bracket": r"[\[\]]",
    "percent sign": "%",
    "dollar sign": r"\$",
    "digit": "[0-9]",
    "semicolon": ";",
    "colon": ":",
    "hashtag": r"#\w++",
    "bullet": rf"{_INDENT}{_BULLET}[^\S\n]++\S",
    "bullet point": rf"{_INDENT}{_BULLET}[^\S\n]++\S",
    "bulleted item": rf"{_INDENT}{_BULLET}[^\S\n]++\S",
    "numbered item": rf"{_INDENT}{_NUMBERED}[^\S\n]++\S",
    "numbered point": rf"{_INDENT}{_NUMBERED}[^\S\n]++\S",
    "list item": rf"{_INDENT}(?:{_BULLET}|{_NUMBERED})[^\S\n]++\S",
}
"""What is counted anywhere in the output, in the singular."""
ITEMS = frozenset(name for name in MARKS if name.startswith(("bullet", "number", "list")))
"""Marks that an output may be made of."""
_PLURALS: Mapping[str, str] = {
    "em dashes": "em dash",
    "en dashes": "en dash",
    "dashes": "dash",
    "parentheses": "parenthesis",
    "ellipses": "ellipsis",
}
_WITHOUT = re.compile(r"contain (?:any |an? |the )?([a-z ]{4,20})", re.IGNORECASE)
_WITH = re.compile(r"contain an? ([a-z ]{4,20})", re.IGNORECASE)

_SOME = re.compile(r"(?:contain|be in) (bullet points|bullets)", re.IGNORECASE)


def mark(clause: Clause) -> Checks:
    """A question mark somewhere; no exclamation marks."""
    found = (_WITHOUT if clause.negated else _WITH).fullmatch(clause.said)
    name = singular(found[1].lower()) if found is not None else ""
    if not clause.negated and (some := _SOME.fullmatch(clause.said)) is not None:
        name = singular(some[1].lower())
    told = f"no {name}" if clause.negated else f"a {name}"
    return searched(MARKS[name], told, negate=clause.negated) if name in MARKS else ()


def singular(name: str) -> str:
    """A mark as `MARKS` names it.

    Args:
        name: of one or of many, in small letters.
    """
    return name if name in MARKS else _PLURALS.get(name, name.removesuffix("s"))
