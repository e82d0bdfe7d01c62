"""What the output starts and ends with."""

import re
from collections.abc import Mapping

from gate.domain.jsonvalue import JsonValue
from gate.testgen.compile.check import Check, Checks, searched
from gate.testgen.compile.clause import Clause
from gate.testgen.compile.listed import quoted
from gate.testgen.compile.text import LITERAL

_EDGE = re.compile(
    r"(?P<edge>start|end) with (?:the (?:exact )?(?:(?:(?P<word>words?)|phrases?|strings?|texts?|characters?|prefix|"
    rf"suffix|marker|symbols?|lines?|sentence) )?)?(?:either )?(?P<list>{LITERAL}.*)",
    re.IGNORECASE,
)
_TAGGED = re.compile(r"be (?:enclosed|wrapped|put|placed) (?:in|within) <([a-z]\w{0,19})> tags?", re.IGNORECASE)
_NAMED = re.compile(r"end with (?:a|an) ([a-z ]{4,20})", re.IGNORECASE)
_MARKS: Mapping[str, str] = {
    "question mark": "?",
    "period": ".",
    "full stop": ".",
    "exclamation mark": "!",
    "exclamation point": "!",
    "colon": ":",
    "semicolon": ";",
    "comma": ",",
}
_OPENS = r"\A[\s*_#>\"'“‘«(\[]*+"
"""Marks of Markdown and quotation marks may stand before the first letter."""
_KINDS: tuple[tuple[str, str, str], ...] = (
    (r"start with (?:a|an) (?:capital|uppercase|upper-case|capitalized) letter",
     _OPENS + r"\p{Lu}", "a capital at the start"),
    (r"start with (?:a|an) (?:lowercase|lower-case) letter", _OPENS + r"\p{Ll}", "a small letter at the start"),
    (r"start with a digit", r"\A\s*+[0-9]", "a digit at the start"),
    (r"end with a digit", r"[0-9]\s*\Z", "a digit at the end"),
    (r"be (?:enclosed|wrapped|put|placed) in (?:double )?quot(?:es|ation marks)",
     r"\A\s*+[\"“][^\"“”]*+[\"”]\s*\Z", "quotation marks around it"),
    (r"end with a question(?: (?:to|for) (?:the|your) (?:users?|customers?|readers?|audience))?",
     r"[?？][^\p{L}\p{N}]*\Z", "a question at the end"),
    (r"end with (?:a punctuation mark|punctuation)", r"[.!?…:;,\"'”’»)\]。！？]\s*\Z", "a punctuation mark at the end"),
)  # fmt: skip
"""What the output may start or end with, in words that quote nothing."""
_COMPILED = tuple((re.compile(said, re.IGNORECASE), pattern, told) for said, pattern, told in _KINDS)
_WORD = re.compile(r"(?P<edge>start|end) with the word (?P<word>(?-i:[A-Z])\w{1,30})", re.IGNORECASE)


def edges(clause: Clause) -> Checks:
    """Starts with "Dear", ends with a question mark; blanks around the output count for nothing."""
    for said, pattern, told in _COMPILED:
        if said.fullmatch(clause.said):
            return searched(pattern, told, negate=clause.negated)
    if (word := _WORD.fullmatch(clause.said)) is not None:
        return _edge(word["edge"].lower(), (word["word"],), negate=clause.negated, whole=True)
    if (tag := _TAGGED.fullmatch(clause.said)) is not None and not clause.negated:
        return searched(rf"\A\s*+<{tag[1]}>(?:(?!</?{tag[1]}>)[\s\S])*+</{tag[1]}>\s*\Z", f"within <{tag[1]}> tags")
    named = _NAMED.fullmatch(clause.said)
    if named is not None:
        mark = _MARKS.get(named[1].lower())
        return _edge("end", (mark,), negate=clause.negated) if mark else ()
    found = _EDGE.fullmatch(clause.said)
    items = quoted(clause, found["list"]) if found is not None and " and " not in found["list"] else ()
    if found is None or not items:
        return ()
    return _edge(found["edge"].lower(), items, negate=clause.negated, whole=clause.negated or bool(found["word"]))


def _edge(edge: str, items: tuple[str, ...], *, negate: bool, whole: bool = False) -> Checks:
    told = f"{f'does not {edge}' if negate else f'{edge}s'} with {' or '.join(items)}"
    if len(items) == 1 and not whole:
        options: dict[str, JsonValue] = {"value": items[0], "ignore_case": False, "strip": True}
        return (Check(f"{edge}s_with", told, options, negate),)
    words = "|".join(_whole(edge, item.strip()) if whole else re.escape(item.strip()) for item in items)
    pattern = rf"\A\s*+(?:{words})" if edge == "start" else rf"(?:{words})\s*\Z"
    return searched(pattern, told, negate=negate)


def _whole(edge: str, item: str) -> str:
    """What is forbidden, and what is called a word, counts as whole words: `I` is no start of `It`."""
    if edge == "start":
        return re.escape(item) + (r"(?![\w'’])" if item[-1].isalnum() else "")
    return (r"(?<!\w)" if item[0].isalnum() else "") + re.escape(item)
